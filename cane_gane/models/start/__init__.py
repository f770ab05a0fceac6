"""The values that a model's tables start from."""
