"""The commands of the package, one module each."""
