"""Reverse mode over mini-batches: gradients of a compiled model, batched like its forward pass.

    vjp = compiled_vjp(fast)          # compiled.py; `fast` is a CompiledModel
    run = vjp.forward(instances)
    run.results                       # like those of `fast(instances)`, in arrays of their own
    run.pullback(cotangents)          # once per run

`compiled_vjp` compiles the model once more in training form, with the options of `fast`: every
static block also outputs what its adjoint needs, and has an adjoint block. A result's tensors are
counted in order (depth first; tuples, lists and fields of data from first to last; data that occurs
twice in one result counts once): `run.counts[i]` is the number of tensors in the result of instance
i, and `pullback` takes, for every instance, that many float32 arrays of the same shapes, or None
for zeros.

`pullback` returns `Mapping[str, np.ndarray | SparseRows]` by the path of the weight
(`lang.params.weights`: "w", "layers.0.w"), for every weight: a dense float32 array of the weight's
shape, summed over the mini-batch, or, for a weight that is read only by rows selected by numbers of
the instance, `SparseRows(rows int64 [n] ascending and unique, values float32 [n, *row shape],
shape)` with `.dense()`.

Decisions are constants, and numbers read by `ops.item` have no gradient.

`records` defines adjoints, `adjoint` derives one from a block, with `derivatives` of operations,
and `keep` decides which values of the forward pass it reads. `plan` appends the adjoints to the
blocks of a module; `native` and `interpreted` run the backward pass, and `weights` and `folded`
compute the gradients of weights from its results.
"""
