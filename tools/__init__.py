"""Builds the documents: the site, its figures, and the outputs that pages show."""
