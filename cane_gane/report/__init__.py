"""What a person looks at: tables, figures and self-contained pages of runs."""
