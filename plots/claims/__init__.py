"""Table T9: the paper's claims, what was measured of each, and the verdict that follows."""
