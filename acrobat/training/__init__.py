"""What gradients are asked for and what they are given as, however they are computed: the weights
that are meant (`wrt`), the gradients of results (`cotangents`), the gradients of weights
(`weight_gradients`); and those of plain Python (`on_tape`)."""
