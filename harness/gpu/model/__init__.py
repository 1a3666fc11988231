"""What a mini-batch should take on a GPU, predicted from the machine code of its kernels."""
