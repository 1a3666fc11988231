"""Functions as values: lambdas, local functions, functions that take functions, defaults."""

from __future__ import annotations

from .draw import HINTS, Draw, Function, Scope
from .expressions import called, expression, production
from .statements import assign, block, statement

ACTS = ("ops.tanh", "ops.sigmoid", "ops.relu", "ops.silu")


@production("vector")
def _applied(d: Draw, s: Scope, depth: int) -> str:
    """A lambda that is called at once, or passed on."""
    x, v = next(d.names), expression(d, s, "vector", depth)
    body = expression(d, s.plus("vector", x), "vector", depth)
    return d.one(
        (
            f"(lambda {x}: {body})({v})",
            f"twice(lambda {x}: {body}, {v})",
            f"twice({d.one(ACTS)}, {v})",
            f"scaled(p, {v})",
            f"scaled(p, {v}, {expression(d, s, 'int', 1)})",
            f"scaled(p, {v}, by={expression(d, s, 'float', 1)})",
            f"scaled(p, {v}, act=lambda {x}: {body}, n=2)",
            f"dense(ops.concat({v}, p.b), p.w1, p.g)",
            f"(dense({v}, p.out, None) @ p.out.T)",
            f"dense({v}, p.w0, {d.one(('None', 'p.b'))})",
        )
    )


@production("vector")
def _of_two(d: Draw, s: Scope, depth: int) -> str:
    """A function whose arguments are a tuple's parts, in any order, or bound beforehand."""
    u, v = (expression(d, s, "vector", depth) for _ in range(2))
    n = expression(d, s, "int", 1)
    return d.one(
        (
            f"ops.maximum(*both(p, {u}, {n}))",
            f"scaled(p=p, n={n}, x={u})",
            f"functools.partial(scaled, p, by=0.5)({v}, {n})",
            f"[h + k for h in [{v}] for k in [p.b, {u}]][1]",
            called(d, s, "vector", depth),
        )
    )


@statement("nested")
def _local(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A local function, with or without hints, that reads what is around it."""
    targets = s.assignable("vector")
    if not targets:
        assign(d, s, pad)
        return
    name, x, n = (next(d.names) for _ in range(3))
    hinted = d.chance(0.5)
    default = d.one(("", " = 2"))
    if hinted:
        d.put(pad, f"def {name}({x}: {HINTS['vector']}, {n}: int{default}) -> {HINTS['vector']}:")
    else:
        d.put(pad, f"def {name}({x}, {n}{default.replace(' ', '')}):")
    inner = Scope(s.names).plus("vector", x, own=True).plus("int", n)
    if d.chance(0.3):
        d.put(pad, f"    if {expression(d, inner, 'bool', 1)}:")
        d.put(pad, f"        return ops.tanh({expression(d, inner, 'vector', 1)})")
    if hinted and d.chance(0.3):
        d.put(pad, f"    if {n} > 0:")
        d.put(pad, f"        return {name}(ops.tanh({x} @ p.w0), min({n}, 3) - 1)")
    block(d, inner, pad + "    ", d.choose.randrange(2), 2)
    d.put(pad, f"    return ops.tanh({expression(d, inner, 'vector', 1)})")
    target = d.one(targets)
    for _ in range(d.choose.randrange(1, 3)):
        v, k = expression(d, s, "vector", 1), expression(d, s, "int", 1)
        calls = [f"{name}({v}, {k})", f"{name}({n}={k}, {x}={v})"]
        calls += [f"twice(lambda v: {name}(v, 1), {v})"]
        calls += [f"{name}({v})", f"twice({name}, {v})"] if default else []
        d.put(pad, f"{target} = {d.one(calls)}")
        if d.chance(0.4):
            assign(d, s, pad)


@statement("simple")
def _named(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A name for a function."""
    targets = s.assignable("vector")
    if not targets:
        assign(d, s, pad)
        return
    act, x, target = next(d.names), next(d.names), d.one(targets)
    body = expression(d, s.plus("vector", x), "vector", 1)
    d.put(pad, f"{act} = {d.one((*ACTS, f'lambda {x}: ops.tanh({body})'))}")
    d.put(pad, f"{target} = ops.tanh({act}({act}({expression(d, s, 'vector', 1)})))")


HELPERS = """

def twice(g, x):
    return ops.tanh(g(ops.tanh(g(x))))


def scaled(p, x, n=2, *, by=1, act=ops.tanh):
    if n <= 0:
        return act(x * by)
    return act(x @ p.w0 * by + n)


@ab.model
def both(p: P, x: Tensor["H"], n: int = 1) -> tuple[Tensor["H"], Tensor["H"]]:
    return ops.tanh(x) * n, p.b


@ab.model
def dense(x: Tensor["I"], w: Tensor["I", "O"], b: Optional[Tensor["O"]]) -> Tensor["O"]:
    y: Tensor["O"] = x @ w
    if b is not None:
        y = y + b
    return ops.tanh(y) / x.shape[0]


@ab.model
def folded(p: P, g: Callable[..., Tensor["H"]], t: Tree, n: int) -> Tensor["H"]:
    match t:
        case Leaf(word, x):
            return g(x, word)
        case Node(left, right, k, _):
            return g(folded(p, g, left, n) + folded(p, g, right, k), n)
        case Many(children, scale):
            return g(sum([folded(p, g, c, n) for c in children], p.b) * scale, len(children))
"""


@statement("simple")
def _folded(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A function over data, with a function for its steps."""
    if not s.of("tree") or not s.assignable("vector"):
        assign(d, s, pad)
        return
    x, n = next(d.names), next(d.names)
    body = expression(d, s.plus("vector", x).plus("int", n), "vector", 1)
    g = d.one((f"lambda {x}, {n}: ops.tanh({body})", f"lambda {x}, {n}: scaled(p, {x}, {n} % 2)"))
    call = f"folded(p, {g}, {d.one(s.of('tree'))}, {expression(d, s, 'int', 1)})"
    d.put(pad, f"{d.one(s.assignable('vector'))} = ops.tanh({call})")


def bare_helper(d: Draw) -> None:
    """A function without a decorator or hints, of a vector and an int."""
    function = Function(next(d.names), ("vector", "int"), ("vector",))
    x, n = next(d.names), next(d.names)
    d.put("", "")
    d.put("", "")
    d.put("", f"def {function.name}(p, {x}, {n}):")
    s = Scope({}).plus("vector", x, own=True).plus("int", n, own=True)
    block(d, s, "    ", d.choose.randrange(2), 2)
    d.put("    ", f"return ops.tanh({expression(d, s, 'vector')})")
    d.functions.append(function)
