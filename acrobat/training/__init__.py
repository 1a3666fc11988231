"""The requests and results of differentiation, independent of how it is computed: the selected
weights (`wrt`), the gradients of results (`cotangents`), the gradients of weights
(`weight_gradients`); and gradients in plain Python (`on_tape`)."""
