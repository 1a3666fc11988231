"""A random program with everything that it takes to try it: one file of Python.

The file has the model, weights, instances and options; `CASES` are the entries to compile, each
`(model, weights, instances, options)`, and `KERNELS` says whether their kernels are compiled or
taken as they are specified. It needs nothing but acrobat, numpy and `neighbours`, so that it can be
kept, run by itself, and reduced.

Every program ends: recursion goes down data or counts down, loops run over lists or are counted.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
from typing import Any

import acrobat as ab

from . import (  # noqa: F401
    callables,
    captures,
    dicts,
    given,
    handed_on,
    held,
    layers,
    library,
    lists,
    loops,
    members,
    natural,
    numbers,
    once,
    patterns,
    raw,
    records,
    searches,
    stacked,
    strings,
    tensors,
    yields,
)
from .draw import Draw, Function
from .functions import along_chain, countdown, main_function, over_table, simple, tree_walk
from .instances import Instances
from .names import names
from .rebuilt import rebuilt

HEAD = """\
import collections
import dataclasses
import enum
import functools
import heapq
import itertools
import math
import operator
from collections.abc import Callable
from typing import NamedTuple, Optional, TypedDict, Union

import numpy as np

import acrobat as ab
from acrobat import Tensor, ops
from tests.programs.generator import neighbours

NAN, INF = float("nan"), float("inf")
KERNELS = "{kernels}"
H, V, K, C = {hidden}, 11, 3, 4


def normal(seed, *shape):
    \"\"\"An array of `shape`; a float at its end is put in at one place.\"\"\"
    special = [s for s in shape if isinstance(s, float)]
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 0.5, shape[: len(shape) - len(special)]).astype(np.float32)
    if special:
        x.reshape(-1)[seed % x.size] = special[0]
    return x


TURNS = {{"inc": lambda n: n + 1, "twice": lambda n: 2 * n, "last": abs}}
SHAPES = [ops.tanh, ops.sigmoid, lambda x: x * 0.5]


@ab.data
class Leaf:
    word: int
    x: Tensor["H"]


@ab.data
class Node:
    left: "Tree"
    right: "Tree"
    k: int
    flag: bool


@ab.data
class Many:
    children: "list[Tree]"
    scale: float


Tree = Leaf | Node | Many


@ab.data
class Chain:
    n: int
    weight: float
    flag: bool
    x: Tensor["H"]
    next: Optional["Chain"]


@ab.params
class Layer:
    w: Tensor["H", "H"]
    b: Optional[Tensor["H"]]

    def step(self, x):
        h = x @ self.w
        return ops.tanh(h if self.b is None else h + self.b)


@ab.params
class P:
    emb: Tensor["V", "H"]
    w0: Tensor["H", "H"]
    w1: Tensor["2H", "H"]
    g: Tensor["H"]
    b: Tensor["H"]
    m: Tensor["K", "H"]
    w3: Tensor["K", "H", "H"]
    out: Tensor["H", "C"]
    layers: list[Layer]
    named: dict[str, Layer]
    scales: dict[str, Tensor["H"]]
    gate: Optional[Layer]
    gains: tuple[Tensor["H"], ...]

    def embed(self, x, n: int):
        return ops.tanh(x @ self.w0) + self.emb[n % V]
{types}

