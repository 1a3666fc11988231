"""Table T9: the paper's claims, the measurements for each, and the resulting verdict."""
