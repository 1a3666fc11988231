"""A recursive list of words, and weights for it."""

from __future__ import annotations

from types import ModuleType

import numpy as np


def weight(*shape: int, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng([seed, *shape]).standard_normal(shape) * 0.4).astype(np.float32)


LIST = """
@ab.data
class Nil:
    pass

@ab.data
class Cons:
    head: int
    tail: "List"

List = Nil | Cons

@ab.params
class P:
    emb: Tensor["V", "E"]
    w: Tensor["E", "H"]
    u: Tensor["H", "H"]
    b: Tensor["H"]
    start: Tensor["H"]
"""


def make_list(module: ModuleType, items: list[int]) -> object:
    result = module.Nil()
    for i in reversed(items):
        result = module.Cons(i, result)
    return result


def list_params(module: ModuleType, e: int = 6, h: int = 10) -> object:
    return module.P(
        emb=weight(9, e), w=weight(e, h), u=weight(h, h), b=weight(h), start=weight(h, seed=1)
    )


LISTS = [[], [1], [2, 3, 4], [5, 6, 7, 8, 0, 1, 2], [4, 4]]
