"""Reads a folder as a network, splits its edges, and turns texts into word ids."""
