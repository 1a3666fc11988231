"""Code shared by several systems: devices, products, timing, trees, training, checks of support."""
