"""Tests of the room `upstream`."""