@ab.data
class Item:
    tree: Tree
    phrase: "Word | Phrase"
    chain: Optional["Chain"]
    trees: "list[Tree]"
    table: "list[list[Tree]]"
    n: int
    weight: float
    flag: bool
    x: Tensor["H"]
    m: Tensor["K", "H"]
    note: Note
    raw: Raw
{given}{helpers}"""

# Of the kernels that are compiled; one set of hidden sizes keeps the number of different ones low.
COMPILED_SIZES = (1, 4, 7, 17)
# check_finite refuses results that a program may well have.
_LEFT_ALONE = (
    "executor",
    "precision",
    "weights",
    "gpu_mode",
    "check_finite",
    "threads",
    "stack_mb",
    "memory_mb",
)


def write_program(choose: random.Random, way: str = "any", precision: str = "fp32") -> str:
    """The text of one program. `way` is "vm", "aot" (kernels compiled, mostly one to an operation,
    which many programs share), "compiled" (kernels of whole blocks, by either executor), or "any",
    which draws one of these. `precision`: the option of all its cases."""
    if way == "any":
        way = choose.choices(("vm", "aot", "compiled"), (82, 16, 2))[0]
    sizes = range(1, 41) if way == "vm" else COMPILED_SIZES
    d = Draw(choose, choose.choice(sizes), names(choose), given=choose.random() < 0.4)
    d.put("", _head(d, way))
    entries = _functions(d)
    _cases(d, entries, way, {} if precision == "fp32" else {"precision": precision})
    return "\n".join(d.lines).replace("\n\n\n\n", "\n\n\n") + "\n"


def _head(d: Draw, way: str) -> str:
    kernels = "specified" if way == "vm" else "compiled"
    helpers = callables.HELPERS + records.FIND + held.HELPERS
    types = "".join(part.TYPES for part in (records, members, strings, held, library, raw, given))
    fields = given.FIELDS if d.given else ""
    return HEAD.format(kernels=kernels, hidden=d.hidden, types=types, given=fields, helpers=helpers)


def _functions(d: Draw) -> list[Function]:
    """Write the functions; those that instances can be passed to."""
    if d.chance(0.3):
        d.functions += _NEIGHBOURS
    for _ in range(d.choose.randrange(1, 4)):
        simple(d, ("vector",) if d.chance(0.6) else None)
    if d.chance(0.3):
        countdown(d)
    if d.chance(0.3):
        stacked.pooling(d)
    if d.chance(0.4):
        callables.bare_helper(d)
    if d.chance(0.4):
        d.collecting.append(natural.collecting(d))
    walk = tree_walk(d)
    others = []
    if d.chance(0.4):
        others.append(along_chain(d))
    if d.chance(0.4):
        others.append(over_table(d, walk))
    if d.chance(0.3):
        others.append(rebuilt(d))
    if d.chance(0.4):
        others.append(records.over_phrase(d))
    if d.chance(0.4):
        others += [raw.rebuilt(d)] if d.chance(0.6) else []
        others.append(raw.walk(d))
    entries = [main_function(d, walk, others)]
    if d.chance(0.2):
        entries.append(main_function(d, walk, others[:1]))
    return entries


_NEIGHBOURS = [
    Function(f"neighbours.{name}", ("vector", "int"), ("vector",), takes_weights=False)
    for name in ("step", "cell", "far")
]


def _cases(d: Draw, entries: list[Function], way: str, given: dict[str, Any]) -> None:
    special = d.chance(0.15)
    instances = Instances(d, special)
    d.put("", "")
    d.put("", "")
    d.put("", f"WEIGHTS = {_weights(d, special)}")
    for _ in range(d.one((0, 0, 1, 3))):
        instances.share()
    d.put("", "CASES = [")
    for entry in entries:
        d.put("    ", f"({entry.name}, WEIGHTS, [")
        for _ in range(d.one((1, 1, 2, 3, 5, 7))):
            item = instances.item(raw.literal(instances, 3))
            words, big = instances.words(), instances.big()
            d.put("        ", f"({item}, {words}, {big}),")
        d.put("    ", f"], {_options(d, way) | given!r}),")
    d.put("", "]")


def _weights(d: Draw, special: bool) -> str:
    """All weights, as text."""
    seeds = itertools.count(1000)

    def weight(shape: str) -> str:
        value = f", {d.one(('NAN', 'INF', '-INF'))}" if special and d.chance(0.1) else ""
        return f"normal({next(seeds)}, {shape}{value})"

    def layer() -> str:
        return f"Layer(w={weight('H, H')}, b={weight('H') if d.chance(0.6) else 'None'})"

    shapes = {"emb": "V, H", "w0": "H, H", "w1": "2 * H, H", "g": "H", "b": "H", "m": "K, H"}
    shapes |= {"w3": "K, H, H", "out": "H, C"}
    parts = {name: weight(shape) for name, shape in shapes.items()}
    parts["layers"] = f"[{', '.join(layer() for _ in range(layers.LAYERS))}]"
    parts["named"] = f"{{'left': {layer()}, 'right': {layer()}}}"
    parts["scales"] = f"{{'right': {weight('H')}, 'left': {weight('H')}}}"
    parts["gate"] = layer() if d.chance(0.5) else "None"
    parts["gains"] = f"({weight('H')}, {weight('H')})"
    return f"P({', '.join(f'{name}={value}' for name, value in parts.items())})"


def _options(d: Draw, way: str) -> dict[str, Any]:
    """Options that are legal on the CPU; most are as they are by default."""
    executor = {"vm": "vm", "aot": "aot"}.get(way) or d.one(("aot", "aot", "vm"))
    changes: dict[str, Any] = {"executor": executor}
    if way == "aot" and d.chance(0.95):
        changes["grain_size_coarsening"] = False
    for f in dataclasses.fields(ab.Options):
        choices = f.metadata["choices"]
        if choices and f.name not in (*_LEFT_ALONE, *changes) and d.chance(0.15):
            changes[f.name] = d.one(choices)
    return changes
