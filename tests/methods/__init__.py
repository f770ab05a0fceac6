"""Tests of the room `methods`."""
