"""Several workers that take the same steps together, by tf.distribute."""
