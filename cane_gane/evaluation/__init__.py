"""Protocols, figures, and one evaluation for whatever can be scored."""
