"""Ahead-of-time compilation: the batched IR as a C++ program."""
