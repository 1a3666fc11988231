"""What the JAX systems share: their environment, their threads, padding, the calls of a system."""
