"""Group the writes of a block into kernels.

A write has a *level*: 0 if it reads only the block's inputs, else one more than the latest
temporary it reads. Kernels run in order of level; within a level, writes of the same shape share
a kernel (horizontal fusion), except that writes with reductions are kept apart from the others. A
contraction that several kernels would need is stored once.
"""

from __future__ import annotations

from dataclasses import replace

from ...ir.types import ALIGN
from ...limits import MAX_INSTRUCTIONS, MAX_OPERANDS
from ..specification.expr import (
    Contraction,
    Expr,
    Region,
    contractions,
    reachable,
    reductions,
    temps,
)
from ..specification.spec import BlockPlan
from .context import Context
from .operand_limit import indexed_regions, within_operand_limit
from .rewrite import merge_sums, replaced
from .scratch import Life, place_lives
from .values import Temp, Write
from .writer import Layout, Place, write_kernel

# The most gates of one kernel: with more, the accumulators of a pass no longer share a loop anyway,
# and compile time grows.
MOST_GATES = 8


def group_kernels(context: Context, outputs: list[int], record: int) -> BlockPlan:
    """The plan of the block, whose outputs, at the offsets `outputs`, take `record` floats."""
    placing = context.placing
    writes = [replace(w, expr=merge_sums(context.pool, w.expr)) for w in placing.writes]
    if not context.horizontal_fusion:
        writes = _one_contraction_each(context, writes)
    writes = within_operand_limit(placing, writes)
    while True:
        writes = _needed(writes, placing.temps)
        groups = _groups(context, writes)
        twice = _computed_twice(groups)
        if not twice:
            break
        writes = _stored_once(context, writes, twice)
    inside, scratch = place_lives(_lives(writes, placing.temps))
    places: dict[int, Place] = {n: ("scratch", at) for n, at in inside.items()}
    places |= {t.number: ("self", t.record) for t in placing.temps if t.record is not None}
    layout = Layout(places, record, scratch)
    kernels = [write_kernel(context, layout, n, group) for n, group in enumerate(groups)]
    return BlockPlan(
        block=context.block.name,
        record=record,
        outputs=tuple(outputs),
        kernels=tuple(k.spec for k in kernels),
        operands=tuple(k.operands for k in kernels),
        weights=tuple(k.weights for k in kernels),
        vectors=tuple(k.vectors for k in kernels),
        scratch=scratch,
    )


def _needed(writes: list[Write], temporaries: list[Temp]) -> list[Write]:
    """The writes that an output depends on."""
    by_temp = _by_temp(writes)
    wanted: set[int] = set()
    open_temps = [t.number for t in temporaries if t.record is not None]
    open_temps += [t for w in writes if w.temp < 0 for t in temps(w.expr)]
    while open_temps:
        temp = open_temps.pop()
        if temp not in wanted:
            wanted.add(temp)
            open_temps += [t for n in by_temp.get(temp, ()) for t in temps(writes[n].expr)]
    return [w for w in writes if w.temp < 0 or w.temp in wanted]


def _by_temp(writes: list[Write]) -> dict[int, list[int]]:
    """The positions of the writes to each temporary."""
    found: dict[int, list[int]] = {}
    for n, w in enumerate(writes):
        if w.temp >= 0:
            found.setdefault(w.temp, []).append(n)
    return found


def _levels(writes: list[Write]) -> list[int]:
    by_temp = _by_temp(writes)
    levels: dict[int, int] = {}

    def level(n: int) -> int:
        if n not in levels:
            before = [level(m) for t in temps(writes[n].expr) for m in by_temp[t]]
            levels[n] = 1 + max(before, default=-1)
        return levels[n]

    return [level(n) for n in range(len(writes))]


def _lives(writes: list[Write], temporaries: list[Temp]) -> dict[int, Life]:
    """The live ranges of the temporaries in the scratch record."""
    used: dict[int, list[int]] = {}
    for w, level in zip(writes, _levels(writes), strict=True):
        for number in (w.temp, *temps(w.expr)):
            used.setdefault(number, []).append(level)
    inside = (t for t in temporaries if t.record is None and t.number in used)
    return {t.number: Life(t.floats, min(used[t.number]), max(used[t.number])) for t in inside}


