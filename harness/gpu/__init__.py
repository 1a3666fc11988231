"""Everything that a GPU is needed for, in one command, within a time budget (docs/gpu.md)."""
