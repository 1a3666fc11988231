"""Batched kernels for NVIDIA GPUs, printed as Triton."""
