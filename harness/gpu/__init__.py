"""Everything that needs a GPU, in one command, within a time budget (docs/gpu.md)."""
