"""Kernels that consist of several equal kernels side by side.

Examples are the heads of an attention, the projections to queries, keys and values, and the gates
of a hoisted input projection: no store combines these gates. Such a kernel is split into *parts*,
one per connected component of gates and stores. Parts that differ only by constant steps in their
offsets share one text, in which the part is a coordinate of the grid. This gives the GPU more
programs to run at once, and the compiler only one part to compile.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Set
from dataclasses import dataclass

from ...specification.spec import Gate, Instr, KernelSpec, Matrix, Store

LEAVES = ("acc", "load", "load_shared", "lit", "col")


@dataclass(frozen=True, slots=True)
class Parts:
    """A kernel as `specs`, which differ by constant steps in the offsets of terms, of `load`
    instructions and of stores (and in the weights and vectors that they read, which are packed
    part by part). The methods give such an offset as an expression in `part`."""

    specs: tuple[KernelSpec, ...]

    @property
    def first(self) -> KernelSpec:
        """The part that represents all."""
        return self.specs[0]

    def term(self, gate: int, term: int) -> str:
        """Offset of a term's left operand."""
        return _affine([s.gates[gate].terms[term].offset for s in self.specs])

    def matrix(self, gate: int, term: int) -> str:
        """Offset of a term's per-node matrix."""
        return _affine([_matrix(s.gates[gate].terms[term].matrix).offset for s in self.specs])

    def load(self, instr: int) -> str:
        """Offset of a `load` instruction."""
        return _affine([s.epilogue[instr].args[1] for s in self.specs])

    def store(self, store: int) -> str:
        """Offset of a store."""
        return _affine([s.stores[store].offset for s in self.specs])


def split(spec: KernelSpec) -> Parts:
    """The parts of `spec`: only itself if it has one group of gates or its groups are not alike."""
    groups = _groups(spec)
    parts = tuple(_part(spec, *group) for group in groups)
    if len(parts) < 2 or not all(gates for gates, _ in groups):
        return Parts((spec,))
    alike = len({_shape(p) for p in parts}) == 1
    steady = all(_steady(list(column)) for column in zip(*map(_offsets, parts), strict=True))
    return Parts(parts if alike and steady else (spec,))


def needed(spec: KernelSpec, wanted: Iterable[int], known: Set[int] = frozenset()) -> list[int]:
    """The positions, in order, of the instructions that `wanted` are computed from, including
    `wanted`, except those that are `known`."""
    found: set[int] = set()
    work = [i for i in wanted if i not in known]
    while work:
        i = work.pop()
        if i not in found:
            found.add(i)
            arguments = () if spec.epilogue[i].fn in LEAVES else spec.epilogue[i].args
            work.extend(a for a in arguments if a not in known)
    return sorted(found)


def _groups(spec: KernelSpec) -> list[tuple[list[int], list[int]]]:
    """The connected components of gates and stores, in order of their first gates."""
    groups: list[tuple[set[int], list[int]]] = []
    for n, store in enumerate(spec.stores):
        code = [spec.epilogue[i] for i in needed(spec, [store.value])]
        gates, stores = {i.args[0] for i in code if i.fn == "acc"}, [n]
        apart = []
        for group in groups:
            if group[0] & gates:
                gates, stores = gates | group[0], group[1] + stores
            else:
                apart.append(group)
        groups = [*apart, (gates, stores)]
    return sorted((sorted(g), sorted(s)) for g, s in groups)


def _part(spec: KernelSpec, gates: list[int], stores: list[int]) -> KernelSpec:
    """`spec` with only these gates and stores."""
    kept = needed(spec, [spec.stores[s].value for s in stores])
    place = {old: new for new, old in enumerate(kept)}

    def renumbered(i: Instr) -> Instr:
        if i.fn == "acc":
            return dataclasses.replace(i, args=(gates.index(i.args[0]),))
        return i if i.fn in LEAVES else dataclasses.replace(i, args=tuple(place[a] for a in i.args))

    return dataclasses.replace(
        spec,
        gates=tuple(spec.gates[g] for g in gates),
        epilogue=tuple(renumbered(spec.epilogue[i]) for i in kept),
        stores=tuple(
            dataclasses.replace(spec.stores[s], value=place[spec.stores[s].value]) for s in stores
        ),
    )


def _shape(spec: KernelSpec) -> KernelSpec:
    """`spec` with everything in which parts may differ set to the same value."""

    def gate(g: Gate) -> Gate:
        return Gate(
            tuple(
                dataclasses.replace(
                    t,
                    offset=0,
                    weight=min(t.weight, 0),
                    row=0,
                    col=0,
                    matrix=t.matrix and dataclasses.replace(t.matrix, offset=0),
                )
                for t in g.terms
            )
        )

    def instr(i: Instr) -> Instr:
        match i.fn:
            case "load":
                return dataclasses.replace(i, args=(i.args[0], 0, *i.args[2:]))
            case "load_shared":
                return dataclasses.replace(i, args=(0, 0, *i.args[2:]))
        return i

    def store(s: Store) -> Store:
        return dataclasses.replace(s, offset=0)

    return dataclasses.replace(
        spec,
        gates=tuple(map(gate, spec.gates)),
        epilogue=tuple(map(instr, spec.epilogue)),
        stores=tuple(map(store, spec.stores)),
    )


def _offsets(spec: KernelSpec) -> list[int]:
    terms = [t for g in spec.gates for t in g.terms]
    return [
        *(t.offset for t in terms),
        *(t.matrix.offset for t in terms if t.matrix),
        *(i.args[1] for i in spec.epilogue if i.fn == "load"),
        *(s.offset for s in spec.stores),
    ]


def _steady(numbers: list[int]) -> bool:
    steps = {b - a for a, b in itertools.pairwise(numbers)}
    return len(steps) <= 1


def _affine(numbers: list[int]) -> str:
    """The number of each part as an expression; "" for 0."""
    step = numbers[1] - numbers[0] if len(numbers) > 1 else 0
    parts = [str(numbers[0])] if numbers[0] else []
    if step:
        parts.append("part" if step == 1 else f"part * {step}")
    return " + ".join(parts)


def _matrix(matrix: Matrix | None) -> Matrix:
    assert matrix is not None
    return matrix
