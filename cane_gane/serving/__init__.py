"""Trained models as SavedModels, and the answers they give."""
