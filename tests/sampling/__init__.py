"""Tests of the room `sampling`."""
