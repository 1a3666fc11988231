"""Recursive refactoring: a child computes the values that its parent needs from this child alone.

The recursion's back edge moves (Cortex, section 4): a node sends its parent, besides its state, a
*message*, such as its hidden state times the parent's weights for that child. The products of all
nodes of a level, leaves included, then form one batch, even if their parents are spread over later
levels; the node itself keeps the operations that need several children.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from acrobat.ir import batched as B
from acrobat.ir import typed as T
from acrobat.ir.dims import Dim
from acrobat.ir.types import TensorType

_CONTRACTIONS = ("matmul", "linear")


@dataclass(frozen=True, slots=True)
class Refactored:
    """A refactored block. `messages[c]` is the block by which child c computes its messages, None
    if it sends none; `reads[c]` are the gathered operands of the original block that it reads,
    `sent[c]` the variables that it outputs. `node` is the rest of the block, which gathers the sent
    variables and the remaining operands. `weights` are the parts of weights that the blocks read.
    """

    messages: tuple[B.Block | None, ...]
    reads: tuple[tuple[T.Var, ...], ...]
    sent: tuple[tuple[T.Var, ...], ...]
    node: B.Block
    weights: Mapping[str, np.ndarray]


def refactor(
    block: B.Block,
    owner: Mapping[T.Var, int],
    children: int,
    weights: Mapping[str, np.ndarray],
) -> Refactored | None:
    """Refactor the block of a node; None if no product depends on one child alone. `owner` maps
    each gathered operand to its child."""
    split = _Split(block, owner, weights)
    ops = split.ops()
    shared = {*(s.var for s in block.shared), *split.shared}
    needs: dict[T.Var, frozenset[int]] = {v: frozenset((c,)) for v, c in owner.items()}
    needs |= {t.var: frozenset((-1,)) for t in block.gathered_rows}
    moved: set[T.Var] = set()
    for o in ops:
        args = variables(o)
        needs[o.out] = frozenset().union(*(needs[a] for a in args if a not in shared))
        one_child = len(needs[o.out]) == 1 and -1 not in needs[o.out]
        if one_child and (o.op.name in _CONTRACTIONS or moved & set(args)):
            moved.add(o.out)
    if not moved:
        return None
    for o in reversed(ops):  # and the operations that these need, which depend only on that child
        if o.out in moved:
            moved |= {a for a in variables(o) if a not in shared and a not in owner}
    stays = {a for o in ops if o.out not in moved for a in variables(o)} | set(block.outputs)
    inputs = [*block.inputs, *split.shared.values()]
    messages: list[B.Block | None] = []
    reads, sent = [], []
    for c in range(children):
        mine = [o for o in ops if o.out in moved and needs[o.out] == {c}]
        outputs = tuple(o.out for o in mine if o.out in stays)
        made = block_of(f"{block.name}_message_{c}", inputs, mine, outputs) if outputs else None
        messages.append(made)
        reads.append(tuple(g.var for g in made.gathered) if made else ())
        sent.append(outputs)
    received = [B.Gathered(v) for outputs in sent for v in outputs]
    rest = [o for o in ops if o.out not in moved]
    node = block_of(block.name, [*received, *inputs], rest, block.outputs)
    return Refactored(tuple(messages), tuple(reads), tuple(sent), node, split.parts)


def block_of(
    name: str, inputs: Sequence[B.BlockInput], ops: list[B.BlockOp], outputs: tuple[T.Var, ...]
) -> B.Block:
    """A block of the given operations and those inputs that they read, gathered ones first."""
    used = {a for o in ops for a in variables(o)} | set(outputs)
    kept = [i for i in inputs if i.var in used]
    return B.Block(name, tuple(kept), tuple(ops), outputs)


def variables(o: B.BlockOp) -> tuple[T.Var, ...]:
    return tuple(a for a in o.op.args if isinstance(a, T.Var))


class _Split:
    """Splits products of a concatenation into sums of products, one per concatenated part."""

    def __init__(
        self, block: B.Block, owner: Mapping[T.Var, int], weights: Mapping[str, np.ndarray]
    ) -> None:
        self.block, self.owner, self.weights = block, owner, weights
        self.params = {s.var: s.param for s in block.shared}
        self.shared: dict[T.Var, B.Shared] = {}
        self.parts: dict[str, np.ndarray] = {}

    def ops(self) -> list[B.BlockOp]:
        """The block's operations after splitting, without concatenations that are now unused."""
        concats = {o.out: o for o in self.block.ops if o.op.name == "concat"}
        result: list[B.BlockOp] = []
        for o in self.block.ops:
            first = o.op.args[0] if o.op.args else None
            source = concats.get(first) if isinstance(first, T.Var) else None
            if o.op.name in _CONTRACTIONS and source is not None and self._splits(source, o):
                result += self._split(source, o)
            else:
                result.append(o)
        used = {a for o in result for a in variables(o)} | set(self.block.outputs)
        return [o for o in result if o.out in used]

    def _splits(self, source: B.BlockOp, o: B.BlockOp) -> bool:
        along = dict(source.op.attrs).get("axis", -1)
        last = len(source.out.type.dims) - 1 if isinstance(source.out.type, TensorType) else 0
        return along in (-1, last) and o.op.args[1] in self.params

    def _split(self, source: B.BlockOp, o: B.BlockOp) -> list[B.BlockOp]:
        result: list[B.BlockOp] = []
        total: T.Var | None = None
        at = 0
        for x in source.op.args:
            assert isinstance(x, T.Var) and isinstance(x.type, TensorType)
            width = x.type.dims[-1].known
            assert width is not None
            part = self._rows(o.op.args[1], at, at + width)
            at += width
            product = T.Var(o.out.name, o.out.type)
            result.append(B.BlockOp(product, T.Op("matmul", (x, part)), o.span))
            if total is not None:
                added = T.Var(o.out.name, o.out.type)
                result.append(B.BlockOp(added, T.Op("add", (total, product)), o.span))
            total = product if total is None else added
        if o.op.name == "linear" and len(o.op.args) > 2:
            assert total is not None
            result.append(B.BlockOp(o.out, T.Op("add", (total, o.op.args[2])), o.span))
        else:
            result[-1] = replace(result[-1], out=o.out)
        return result

    def _rows(self, weight: T.Atom, start: int, stop: int) -> T.Var:
        """Rows start to stop of a weight, as a separate weight."""
        assert isinstance(weight, T.Var) and isinstance(weight.type, TensorType)
        name = f"{self.params[weight]}[{start}:{stop}]"
        known = next((s.var for s in self.shared.values() if s.param == name), None)
        if known is not None:
            return known
        self.parts[name] = np.ascontiguousarray(self.weights[self.params[weight]][start:stop])
        part = T.Var(weight.name, TensorType((Dim.of(stop - start), *weight.type.dims[1:])))
        self.shared[part] = B.Shared(part, name)
        return part
