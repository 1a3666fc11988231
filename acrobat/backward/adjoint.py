"""The adjoint of a static block is a static block.

Reverse mode over the operations of a block: the adjoint takes the gradients of the block's outputs
and outputs those of its operands and, for every product with a weight that all nodes share, the
factors of the product over the whole mini-batch (`records.Product`). It is lowered, fused and
printed like any other block.

The values of the forward pass that the adjoint reads are kept or recomputed (`keep.py`).
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field, replace

from ..errors import CompilerBug
from ..ir import batched as B
from ..ir import typed as T
from .derivatives import DERIVATIVES, left_of_product, right_of_product, slice_of
from .emitter import Emitter, dims_of
from .keep import Kept
from .records import Adjoint, NodeSum, Product, Rows, Source
from .sums import Sum


def adjoint(block: B.Block, trained: Set[str]) -> Adjoint:
    """The adjoint of `block`. `trained` are the paths of the weights that have a gradient: others
    were folded from constants alone."""
    return _Adjoint(block, trained).build()


@dataclass(slots=True)
class _Adjoint:
    block: B.Block
    trained: Set[str]
    emitter: Emitter = field(default_factory=Emitter)
    sums: dict[T.Var, Sum] = field(default_factory=dict)
    # Weight, whether transposed, x and the gradient of x @ weight.
    products: list[tuple[str, bool, T.Var, T.Var]] = field(default_factory=list)

    def build(self) -> Adjoint:
        block, e = self.block, self.emitter
        made = {o.out: o.op for o in block.ops}
        e.made_by.update(made)
        gradients = [T.Var("gradient", v.type) for v in block.outputs]
        for v, d in zip(block.outputs, gradients, strict=True):
            self._add(v, d)
        self._reverse({s.var: s.param for s in block.shared}, made)
        operands = [(j, self._total(g.var)) for j, g in enumerate(block.gathered)]
        chosen = [
            (j, self._total(r.var))
            for j, r in enumerate(block.gathered_rows)
            if r.param in self.trained
        ]
        shared = [(s.param, self._total(s.var)) for s in block.shared if s.param in self.trained]
        kept = Kept(block, made)
        lefts = [(p, kept.pieces(p[2])) for p in self.products]
        # The adjoint outputs everything that is not in memory already.
        wanted = [d for _, d in (*operands, *chosen, *shared) if d is not None]
        wanted += [p[3] for p in self.products]
        outputs = [v for v in dict.fromkeys(wanted) if v not in gradients]
        direct = {d for d in wanted if d in gradients}
        places = {v: Source("adjoint", n) for n, v in enumerate(outputs)}
        places |= {d: Source("gradient", gradients.index(d)) for d in direct}
        ops = kept.ops_for(e.ops, outputs)
        forward = replace(block, outputs=(*block.outputs, *kept.kept))
        for n, v in enumerate(forward.outputs):
            kept.places.setdefault(v, Source("output", n))
        backward, reads, rows = _backward(block, ops, tuple(outputs), kept, gradients)
        return Adjoint(
            forward=forward,
            own=len(block.outputs),
            backward=backward,
            reads=reads,
            rows=rows,
            operands=tuple((j, places[d]) for j, d in operands if d is not None),
            chosen=tuple((j, places[d]) for j, d in chosen if d is not None),
            products=tuple(
                product
                for (weight, turned, _, d), pieces in lefts
                for product in _products(weight, turned, pieces, d, places[d], kept)
            ),
            sums=tuple(NodeSum(w, _rows(d, places[d])) for w, d in shared if d is not None),
        )

    def _add(self, v: T.Var, d: T.Var) -> None:
        self.sums.setdefault(v, Sum()).whole.append(d)

    def _total(self, v: T.Var) -> T.Var | None:
        return self.sums[v].total(self.emitter, v) if v in self.sums else None

    def _reverse(self, shared: dict[T.Var, str], made: dict[T.Var, T.Op]) -> None:
        e = self.emitter
        for o in reversed(self.block.ops):
            e.span = o.span
            d = self._total(o.out)
            if d is None:
                continue
            if o.op.name in ("matmul", "linear"):
                self._product(o.op, d, shared, made)
                continue
            if o.op.name == "slice":
                (x,) = o.op.args
                assert isinstance(x, T.Var)
                axis, start, stop = slice_of(o.op)
                self.sums.setdefault(x, Sum()).parts.setdefault(axis, []).append((start, stop, d))
                continue
            rule = DERIVATIVES.get(o.op.name)
            if rule is None:
                raise CompilerBug(f"{o.span}: there is no derivative of {o.op.name}")
            for x, dx in zip(o.op.args, rule(e, o.op, o.out, d), strict=True):
                if isinstance(x, T.Var) and dx is not None:
                    self._add(x, e.summed_to(dx, dims_of(x)))

    def _product(
        self, op: T.Op, d: T.Var, shared: dict[T.Var, str], made: dict[T.Var, T.Op]
    ) -> None:
        """x @ w: one product later computes the gradient of a weight that all nodes share."""
        e, (x, w) = self.emitter, op.args[:2]
        assert isinstance(x, T.Var) and isinstance(w, T.Var)
        for b in op.args[2:]:
            assert isinstance(b, T.Var)
            self._add(b, e.summed_to(d, dims_of(b)))
        ranks = len(dims_of(x)), len(dims_of(w))
        for v, other, matrix, slope in (
            (x, w, ranks == (2, 1), left_of_product),
            (w, x, ranks[1] == 2, right_of_product),
        ):
            weight, turned = _weight(v, shared, made)
            if weight is None or not matrix:
                self._add(v, slope(e, op, d))
            elif weight in self.trained:
                # In W @ x, rows and columns are swapped.
                self.products.append((weight, turned != (v is x), other, d))


def _weight(v: T.Var, shared: dict[T.Var, str], made: dict[T.Var, T.Op]) -> tuple[str | None, bool]:
    """The shared weight that `v` is, or is the transpose of; and whether it is the transpose."""
    if v in shared:
        return shared[v], False
    op = made.get(v)
    if op is not None and op.name == "transpose" and op.args[0] in shared:
        return shared[op.args[0]], True
    return None, False


def _rows(v: T.Var, source: Source) -> Rows:
    dims = dims_of(v)
    count, width = (1, *dims)[-2:] if dims else (1, 1)
    return Rows(source, count, width, width)


def _products(
    weight: str,
    turned: bool,
    pieces: list[tuple[int, T.Var, Rows | None]],
    d: T.Var,
    place: Source,
    kept: Kept,
) -> list[Product]:
    """left^T @ right for every piece of x, which is in memory where `kept.places` says."""
    right = _rows(d, place)
    found: list[Product] = []
    for at, v, rows in pieces:
        left = rows if rows is not None else _rows(v, kept.places[v])
        if rows is not None:
            source = kept.places[v]
            left = replace(rows, source=Source(source.place, source.number, rows.source.start))
        if turned:
            found.append(Product(weight, 0, at, right, left))
        else:
            found.append(Product(weight, at, 0, left, right))
    return found


def _backward(
    block: B.Block,
    ops: list[B.BlockOp],
    outputs: tuple[T.Var, ...],
    kept: Kept,
    gradients: list[T.Var],
) -> tuple[B.Block | None, tuple[Source, ...], tuple[int, ...]]:
    """The adjoint block, where its gathered inputs are, and which rows of `block` it gathers."""
    if not outputs:
        return None, (), ()
    defined = {o.out for o in ops}
    used = [a for o in ops for a in o.op.args if isinstance(a, T.Var) and a not in defined]
    used = list(dict.fromkeys([*used, *(v for v in outputs if v not in defined)]))
    rows = {r.var: n for n, r in enumerate(block.gathered_rows)}
    shared = {s.var: s for s in block.shared}
    inputs: list[B.BlockInput] = []
    reads: list[Source] = []
    for v in used:
        if v in gradients:
            reads.append(Source("gradient", gradients.index(v)))
        elif v not in rows and v not in shared:
            reads.append(kept.places[v])
        else:
            continue
        inputs.append(B.Gathered(v))
    chosen = [v for v in used if v in rows]
    inputs += [block.gathered_rows[rows[v]] for v in chosen]
    inputs += [shared[v] for v in used if v in shared]
    made = B.Block(f"{block.name}_adjoint", tuple(inputs), tuple(ops), outputs)
    return made, tuple(reads), tuple(rows[v] for v in chosen)
