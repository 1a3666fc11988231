"""The invariants of a plan that every printer and the run-time rely on."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...errors import CompilerBug
from ...ir.types import ALIGN
from ...limits import MAX_OPERANDS
from .levels import kernel_levels
from .spec import REDUCTIONS, BlockPlan, Instr, KernelSpec, strides

_LEAVES = ("acc", "load", "load_shared", "lit", "col")
_PLACES: tuple[Literal["record", "scratch"], ...] = ("record", "scratch")


def verify_plan(plan: BlockPlan) -> None:
    """Raise CompilerBug, which names the kernel, if an invariant does not hold: an access leaves
    its operand; a float is read before it is stored, is stored twice or is overwritten; kernels
    that could run side by side touch the same floats; no printer knows an epilogue."""
    sizes = {"record": plan.record, "scratch": plan.scratch}
    for place, size in sizes.items():
        _check(size % ALIGN == 0, plan.block, f"a {place} of {size} floats is not aligned")
    # Floats stored and not yet overwritten; the record's stores and padding; accesses by level.
    present = {place: np.zeros(n, bool) for place, n in sizes.items()}
    outputs, padding = np.zeros(plan.record, int), np.zeros(plan.record, bool)
    beside: dict[tuple[int, str], tuple[np.ndarray, np.ndarray]] = {}
    for spec, level in zip(plan.kernels, kernel_levels(plan), strict=True):
        name = spec.name
        _check((spec.record, spec.scratch) == (plan.record, plan.scratch), name, "another record")
        _check(len(spec.stores) > 0, name, "it stores nothing")
        _check(len(spec.indexed) <= MAX_OPERANDS, name, f"{len(spec.indexed)} operands")
        _verify_epilogue(spec)
        own = any(t.matrix is not None for g in spec.gates for t in g.terms)
        _check(spec.weight_type == "fp32" or not own, name, "a matrix of the node's own is float32")
        reads = _reads(spec)
        for place in _PLACES:
            stored, behind = _stores(spec, place)
            read = reads[place]
            missing = (read & ~present[place]).any()
            _check(not missing, name, f"it reads floats of the {place} that nothing has stored")
            _check(stored.max(initial=0) <= 1, name, f"it stores floats of the {place} twice")
            written = behind | (stored > 0)
            taken = (behind & (stored > 0)).any()
            _check(not taken, name, f"it stores to the padding of the {place}")
            _check(not (read & written).any(), name, f"it reads what it writes in the {place}")
            none = np.zeros(sizes[place], bool), np.zeros(sizes[place], bool)
            read_beside, written_beside = beside.get((level, place), none)
            clash = (written & (read_beside | written_beside)) | (read & written_beside)
            _check(not clash.any(), name, f"another kernel of its level uses the same {place}")
            beside[level, place] = read_beside | read, written_beside | written
            present[place] = (present[place] & ~behind) | (stored > 0)
            if place == "record":
                outputs, padding = outputs + stored, padding | behind
    _check(outputs.max(initial=0) <= 1, plan.block, "floats of the record are stored twice")
    overwritten = (padding & (outputs > 0)).any()
    _check(not overwritten, plan.block, "the padding of an output is another output")


def _check(holds: bool, where: str, what: str) -> None:
    if not holds:
        raise CompilerBug(f"kernel specification {where}: {what}")


def _stores(spec: KernelSpec, place: str) -> tuple[np.ndarray, np.ndarray]:
    """How often a kernel stores each float of its record, or scratch record, and which ones it
    writes as padding."""
    size = spec.record if place == "record" else spec.scratch
    stored, padding = np.zeros(size, int), np.zeros(size, bool)
    for s in (s for s in spec.stores if s.place == place):
        width = 1 if s.scalar else spec.width
        first = s.offset + np.arange(spec.rows)[:, None] * s.row_stride
        own = (first + np.arange(width)).ravel()
        inside = own.min() >= 0 and own.max() < size
        _check(bool(inside), spec.name, f"a store leaves the {place}")
        np.add.at(stored, own, 1)
        if s.padded:
            behind = (first + np.arange(width, -(-width // ALIGN) * ALIGN)).ravel()
            inside = behind.size == 0 or behind.max() < size
            _check(bool(inside), spec.name, f"padding leaves the {place}")
            padding[behind] = True
    return stored, padding


def _verify_epilogue(spec: KernelSpec) -> None:
    """No kernel has both contractions and reductions; a value stored once per row is a row
    scalar."""
    reduces = any(i.fn in REDUCTIONS for i in spec.epilogue)
    _check(not (spec.gates and reduces), spec.name, "contractions beside reductions")
    scalar: list[bool] = []
    for at, i in enumerate(spec.epilogue):
        ready = i.fn in _LEAVES or all(0 <= a < at for a in i.args)
        _check(ready, spec.name, f"instruction {at} needs a later one")
        scalar.append(_row_scalar(i, scalar))
    for s in spec.stores:
        holds = not s.scalar or scalar[s.value]
        _check(holds, spec.name, "one float per row is stored of a value that differs by column")


def _row_scalar(i: Instr, scalar: list[bool]) -> bool:
    match i.fn:
        case fn if fn in REDUCTIONS or fn == "lit":
            return True
        case "acc" | "col":
            return False
        case "load" | "load_shared":
            return strides(i)[2] == 0
    return all(scalar[a] for a in i.args)


def _reads(spec: KernelSpec) -> dict[str, np.ndarray]:
    """The floats that a kernel reads of its record and of its scratch record; checks that accesses
    stay within their operands."""
    found = {"record": np.zeros(spec.record, bool), "scratch": np.zeros(spec.scratch, bool)}
    m, j = np.arange(spec.rows)[:, None], np.arange(spec.width)

    def note(operand: int, at: np.ndarray) -> None:
        o = spec.operands[operand]
        inside = at.min() >= 0 and at.max() < o.width
        _check(bool(inside), spec.name, f"it reads outside of operand {operand}")
        if o.kind in ("self", "scratch"):
            found["record" if o.kind == "self" else "scratch"][o.at + at.ravel()] = True

    for i in spec.epilogue:
        if i.fn not in ("load", "load_shared"):
            continue
        offset, row_stride, col_stride = strides(i)
        at = offset + m * row_stride + j * col_stride
        if i.fn == "load":
            note(i.args[0], at)
        else:
            inside = at.min() >= 0 and at.max() < spec.vectors[i.args[0]]
            _check(bool(inside), spec.name, f"it reads outside of vector {i.args[0]}")
    for t in (t for g in spec.gates for t in g.terms):
        k = np.arange(t.k)
        note(t.operand, t.offset + m * t.row_stride + k * t.k_stride)
        if t.matrix is None:
            shape = spec.weights[t.weight]
            rows, columns = reversed(shape) if t.turned else shape
            inside = t.row + t.k <= rows and t.col + spec.width <= columns
            _check(inside, spec.name, f"it reads outside of weight {t.weight}")
        else:
            own = t.matrix
            note(own.operand, own.offset + k[:, None] * own.row_stride + j * own.col_stride)
    return found
