"""From static blocks to batched kernels: lowering, then one code generator per target."""
