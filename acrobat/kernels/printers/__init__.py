"""Specifications as source: TIR for the CPU, Triton for NVIDIA GPUs."""
