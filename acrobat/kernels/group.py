"""Group the stores of a block into kernels, and write these down as `KernelSpec`s.

A store has a *level*: 0 if it reads only the block's inputs, else one more than the latest
temporary it reads. Kernels run in order of level; within a level, stores of the same width share
a kernel (horizontal fusion). A contraction that several kernels would need is stored once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from .expr import Pool
from .spec import BlockPlan, Gate, Instr, KernelSpec, Operand, Term
from .spec import Store as SpecStore

if TYPE_CHECKING:
    from .lower import Lowering


@dataclass(frozen=True, slots=True)
class Store:
    """A segment that must be in memory: temporary `temp` (or -1: an output), at record offset
    `at`. `alone`: kept out of other kernels when horizontal fusion is off."""

    temp: int
    width: int
    expr: int
    at: int = -1
    padded: bool = True
    alone: bool = False


def group_kernels(
    lowering: Lowering, outputs: list[int], stores: list[Store], record: int
) -> BlockPlan:
    """The plan: `stores` are the outputs', placed; temporaries go behind them in the record."""
    pool = lowering.pool
    stores = [replace(s, expr=_merge_sums(pool, s.expr)) for s in stores]
    temps = [replace(t, expr=_merge_sums(pool, t.expr)) for t in lowering.temps]
    if not lowering.horizontal_fusion:
        stores, temps = _one_contraction_each(pool, stores, temps)
    while True:
        needed = _needed_temps(pool, stores, temps)
        groups = _groups(lowering, [*stores, *(temps[i] for i in needed)], temps)
        twice = _computed_twice(pool, groups)
        if not twice:
            break
        e, width = twice
        temps.append(Store(len(temps), width, e))
        stores = [replace(s, expr=_replace(pool, s.expr, e, len(temps) - 1)) for s in stores]
        temps = [
            t if t.expr == e else replace(t, expr=_replace(pool, t.expr, e, len(temps) - 1))
            for t in temps
        ]
    places: dict[int, int] = {}
    for i in needed:
        places[i] = record
        record += -(-temps[i].width // 16) * 16
    writer = _Writer(lowering, places, record)
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
    )


def _temps_read(pool: Pool, e: int) -> set[int]:
    found: set[int] = set()
    for n in pool.reachable([e]):
        kind, *rest = pool.nodes[n]
        if kind == "temp":
            found.add(rest[0])
        elif kind == "acc":
            found |= {t[0][1] for t in rest[0] if t[0][0] == "temp"}
    return found


def _needed_temps(pool: Pool, stores: list[Store], temps: list[Store]) -> list[int]:
    needed: set[int] = set()
    work = [t for s in stores for t in _temps_read(pool, s.expr)]
    while work:
        t = work.pop()
        if t not in needed:
            needed.add(t)
            work.extend(_temps_read(pool, temps[t].expr))
    return sorted(needed)


def _level(pool: Pool, e: int, temps: list[Store]) -> int:
    return 1 + max((_level(pool, temps[t].expr, temps) for t in _temps_read(pool, e)), default=-1)


def _groups(lowering: Lowering, stores: list[Store], temps: list[Store]) -> list[list[Store]]:
    """Stores that share a kernel, in the order in which the kernels run."""
    found: dict[tuple[int, ...], list[Store]] = {}
    for n, s in enumerate(stores):
        key: tuple[int, ...] = (_level(lowering.pool, s.expr, temps), s.width)
        single = s.alone and not (lowering.kernel_fusion and lowering.horizontal_fusion)
        pointwise = not lowering.pool.contractions([s.expr])
        if single and (not lowering.horizontal_fusion or pointwise):
            key = (*key, n)
        found.setdefault(key, []).append(s)
    return [found[k] for k in sorted(found)]


def _computed_twice(pool: Pool, groups: list[list[Store]]) -> tuple[int, int] | None:
    """A contraction that two groups read (and none of them merely stores), and its width."""
    seen: dict[int, int] = {}
    for n, group in enumerate(groups):
        for e in pool.contractions([s.expr for s in group]):
            if seen.setdefault(e, n) != n:
                return e, group[0].width
    return None


def _replace(pool: Pool, e: int, old: int, temp: int) -> int:
    """`e` with the expression `old` read from the temporary instead."""
    new: dict[int, int] = {}
    for n in pool.reachable([e]):
        operands = pool.operands(n)
        if n == old:
            new[n] = pool.add("temp", temp, 0)
        elif operands:
            new[n] = pool.add(pool.nodes[n][0], *(new[o] for o in operands))
        else:
            new[n] = n
    return new[e]


