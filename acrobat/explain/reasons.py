"""Why a place has more batches than its bound, or a bound that grows with the instances, and what
helps, if anything does."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..ir import batched as B
from ..ir import typed as T
from ..ir.span import Span
from ..transform.helpers.block_table import shape_of
from .batching import Levels, Seen, Share, longest_chains
from .places import Place, excerpt

# Chains of up to this length are not reported.
SHORT = 3
# Operations of a fold that is a reduction: what an iteration does, and what does that to a list.
_FOLDS = {
    "add": ("add to it", "sum()"),
    "maximum": ("take the larger", "ops.max(ops.stack(...), axis=0)"),
    "minimum": ("take the smaller", "ops.min(ops.stack(...), axis=0)"),
}
LOOKAHEAD = 'ab.Options(scheduler="lookahead")'


@dataclass(frozen=True, slots=True)
class Reason:
    """`why`, as a sentence, and what `helps`: "" if nothing that the author can write does."""

    why: str
    helps: str = ""


def reasons(seen: Seen, share: Share, depths: Levels) -> Iterator[Reason]:
    """Yield the reasons in the order in which they cost batches: the schedule, waits, weights, and
    the bound."""
    if share.ahead < share.batches:
        yield _schedule(seen, share, depths)
    if share.free < min(share.ahead, share.batches):
        yield _waits(seen, share)
    yield from _weights(seen, share)
    if share.chain > SHORT:
        yield from _chain(seen, share)
    least = min(share.free, share.ahead, share.batches)
    if least > share.bound:
        more = f"{count(least - share.bound, 'batch', 'es')} more than the bound"
        behind = any(seen.behind[n] for n in share.members)
        yield Reason(
            f"{more}, which knows nothing of decisions: nodes here are behind some"
            if behind
            else f"{more} in every order that was tried: chains of several blocks cross"
        )


def _schedule(seen: Seen, share: Share, depths: Levels) -> Reason:
    """Return why nodes that could share a batch differ in depth."""
    spread: Counter[Place] = Counter()
    spent: dict[Place, list[int]] = defaultdict(list)
    padded: list[int] = []
    phases = padding = widest = 0
    for group in _groups(share.members, seen.ahead, seen.ran):
        nodes = [seen.nodes[n] for n in group]
        phases += len({n.phase for n in nodes}) - 1
        widest = max(widest, len({n.depth for n in nodes}))
        passed = [_before(seen, n, depths) for n in group]
        spare = [n.depth - p.total() for n, p in zip(nodes, passed, strict=True)]
        padding += max(spare) - min(spare)
        padded += spare
        for place in {p for counter in passed for p in counter}:
            here = [counter[place] for counter in passed]
            spread[place] += max(here) - min(here)
            spent[place] += here
    saved = f"{count(share.batches - share.ahead, 'batch', 'es')} more than by lookahead, because "
    helps = LOOKAHEAD if len(set(seen.ahead)) < len(set(seen.ran)) else ""
    if max(phases, padding, *spread.values(), 0) == 0:
        return Reason(saved + "one instance has several nodes that could share one", helps)
    if phases >= max(padding, *spread.values(), 0):
        return Reason(saved + "nodes that could share one are in different phases", helps)
    apart = f"{saved}nodes that could share one are at up to {widest} different depths: "
    if padding >= max(spread.values(), default=0):
        return Reason(
            f"{apart}shorter branches before them are padded by {min(padded)} to {max(padded)} "
            f"depths",
            helps,
        )
    place = max(spread, key=lambda p: (spread[p], -p.span.line))
    what = "the iterations" if place.loop else "the calls"
    itself = " itself" if place is share.place else ""
    return Reason(
        f"{apart}{what} of {place}{itself} before them take {min(spent[place])} to "
        f"{max(spent[place])} depths",
        helps,
    )


def _before(seen: Seen, n: int, depths: Levels) -> Counter[Place]:
    node = seen.nodes[n]
    return depths.before((seen.instances[n], seen.flush[n], node.phase), node.depth)


def _groups(
    members: Sequence[int], could: Sequence[int], did: Sequence[int]
) -> Iterator[Sequence[int]]:
    """Yield groups of nodes of one block that could be in one batch but are in several."""
    groups: dict[int, list[int]] = defaultdict(list)
    for n in members:
        groups[could[n]].append(n)
    for group in groups.values():
        if len({did[n] for n in group}) > 1:
            yield group


def _waits(seen: Seen, share: Share) -> Reason:
    """Return which decisions come between nodes that could share a batch."""
    between: Counter[Span] = Counter()
    for group in _groups(share.members, seen.free, seen.flush):
        flushes = {seen.flush[n] for n in group}
        for flush in range(min(flushes), max(flushes)):
            between.update(set(seen.waits[flush]))
    more = count(min(share.ahead, share.batches) - share.free, "batch", "es")
    span = min(between, key=lambda s: (-between[s], s.line, s.col))
    return Reason(
        f"{more} more than if what is recorded waited for others: instances come here after "
        f"different numbers of waits, most often for the decision {excerpt(span)} "
        f"(line {span.line}), and a wait computes what is there",
        "ops.where(condition, a, b) instead of the decision, where both are cheap; or the "
        "decisions in a loop of their own before this",
    )


def _weights(seen: Seen, share: Share) -> Iterator[Reason]:
    """Yield a reason for each group of blocks that differ only in their weights."""
    numbers = sorted({seen.nodes[n].block for n in share.members})
    blocks = seen.layout.module.blocks
    alike: dict[object, list[int]] = defaultdict(list)
    for b in numbers:
        if blocks[b].shared:
            alike[_without_weights(blocks[b])].append(b)
    for group in alike.values():
        if len(group) < 2:
            continue
        mine = [n for n in share.members if seen.nodes[n].block in group]
        apart = longest_chains(seen.nodes, {n: seen.nodes[n].block for n in mine})
        together = longest_chains(seen.nodes, dict.fromkeys(mine, 0))[0]
        if together < sum(apart.values()):
            names = _differing([blocks[b] for b in group])
            yield Reason(
                f"{count(len(group), 'block')} do the same with other weights ({names}), and take "
                f"at least {sum(apart.values())} batches where one block would take {together}",
                "one weight of rank 3 instead, of which a number chooses the matrix: p.w[k]",
            )


def _without_weights(block: B.Block) -> object:
    inputs = tuple(replace(i, param="") if isinstance(i, B.Shared) else i for i in block.inputs)
    return shape_of(replace(block, inputs=inputs))


def _differing(blocks: Sequence[B.Block]) -> str:
    """Return the weights in which blocks differ, block by block."""
    common = set.intersection(*({s.param for s in b.shared} for b in blocks))
    own = [" and ".join(s.param for s in b.shared if s.param not in common) for b in blocks]
    return ", ".join(own)


def _chain(seen: Seen, share: Share) -> Iterator[Reason]:
    """Yield why the bound itself is not smaller."""
    place = share.place
    if not place.carried:
        return
    names = ", ".join(place.carried)
    why = f"a chain of {share.chain}: an iteration reads {names} of the one before"
    step = _step(seen, share)
    if step is None:
        yield Reason(why)
    elif len(step) == 1 and step <= _FOLDS.keys():
        (operation,) = step
        yield Reason(
            f"{why}, only to {_FOLDS[operation][0]}",
            f"the values of all items in a comprehension, and {_FOLDS[operation][1]} of that list",
        )
    else:
        yield Reason(f"{why}, through {', '.join(sorted(step))}: a recurrence")


def _step(seen: Seen, share: Share) -> frozenset[str] | None:
    """Return the operations that lead from one node of a place's longest chain to the next; None if
    there are other nodes between the two."""
    mine = set(share.members)
    chain = [n for n in share.members if seen.nodes[n].block == share.chain_block]
    fed = Counter(
        position
        for n in chain
        for position, handle in enumerate(seen.nodes[n].operands)
        if handle.node in mine and seen.nodes[handle.node].block == share.chain_block
    )
    if not fed:
        return None
    block = seen.layout.blocks[share.chain_block].block
    tainted = {block.gathered[position].var for position in fed}
    through = set()
    for o in block.ops:
        if not tainted.isdisjoint(a for a in o.op.args if isinstance(a, T.Var)):
            tainted.add(o.out)
            through.add(o.op.name)
    return frozenset(through)


def count(n: int, what: str, plural: str = "s") -> str:
    """Return `n` and the noun `what`, in the plural unless `n` is 1."""
    return f"{n} {what}" if n == 1 else f"{n} {what}{plural}"


def by_kind(seen: Seen) -> Mapping[int, int]:
    """Return the length of every block's longest chain."""
    return longest_chains(seen.nodes, {n: node.block for n, node in enumerate(seen.nodes)})
