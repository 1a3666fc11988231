"""Group the stores of a block into kernels, and write these down as `KernelSpec`s.

A store has a *level*: 0 if it reads only the block's inputs, else one more than the latest
temporary it reads. Kernels run in order of level; within a level, stores of the same shape share
a kernel (horizontal fusion), those with reductions apart from the others. A contraction that
several kernels would need is stored once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...ir.types import ALIGN
from ..specification.expr import REDUCTIONS, Pool, Product
from ..specification.spec import BlockPlan
from .scratch import Life, place_lives

if TYPE_CHECKING:
    from .block import Lowering

# Gates of one kernel: with more, the accumulators of a pass no longer share a loop anyway, and the
# compiler's time grows.
MOST_GATES = 8


@dataclass(slots=True)
class Temp:
    """A temporary of rows x width floats, rows `stride` apart: in the scratch record, or, if the
    block puts it out, at `record`. `value` is what it holds."""

    number: int
    rows: int
    width: int
    stride: int
    value: object = None
    record: int | None = None

    @property
    def floats(self) -> int:
        """Its size."""
        return self.rows * self.stride


@dataclass(frozen=True, slots=True)
class Store:
    """`expr` over rows x width, written at float `at` of temporary `temp` (or -1: the record),
    rows `row_stride` apart; `scalar`: one number per row."""

    temp: int
    rows: int
    width: int
    expr: int
    at: int
    row_stride: int = 0
    padded: bool = True
    scalar: bool = False


def group_kernels(lowering: Lowering, outputs: list[int], record: int) -> BlockPlan:
    """The plan: `record` floats hold the outputs."""
    from .writer import Writer

    pool, temps = lowering.pool, lowering.temps
    stores = [replace(s, expr=_merge_sums(pool, s.expr)) for s in lowering.stores]
    if not lowering.horizontal_fusion:
        stores = _one_contraction_each(lowering, stores)
    while True:
        stores = _needed(pool, stores, temps)
        groups = _groups(lowering, stores)
        twice = _computed_twice(pool, groups)
        if twice is None:
            break
        stores = _stored_once(lowering, stores, twice)
    inside, scratch = place_lives(_lives(pool, stores, temps))
    places = {n: ("scratch", at) for n, at in inside.items()}
    places |= {t.number: ("self", t.record) for t in temps if t.record is not None}
    writer = Writer(lowering, places, record, scratch)
    for n, group in enumerate(groups):
        writer.kernel(n, group)
    return BlockPlan(
        block=lowering.block.name,
        record=record,
        outputs=tuple(outputs),
        kernels=tuple(writer.kernels),
        rows=tuple(writer.rows),
        weights=tuple(writer.weights),
        vectors=tuple(writer.vectors),
        scratch=scratch,
    )


def _needed(pool: Pool, stores: list[Store], temps: list[Temp]) -> list[Store]:
    """The stores that an output needs."""
    wanted = {t.number for t in temps if t.record is not None}
    while True:
        kept = [s for s in stores if s.temp < 0 or s.temp in wanted]
        more = {t for s in kept for t in pool.temps(s.expr)} - wanted
        if not more:
            return kept
        wanted |= more


def _levels(pool: Pool, stores: list[Store]) -> list[int]:
    by_temp: dict[int, list[int]] = {}
    for n, s in enumerate(stores):
        if s.temp >= 0:
            by_temp.setdefault(s.temp, []).append(n)
    levels: dict[int, int] = {}

    def level(n: int) -> int:
        if n not in levels:
            before = [level(m) for t in pool.temps(stores[n].expr) for m in by_temp[t]]
            levels[n] = 1 + max(before, default=-1)
        return levels[n]

    return [level(n) for n in range(len(stores))]


def _lives(pool: Pool, stores: list[Store], temps: list[Temp]) -> dict[int, Life]:
    """When the temporaries in the scratch record are needed."""
    used: dict[int, list[int]] = {}
    for s, level in zip(stores, _levels(pool, stores), strict=True):
        for number in (s.temp, *pool.temps(s.expr)):
            used.setdefault(number, []).append(level)
    inside = (t for t in temps if t.record is None and t.number in used)
    return {t.number: Life(t.floats, min(used[t.number]), max(used[t.number])) for t in inside}


def _groups(lowering: Lowering, stores: list[Store]) -> list[list[Store]]:
    """Stores that share a kernel, in the order in which the kernels run."""
    pool = lowering.pool
    found: dict[tuple[int, ...], list[Store]] = {}
    for n, (s, level) in enumerate(zip(stores, _levels(pool, stores), strict=True)):
        reduces = bool(pool.reductions([s.expr])) or s.scalar
        key: tuple[int, ...] = (level, s.rows, s.width, reduces)
        if (s.temp >= 0 and not lowering.horizontal_fusion) or (
            s.temp >= 0 and not lowering.kernel_fusion and not pool.contractions([s.expr])
        ):
            key = (*key, n)
        found.setdefault(key, []).append(s)
    groups: list[list[Store]] = []
    for key in sorted(found):
        group: list[Store] = []
        for s in found[key]:
            if group and len(pool.contractions([x.expr for x in (*group, s)])) > MOST_GATES:
                groups.append(group)
                group = []
            group.append(s)
        groups.append(group)
    return groups


def _computed_twice(pool: Pool, groups: list[list[Store]]) -> int | None:
    """A contraction that two groups read."""
    seen: dict[int, int] = {}
    for n, group in enumerate(groups):
        for e in pool.contractions([s.expr for s in group]):
            if seen.setdefault(e, n) != n:
                return e
    return None


def _stored_once(lowering: Lowering, stores: list[Store], e: int) -> list[Store]:
    """`stores` with the contraction `e` in memory. It is the same for all that read it, but they
    may read parts: as many rows and columns as any of them needs are stored. An output that is
    just that is where the others read it."""
    pool = lowering.pool
    readers = [n for n, s in enumerate(stores) if e in pool.contractions([s.expr])]
    rows = max(stores[n].rows for n in readers)
    width = max(stores[n].width for n in readers)
    stride = width if rows > 1 else 0
    temp, at, own = lowering.new_temp(rows, width), -1, None
    for n in readers:
        s = stores[n]
        whole = (s.expr, s.rows, s.width, s.row_stride) == (e, rows, width, stride)
        if whole and s.temp < 0 and s.at % ALIGN == 0:
            temp.record, at, own = s.at, n, replace(s, temp=temp.number, at=0)
            break
    if own is None:
        padded = rows == 1 or width % ALIGN == 0
        own = Store(temp.number, rows, width, e, 0, stride, padded)
    leaf = pool.add("temp", temp.number, 0, stride, 1)
    rest = [s for n, s in enumerate(stores) if n != at]
    return [*(replace(s, expr=_replace(pool, s.expr, e, leaf)) for s in rest), own]


def _replace(pool: Pool, e: int, old: int, new: int) -> int:
    """`e` with the contraction `old` read from `new` instead."""
    return pool.rebuild(e, lambda n: new if n == old else n)


def _one_contraction_each(lowering: Lowering, stores: list[Store]) -> list[Store]:
    """Without horizontal fusion a kernel has one contraction: expressions over several of them
    read each from a temporary."""
    pool = lowering.pool
    while True:
        several = (accs for s in stores if len(accs := pool.contractions([s.expr])) > 1)
        first = next(several, None)
        if first is None:
            return stores
        stores = _stored_once(lowering, stores, first[0])


def _merge_sums(pool: Pool, e: int) -> int:
    """x @ W + y @ U as one contraction with more terms, where nothing else reads the parts."""
    order = pool.reachable([e])
    readers: dict[int, int] = {}
    for n in order:
        for o in pool.operands(n):
            readers[o] = readers.get(o, 0) + 1
    new: dict[int, int] = {}
    for n in order:
        kind, *rest = pool.nodes[n]
        operands = pool.operands(n)
        if kind in REDUCTIONS:
            new[n] = pool.add(kind, rest[0], new[rest[1]])
        elif not operands:
            new[n] = n
        else:
            merged = None
            if kind == "add" and all(readers[o] == 1 for o in operands):
                merged = _merge_add(pool, *(new[o] for o in operands))
            new[n] = pool.add(kind, *(new[o] for o in operands)) if merged is None else merged
    return new[e]


def _merge_add(pool: Pool, a: int, b: int) -> int | None:
    """a + b with their contractions merged; each is a contraction, or one plus something."""
    parts: list[int] = []
    rest: list[int] = []
    for side in (a, b):
        if pool.nodes[side][0] == "acc":
            parts.append(side)
            continue
        if pool.nodes[side][0] != "add":
            return None
        inner = pool.operands(side)
        accs = [o for o in inner if pool.nodes[o][0] == "acc"]
        if len(accs) != 1:
            return None
        parts += accs
        rest += [o for o in inner if o not in accs]
    terms: tuple[Product, ...] = tuple(t for p in parts for t in pool.nodes[p][1])
    merged = pool.add("acc", terms)
    for r in rest:
        merged = pool.add("add", merged, r)
    return merged
