"""Calls: what is called, and who lowers it."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from ...ir import typed as T
from ...lang.data import is_data
from ...lang.model import Model
from ...lang.params import is_params
from ..context import MISSING, FunctionContext
from ..declarations import suggest
from ..registry import FUNCTIONS, ITERABLES, METHODS, Arity, expression
from ..scope import Env
from .functions import construct, model_call
from .operations import OP_FUNCTIONS, is_ops, lower_operation, operation_name

# Python's functions that have a counterpart.
_INSTEAD = {
    "sum": "a loop that adds, or `ops.sum` of a tensor",
    "list": "`[*xs]`, or a comprehension",
    "tuple": "`a, b`, a fixed number of parts",
    "map": "a comprehension, `[f(x) for x in xs]`",
    "filter": "a comprehension, `[x for x in xs if c]`",
    "any": "a loop with `break`",
    "all": "a loop with `break`",
    "bool": "a comparison, such as `n != 0`",
    "pow": "`x * x`, or `ops.exp` of a tensor",
    "divmod": "`a // b` and `a % b`",
    "round": "`int(x + 0.5)`",
    "type": "`match` the value",
    "hasattr": "`match` the value",
    "getattr": "the field itself, `x.name`",
    "dict": "an @ab.data class with one field per key",
    "str": "an int id instead of text",
}


@expression(ast.Call)
def call(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`f(x)`, `Node(left, right)`, `ops.tanh(x)`, `len(xs)`."""
    callee = ctx.static(node.func, env)
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            ctx.fail("AC002", arg, "`*` in a call", "each argument by itself")
    for keyword in node.keywords:
        if keyword.arg is None:
            ctx.fail("AC002", keyword.value, "`**` in a call", "each argument by itself")
    if isinstance(callee, Model):
        return model_call(ctx, node, callee, env)
    if is_data(callee):
        return construct(ctx, node, callee, env)
    operation = operation_name(callee)
    if operation is not None:
        return lower_operation(ctx, node, operation, env)
    if callee is MISSING:
        return _of_value(ctx, node, env)
    record = FUNCTIONS.get(id(callee))
    if record is None:
        _refuse(ctx, node, callee)
    _check_arity(ctx, node, record.arity)
    return record.lower(ctx, node, env)


def _of_value(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """A call of something inside the function: a method of a value, or an error."""
    func = node.func
    if (
        isinstance(func, ast.Attribute)
        and any(name == func.attr for _, name in METHODS)
        and not is_ops(ctx, func.value, env)
    ):
        receiver = ctx.peek(func.value, env)
        method = METHODS.get((type(receiver.type), func.attr))
        if method is not None:
            _check_arity(ctx, node, method.arity)
            return method.lower(ctx, node, receiver, env)
    _refuse_local(ctx, node, env)


def _check_arity(ctx: FunctionContext, node: ast.Call, arity: Arity | None) -> None:
    if arity is None:
        return
    text = ast.unparse(node.func)
    if node.keywords:
        ctx.fail(
            "AC016",
            node.keywords[0].value,
            f"{text} takes no keywords here",
            "its arguments in order",
        )
    if not arity.takes(len(node.args)):
        more = f"`{text}(...)` with {arity}" if arity.least < 2 else f"`{text}(a, b)`, of numbers"
        ctx.fail("AC016", node, f"{text} takes {arity}, got {len(node.args)}", more)


def _refuse_local(ctx: FunctionContext, node: ast.Call, env: Env) -> NoReturn:
    """What is called is no name outside the function, and no method of the language."""
    func, text = node.func, ast.unparse(node.func)
    if isinstance(func, ast.Attribute) and is_ops(ctx, func.value, env):
        ctx.fail(
            "AC013",
            func,
            f"there is no operation {text}",
            suggest(func.attr, OP_FUNCTIONS) or f"the operations are {', '.join(OP_FUNCTIONS)}",
        )
    if isinstance(func, ast.Name):
        if func.id in env.names:
            ctx.fail("AC012", node, f"{text} is a value, not a function", "another name for one")
        known = [*ctx.scope.frames, *ctx.scope.module]
        ctx.fail(
            "AC011",
            func,
            f"the name {text!r} is not defined",
            suggest(text, known) or "define it, or import it at the top of the module",
        )
    ctx.fail(
        "AC012",
        node,
        f"{text} is not a function of the model",
        "an operation of ops, or a function decorated with @ab.model",
    )


def _refuse(ctx: FunctionContext, node: ast.Call, callee: Any) -> NoReturn:
    """What is called exists, and cannot be called by a model."""
    text = ast.unparse(node.func)
    if id(callee) in ITERABLES:
        ctx.fail(
            "AC012",
            node,
            f"{text} stands only behind the `in` of a loop or a comprehension",
            f"`for ... in {text}(...)`" + (", or `xs[::-1]`" if callee is reversed else ""),
        )
    module = str(getattr(callee, "__module__", None) or type(callee).__module__)
    if module.split(".")[0] == "numpy":
        name = text.rsplit(".", 1)[-1]
        ctx.fail(
            "AC026",
            node,
            f"{text} is a numpy call, which cannot be compiled",
            f"`ops.{name}`"
            if name in OP_FUNCTIONS
            else f"an operation of ops: {', '.join(OP_FUNCTIONS)}",
        )
    if is_params(callee):
        ctx.fail(
            "AC012",
            node,
            f"{text} makes weights, which a model only reads",
            "make the weights outside and pass them in as the first parameter",
        )
    if callee is isinstance:
        ctx.fail("AC012", node, "isinstance is not part of the language", "`match` the value")
    ctx.fail(
        "AC012",
        node,
        f"{text} is not decorated with @ab.model"
        if callable(callee)
        else f"{text} is a {type(callee).__name__}, not a function",
        f"write @ab.model above `def {text.rsplit('.', 1)[-1]}`, with type hints"
        if hasattr(callee, "__code__")
        else _INSTEAD.get(text, "an operation of ops, or a function decorated with @ab.model"),
    )
