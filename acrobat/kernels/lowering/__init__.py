"""A static block becomes kernel specifications."""
