"""Models whose helpers take any number of arguments."""

# Models as they are written in a hurry.
# ruff: noqa: B905
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from __future__ import annotations

from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


def total(*args):
    return sum(args)


def glued(first, *others, scale=1.0):
    h = first
    for o in others:
        h = h + o * scale
    return h


def handed_on(*xs):
    return glued(*xs, scale=2.0)


def last_of(*xs):
    return xs[-1] if xs else 0


def joined(*xs):
    return ops.concat(*xs)


class Weighted:
    def __init__(self, *ws):
        self.ws = ws

    def __call__(self, *xs):
        return sum(x * w for x, w in zip(xs, self.ws))


@ab.model
def any_number_of_arguments(p: P, xs: list[int]) -> Any:
    x = p.emb[xs[0]]
    pair = (1, xs[-1])

    def each(*ys):
        return [y + xs[0] for y in ys]

    return (
        total(1, 2, xs[0]), glued(x), glued(p.b, x, p.emb[2], scale=0.5), handed_on(p.b, x, p.b),
        last_of(), last_of(1, xs[0]), joined(p.b, x), Weighted(2, 3)(xs[0], 4), each(1, 2),
        each(*pair), (lambda *a: a[0])(3), total(*pair),
    )  # fmt: skip


MODELS = (any_number_of_arguments,)
