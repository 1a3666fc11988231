"""Machine code of kernels as text, and the resources it uses; needs Triton, no GPU."""
