"""Runs a user's own checkout of thunlp/CANE unmodified, to compare with our models."""
