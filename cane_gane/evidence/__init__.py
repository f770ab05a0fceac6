"""Evidence for an edge, computed from texts and training edges, and its weights."""
