"""What several systems use: devices, matrix kernels, timing, flat trees, and saying no."""
