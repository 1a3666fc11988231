"""How mini-batches use a program's kernels: the profile that guides tuning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..kernels.schedules import kernel_key
from ..kernels.specification.spec import KernelSpec
from ..layout import Layout
from ..limits import SLICE_FLOATS
from ..runtime.watched_call import ACTIVITIES, WatchedCall

# The most classes of calls that a kernel is measured on.
_MOST_CLASSES = 4

# Calls with more rows, or more operations, are measured with this many: further rows are computed
# in the same way.
_MOST_ROWS, _LEAST_ROWS, _MOST_FLOPS = 2048, 64, 10**9

_KERNELS = ACTIVITIES.index("kernels")


@dataclass(frozen=True, slots=True)
class Use:
    """The use of a kernel: how many `calls` there were for each number of nodes, and its share of
    the time of all kernels."""

    spec: KernelSpec
    calls: Mapping[int, int]
    share: float


@dataclass(frozen=True, slots=True)
class Calls:
    """A class of calls, of more than `rows` / 2 and up to `rows` rows. `nodes`: the number of nodes
    on which most of the class's time is spent; `weight`: the number of such calls that take as long
    as all calls of the class."""

    rows: int
    nodes: int
    weight: float


def tunable(spec: KernelSpec) -> bool:
    """Whether there is a schedule to choose: for contractions, except those with matrices that
    nodes choose, whose rows are divided where the choice changes, and those in the matrix unit."""
    return bool(spec.gates) and not spec.chosen and spec.weight_type != "tiles"


def find_uses(layout: Layout, calls: Sequence[WatchedCall]) -> list[Use]:
    """The kernels that ran and can be tuned, those that took most time first; kernels that compute
    the same count as one."""
    nodes: dict[str, Counter[int]] = {}
    time: Counter[str] = Counter()
    specs: dict[str, KernelSpec] = {}
    for call in calls:
        spent = _nanoseconds(call, len(layout.blocks))
        for number, block in enumerate(layout.blocks):
            sizes = call.batches["n"][call.batches["block"] == number]
            work = [_work(k.spec) for k in block.kernels]
            for kernel, part in zip(block.kernels, work, strict=True):
                key = kernel_key(kernel.spec)
                specs.setdefault(key, kernel.spec)
                time[key] += round(spent[number] * part / max(sum(work), 1))
                for n in sizes.tolist():
                    nodes.setdefault(key, Counter()).update(_slices(int(n), block.plan.scratch))
    whole = max(sum(time.values()), 1)
    found = [
        Use(specs[key], nodes[key], time[key] / whole)
        for key in specs
        if nodes.get(key) and tunable(specs[key])
    ]
    return sorted(found, key=lambda use: (-use.share, use.spec.name))


def classes(use: Use) -> list[Calls]:
    """The classes of calls that take most of the kernel's time, by number of rows."""
    by_rows: dict[int, list[tuple[int, int]]] = {}
    for nodes, count in use.calls.items():
        by_rows.setdefault(_bound(nodes * use.spec.rows), []).append((nodes, count))
    found = []
    for rows, members in by_rows.items():
        # The time of a call is about proportional to its rows.
        usual = max(members, key=lambda m: (m[0] * m[1], -m[0]))[0]
        nodes = min(usual, _most_nodes(use.spec))
        found.append(Calls(rows, nodes, sum(n * count for n, count in members) / nodes))
    found.sort(key=lambda c: -c.nodes * c.weight)
    return sorted(found[:_MOST_CLASSES], key=lambda c: c.rows)


def _most_nodes(spec: KernelSpec) -> int:
    rows = max(_LEAST_ROWS, min(_MOST_ROWS, _MOST_FLOPS * spec.rows // max(spec.flops, 1)))
    return max(1, rows // spec.rows)


def _bound(rows: int) -> int:
    return 1 << (rows - 1).bit_length()


def _slices(n: int, scratch: int) -> Counter[int]:
    """The slices in which a batch of n nodes runs: how many of each size."""
    size = min(n, max(1, SLICE_FLOATS // scratch)) if scratch else n
    parts = Counter({size: n // size})
    if n % size:
        parts[n % size] += 1
    return parts


def _nanoseconds(call: WatchedCall, blocks: int) -> list[int]:
    """The time that threads spent on the kernels of each block."""
    found = [0] * blocks
    spans = call.spans[(call.spans["activity"] == _KERNELS) & (call.spans["batch"] >= 0)]
    of = call.batches["block"][spans["batch"]]
    for block, took in zip(of.tolist(), (spans["end"] - spans["begin"]).tolist(), strict=True):
        found[block] += took
    return found


def _work(spec: KernelSpec) -> int:
    """The estimated cost of a node, in flops of a contraction, as the run-time estimates it."""
    return spec.flops + 16 * spec.rows * spec.width * len(spec.epilogue)
