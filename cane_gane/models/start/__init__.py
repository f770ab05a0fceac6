"""The initial values of a model's tables."""
