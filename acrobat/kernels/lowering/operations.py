"""How each operation of the language is lowered."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir import typed as T
from ...ir.ops import POINTWISE
from .attention import lower_attention
from .context import Context
from .contraction import lower_contraction
from .movement import (
    lower_concat,
    lower_outer,
    lower_reshape,
    lower_slice,
    lower_stack,
    lower_transpose,
    lower_zeros,
)
from .pointwise import lower_pointwise
from .reduction import (
    lower_layer_norm,
    lower_log_softmax,
    lower_reduction,
    lower_rms_norm,
    lower_softmax,
)
from .values import Value

# Maps an operation and the variable of its result to the result's value.
Lower = Callable[[Context, T.Op, T.Var], Value]

# Operations that only move elements: never worth a separate kernel.
MOVES: Mapping[str, Lower] = {
    "slice": lower_slice,
    "concat": lower_concat,
    "stack": lower_stack,
    "reshape": lower_reshape,
    "transpose": lower_transpose,
    "zeros": lower_zeros,
}

LOWERINGS: Mapping[str, Lower] = {
    **dict.fromkeys(POINTWISE, lower_pointwise),
    **MOVES,
    "outer": lower_outer,
    "matmul": lower_contraction,
    "linear": lower_contraction,
    "softmax": lower_softmax,
    "log_softmax": lower_log_softmax,
    "layer_norm": lower_layer_norm,
    "rms_norm": lower_rms_norm,
    "sum": lower_reduction,
    "mean": lower_reduction,
    "max": lower_reduction,
    "argmax": lower_reduction,
    "logsumexp": lower_reduction,
    "attention": lower_attention,
}
