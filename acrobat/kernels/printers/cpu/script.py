"""TVMScript executed as Python.

TVM's own parser interprets the source in Python and takes two thirds of the time to compile a
kernel. For what the templates write, it is enough to map statements to calls of TVM's builder:
Python itself then runs the source, and the result is the same function (a test compares them).
"""

from __future__ import annotations

import ast
from typing import Any

_BUFFERS = ("decl_buffer", "alloc_buffer")

# Nodes made here have no place in a source, but Python compiles only nodes that have one. (Finding
# those that lack one, as `ast.fix_missing_locations` does, takes as long as compiling them.)
_PLACE: dict[str, Any] = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}


def run_script(source: str) -> Any:
    """The TIR function that `source`, one `@T.prim_func`, describes. Imports TVM. Its statements
    may be loops, stores to buffers, declarations of buffers, and calls."""
    from tvm.ir import Expr
    from tvm.script.ir_builder import IRBuilder
    from tvm.tirx.script import builder as T

    tree = ast.parse(source)
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    function.decorator_list = []
    code = compile(_Statements().visit(tree), "<kernel>", "exec", dont_inherit=True)
    scope = {"T": T, "_name": _name, "_enter": _enter}
    # The hints are evaluated when the function is defined.
    exec(code, scope)
    define: Any = scope[function.name]
    with IRBuilder() as builder:
        with T.prim_func(is_private=False, s_tir=False, persistent=False):
            T.func_name(function.name)
            hints = define.__annotations__
            # `T.int64` is a function that makes such a variable.
            made = {n: h if isinstance(h, Expr) else h() for n, h in hints.items()}
            define(*(T.arg(n, h) for n, h in made.items()))
        return builder.get()


def _name(name: str, value: Any) -> Any:
    from tvm.script.ir_builder import IRBuilder

    IRBuilder.name(name, value)
    return value


def _enter(name: str, frame: Any) -> Any:
    """Enter a declaration, which holds to the end of the enclosing statement."""
    from tvm.script.ir_builder.base import IRBuilderFrame

    if not isinstance(frame, IRBuilderFrame):
        return _name(name, frame)
    frame.add_callback(lambda: frame.__exit__(None, None, None))
    return _name(name, frame.__enter__())


class _Statements(ast.NodeTransformer):
    """Statements of TVMScript as Python that calls the builder."""

    def visit_For(self, node: ast.For) -> ast.With:
        """`for i in T.serial(n)` enters the loop and names its variable."""
        assert isinstance(node.target, ast.Name)
        variable = node.target.id
        first = _assign(variable, _call("_name", _text(variable), _load(variable)))
        body = [first, *(self.visit(s) for s in node.body)]
        return ast.With([ast.withitem(node.iter, node.target)], body, **_PLACE)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """A store to an element, or the declaration of a buffer."""
        (target,) = node.targets
        if isinstance(target, ast.Subscript):
            index = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
            store = ast.Attribute(_load("T"), "buffer_store", ast.Load(), **_PLACE)
            indices = ast.List(index, ast.Load(), **_PLACE)
            call = ast.Call(store, [target.value, node.value, indices], [], **_PLACE)
            return ast.Expr(call, **_PLACE)
        declares = (
            isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
            and node.value.func.attr in _BUFFERS
        )
        assert isinstance(target, ast.Name) and declares, ast.unparse(node)
        return _assign(target.id, _call("_enter", _text(target.id), node.value))


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load(), **_PLACE)


def _text(value: str) -> ast.Constant:
    return ast.Constant(value, **_PLACE)


def _call(function: str, *args: ast.expr) -> ast.Call:
    return ast.Call(_load(function), list(args), [], **_PLACE)


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store(), **_PLACE)], value, **_PLACE)
