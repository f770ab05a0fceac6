"""Run folders: one run, a grid of runs, and their processes."""
