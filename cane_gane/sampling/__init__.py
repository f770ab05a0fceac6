"""Training edges in order, with negatives, in batches."""
