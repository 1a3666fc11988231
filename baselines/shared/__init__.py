"""Code shared by several systems: devices, matrix products, timing, flat trees, training steps."""
