"""Describes in words what the compiler found in a model, and how well its mini-batches batch."""
