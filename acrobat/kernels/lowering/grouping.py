"""Group the writes of a block into kernels.

A write has a *level*: 0 if it reads only the block's inputs, else one more than the latest
temporary it reads. Kernels run in order of level; within a level, writes of the same shape share
a kernel (horizontal fusion), those with reductions apart from the others. A contraction that
several kernels would need is stored once.
"""

from __future__ import annotations

from dataclasses import replace

from ...ir.types import ALIGN
from ...limits import MAX_OPERANDS
from ..specification.expr import Contraction, Expr, Region, contractions, reductions, temps
from ..specification.spec import BlockPlan
from .context import Context
from .operand_limit import indexed_regions, within_operand_limit
from .rewrite import merge_sums, replaced
from .scratch import Life, place_lives
from .values import Temp, Write
from .writer import Layout, Place, write_kernel

# Gates of one kernel: with more, the accumulators of a pass no longer share a loop anyway, and the
# compiler's time grows.
MOST_GATES = 8


def group_kernels(context: Context, outputs: list[int], record: int) -> BlockPlan:
    """The plan: `record` floats hold the outputs."""
    placing = context.placing
    writes = [replace(w, expr=merge_sums(context.pool, w.expr)) for w in placing.writes]
    if not context.horizontal_fusion:
        writes = _one_contraction_each(context, writes)
    writes = within_operand_limit(placing, writes)
    while True:
        writes = _needed(writes, placing.temps)
        groups = _groups(context, writes)
        twice = _computed_twice(groups)
        if twice is None:
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
    """The writes that an output needs."""
    wanted = {t.number for t in temporaries if t.record is not None}
    while True:
        kept = [w for w in writes if w.temp < 0 or w.temp in wanted]
        more = {t for w in kept for t in temps(w.expr)} - wanted
        if not more:
            return kept
        wanted |= more


def _levels(writes: list[Write]) -> list[int]:
    by_temp: dict[int, list[int]] = {}
    for n, w in enumerate(writes):
        if w.temp >= 0:
            by_temp.setdefault(w.temp, []).append(n)
    levels: dict[int, int] = {}

    def level(n: int) -> int:
        if n not in levels:
            before = [level(m) for t in temps(writes[n].expr) for m in by_temp[t]]
            levels[n] = 1 + max(before, default=-1)
        return levels[n]

    return [level(n) for n in range(len(writes))]


def _lives(writes: list[Write], temporaries: list[Temp]) -> dict[int, Life]:
    """When the temporaries in the scratch record are needed."""
    used: dict[int, list[int]] = {}
    for w, level in zip(writes, _levels(writes), strict=True):
        for number in (w.temp, *temps(w.expr)):
            used.setdefault(number, []).append(level)
    inside = (t for t in temporaries if t.record is None and t.number in used)
    return {t.number: Life(t.floats, min(used[t.number]), max(used[t.number])) for t in inside}


def _groups(context: Context, writes: list[Write]) -> list[list[Write]]:
    """Writes that share a kernel, in the order in which the kernels run."""
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
    gates: set[Contraction] = set()
    operands: set[Region] = set()
    for w in writes:
        more_gates, more_operands = set(contractions([w.expr])), set(indexed_regions(w.expr))
        too_many = len(gates | more_gates) > MOST_GATES
        if groups[-1] and (too_many or len(operands | more_operands) > MAX_OPERANDS):
            groups.append([])
            gates, operands = set(), set()
        groups[-1].append(w)
        gates |= more_gates
        operands |= more_operands
    return groups


def _computed_twice(groups: list[list[Write]]) -> Contraction | None:
    """A contraction that two groups read."""
    seen: dict[Expr, int] = {}
    for n, group in enumerate(groups):
        for e in contractions(w.expr for w in group):
            if seen.setdefault(e, n) != n:
                return e
    return None


def _stored_once(context: Context, writes: list[Write], e: Contraction) -> list[Write]:
    """`writes` with the contraction `e` in memory. It is the same for all that read it, but they
    may read parts: as many rows and columns as any of them needs are stored. An output that is
    just that is where the others read it."""
    placing = context.placing
    readers = [n for n, w in enumerate(writes) if e in contractions([w.expr])]
    rows = max(writes[n].rows for n in readers)
    width = max(writes[n].width for n in readers)
    stride = width if rows > 1 else 0
    temp, at, own = placing.new_temp(rows, width), -1, None
    for n in readers:
        w = writes[n]
        whole = (w.expr, w.rows, w.width, w.row_stride) == (e, rows, width, stride)
        if whole and w.temp < 0 and w.at % ALIGN == 0:
            temp.record, at, own = w.at, n, replace(w, temp=temp.number, at=0)
            break
    if own is None:
        padded = rows == 1 or width % ALIGN == 0
        own = Write(temp.number, rows, width, e, 0, stride, padded)
    stored = placing.load(temp)
    rest = [w for n, w in enumerate(writes) if n != at]
    return [*(replace(w, expr=replaced(context.pool, w.expr, e, stored)) for w in rest), own]


def _one_contraction_each(context: Context, writes: list[Write]) -> list[Write]:
    """Without horizontal fusion a kernel has one contraction: expressions over several of them
    read each from a temporary."""
    while True:
        several = (found for w in writes if len(found := contractions([w.expr])) > 1)
        first = next(several, None)
        if first is None:
            return writes
        writes = _stored_once(context, writes, first[0])
