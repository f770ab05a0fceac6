"""Tests of the room `docs`."""
