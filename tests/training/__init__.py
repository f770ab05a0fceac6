"""Tests of the room `training`."""
