"""Expressions of a model function, lowered to let statements with types."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.ops import OPS, ShapeError
from ..ir.span import Span
from ..ir.types import (
    BOOL,
    FLOAT,
    INT,
    DataRef,
    ParamsRef,
    TensorType,
    TupleType,
    Type,
    UnionType,
    is_subtype,
    join,
    run_time_value,
)
from ..lang import ops as lang_ops
from ..lang.data import is_data
from ..lang.hints import UnknownName, function_scope, resolve_hint
from ..lang.model import Model, parallel
from ..lang.params import is_params
from .declarations import BadHint, suggest
from .module import ModuleBuilder, Signature
from .scope import Conflict, Env, Poison, Recover, Undefined

_BINARY: dict[type[ast.operator], tuple[str, str | None]] = {
    # Python operator -> (scalar operation, tensor operation)
    ast.Add: ("+", "add"),
    ast.Sub: ("-", "sub"),
    ast.Mult: ("*", "mul"),
    ast.Div: ("/", "div"),
    ast.FloorDiv: ("//", None),
    ast.Mod: ("%", None),
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_INSTEAD = {
    "ListComp": ("a comprehension is not supported yet", "recursion over an @ab.data list"),
    "GeneratorExp": ("a comprehension is not supported yet", "recursion over an @ab.data list"),
    "SetComp": ("a comprehension is not supported yet", "recursion over an @ab.data list"),
    "DictComp": ("a comprehension is not supported yet", "recursion over an @ab.data list"),
    "List": ("a list is not supported yet", "an @ab.data list: `Nil | Cons`"),
    "Dict": ("a dict", "an @ab.data class with one field per key"),
    "Set": ("a set", "an @ab.data class"),
    "Lambda": ("a lambda", "a function of its own, decorated with @ab.model"),
    "Await": ("`await`", "a plain call"),
    "Yield": ("`yield`", "a result"),
    "YieldFrom": ("`yield`", "a result"),
    "JoinedStr": ("a string", "an int that stands for it"),
    "NamedExpr": ("`:=`", "an assignment of its own"),
    "Starred": ("`*`", "each argument by itself"),
}
_MISSING = object()
_OP_FUNCTIONS = {
    name: value
    for name, value in vars(lang_ops).items()
    if callable(value) and getattr(value, "__module__", "") == lang_ops.__name__
}


class ExpressionLowerer:
    """Lowers expressions into `stmts`, the statement list of the region being built."""

    def __init__(self, builder: ModuleBuilder, signature: Signature) -> None:
        self.builder = builder
        self.signature = signature
        self.source = signature.source
        self.reporter = builder.reporter
        self.scope = function_scope(signature.model.function)
        self.stmts: list[T.Stmt] = []
        self.locals: set[str] = set()
        # Where a variable got its type, for the notes of shape errors.
        self.origins: dict[int, str] = {}

    # -- reporting --------------------------------------------------------------------------

    def span(self, node: ast.AST) -> Span:
        return self.source.span(node)

    def error(
        self, code: str, node: ast.AST, message: str, hint: str = "", notes: tuple[str, ...] = ()
    ) -> None:
        self.reporter.error(code, self.span(node), message, hint, notes)

    def fail(
        self, code: str, node: ast.AST, message: str, hint: str = "", notes: tuple[str, ...] = ()
    ) -> NoReturn:
        self.error(code, node, message, hint, notes)
        raise Recover

    def origin_notes(self, *operands: tuple[ast.AST, T.Atom]) -> tuple[str, ...]:
        """One note per operand: its source text, its type, and where that came from."""
        notes = []
        for node, atom in operands:
            origin = self.origins.get(atom.number, "") if isinstance(atom, T.Var) else ""
            notes.append(
                f"`{ast.unparse(node)}` is {atom.type}" + (f", {origin}" if origin else "")
            )
        return tuple(notes)

    # -- helpers ----------------------------------------------------------------------------

    def let(self, rhs: T.Rhs, t: Type, node: ast.AST, name: str = "t") -> T.Var:
        out = T.Var(name, t)
        self.origins[out.number] = f"computed in line {self.span(node).line}"
        self.stmts.append(T.Let((out,), rhs, self.span(node)))
        return out

    def evaluate_hint(self, node: ast.expr) -> Any:
        return resolve_hint(ast.unparse(node), self.scope)

    def static(self, node: ast.expr, env: Env) -> Any:
        """The Python object a dotted name stands for outside the function; `_MISSING` if it is
        no such name."""
        match node:
            case ast.Name(name) if name not in env.names and name not in self.locals:
                try:
                    return self.scope[name]
                except UnknownName:
                    return _MISSING
            case ast.Attribute(value, attr):
                owner = self.static(value, env)
                if owner is _MISSING:
                    return _MISSING
                return getattr(owner, attr, _MISSING)
        return _MISSING

    def widen(self, atom: T.Atom, wanted: Type) -> T.Atom:
        """An int constant where a float is wanted becomes one, as in Python."""
        if isinstance(atom, T.Const) and atom.type == INT and wanted == FLOAT:
            return T.Const(float(atom.value), FLOAT)
        return atom

    # -- expressions ------------------------------------------------------------------------

    def expression(self, node: ast.expr, env: Env) -> T.Atom:
        """The value of `node`; raises Recover when it has an error (which is reported)."""
        match node:
            case ast.Name(name):
                return self.name(node, name, env)
            case ast.Constant(bool() as value):
                return T.Const(value, BOOL)
            case ast.Constant(int() as value):
                if not -(2**63) <= value < 2**63:
                    self.fail("AC002", node, f"{value} does not fit into 64 bits")
                return T.Const(value, INT)
            case ast.Constant(float() as value):
                return T.Const(value, FLOAT)
            case ast.Constant(value):
                self.fail(
                    "AC002",
                    node,
                    f"the value {value!r} has no type in the model language",
                    "numbers, truth values, tensors and @ab.data values",
                )
            case ast.Tuple(elements):
                items = tuple(self.expression(e, env) for e in elements)
                return self.let(
                    T.MakeTuple(items), TupleType(tuple(i.type for i in items)), node, "pair"
                )
            case ast.BinOp(left, op, right):
                return self.binary(node, left, op, right, env)
            case ast.UnaryOp(op, operand):
                return self.unary(node, op, operand, env)
            case ast.Compare(left, operators, rights):
                return self.compare(node, left, operators, rights, env)
            case ast.BoolOp(op, values):
                return self.boolean(node, op, values, env)
            case ast.IfExp(test, then, orelse):
                return self.conditional(node, test, then, orelse, env)
            case ast.Attribute(value, attr):
                return self.attribute(node, value, attr, env)
            case ast.Subscript(value, index):
                return self.subscript(node, value, index, env)
            case ast.Call():
                return self.call(node, env)
        what, instead = _INSTEAD.get(type(node).__name__, (type(node).__name__.lower(), ""))
        text = what if "not supported" in what else f"{what} is not part of the language"
        self.fail("AC002", node, text, instead)

    def name(self, node: ast.Name, name: str, env: Env) -> T.Atom:
        binding = env.names.get(name)
        match binding:
            case T.Var() | T.Const():
                return binding
            case Poison():
                raise Recover
            case Undefined(span):
                self.fail(
                    "AC009",
                    node,
                    f"{name!r} is assigned on some paths only (line {span.line})",
                    f"assign {name} on every path, or before the branch",
                )
            case Conflict(span, first, second):
                self.fail(
                    "AC008",
                    node,
                    f"{name!r} is {first} on one path and {second} on another (line {span.line})",
                    "give both branches the same type, or use two names",
                )
        value = self.static(node, env)
        if isinstance(value, bool):
            return T.Const(value, BOOL)
        if isinstance(value, int):
            return T.Const(value, INT)
        if isinstance(value, float):
            return T.Const(value, FLOAT)
        if value is _MISSING:
            known = [*env.names, *self.locals, *self.scope.frames, *self.scope.module]
            if name in self.locals:
                self.fail("AC009", node, f"{name!r} is used before it is assigned")
            self.fail(
                "AC011",
                node,
                f"the name {name!r} is not defined",
                suggest(name, known) or "define it, or import it at the top of the module",
            )
        self.fail(
            "AC002",
            node,
            f"{name!r} is a {type(value).__name__} of the module, which a model cannot read",
            "pass it in as part of the weights or of the instance",
        )

    def tensor_op(
        self,
        name: str,
        node: ast.AST,
        operands: list[tuple[ast.AST, T.Atom]],
        attrs: tuple[tuple[str, T.AttrValue], ...] = (),
        hint: str = "",
    ) -> T.Var:
        """One tensor operation, its shape checked by its rule."""
        args = tuple(a for _, a in operands)
        for side, atom in operands if name != "lookup" else ():
            if atom.type in (INT, FLOAT) and not isinstance(atom, T.Const):
                self.fail(
                    "AC027",
                    side,
                    f"a tensor and a computed {atom.type}: only number constants combine "
                    f"with tensors so far",
                    "write the number out, or make it a weight",
                )
        try:
            t = OPS[name].result([a.type for a in args], dict(attrs))
        except ShapeError as error:
            blamed = [operands[i] for i in error.blame if i < len(operands)]
            self.fail("AC010", node, str(error), hint, self.origin_notes(*blamed))
        return self.let(T.Op(name, args, attrs), t, node, name)

    def binary(
        self, node: ast.AST, left: ast.expr, op: ast.operator, right: ast.expr, env: Env
    ) -> T.Atom:
        a, b = self.expression(left, env), self.expression(right, env)
        tensors = [isinstance(x.type, TensorType) for x in (a, b)]
        if isinstance(op, ast.MatMult):
            return self.tensor_op("matmul", node, [(left, a), (right, b)])
        if type(op) not in _BINARY:
            self.fail("AC027", node, f"the operator `{_symbol(op)}` is not part of the language")
        scalar, tensor = _BINARY[type(op)]
        if any(tensors):
            if tensor is None:
                self.fail("AC027", node, f"the operator `{scalar}` does not work on tensors")
            return self.tensor_op(tensor, node, [(left, a), (right, b)])
        numbers = (INT, FLOAT)
        if a.type not in numbers or b.type not in numbers:
            self.fail(
                "AC027",
                node,
                f"`{scalar}` of {a.type} and {b.type}",
                "numbers or tensors of the same shape",
                self.origin_notes((left, a), (right, b)),
            )
        t = FLOAT if scalar == "/" or FLOAT in (a.type, b.type) else INT
        return self.let(T.Scalar(scalar, (a, b)), t, node, "n")

    def unary(self, node: ast.AST, op: ast.unaryop, operand: ast.expr, env: Env) -> T.Atom:
        a = self.expression(operand, env)
        if isinstance(op, ast.Not):
            if a.type != BOOL:
                self.fail("AC018", operand, f"`not` of a {a.type}", "compare it, such as `n > 0`")
            return self.let(T.Scalar("not", (a,)), BOOL, node, "b")
        if isinstance(op, ast.USub):
            if isinstance(a.type, TensorType):
                return self.tensor_op("neg", node, [(operand, a)])
            if isinstance(a, T.Const) and a.type in (INT, FLOAT):
                return T.Const(-a.value, a.type)
            if a.type in (INT, FLOAT):
                return self.let(T.Scalar("neg", (a,)), a.type, node, "n")
        self.fail("AC027", node, f"`{_symbol(op)}` of a {a.type}", "a number or a tensor")

    def compare(
        self,
        node: ast.AST,
        left: ast.expr,
        operators: list[ast.cmpop],
        rights: list[ast.expr],
        env: Env,
    ) -> T.Atom:
        if len(operators) > 1:
            self.fail("AC002", node, "a chained comparison", "join two comparisons with `and`")
        if type(operators[0]) not in _COMPARE:
            self.fail(
                "AC002",
                node,
                f"`{_symbol(operators[0])}` is not part of the language",
                "`==`, `<` and the like on numbers; `match` on data",
            )
        a, b = self.expression(left, env), self.expression(rights[0], env)
        for side, atom in ((left, a), (rights[0], b)):
            if isinstance(atom.type, TensorType):
                self.fail(
                    "AC018",
                    side,
                    f"a comparison of a {atom.type}: decisions on tensor values are not "
                    f"supported yet",
                    "decide on a field of the instance",
                )
        numbers = (INT, FLOAT)
        same_bool = a.type == b.type == BOOL
        if not same_bool and (a.type not in numbers or b.type not in numbers):
            self.fail("AC027", node, f"a comparison of {a.type} and {b.type}", "compare numbers")
        return self.let(T.Scalar(_COMPARE[type(operators[0])], (a, b)), BOOL, node, "b")

    def boolean(self, node: ast.AST, op: ast.boolop, values: list[ast.expr], env: Env) -> T.Atom:
        # Operands have no side effects, so evaluating all of them is the same as Python's
        # short-circuit, but for calls that would not end and divisions by zero: refused here.
        result: T.Atom | None = None
        for value in values:
            if any(isinstance(n, ast.Call) for n in ast.walk(value)):
                self.fail("AC002", value, "a call inside `and`/`or`", "an `if` around the call")
            if value is not values[0] and any(
                isinstance(n, (ast.Div, ast.FloorDiv, ast.Mod)) for n in ast.walk(value)
            ):
                self.fail(
                    "AC002",
                    value,
                    "a division behind `and`/`or`, which is evaluated in any case",
                    "an `if` around the division",
                )
            atom = self.expression(value, env)
            if atom.type != BOOL:
                self.fail(
                    "AC018", value, f"`and`/`or` of a {atom.type}", "compare it, such as `n > 0`"
                )
            name = "and" if isinstance(op, ast.And) else "or"
            result = (
                atom
                if result is None
                else self.let(T.Scalar(name, (result, atom)), BOOL, node, "b")
            )
        assert result is not None
        return result

    def conditional(
        self, node: ast.AST, test: ast.expr, then: ast.expr, orelse: ast.expr, env: Env
    ) -> T.Atom:
        cond = self.condition(test, env)
        values: list[T.Atom] = []
        regions: list[T.Region] = []
        outer = self.stmts
        for branch in (then, orelse):
            self.stmts = []
            try:
                value = self.expression(branch, env)
                regions.append(T.Region(tuple(self.stmts), T.Yield((value,))))
                values.append(value)
            finally:
                self.stmts = outer
        t = join(values[0].type, values[1].type)
        if t is None:
            self.fail(
                "AC008",
                node,
                f"the branches are {values[0].type} and {values[1].type}",
                "give both branches the same type",
            )
        if not run_time_value(t):
            self.fail(
                "AC008",
                node,
                f"a branch chooses between weights of type {t}",
                "`if` around the operations, each with its own weight",
            )
        out = T.Var("chosen", t)
        self.stmts.append(T.If((out,), cond, regions[0], regions[1], self.span(node)))
        return out

    def condition(self, test: ast.expr, env: Env) -> T.Atom:
        raise NotImplementedError

    def attribute(self, node: ast.Attribute, value: ast.expr, attr: str, env: Env) -> T.Atom:
        found = self.static(node, env)
        if found is not _MISSING:
            if isinstance(found, (bool, int, float)):
                kind = BOOL if isinstance(found, bool) else INT if isinstance(found, int) else FLOAT
                return T.Const(found, kind)
            self.fail("AC002", node, f"{ast.unparse(node)} is not a value a model can use")
        obj = self.expression(value, env)
        if isinstance(obj, T.Var) and obj in env.narrowed:
            fields = env.narrowed[obj]
            if attr in fields:
                return fields[attr]
        match obj.type:
            case ParamsRef(name):
                declared = dict(self.builder.declarations.params[name].fields)
                if attr not in declared:
                    self.unknown_field(node, name, attr, declared)
                assert isinstance(obj, T.Var)
                var = self.let(T.ParamRead(obj, attr), declared[attr], node, attr)
                self.origins[var.number] = f"declared in {name}"
                return var
            case DataRef(name):
                declared = dict(self.builder.declarations.datas[name].fields)
                if attr not in declared:
                    self.unknown_field(node, name, attr, declared)
                assert isinstance(obj, T.Var)
                var = self.let(T.GetField(obj, attr), declared[attr], node, attr)
                self.origins[var.number] = f"declared in {name}"
                return var
            case UnionType():
                self.fail(
                    "AC014",
                    node,
                    f"{ast.unparse(value)} may be any of {obj.type}: which one has {attr!r} is "
                    f"not known here",
                    f"`match {ast.unparse(value)}:` with a case for each",
                )
        self.fail("AC014", node, f"a {obj.type} has no field {attr!r}")

    def unknown_field(
        self, node: ast.Attribute, owner: str, attr: str, declared: dict[str, Type]
    ) -> NoReturn:
        self.fail(
            "AC014",
            node,
            f"{owner} has no field {attr!r}",
            suggest(attr, declared) or f"its fields are {', '.join(declared) or 'none'}",
        )

    def subscript(self, node: ast.Subscript, value: ast.expr, index: ast.expr, env: Env) -> T.Atom:
        obj = self.expression(value, env)
        if isinstance(obj.type, TupleType) and isinstance(obj, T.Var):
            at = self.literal(index)
            if at is None or not -len(obj.type.items) <= at < len(obj.type.items):
                self.fail(
                    "AC002",
                    index,
                    f"an item of {obj.type} is chosen by a number from 0 to "
                    f"{len(obj.type.items) - 1} written out",
                )
            at %= len(obj.type.items)
            return self.let(T.GetItem(obj, at), obj.type.items[at], node, "part")
        if not isinstance(obj.type, TensorType):
            self.fail("AC027", node, f"a {obj.type} has no items", "a tuple or a tensor")
        if isinstance(index, ast.Slice):
            return self.slice(node, value, obj, index)
        if len(obj.type.dims) == 1:
            self.fail(
                "AC002",
                node,
                "a single element of a vector is not supported yet",
                "a slice, such as `x[0:1]`",
            )
        row = self.expression(index, env)
        if row.type != INT:
            self.fail(
                "AC017",
                index,
                f"a row of {ast.unparse(value)} is chosen by an int, this is {row.type}",
                "an int field of the instance",
            )
        return self.tensor_op("lookup", node, [(value, obj), (index, row)])

    def slice(self, node: ast.Subscript, value: ast.expr, obj: T.Atom, index: ast.Slice) -> T.Var:
        assert isinstance(obj.type, TensorType)
        if index.step is not None:
            self.fail("AC002", index, "a slice with a step is not supported yet")
        if len(obj.type.dims) != 1:
            self.fail("AC002", node, "slicing a matrix is not supported yet", "slice a vector")
        total = obj.type.dims[0]
        bounds: list[Dim] = []
        for part, default in ((index.lower, Dim.of(0)), (index.upper, total)):
            if part is None:
                bounds.append(default)
                continue
            number = self.literal(part)
            if number is None:
                self.fail(
                    "AC002",
                    part,
                    "the bounds of a slice are numbers known when the model is compiled",
                    "a number, or `ops.split(x, n)` for equal parts",
                )
            bounds.append(Dim.of(number) if number >= 0 else total + Dim.of(number))
        attrs = (("start", bounds[0]), ("stop", bounds[1]))
        return self.tensor_op("slice", node, [(value, obj)], attrs)

    def literal(self, node: ast.expr) -> int | None:
        """The value of an int written out or named by the module, else None."""
        match node:
            case ast.Constant(int() as value):
                return value
            case ast.UnaryOp(ast.USub(), ast.Constant(int() as value)):
                return -value
            case ast.Name() | ast.Attribute():
                found = self.static(node, Env())
                return found if isinstance(found, int) and not isinstance(found, bool) else None
        return None

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
        if callee in _OP_FUNCTIONS.values() if callable(callee) else False:
            return self.operation(node, callee.__name__, env)
        if callee is _MISSING:
            self.unknown_callee(node, text, env)
        module = str(getattr(callee, "__module__", None) or type(callee).__module__)
        if module.split(".")[0] == "numpy":
            name = text.rsplit(".", 1)[-1]
            near = name if name in _OP_FUNCTIONS else ""
            self.fail(
                "AC026",
                node,
                f"{text} is a numpy call, which cannot be compiled",
                f"`ops.{near}`" if near else f"an operation of ops: {', '.join(_OP_FUNCTIONS)}",
            )
        if callee is len:
            self.fail(
                "AC012",
                node,
                "len is not part of the language",
                "an int field of the instance, or recursion",
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

    def unknown_callee(self, node: ast.Call, text: str, env: Env) -> NoReturn:
        func = node.func
        if isinstance(func, ast.Attribute) and self.static(func.value, env) is lang_ops:
            self.fail(
                "AC013",
                func,
                f"there is no operation {text}",
                suggest(func.attr, _OP_FUNCTIONS)
                or f"the operations are {', '.join(_OP_FUNCTIONS)}",
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

    def operation(self, node: ast.Call, name: str, env: Env) -> T.Atom:
        nodes = list(node.args)
        for keyword in node.keywords:
            if name != "linear" or keyword.arg != ("x", "w", "b")[min(len(nodes), 2)]:
                self.fail(
                    "AC016",
                    keyword.value,
                    f"ops.{name} does not take {keyword.arg!r} here",
                    "positional arguments",
                )
            nodes.append(keyword.value)
        if name == "split":
            return self.split(node, env)
        operands: list[tuple[ast.AST, T.Atom]] = [(n, self.expression(n, env)) for n in nodes]
        arity = {"matmul": (2, 2), "linear": (2, 3), "concat": (1, 99), "add": (2, 2)}
        arity |= dict.fromkeys(("sub", "mul", "div"), (2, 2))
        low, high = arity.get(name, (1, 1))
        if not low <= len(operands) <= high:
            wants = str(low) if low == high else f"{low} to {high}"
            self.fail("AC016", node, f"ops.{name} takes {wants} operands, got {len(operands)}")
        return self.tensor_op(name, node, operands)

    def split(self, node: ast.Call, env: Env) -> T.Var:
        if len(node.args) != 2:
            self.fail(
                "AC016",
                node,
                f"ops.split takes 2 arguments, got {len(node.args)}",
                "ops.split(x, n)",
            )
        x, n = self.expression(node.args[0], env), self.literal(node.args[1])
        if not isinstance(x.type, TensorType) or len(x.type.dims) != 1:
            self.fail("AC010", node.args[0], f"split needs a vector, got {x.type}")
        if n is None or n < 1:
            self.fail(
                "AC024", node.args[1], "the number of parts is a number written out, at least 1"
            )
        total = x.type.dims[0]
        part = total.divide(n)
        if part is None:
            self.fail(
                "AC024",
                node,
                f"split of {x.type} into {n} parts: {n} does not divide {total}",
                "slices of the lengths you mean",
                self.origin_notes((node.args[0], x)),
            )
        parts = tuple(
            self.tensor_op(
                "slice",
                node,
                [(node.args[0], x)],
                (("start", part.scale(i)), ("stop", part.scale(i + 1))),
            )
            for i in range(n)
        )
        return self.let(T.MakeTuple(parts), TupleType(tuple(p.type for p in parts)), node, "parts")


def _symbol(op: ast.AST) -> str:
    symbols = {"Pow": "**", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<"}
    symbols |= {"RShift": ">>", "Invert": "~", "UAdd": "+", "USub": "-", "In": "in"}
    symbols |= {"NotIn": "not in", "Is": "is", "IsNot": "is not"}
    return symbols.get(type(op).__name__, type(op).__name__)
