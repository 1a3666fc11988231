"""The common parts of the JAX systems: environment, threads, padding, the calls of a system."""
