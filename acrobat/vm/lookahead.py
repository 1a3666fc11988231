"""Lookahead: runtime/include/acrobat/schedule/lookahead.h reimplemented in Python; the idea is
explained there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from .node import Node

Heights = dict[int, int]  # by block


def look_ahead(
    nodes: Sequence[Node], taken: Sequence[int], behind: Sequence[frozenset[int]] = ()
) -> list[tuple[int, int]]:
    """Return phase 0 and a batch number for every node of `taken` (node numbers), using as few
    batches as it can: a block runs once all nodes that begin one of its longest chains are ready.
    `behind[n]`: nodes that have to run before node n besides its operands; may be empty."""
    position = {i: at for at, i in enumerate(taken)}
    block = [nodes[i].block for i in taken]
    operands = [[position[h.node] for h in nodes[i].operands if h.node in position] for i in taken]
    if behind:
        for used, i in zip(operands, taken, strict=True):
            used += [position[o] for o in behind[i] if o in position]
    heights = _heights(block, operands)
    own = [heights[at][block[at]] for at in range(len(taken))]
    users: list[list[int]] = [[] for _ in taken]
    for at, used in enumerate(operands):
        for o in used:
            users[o].append(at)
    missing = list(map(len, operands))
    left: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for b, height in zip(block, own, strict=True):
        left[b][height] += 1
    tops = {b: max(of_block) for b, of_block in left.items()}
    ready: dict[int, list[int]] = {b: [] for b in dict.fromkeys(block)}
    for at, n in enumerate(missing):
        if n == 0:
            ready[block[at]].append(at)
    found = [(0, 0)] * len(taken)
    done = batches = 0
    while done < len(taken):
        chosen = _next(ready, left, tops, own, heights)
        batch, ready[chosen] = ready[chosen], []
        batches += 1
        done += len(batch)
        for at in batch:
            found[at] = 0, batches
            left[chosen][own[at]] -= 1
        for at in batch:
            # The run-time's list of a node's readers grows at its head.
            for user in reversed(users[at]):
                missing[user] -= 1
                if missing[user] == 0:
                    ready[block[user]].append(user)
    return found


def _heights(block: Sequence[int], operands: Sequence[Sequence[int]]) -> list[Heights]:
    """Return, for every node and block, the longest chain of the block that begins at the node."""
    heights: list[Heights] = [{} for _ in block]
    for at in reversed(range(len(block))):
        mine = heights[at]
        mine[block[at]] = mine.get(block[at], 0) + 1
        for o in operands[at]:
            theirs = heights[o]
            for b, height in mine.items():
                theirs[b] = max(theirs.get(b, 0), height)
    return heights


def _next(
    ready: dict[int, list[int]],
    left: dict[int, dict[int, int]],
    tops: dict[int, int],
    own: Sequence[int],
    heights: Sequence[Heights],
) -> int:
    waiting = {b: nodes for b, nodes in sorted(ready.items()) if nodes}
    for b, nodes in waiting.items():
        while not left[b][tops[b]]:  # the counts in `left` never grow
            tops[b] -= 1
        if left[b][tops[b]] == sum(own[at] == tops[b] for at in nodes):
            return b
    return max(waiting, key=lambda b: sum(sum(heights[at].values()) for at in waiting[b]))
