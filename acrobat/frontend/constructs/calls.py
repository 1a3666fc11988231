"""Calls: find out what is called, and dispatch to the handler that lowers it."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

import numpy as np

from ...ir import typed as T
from ...ir.mathematics import MATH
from ...lang.model import Model
from ...lang.params import is_params
from ..class_fields import is_named_tuple
from ..context import MISSING, FunctionContext
from ..function_values import Closure, FunctionValue, Named
from ..given_away import instead_of_collection, refuse_given_away
from ..inferred_hints import is_open_tuple
from ..plain_classes import is_plain_class
from ..presence import not_none, present, without_none
from ..registry import FUNCTIONS, ITERABLES, METHODS, Arity, expression
from ..scope import Conflict, Env, Poison, Recover
from ..suggestions import suggest
from ..weight_numbers import of_names
from ..written import shown
from .arguments import temporary
from .closures import function_value, of_named_table, undecorated
from .dict_changes import CHANGES, changed_default
from .effects_once import call_with_values
from .enumerations import is_enumeration, member
from .function_tables import by_run_time_key
from .functions import closure_call, construct, model_call
from .literals import is_member
from .lookups import large, looked_up_or
from .methods import call_method, has_method, names_method, refuse_other_bases
from .numpy_calls import numpy_call
from .numpy_functions import numpy_function
from .numpy_refused import instead_of_numpy
from .operations import OP_FUNCTIONS, is_ops, lower_operation, operation_name
from .plain_records import plain_record
from .records import named_tuple
from .sequences import listed
from .sets import take_in_any_order
from .spread_arguments import with_arguments
from .visitors import visit
from .weight_uses import call_with_chosen

# What to write instead of some of Python's functions.
_INSTEAD = {
    "map": "a comprehension, `[f(x) for x in xs]`",
    "filter": "a comprehension, `[x for x in xs if c]`",
    "next": "`next` of an iterator with a name, `it = iter(xs)`, or a list and an index",
    "type": "`match` the value",
    "hasattr": "`match` the value",
    "getattr": "the field itself, `x.name`",
    "setattr": "`dataclasses.replace(x, name=value)`",
    "slice": "the bounds where they are used, `x[a:b]`",
}


@expression(ast.Call)
def call(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`f(x)`, `Node(left, right)`, `ops.tanh(x)`, `len(xs)`."""
    node = with_arguments(ctx, node, env)
    match node.func:
        case ast.Attribute(ast.Call(_, [_, ast.Dict([])]) as first, method) if method in CHANGES:
            node = changed_default(ctx, node, first, env) or node
    chosen = call_with_chosen(ctx, node, env) or visit(ctx, node, env)
    if chosen is not None:
        return chosen
    value = called_value(ctx, node.func, env)
    if value is not None:
        return call_value(ctx, node, value, env)
    if isinstance(node.func, ast.Subscript):
        func = of_named_table(ctx, node.func, env)
        node = ast.copy_location(ast.Call(func, node.args, node.keywords), node)
    dispatched = by_run_time_key(ctx, node, env)
    if dispatched is not None:
        return dispatched
    found = ctx.static(node.func, env)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        owner = large(ctx, node.func.value, env)
        if isinstance(owner, dict):
            looked = looked_up_or(ctx, node, node.func.value, owner, env)
            if looked is not None:
                return looked
    if isinstance(getattr(found, "__self__", None), (list, dict, tuple, str)):
        return _of_value(ctx, node, env)  # a method of a constant
    owner = getattr(found, "__self__", None)
    if (is_member(owner) or is_plain_class(type(owner))) and isinstance(node.func, ast.Attribute):
        receiver = ctx.peek(node.func.value, env)
        if has_method(ctx, receiver.type, node.func.attr):
            return call_method(ctx, node, receiver, node.func.attr, env)
    return call_object(ctx, node, found, env)


def called_value(ctx: FunctionContext, func: ast.expr, env: Env) -> FunctionValue | None:
    """The function value that `func` stands for, if it is a local name or not a dotted name."""
    local = isinstance(func, ast.Name) and func.id in env.names
    return function_value(ctx, func, env) if local or not is_dotted(func) else None


