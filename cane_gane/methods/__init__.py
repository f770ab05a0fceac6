"""Every method, one per file, and the registry that lists them."""
