"""Calls: of model functions, of data classes, of operations."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from ..ir import typed as T
from ..ir.types import FLOAT, INT, DataRef, ListType, TensorType, TupleType, Type, is_subtype
from ..lang import ops as lang_ops
from ..lang.data import is_data
from ..lang.model import Model, parallel, phase
from ..lang.params import is_params
from .base import MISSING
from .declarations import BadHint, suggest
from .operations import OperationLowerer
from .scope import Env, Recover

BUILTINS = (len, min, max, abs, int, float)
OP_FUNCTIONS = {
    name: value
    for name, value in vars(lang_ops).items()
    if callable(value)
    and getattr(value, "__module__", "") == lang_ops.__name__
    and not name.startswith("_")
}


class CallLowerer(OperationLowerer):
    """Adds calls."""

    # -- calls ------------------------------------------------------------------------------

    def call(self, node: ast.Call, env: Env) -> T.Atom:
        callee = self.static(node.func, env)
        text = ast.unparse(node.func)
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                self.fail("AC002", arg, "`*` in a call", "each argument by itself")
        for keyword in node.keywords:
            if keyword.arg is None:
                self.fail("AC002", keyword.value, "`**` in a call", "each argument by itself")
        if isinstance(callee, Model):
            return self.model_call(node, callee, env)
        if callee is parallel:
            return self.parallel(node, env)
        if is_data(callee):
            return self.construct(node, callee, env)
        if callee in OP_FUNCTIONS.values() if callable(callee) else False:
            return self.operation(node, callee.__name__, env)
        if callee is MISSING:
            self.unknown_callee(node, text, env)
        if callee in BUILTINS if callable(callee) else False:
            return self.builtin(node, text, env)
        if callee in (range, enumerate, zip, reversed):
            self.fail(
                "AC012",
                node,
                f"{text} stands only behind the `in` of a loop or a comprehension",
                f"`for ... in {text}(...)`" + (", or `xs[::-1]`" if callee is reversed else ""),
            )
        if callee is phase:
            self.fail(
                "AC029",
                node,
                "ab.phase() is a statement at the outermost level of the entry function",
                "a line of its own, outside of `if`, `match` and loops",
            )
        module = str(getattr(callee, "__module__", None) or type(callee).__module__)
        if module.split(".")[0] == "numpy":
            name = text.rsplit(".", 1)[-1]
            near = name if name in OP_FUNCTIONS else ""
            self.fail(
                "AC026",
                node,
                f"{text} is a numpy call, which cannot be compiled",
                f"`ops.{near}`" if near else f"an operation of ops: {', '.join(OP_FUNCTIONS)}",
            )
        if is_params(callee):
            self.fail(
                "AC012",
                node,
                f"{text} makes weights, which a model only reads",
                "make the weights outside and pass them in as the first parameter",
            )
        if text == "isinstance":
            self.fail("AC012", node, "isinstance is not part of the language", "`match` the value")
        self.fail(
            "AC012",
            node,
            f"{text} is not decorated with @ab.model"
            if callable(callee)
            else f"{text} is a {type(callee).__name__}, not a function",
            f"write @ab.model above `def {text.rsplit('.', 1)[-1]}`, with type hints"
            if hasattr(callee, "__code__")
            else "",
        )

    def builtin(self, node: ast.Call, name: str, env: Env) -> T.Atom:
        """len, min, max, abs, int, float."""
        if node.keywords:
            self.fail("AC016", node.keywords[0].value, f"{name} takes no keywords here")
        if name == "len":
            if len(node.args) != 1:
                self.fail("AC016", node, f"len takes 1 argument, got {len(node.args)}")
            items = self.peek(node.args[0], env)
            if not isinstance(items.type, ListType):
                self.fail(
                    "AC017", node.args[0], f"len of a {items.type}", "a list, or `x.shape[0]`"
                )
            return self.let(T.ListOp("len", (items,)), INT, node, "n")
        args = tuple(self.expression(a, env) for a in node.args)
        if name in ("abs", "int", "float") and len(args) != 1:
            self.fail("AC016", node, f"{name} takes 1 argument, got {len(args)}")
        if name in ("min", "max") and len(args) < 2:
            self.fail("AC016", node, f"{name} takes 2 numbers or more here, got {len(args)}")
        for side, a in zip(node.args, args, strict=True):
            if a.type not in (INT, FLOAT):
                instead = f"`ops.{name}`" if isinstance(a.type, TensorType) else "a number"
                if name in ("int", "float") and isinstance(a.type, TensorType):
                    instead = f"`ops.item({ast.unparse(side)})`"
                elif name in ("min", "max") and isinstance(a.type, TensorType):
                    instead = f"`ops.{name}imum(a, b)`, or `ops.{name}(x)` over an axis"
                self.fail("AC017", side, f"{name} of a {a.type}", instead)
        t: Type = FLOAT if FLOAT in [a.type for a in args] else INT
        t = INT if name == "int" else FLOAT if name == "float" else t
        return self.let(T.Scalar(name, args), t, node, "n")

    def unknown_callee(self, node: ast.Call, text: str, env: Env) -> NoReturn:
        func = node.func
        if isinstance(func, ast.Attribute) and self.static(func.value, env) is lang_ops:
            self.fail(
                "AC013",
                func,
                f"there is no operation {text}",
                suggest(func.attr, OP_FUNCTIONS) or f"the operations are {', '.join(OP_FUNCTIONS)}",
            )
        if isinstance(func, ast.Name):
            if func.id in env.names:
                self.fail("AC012", node, f"{text} is a value, not a function")
            known = [*self.scope.frames, *self.scope.module]
            self.fail(
                "AC011",
                func,
                f"the name {text!r} is not defined",
                suggest(text, known) or "define it, or import it at the top of the module",
            )
        self.fail(
            "AC012",
            node,
            f"{text} is not a function of the model",
            "an operation of ops, or a function decorated with @ab.model",
        )

    def arguments(
        self, node: ast.Call, owner: str, fields: tuple[tuple[str, Type | None], ...], env: Env
    ) -> tuple[T.Atom, ...]:
        """The arguments in the order of `fields`, positional and by keyword, types checked."""
        given: dict[str, ast.expr] = {}
        names = [n for n, _ in fields]
        if len(node.args) > len(names):
            self.fail(
                "AC016",
                node,
                f"{owner} takes {len(names)} arguments, {len(node.args)} are given",
                f"{owner}({', '.join(names)})",
            )
        given |= dict(zip(names, node.args, strict=False))
        for keyword in node.keywords:
            assert keyword.arg is not None
            if keyword.arg not in names:
                self.fail(
                    "AC016",
                    keyword.value,
                    f"{owner} has no argument {keyword.arg!r}",
                    suggest(keyword.arg, names) or f"{owner}({', '.join(names)})",
                )
            if keyword.arg in given:
                self.fail("AC016", keyword.value, f"{keyword.arg!r} is given twice")
            given[keyword.arg] = keyword.value
        missing = [n for n in names if n not in given]
        if missing:
            self.fail(
                "AC016",
                node,
                f"{owner} lacks {', '.join(missing)}",
                f"{owner}({', '.join(names)})",
            )
        atoms: list[T.Atom] = []
        wrong = False
        for name, wanted in fields:
            atom = self.expression(given[name], env)
            if wanted is not None:
                atom = self.widen(atom, wanted)
                if not is_subtype(atom.type, wanted):
                    shapes = isinstance(atom.type, TensorType) and isinstance(wanted, TensorType)
                    self.error(
                        "AC010" if shapes else "AC017",
                        given[name],
                        f"{owner} takes {wanted} as {name!r}, this is {atom.type}",
                        "",
                        self.origin_notes((given[name], atom)),
                    )
                    wrong = True
            atoms.append(atom)
        if wrong:
            raise Recover
        return tuple(atoms)

    def model_call(self, node: ast.Call, callee: Model[..., Any], env: Env) -> T.Var:
        call, result = self.build_call(node, callee, env)
        return self.let(call, result, node, call.function)

    def build_call(self, node: ast.Call, callee: Model[..., Any], env: Env) -> tuple[T.Call, Type]:
        signature = self.builder.signature(callee, self.span(node))
        if signature is None:
            raise Recover
        args = self.arguments(node, callee.function.__name__, signature.params, env)
        if signature.result is None or any(t is None for _, t in signature.params):
            raise Recover
        return T.Call(signature.name, args), signature.result

    def parallel(self, node: ast.Call, env: Env) -> T.Var:
        calls: list[T.Call] = []
        types: list[Type] = []
        if node.keywords:
            self.fail("AC022", node.keywords[0].value, "ab.parallel takes no keywords")
        if not node.args:
            self.fail("AC022", node, "ab.parallel without calls", "ab.parallel(f(...), g(...))")
        for arg in node.args:
            callee = self.static(arg.func, env) if isinstance(arg, ast.Call) else None
            if not isinstance(arg, ast.Call) or not isinstance(callee, Model):
                self.fail(
                    "AC022",
                    arg,
                    f"ab.parallel runs calls of model functions; `{ast.unparse(arg)}` is none",
                    "move it out of ab.parallel, or into a function decorated with @ab.model",
                )
            call, result = self.build_call(arg, callee, env)
            calls.append(call)
            types.append(result)
        outs = tuple(T.Var(c.function, t) for c, t in zip(calls, types, strict=True))
        for out in outs:
            self.origins[out.number] = f"computed in line {self.span(node).line}"
        self.stmts.append(T.Let(outs, T.Parallel(tuple(calls)), self.span(node)))
        return self.let(T.MakeTuple(outs), TupleType(tuple(types)), node, "results")

    def construct(self, node: ast.Call, cls: type, env: Env) -> T.Var:
        # Registers the class if no hint has mentioned it.
        try:
            t = self.builder.declarations.type_of(cls)
        except BadHint as error:
            self.fail("AC004", node.func, str(error), error.hint)
        assert isinstance(t, DataRef)
        fields = self.builder.declarations.datas[t.name].fields
        return self.let(T.Construct(t.name, self.arguments(node, t.name, fields, env)), t, node)
