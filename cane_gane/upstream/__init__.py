"""A user's own checkout of thunlp/CANE, run unmodified and set beside our models."""
