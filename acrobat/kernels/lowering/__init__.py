"""Lowering: from a static block to kernel specifications."""
