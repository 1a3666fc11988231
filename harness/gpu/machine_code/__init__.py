"""Machine code of kernels as text, and what it takes; needs Triton, no GPU."""
