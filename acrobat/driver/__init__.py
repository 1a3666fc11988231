"""The compiler's driver: runs the passes of the pipeline in order, verifies and dumps their
results, and names the pass that fails."""
