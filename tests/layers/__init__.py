"""Tests of the room `layers`."""
