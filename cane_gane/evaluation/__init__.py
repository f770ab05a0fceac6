"""Protocols, figures, and one evaluation for every method."""
