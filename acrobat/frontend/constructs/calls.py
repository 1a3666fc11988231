"""Calls: find out what is called, and dispatch to the handler that lowers it."""

from __future__ import annotations

import ast
import inspect
from typing import Any

from ...ir import typed as T
from ...lang.model import Model
from ..class_fields import is_named_tuple
from ..context import MISSING, FunctionContext
from ..function_values import Closure, FunctionValue, Named
from ..inferred_hints import is_open_tuple
from ..kept_functions import function_in
from ..masks import as_numbers
from ..plain_classes import is_plain_class
from ..presence import not_none, present, without_none
from ..registry import FUNCTIONS, METHODS, Arity, expression
from ..scope import COLLECTIONS, Env
from ..weight_numbers import of_names
from ..weight_parts import in_parts
from .arguments import temporary
from .closures import function_value, of_named_table, undecorated
from .constants import is_small_array
from .dict_changes import CHANGES, changed_default
from .effects_once import call_with_values
from .enumerations import is_enumeration, member
from .function_tables import by_run_time_key
from .functions import closure_call, construct, model_call
from .literals import is_member
from .lookups import large, looked_up_or
from .methods import call_method, has_method, names_method
from .named_attributes import attribute_or_default
from .numpy_calls import numpy_call
from .numpy_functions import numpy_function
from .numpy_operands import with_arrays
from .operations import is_ops, lower_operation, operation_name
from .plain_records import plain_record
from .records import named_tuple
from .refused_calls import refuse_callee, refuse_local
from .sequences import listed
from .sets import take_in_any_order
from .spread_arguments import with_arguments
from .visitors import visit
from .weight_fields import weight_by_key
from .weight_uses import call_with_chosen


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
    if isinstance(node.func, ast.Call) and ctx.static(node.func.func, env) is getattr:
        func = attribute_or_default(ctx, node.func, env)
        return call(ctx, ast.copy_location(ast.Call(func, node.args, node.keywords), node), env)
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
    owner = getattr(found, "__self__", None)
    if isinstance(owner, (list, dict, tuple, str)) or is_small_array(owner):
        return _of_value(ctx, node, env)  # a method of a constant
    if (is_member(owner) or is_plain_class(type(owner))) and isinstance(node.func, ast.Attribute):
        receiver = ctx.peek(node.func.value, env)
        if has_method(ctx, receiver.type, node.func.attr):
            return call_method(ctx, node, receiver, node.func.attr, env)
    return call_object(ctx, node, found, env)


def called_value(ctx: FunctionContext, func: ast.expr, env: Env) -> FunctionValue | None:
    """The function value that `func` stands for, if it is a local name or not a dotted name."""
    field = function_in(ctx, func, env)
    if field is not None:
        return field
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
        result = lower_operation(ctx, node, operation, env)
        # The compiler writes operations in place of numpy's functions, which keep truth values;
        # of the author's, only `split` does, which is slices in plain Python.
        own = isinstance(node.func, ast.Constant) or operation == "split"
        return result if own else as_numbers(result)
    record = FUNCTIONS.get(id(callee))
    if callee is range:
        return listed(ctx, node, env)
    if record is None:
        helper = undecorated(ctx, callee)
        if helper is not None:
            return closure_call(ctx, node, helper, env)
        node = with_arrays(ctx, node, env)
        of_numpy = numpy_function(ctx, node, callee, env) or numpy_call(ctx, node, callee, env)
        if of_numpy is not None:
            return of_numpy
        refuse_callee(ctx, node, callee)
    _check_arity(ctx, node, record.arity)
    take_in_any_order(node, callee)
    return record.lower(ctx, node, env)


def _of_value(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """Lower a call of something inside the function: a method of a value, or an error."""
    func = node.func
    if isinstance(func, ast.Attribute) and not is_ops(ctx, func.value, env):
        of_python = any(name == func.attr for _, name in METHODS)
        of_author = names_method(ctx, func.attr) or _makes_object(ctx, func.value, env)
        of_author = of_author or _is_of_table(ctx, func, env)
        receiver = ctx.peek(func.value, env) if of_python or of_author else None
        if receiver is not None and of_python:
            value = not_none(ctx, func.value, receiver, env)
            of_key = weight_by_key(ctx, node, value, env)
            if of_key is not None:
                return of_key
            value = in_parts(ctx, func.value, value)
            method = METHODS.get((type(value.type), func.attr))
            if method is not None:
                _check_arity(ctx, node, method.arity)
                call = call_with_values(ctx, node, env)
                if call is not node and isinstance(value.type, COLLECTIONS):
                    # The arguments may have changed it: `xs.count(xs.pop())`.
                    value = not_none(ctx, func.value, ctx.peek(func.value, env))
                return method.lower(ctx, call, value, env)
        if receiver is not None and of_author:
            some = without_none(receiver.type)
            if some is not None and has_method(ctx, some, func.attr):
                text = ast.unparse(func.value)
                fault = f"AttributeError: {text} is None, and has no {func.attr!r}"
                receiver = present(ctx, func.value, receiver, fault)
            if has_method(ctx, receiver.type, func.attr):
                return call_method(ctx, node, receiver, func.attr, env)
    called = names_method(ctx, "__call__") and of_names(func, env)
    if called or _makes_object(ctx, func, env):
        receiver = ctx.peek(func, env)
        if isinstance(receiver, T.Var) and has_method(ctx, receiver.type, "__call__"):
            return call_method(ctx, node, receiver, "__call__", env)
    refuse_local(ctx, node, env)


def _makes_object(ctx: FunctionContext, node: ast.expr, env: Env) -> bool:
    """Whether `node` is a call of a class of the author's."""
    made = ctx.static(node.func, env) if isinstance(node, ast.Call) else MISSING
    return isinstance(made, type) and (
        ctx.builder.declarations.is_data(made) or is_plain_class(made)
    )


def _is_of_table(ctx: FunctionContext, func: ast.Attribute, env: Env) -> bool:
    """Whether `func` is a method of an item of a list or dict of the module, `STEPS[k].run`."""
    table = ctx.static(func.value.value, env) if isinstance(func.value, ast.Subscript) else None
    items = table.values() if isinstance(table, dict) else table
    if not isinstance(table, (list, tuple, dict)) or not items:
        return False
    return all(inspect.isfunction(getattr(type(item), func.attr, None)) for item in items)


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
