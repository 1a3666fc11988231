"""Shared by several systems: devices, matrix kernels, timing, flat trees, unsupported workloads."""
