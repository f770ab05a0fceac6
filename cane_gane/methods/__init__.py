"""Every method, one a file, and the registry that lists them."""
