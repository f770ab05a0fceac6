"""Epochs that can be killed and resumed: loop, optimizer, objectives, checkpoints."""
