"""The second executor: interprets the batched IR in Python, with kernels compiled in-process."""