def is_dotted(node: ast.expr) -> bool:
    """Whether `node` is a dotted name: a name, or an attribute of a dotted name."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and is_dotted(node.value))


def call_value(ctx: FunctionContext, node: ast.Call, value: FunctionValue, env: Env) -> T.Atom:
    """Lower the call of a function value."""
    match value:
        case Named(found=found):
            return call_object(ctx, node, found, env)
        case Closure():
            return closure_call(ctx, node, value, env)
    args = [temporary(env, f"argument {i + 1}", a, node) for i, a in enumerate(value.args)]
    words: dict[str, ast.expr] = {
        n: temporary(env, f"argument {n}", a, node) for n, a in value.keywords.items()
    }
    words |= {k.arg: k.value for k in node.keywords if k.arg is not None}
    keywords = [ast.keyword(n, v) for n, v in words.items()]
    call = ast.copy_location(ast.Call(node.func, [*args, *node.args], keywords), node)
    return call_value(ctx, call, value.of, env)


def call_object(ctx: FunctionContext, node: ast.Call, callee: Any, env: Env) -> T.Atom:
    """Lower the call of an object from outside of the model."""
    if isinstance(callee, Model):
        return model_call(ctx, node, callee, env)
    if ctx.builder.declarations.is_data(callee):
        return construct(ctx, node, callee, env)
    if is_plain_class(callee) or is_open_tuple(ctx.builder.declarations, callee):
        return plain_record(ctx, node, callee, env)
    if is_named_tuple(callee):
        return named_tuple(ctx, node, callee, env)
    if is_enumeration(callee):
        return member(ctx, node, callee, env)
    if callee is MISSING:
        return _of_value(ctx, node, env)
    node = call_with_values(ctx, node, env)
    operation = operation_name(callee)
    if operation is not None:
        return lower_operation(ctx, node, operation, env)
    record = FUNCTIONS.get(id(callee))
    if callee is range:
        return listed(ctx, node, env)
    if record is None:
        helper = undecorated(ctx, callee)
        if helper is not None:
            return closure_call(ctx, node, helper, env)
        of_numpy = numpy_function(ctx, node, callee, env) or numpy_call(ctx, node, callee, env)
        if of_numpy is not None:
            return of_numpy
        _refuse(ctx, node, callee)
    _check_arity(ctx, node, record.arity)
    take_in_any_order(node, callee)
    return record.lower(ctx, node, env)


def _of_value(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """Lower a call of something inside the function: a method of a value, or an error."""
    func = node.func
    if (
        isinstance(func, ast.Attribute)
        and any(name == func.attr for _, name in METHODS)
        and not is_ops(ctx, func.value, env)
    ):
        receiver = not_none(ctx, func.value, ctx.peek(func.value, env), env)
        method = METHODS.get((type(receiver.type), func.attr))
        if method is not None:
            _check_arity(ctx, node, method.arity)
            return method.lower(ctx, node, receiver, env)
    if (
        isinstance(func, ast.Attribute)
        and (names_method(ctx, func.attr) or _makes_object(ctx, func.value, env))
        and not is_ops(ctx, func.value, env)
    ):
        receiver = ctx.peek(func.value, env)
        some = without_none(receiver.type)
        if some is not None and has_method(ctx, some, func.attr):
            fault = f"AttributeError: {ast.unparse(func.value)} is None, and has no {func.attr!r}"
            receiver = present(ctx, func.value, receiver, fault)
        if has_method(ctx, receiver.type, func.attr):
            return call_method(ctx, node, receiver, func.attr, env)
    called = names_method(ctx, "__call__") and of_names(func, env)
    if called or _makes_object(ctx, func, env):
        receiver = ctx.peek(func, env)
        if isinstance(receiver, T.Var) and has_method(ctx, receiver.type, "__call__"):
            return call_method(ctx, node, receiver, "__call__", env)
    _refuse_local(ctx, node, env)


def _makes_object(ctx: FunctionContext, node: ast.expr, env: Env) -> bool:
    """Whether `node` is a call of a class of the author's."""
    made = ctx.static(node.func, env) if isinstance(node, ast.Call) else MISSING
    return isinstance(made, type) and (
        ctx.builder.declarations.is_data(made) or is_plain_class(made)
    )


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
            "one function, with the arguments of both, or `table[k](x)` of a dict of functions",
        )
    ctx.fail(
        "AC012",
        node,
        f"{text} is not a function of the model",
        "an operation of ops, or a function decorated with @ab.model",
    )


def _refuse(ctx: FunctionContext, node: ast.Call, callee: Any) -> NoReturn:
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
    ctx.fail(
        "AC012",
        node,
        f"{text} is a {type(callee).__name__}, not a function"
        if not callable(callee)
        else f"{text} is not part of the language"
        if module == "builtins" or instead_of_collection(text)
        else f"{text} is not decorated with @ab.model",
        f"a function of your own, in place of one of {module}"
        if hasattr(callee, "__code__")
        else instead_of_collection(text)
        or _INSTEAD.get(text, "an operation of ops, or a function decorated with @ab.model"),
    )
