"""Errors for calls of what a model cannot call."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

import numpy as np

from ...ir.mathematics import MATH
from ...lang.params import is_params
from ..context import FunctionContext
from ..given_away import instead_of_collection, refuse_given_away
from ..library_functions import instead_of_library
from ..registry import ITERABLES
from ..scope import Conflict, Env, Poison, Recover
from ..suggestions import suggest
from ..written import shown
from .methods import refuse_other_bases
from .numpy_refused import instead_of_numpy
from .operations import OP_FUNCTIONS, is_ops

# What to write instead of some of Python's functions.
_INSTEAD = {
    "map": "a comprehension, `[f(x) for x in xs]`",
    "filter": "a comprehension, `[x for x in xs if c]`",
    "next": "`next` of an iterator with a name, `it = iter(xs)`, or a list and an index",
    "type": "`match` the value",
    "setattr": "`dataclasses.replace(x, name=value)`",
    "slice": "the bounds where they are used, `x[a:b]`",
}


def refuse_local(ctx: FunctionContext, node: ast.Call, env: Env) -> NoReturn:
    """Report a callee that is neither a name outside the function nor a method of the language."""
    func, text = node.func, ast.unparse(node.func)
    if isinstance(func, ast.Attribute) and is_ops(ctx, func.value, env):
        ctx.fail(
            "AC013",
            func,
            f"there is no operation {text}",
            suggest(func.attr, OP_FUNCTIONS) or f"the operations are {', '.join(OP_FUNCTIONS)}",
        )
    if isinstance(func, ast.Name):
        if isinstance(env.names.get(func.id), Poison):
            raise Recover
        if isinstance(env.names.get(func.id), Conflict):
            ctx.expression(func, env)  # reports the conflict
        if func.id in env.names:
            ctx.fail("AC012", node, f"{text} is a value, not a function", "another name for one")
        known = [*ctx.scope.frames, *ctx.scope.module]
        ctx.fail(
            "AC011",
            func,
            f"the name {text!r} is not defined",
            suggest(text, known) or "define it, or import it at the top of the module",
        )
    if isinstance(func, ast.Call):
        ctx.fail(
            "AC012",
            node,
            f"the result of {ast.unparse(func.func)} is called, and is no function",
            instead_of_library(ctx.static(func.func, env))
            or "one function, with the arguments of both, or `table[k](x)` of a dict of functions",
        )
    ctx.fail(
        "AC012",
        node,
        f"{text} is not a function of the model",
        "an operation of ops, or a function decorated with @ab.model",
    )


def refuse_callee(ctx: FunctionContext, node: ast.Call, callee: Any) -> NoReturn:
    """Report a callee that exists, but that a model cannot call."""
    text = shown(node.func)
    if id(callee) in ITERABLES:
        ctx.fail(
            "AC012",
            node,
            f"{text} stands only behind the `in` of a loop or a comprehension",
            f"`for ... in {text}(...)`"
            + (", or `xs[::-1]`" if callee is reversed else f", or `list({text}(...))`"),
        )
    module = str(getattr(callee, "__module__", None) or type(callee).__module__)
    if module.split(".")[0] == "numpy" or isinstance(getattr(callee, "__self__", None), np.ufunc):
        name = text.rsplit(".", 1)[-1]
        number = f", or of a number `math.{name}`" if name in MATH and name in OP_FUNCTIONS else ""
        ctx.fail(
            "AC026",
            node,
            f"{text} is a numpy call, which cannot be compiled",
            instead_of_numpy(text) or f"`ops.{name}`{number}"
            if name in OP_FUNCTIONS or instead_of_numpy(text)
            else f"an operation of ops: {', '.join(OP_FUNCTIONS)}",
        )
    refuse_given_away(ctx, node)
    if isinstance(callee, type):
        refuse_other_bases(ctx, node, callee)
    if is_params(callee):
        ctx.fail(
            "AC012",
            node,
            f"{text} makes weights, which a model only reads",
            "make the weights outside and pass them in as the first parameter",
        )
    of_library = instead_of_library(callee)
    if of_library is not None:
        ctx.fail("AC012", node, f"{text} is not part of the language", of_library)
    ctx.fail(
        "AC012",
        node,
        f"{text} is a {type(callee).__name__}, not a function"
        if not callable(callee)
        else f"{text} is not part of the language"
        if module == "builtins" or instead_of_collection(text) or type(callee) is type(len)
        else f"{text} is not decorated with @ab.model",
        f"a function of your own, in place of one of {module}"
        if hasattr(callee, "__code__")
        else instead_of_collection(text)
        or _INSTEAD.get(text, "an operation of ops, or a function decorated with @ab.model"),
    )
