"""What the operations of the typed IR compute, written down for `interpret.py` alone."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from acrobat.ir.mathematics import MATH
from acrobat.ir.ops import POINTWISE

SCALARS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": operator.not_,
    "neg": operator.neg,
    "min": min,
    "max": max,
    "abs": abs,
    "int": int,
    "float": float,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "invert": operator.invert,
    "round": round,
    **{f"math.{name}": getattr(math, name) for name in MATH},
    "range_length": lambda start, stop, step: len(range(start, stop, step)),
    "range_item": lambda start, i, step: start + i * step,
    "is_none": lambda a: a is None,
}


LISTS: dict[str, Callable[..., Any]] = {
    "make": lambda *items: list(items),
    "append": lambda xs, x: [*xs, x],
    "concat": operator.add,
    "len": len,
    "get": operator.getitem,
    "slice": lambda xs, a, b: xs[a:b],
    "reverse": lambda xs: xs[::-1],
    "set": lambda xs, i, x: [x if n == i % len(xs) else y for n, y in enumerate(xs)],
    "sort": sorted,
    "order": lambda xs: sorted(range(len(xs)), key=xs.__getitem__),
    "find": lambda xs, x: xs.index(x) if x in xs else -1,
    "get_or": lambda xs, i, x: xs[i] if i < len(xs) else x,
    "flatten": lambda rows: [x for row in rows for x in row],
    "remove": lambda xs, i: [x for n, x in enumerate(xs) if n != i % len(xs)],
}


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _layer_norm(x: np.ndarray, g: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


def _attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, heads: int) -> np.ndarray:
    parts = zip(*(np.split(m, heads, axis=1) for m in (q, k, v)), strict=True)
    scale = math.sqrt(q.shape[1] // heads)
    return np.concatenate([_softmax(a @ b.T / scale) @ c for a, b, c in parts], axis=1)


def _rms_norm(x: np.ndarray, g: np.ndarray) -> np.ndarray:
    return x / np.sqrt(np.square(x).mean(-1, keepdims=True) + 1e-5) * g


def _logsumexp(x: np.ndarray, axis: int | None = None) -> np.ndarray:
    return np.log(np.exp(x).sum(axis))


def _reduced(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axis="all": f(x) if axis == "all" else f(x, axis)


def _slice(x: np.ndarray, start: int, stop: int, axis: int = 0) -> np.ndarray:
    assert 0 <= start < stop <= x.shape[axis]
    return np.take(x, range(start, stop), axis)


OPS: dict[str, Callable[..., Any]] = {
    **{op.name: op.numpy for op in POINTWISE.values()},
    "matmul": np.matmul,
    "linear": lambda x, w, b=0: x @ w + b,
    "outer": lambda x, y: x[:, None] * y,
    "transpose": np.transpose,
    "reshape": lambda x, shape: x.reshape(shape),
    "concat": lambda *xs, axis=-1: np.concatenate(xs, axis),
    "stack": lambda *xs: np.stack(xs),
    "slice": _slice,
    "softmax": _softmax,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "log_softmax": lambda x: np.log(_softmax(x)),
    "logsumexp": _reduced(_logsumexp),
    "sum": _reduced(np.sum),
    "mean": _reduced(np.mean),
    "max": _reduced(np.max),
    "argmax": np.argmax,
    "lookup": lambda table, i: table[i],
    "triangle": lambda n: np.triu(np.ones((n, n))),
    "eye": lambda n: np.arange(n)[:, None] == np.arange(n),
    "parts": lambda n, width: np.arange(n)[:, None] == np.arange(width) // (width // n),
    "zeros": lambda shape: np.zeros(shape),
    "attention": _attention,
}
