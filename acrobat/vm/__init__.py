"""The second executor: the batched IR interpreted in Python, kernels compiled in the process."""
