"""The compiler's driver: runs the passes of the pipeline one after the other, verifies and dumps
what they make, and names the one that fails."""
