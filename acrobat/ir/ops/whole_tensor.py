"""The operations that are not point-wise: one record each.

Block lowering has a function for each of them, under the same name.
"""

from __future__ import annotations

import numpy as np

from . import meaning as M
from . import shapes as S
from .definition import Operation

_RECORDS = (
    Operation(
        "matmul",
        "contraction",
        S.matmul,
        M.float32(M.EXACT["matmul"]),
        "x @ w",
        "a @ b: [K] or [M, K] by [K, N] or [K].",
    ),
    Operation(
        "linear",
        "contraction",
        S.linear,
        M.linear,
        "ops.linear(x, w, b)",
        "x @ w + b for x [K] or [M, K], w [K, N], b [N] (may be left out); [N] or [M, N].",
    ),
    Operation(
        "outer",
        "rearrange",
        S.outer,
        np.outer,
        "ops.outer(x, y)",
        "x[:, None] * y for x [M], y [N]; [M, N].",
    ),
    Operation(
        "transpose",
        "rearrange",
        S.transpose,
        lambda x: x.T,
        "ops.transpose(x)",
        "[N, M] of [M, N].",
    ),
    Operation(
        "reshape",
        "rearrange",
        S.reshape,
        lambda x, *, shape: np.reshape(x, shape),
        "ops.reshape(x, *dims)",
        "The same elements, row by row, in another shape.",
    ),
    Operation(
        "concat",
        "rearrange",
        S.concat,
        lambda *xs, axis=-1: np.concatenate(xs, axis=axis),
        "ops.concat(*xs, axis)",
        "The tensors one after the other: vectors, or matrices along their last axis or axis 0.",
    ),
    Operation(
        "stack",
        "rearrange",
        S.stack,
        lambda *xs: np.stack(xs),
        "ops.stack(*xs)",
        "Vectors [N] as the rows of a matrix [k, N]; a list of them may have any length but 0.",
    ),
    Operation(
        "slice",
        "rearrange",
        S.slice_,
        M.slice_,
        "x[a:b]`, `x[:, a:b]",
        "Elements or rows, columns; the bounds are known when the model is compiled, or their "
        "difference is, as of `x[i:i + 2]`.",
    ),
    Operation(
        "softmax",
        "normalise",
        S.softmax,
        M.float32(M.EXACT["softmax"]),
        "ops.softmax(x, axis)",
        "exp(x) over its sum, along the last axis or another one.",
    ),
    Operation(
        "log_softmax",
        "normalise",
        S.log_softmax,
        M.float32(M.EXACT["log_softmax"]),
        "ops.log_softmax(x, axis)",
        "The logarithm of softmax, without overflow, along the last axis or another one.",
    ),
    Operation(
        "rms_norm",
        "normalise",
        S.rms_norm,
        M.float32(M.EXACT["rms_norm"]),
        "ops.rms_norm(x, g)",
        "x / sqrt(mean(x * x) + 1e-5) * g along the last axis (Zhang, Sennrich 2019).",
    ),
    Operation(
        "layer_norm",
        "normalise",
        S.layer_norm,
        M.float32(M.EXACT["layer_norm"]),
        "ops.layer_norm(x, g, b)",
        "(x - mean) / sqrt(variance + 1e-5) * g + b along the last axis (Ba et al. 2016).",
    ),
    Operation(
        "sum",
        "reduction",
        S.reduction("sum"),
        M.float32(M.EXACT["sum"]),
        "ops.sum(x, axis, keepdims)",
        "The sum of all elements (rank 0), or along an axis.",
    ),
    Operation(
        "mean",
        "reduction",
        S.reduction("mean"),
        M.float32(M.EXACT["mean"]),
        "ops.mean(x, axis, keepdims)",
        "The mean of all elements (rank 0), or along an axis.",
    ),
    Operation(
        "max",
        "reduction",
        S.reduction("max"),
        M.float32(M.EXACT["max"]),
        "ops.max(x, axis, keepdims)",
        "The largest element (rank 0), or the largest along an axis; NaN if there is one.",
    ),
    Operation(
        "logsumexp",
        "reduction",
        S.reduction("logsumexp"),
        M.float32(M.EXACT["logsumexp"]),
        "ops.logsumexp(x, axis, keepdims)",
        "log(sum(exp(x))) over all elements (rank 0) or along an axis, without overflow.",
    ),
    Operation(
        "argmax",
        "reduction",
        S.argmax,
        M.float32(np.argmax),
        "ops.argmax(x)",
        "The position of the largest element of a vector, the first of equals, or of its first "
        "NaN. Control flow that depends on it is tensor-dependent.",
    ),
    Operation(
        "lookup",
        "lookup",
        S.lookup,
        lambda table, i: np.asarray(table[i]),
        "x[i]",
        "A row, `i` any int; negative ones count from the end, as Python's do.",
    ),
    Operation(
        "one_hot",
        "lookup",
        S.one_hot,
        M.one_hot,
        "ops.one_hot(index, n)",
        "A vector [n] with 1 at `index`, which counts from the end if it is negative, and 0 "
        "elsewhere.",
    ),
    Operation(
        "zeros",
        "constant",
        S.constant,
        lambda *, shape: np.zeros(shape, np.float32),
        "ops.zeros(*dims)",
        "A tensor of zeros.",
    ),
    Operation("eye", "constant", S.eye, M.eye, "", "The identity matrix [n, n]."),
    Operation(
        "parts",
        "constant",
        S.parts,
        M.parts,
        "",
        "A matrix [n, width] with 1 in row i where the i-th of n equal parts of the columns is.",
    ),
    Operation(
        "triangle",
        "constant",
        S.eye,
        M.triangle,
        "",
        "The matrix [n, n] with 1 on and above the diagonal, and 0 below.",
    ),
    Operation(
        "positions",
        "constant",
        S.constant,
        M.positions,
        "",
        "The numbers 0, 1, 2, ... in a shape, row by row.",
    ),
    Operation(
        "dropout",
        "dropout",
        S.dropout,
        M.not_dropped,
        "ops.dropout(x, p)",
        "x with each element 0 with probability p and divided by 1 - p else, in a step of training "
        "(Srivastava et al. 2014); elsewhere x. Which are 0 follows from the step's seed and "
        "number, the instance, and how often it has dropped out before.",
    ),
    Operation(
        "attention",
        "attention",
        S.attention,
        M.attention,
        "ops.attention(q, k, v, heads)",
        "Scaled dot-product attention (Vaswani et al. 2017, section 3.2) of [S, H] matrices, per "
        "head of H / heads columns, the heads side by side. Where only the instance knows the "
        "number of keys and values, there may be another one of queries, or one vector.",
    ),
)

WHOLE_TENSOR = {op.name: op for op in _RECORDS}
