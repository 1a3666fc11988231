"""One model function, lowered to a function of the typed IR."""

from __future__ import annotations

from ..ir import typed as T
from .blocks import block
from .constructs import HANDLERS
from .context import FunctionContext
from .nesting import check_nesting
from .scope import POISON, Env
from .signatures import ModuleBuilder, Signature
from .syntax import names_assigned, parameters


def lower_function(builder: ModuleBuilder, signature: Signature) -> T.Function | None:
    """The function, or None if its signature or body has errors, which are reported."""
    if not check_nesting(signature.source, builder.reporter):
        return None
    ctx = FunctionContext(builder, signature, HANDLERS)
    tree, result = signature.source.tree, signature.result
    before = len(ctx.reporter.errors)
    env = Env()
    params: list[T.Var] = []
    for (name, t), node in zip(signature.params, parameters(tree), strict=True):
        if t is None:
            env.names[name] = POISON
            continue
        var = T.Var(name, t)
        ctx.origins[var.number] = f"from the hint in line {ctx.span(node).line}"
        params.append(var)
        env.names[name] = var
    ctx.locals = names_assigned(tree.body) | {n for n, _ in signature.params}
    region, after = block(ctx, tree.body, env)
    if after is not None and result is not None and len(ctx.reporter.errors) == before:
        ctx.error(
            "AC020",
            tree.body[-1],
            f"{tree.name} can end without a return",
            f"`return` a {result} on every path",
        )
    if len(ctx.reporter.errors) > before or result is None:
        return None
    return T.Function(signature.name, tuple(params), (result,), region, signature.source.head())
