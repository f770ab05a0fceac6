"""The neural models: tables, encoder, score, and initial values."""
