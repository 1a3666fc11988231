"""Passes, one per file; each a pure function from module to module."""
