"""Tests of the room `evaluation`."""
