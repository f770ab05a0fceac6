"""Tests of the room `transport`."""
