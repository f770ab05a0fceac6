"""Output for readers: tables, figures and self-contained pages of runs."""
