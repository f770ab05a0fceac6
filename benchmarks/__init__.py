"""Timed claims, each measured as a ratio in one interleaved run."""
