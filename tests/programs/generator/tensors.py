"""Tensors: masks, elementary functions, parts, matrices and their methods, tables of matrices."""

from __future__ import annotations

from .draw import Draw, Scope
from .expressions import expression, production

# Of any vector without large errors.
ELEMENTARY = (
    "ops.silu({})",
    "ops.softplus({})",
    "ops.leaky_relu({}, 0.2)",
    "ops.elu({})",
    "ops.selu({})",
    "ops.mish({})",
    "ops.softsign({})",
    "ops.logsigmoid({})",
    "ops.hardtanh({})",
    "ops.hardswish({})",
    "ops.erf({})",
    "ops.sin(ops.tanh({}))",
    "ops.cos(ops.tanh({}))",
    "ops.exp(-ops.abs({}))",
    "ops.expm1(-ops.abs({}))",
    "ops.log1p(ops.abs({}))",
    "ops.log(ops.abs({}) + 0.5)",
    "ops.sqrt(ops.abs({}) + 0.1)",
    "ops.log_softmax({})",
    "ops.rms_norm({}, p.g)",
    "ops.cumsum({})",
    "ops.clip({}, -0.3, 0.4)",
    "({}).clip(0, 1)",
    "({} ** 2)",
    "(ops.tanh({}) ** 3)",
    "(2 ** ops.tanh({}))",
    "(1 / (1 + ({}) ** 2))",
    "({})[None][0]",
    "({}).reshape((1, -1)).reshape(-1)",
    "ops.reshape({}, 1, p.b.shape[0])[0]",
)


@production("vector", 2)
def _elementary(d: Draw, s: Scope, depth: int) -> str:
    return d.one(ELEMENTARY).format(expression(d, s, "vector", depth))


@production("vector")
def _scaled(d: Draw, s: Scope, depth: int) -> str:
    """By a number that is a tensor, or a size."""
    a, b = (expression(d, s, "vector", depth) for _ in range(2))
    return d.one(
        (
            f"({a} * ops.dot({b}, p.g))",
            f"({a} * ({b} @ p.b))",
            f"({a} / len({b}))",
            f"({a} / ({b}).shape[0])",
            f"({a} - ops.logsumexp({b}))",
            f"({a} - ({b}).{d.one(('sum', 'mean', 'max', 'min'))}())",
            f"({a} * ({b})[{d.one((0, -1))}])",
            f"({a} / (1 + ({b} > 0.1).sum()))",
            f"({a} + ops.{d.one(('ones', 'zeros'))}_like({b}))",
            f"({a} * ops.one_hot({expression(d, s, 'int', 1)} % {d.hidden}, p.b.shape[0]))",
            f"({a} - ops.one_hot(ops.argmax({b}), p.b.shape[0]))",
            f"ops.where(ops.one_hot(ops.argmax({b}), p.b.shape[0]) > 0, p.g, {a})",
        )
    )


@production("mask", 3)
def _compared(d: Draw, s: Scope, depth: int) -> str:
    a = expression(d, s, "vector", depth)
    bound = d.one((f"{d.choose.uniform(-0.5, 0.5):.4f}", "p.b", "p.g"))
    return f"({a} {d.one(('<', '<=', '>', '>='))} {bound})"


@production("mask")
def _joined(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "mask", depth) for _ in range(2))
    return d.one((f"({a} {d.one('&|^')} {b})", f"(~{a})"))


@production("vector", 2)
def _masked(d: Draw, s: Scope, depth: int) -> str:
    m = expression(d, s, "mask", max(depth, 1))
    a, b = (expression(d, s, "vector", depth) for _ in range(2))
    return d.one(
        (
            f"ops.where({m}, {a}, {b})",
            f"ops.where({m}, {a}, 0.25)",
            f"({m} * {a})",
            f"({a} - {m} * 0.5)",
        )
    )


# -- matrices [3, H] -------------------------------------------------------------------------------


@production("matrix", 2)
def _stacked(d: Draw, s: Scope, depth: int) -> str:
    a, b, c = (expression(d, s, "vector", depth) for _ in range(3))
    listed = d.one(("{}, {}, {}", "[{}, {}, {}]", "({}, {}, {})")).format(a, b, c)
    return f"ops.stack({listed})"


