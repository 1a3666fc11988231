"""The compiler's driver: runs the passes of the pipeline one after the other, verifies and dumps
their results, and names the one that fails."""
