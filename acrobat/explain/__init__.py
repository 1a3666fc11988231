"""What the compiler found in a model, and how its mini-batches fare, in words."""