def _one_contraction_each(
    pool: Pool, stores: list[Store], temps: list[Store]
) -> tuple[list[Store], list[Store]]:
    """Without horizontal fusion a kernel has one contraction: expressions over several of them
    read each from a temporary."""
    temps = list(temps)
    for items in (stores, temps):
        i = 0
        while i < len(items):
            s = items[i]
            accs = pool.contractions([s.expr])
            if len(accs) > 1:
                for e in accs:
                    known = next((t for t in temps if t.expr == e and t.width == s.width), None)
                    if known is None:
                        known = Store(len(temps), s.width, e, alone=True)
                        temps.append(known)
                    items[i] = replace(items[i], expr=_replace(pool, items[i].expr, e, known.temp))
            i += 1
    return stores, temps


def _merge_sums(pool: Pool, e: int) -> int:
    """x @ W + y @ U as one contraction with more terms, where nothing else reads the parts."""
    order = pool.reachable([e])
    readers: dict[int, int] = {}
    for n in order:
        for o in pool.operands(n):
            readers[o] = readers.get(o, 0) + 1
    new: dict[int, int] = {}
    for n in order:
        kind = pool.nodes[n][0]
        operands = pool.operands(n)
        if not operands:
            new[n] = n
            continue
        if kind == "add" and all(readers[o] == 1 for o in operands):
            merged = _merge_add(pool, *(new[o] for o in operands))
            if merged is not None:
                new[n] = merged
                continue
        new[n] = pool.add(kind, *(new[o] for o in operands))
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
    merged = pool.add("acc", tuple(t for p in parts for t in pool.nodes[p][1]))
    for r in rest:
        merged = pool.add("add", merged, r)
    return merged


class _Writer:
    """Writes groups of stores as kernel specifications."""

    def __init__(self, lowering: Lowering, places: dict[int, int], record: int) -> None:
        self.lowering, self.places, self.record = lowering, places, record
        self.kernels: list[KernelSpec] = []
        self.rows: list[tuple[tuple[Literal["row", "table"], int, int], ...]] = []
        self.weights: list[tuple[str, ...]] = []
        self.vectors: list[tuple[str, ...]] = []

    def kernel(self, number: int, group: list[Store]) -> None:
        """Append the kernel of one group."""
        pool = self.lowering.pool
        operands: dict[tuple[str, int], int] = {}
        weights: dict[str, int] = {}
        vectors: dict[str, int] = {}
        gates: list[Gate] = []
        code: list[Instr] = []
        at: dict[int, int] = {}

        def operand(kind: str, n: int) -> int:
            return operands.setdefault((kind, n), len(operands))

        for e in pool.reachable([s.expr for s in group]):
            kind, *rest = pool.nodes[e]
            if kind in ("row", "table", "temp"):
                instr = Instr("row", (operand(kind, rest[0]), rest[1]))
            elif kind == "vec":
                instr = Instr("vec", (vectors.setdefault(rest[0], len(vectors)), rest[1]))
            elif kind == "lit":
                instr = Instr("lit", (), rest[0])
            elif kind == "acc":
                terms = tuple(
                    Term(operand(*src), off, k, weights.setdefault(w, len(weights)), row, col)
                    for src, off, k, w, row, col in rest[0]
                )
                gates.append(Gate(terms))
                instr = Instr("acc", (len(gates) - 1,))
            else:
                instr = Instr(kind, tuple(at[o] for o in rest))
            at[e] = len(code)
            code.append(instr)
        stores = tuple(
            SpecStore(self.places[s.temp] if s.temp >= 0 else s.at, at[s.expr], s.padded)
            for s in group
        )
        shapes = {s.param: s.var.type for s in self.lowering.block.shared}
        self.kernels.append(
            KernelSpec(
                name=f"{self.lowering.block.name}_k{number}",
                width=group[0].width,
                record=self.record,
                operands=tuple(self._operand(k, n) for k, n in operands),
                weights=tuple(_shape2(shapes[w]) for w in weights),
                vectors=tuple(_shape1(shapes[v]) for v in vectors),
                gates=tuple(gates),
                epilogue=tuple(code),
                stores=stores,
            )
        )
        self.rows.append(
            tuple((k, n, 0) for k, n in operands if k != "temp")  # type: ignore[misc]
        )
        self.weights.append(tuple(weights))
        self.vectors.append(tuple(vectors))

    def _operand(self, kind: str, n: int) -> Operand:
        if kind == "temp":
            width = (
                -(-self.lowering.temps[n].width // 16) * 16 if n < len(self.lowering.temps) else 0
            )
            return Operand("self", width, self.places[n])
        inputs = self.lowering.block.rows if kind == "row" else self.lowering.block.table_rows
        t = inputs[n].var.type
        width = _shape1(t)
        return Operand("row" if kind == "row" else "table", width)


def _shape1(t: object) -> int:
    from ..ir.types import TensorType

    assert isinstance(t, TensorType)
    return t.width


def _shape2(t: object) -> tuple[int, int]:
    from ..ir.types import TensorType

    assert isinstance(t, TensorType)
    rows, columns = (d.known for d in t.dims)
    assert rows is not None and columns is not None
    return rows, columns
