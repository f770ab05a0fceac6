"""Trained models as SavedModels, and what reads them."""
