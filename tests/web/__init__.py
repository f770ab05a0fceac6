"""Tests of the room `web`."""
