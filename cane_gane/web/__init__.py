"""The web side of a run: questions as JSON over HTTP, and a page to explore it."""