@production("matrix", 3)
def _of_matrices(d: Draw, s: Scope, depth: int) -> str:
    m, n = (expression(d, s, "matrix", depth) for _ in range(2))
    v = expression(d, s, "vector", depth)
    return d.one(
        (
            f"({m} {d.one('+-*')} {n})",
            f"({m} {d.one('+-*')} {v})",
            f"ops.tanh({m})",
            f"({m} @ p.w0)",
            f"({m} @ p.w0.T)",
            f"ops.linear({m}, p.w0, {v})",
            f"ops.where({m} > 0.1, {n}, {v})",
            f"ops.softmax({m})",
            f"ops.{d.one(('softmax', 'log_softmax'))}({m}, axis={d.one((0, 1, -1, -2))})",
            f"ops.split(ops.concat({m}, {n}, axis=0), 2, axis={d.one((0, -2))})[1]",
            f"ops.layer_norm({m}, p.g, p.b)",
            f"ops.rms_norm({m}, p.g)",
            f"ops.cumsum({m}, axis={d.one((0, 1, -1))})",
            f"ops.concat({m}[1:], {n}[:1], axis=0)",
            f"ops.concat([{m}[{d.one((0, -1))}:][:1], {n}[0:2]], axis=0)",
            f"({m} - ({n}).mean(axis=1, keepdims=True))",
            f"({m} - ops.max({n}, axis=0, keepdims=True))",
            f"ops.attention({m}, {n}, {m}, 1)",
            f"(ops.softmax({m} @ ({n}).T) @ {m})",
            f"ops.transpose(({m}).T)",
            f"({m}).reshape(-1).reshape(3, len(p.b))",
            f"ops.outer(({m})[:, 0], {v})",
            f"({m})[:, {d.choose.randrange(d.hidden)}][:, None] * {v}",
        )
    )


@production("vector", 2)
def _of_matrix(d: Draw, s: Scope, depth: int) -> str:
    m = expression(d, s, "matrix", depth)
    v, i = expression(d, s, "vector", depth), expression(d, s, "int", 1)
    j = d.choose.randrange(d.hidden)
    return d.one(
        (
            f"({m})[{i} % 3]",
            f"({m})[{d.one((0, 2, -1))}]",
            f"({m}).{d.one(('sum', 'mean', 'max', 'min'))}({d.one(('axis=0', '0'))})",
            f"ops.{d.one(('sum', 'mean', 'max', 'logsumexp'))}({m}, axis=0)",
            f"(ops.softmax({m} @ {v}) @ {m})",
            f"(({m}).sum(axis=1) @ {m})",
            f"(({m})[:, {j}] @ {m})",
            f"(({m}).T[{i} % {d.hidden}] @ {m})",
            f"({v} * ({m})[1, {j}])",
            f"({v} - ({m})[{i} % 3, {j}] * ({m}).mean())",
            f"ops.sum(({m})[{i} % 2 : {i} % 2 + 2], axis=0)",
            f"[r * 0.5 for r in {m}][{d.one((0, -1))}]",
            f"sum([r for r in {m}], {v})",
        )
    )


# -- tables of matrices, products ------------------------------------------------------------------


@production("vector", 2)
def _chosen(d: Draw, s: Scope, depth: int) -> str:
    """A matrix that a number chooses."""
    v, i = expression(d, s, "vector", depth), expression(d, s, "int", 1)
    return d.one(
        (
            f"({v} @ p.w3[{i} % 3])",
            f"({v} @ p.w3[{d.choose.randrange(3)}])",
            f"(p.w3[{i} % 3] @ {v})",
            f"({v} * p.w3[{i} % 3, {d.choose.randrange(d.hidden)}])",
            f"p.w3[{d.choose.randrange(3)}, {i} % {d.hidden}]",
            f"p.w0[:, {i} % {d.hidden}]",
        )
    )


@production("vector")
def _transposed(d: Draw, s: Scope, depth: int) -> str:
    v, u = (expression(d, s, "vector", depth) for _ in range(2))
    return d.one(
        (
            f"(p.w0 @ {v})",
            f"({v} @ p.w0.T)",
            f"(ops.outer({v}, {u}) @ p.b)",
            f"(({v} @ p.out) @ p.out.T)",
            f"({v} * ops.softmax({u} @ p.out)[{d.choose.randrange(4)}])",
            f"({v}).dot(p.w0)",
        )
    )