def _groups(context: Context, writes: list[Write]) -> list[list[Write]]:
    """Groups of writes that share a kernel, in the order in which the kernels run."""
    found: dict[tuple[int, ...], list[Write]] = {}
    for n, (w, level) in enumerate(zip(writes, _levels(writes), strict=True)):
        reduces = bool(reductions([w.expr])) or w.scalar
        key: tuple[int, ...] = (level, w.rows, w.width, reduces)
        if (w.temp >= 0 and not context.horizontal_fusion) or (
            w.temp >= 0 and not context.kernel_fusion and not contractions([w.expr])
        ):
            key = (*key, n)
        found.setdefault(key, []).append(w)
    return [group for key in sorted(found) for group in _split(found[key])]


def _split(writes: list[Write]) -> list[list[Write]]:
    """`writes` in groups that are small enough for one kernel each."""
    groups: list[list[Write]] = [[]]
    computed: set[Expr] = set()
    gates = 0
    operands: set[Region] = set()
    for w in writes:
        new = [e for e in reachable([w.expr]) if e not in computed]
        more_gates = sum(isinstance(e, Contraction) for e in new)
        more_operands = set(indexed_regions(w.expr))
        too_many = gates + more_gates > MOST_GATES or len(computed) + len(new) > MAX_INSTRUCTIONS
        if groups[-1] and (too_many or len(operands | more_operands) > MAX_OPERANDS):
            groups.append([])
            new = reachable([w.expr])
            more_gates = sum(isinstance(e, Contraction) for e in new)
            computed, gates, operands = set(), 0, set()
        groups[-1].append(w)
        computed.update(new)
        gates += more_gates
        operands |= more_operands
    return groups


def _computed_twice(groups: list[list[Write]]) -> list[Contraction]:
    """The contractions that several groups read."""
    seen: dict[Contraction, int] = {}
    twice: dict[Contraction, None] = {}
    for n, group in enumerate(groups):
        for e in contractions(w.expr for w in group):
            if seen.setdefault(e, n) != n:
                twice[e] = None
    return list(twice)


def _stored_once(context: Context, writes: list[Write], shared: list[Contraction]) -> list[Write]:
    """`writes` with the contractions `shared` in memory. The readers of a contraction may read
    different parts of it: as many rows and columns as any of them needs are stored. If an output is
    exactly that contraction, the others read it there."""
    placing = context.placing
    readers: dict[Contraction, list[int]] = {e: [] for e in shared}
    changed: dict[int, Write] = dict(enumerate(writes))
    for n, w in changed.items():
        for e in contractions([w.expr]):
            if e in readers:
                readers[e].append(n)
    for e in shared:
        reading = [(n, changed[n]) for n in readers[e]]
        rows = max(w.rows for _, w in reading)
        width = max(w.width for _, w in reading)
        stride = width if rows > 1 else 0
        temp, own = placing.new_temp(rows, width), None
        for n, w in reading:
            whole = (w.expr, w.rows, w.width, w.row_stride) == (e, rows, width, stride)
            if whole and w.temp < 0 and w.at % ALIGN == 0:
                temp.record, own = w.at, replace(w, temp=temp.number, at=0)
                del changed[n]
                break
        if own is None:
            padded = rows == 1 or width % ALIGN == 0
            own = Write(temp.number, rows, width, e, 0, stride, padded)
        stored = placing.load(temp)
        for n, w in reading:
            if n in changed:
                changed[n] = replace(w, expr=replaced(context.pool, w.expr, e, stored))
        # After the others: its key is larger than all of theirs.
        changed[len(writes) + temp.number] = own
    return list(changed.values())


def _one_contraction_each(context: Context, writes: list[Write]) -> list[Write]:
    """Without horizontal fusion a kernel has one contraction: an expression over several of them
    reads all but the last from temporaries."""
    stored: dict[Contraction, None] = {}
    for w in writes:
        left = [e for e in contractions([w.expr]) if e not in stored]
        stored.update(dict.fromkeys(left[:-1]))
    return _stored_once(context, writes, list(stored))
