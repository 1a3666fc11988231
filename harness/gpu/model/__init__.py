"""The time of a mini-batch on a GPU, predicted from the machine code of its kernels."""
