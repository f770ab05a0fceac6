"""Tables beyond one machine's memory: rows on parameter servers, by tf.distribute."""
