"""Whether the syntax tells that an array has floats: one of ints keeps ints when something is
stored in it, and this language has no such arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...ir import typed as T
from ...ir.types import FLOAT, DataRef, ParamsRef, TensorType
from ...lang.data import is_data
from ..array_flow import Flow
from ..context import FunctionContext
from ..scope import Env
from ..syntax import named_values
from .array_making import FLOATS, is_one
from .changed_results import changed_arrays
from .operations import operation_name

# Operations that keep the type of the numbers that they get.
_KEEP = (
    *("reshape", "transpose", "split", "concat", "stack", "maximum", "minimum", "abs", "where"),
    *("sum", "max", "cumsum", "add", "sub", "mul", "neg", "matmul", "outer", "pow", "relu", "clip"),
    *("min", "dot", "stop_gradient", "hardtanh", "relu6"),
)
_MADE_OF_FLOATS = (
    *(np.empty, np.zeros, np.ones, np.eye, np.identity, np.linspace),
    *(np.mean, np.std, np.var),
)
_UFUNCS_OF_FLOATS = (
    *(np.exp, np.log, np.tanh, np.sqrt, np.sin, np.cos, np.tan, np.log1p, np.expm1, np.log2),
    *(np.log10, np.exp2, np.arctan, np.arctan2, np.sinh, np.cosh, np.true_divide, np.hypot),
    *(np.logaddexp,),
)


# Of floats they make floats.
_KEEPERS = (
    *(np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack, np.append, np.tile),
    *(np.repeat, np.roll, np.flip, np.pad, np.diff, np.cumsum, np.triu, np.tril, np.sort, np.where),
    *(np.clip, np.maximum, np.minimum, np.add, np.subtract, np.multiply, np.matmul, np.dot),
    *(np.outer, np.inner, np.abs, np.square, np.negative, np.sum, np.max, np.min, np.array),
    *(np.copy, np.transpose, np.reshape, np.ravel, np.squeeze, np.expand_dims, np.take, np.asarray),
    *(np.swapaxes, np.einsum, np.broadcast_to, np.sign, np.power, np.prod, np.median, np.average),
    *(sum, max, min, abs),
)
_MASKS = ("less", "greater", "less_equal", "greater_equal", "equal", "not_equal", "argmax")


@dataclass(slots=True)
class Floats:
    """Finds out whether expressions are arrays of floats."""

    ctx: FunctionContext
    flow: Flow
    static: Callable[[ast.expr], Any]
    env: Env
    seen: set[str] = field(default_factory=set)

    def __call__(self, node: ast.expr) -> bool:
        """Whether the syntax tells that `node` is an array of floats, or a float."""
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(self.static(node), float):
            return True  # such as `np.inf`
        match node:
            case ast.Constant(value):
                return isinstance(value, float)
            case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
                return self(operand)
            case ast.BinOp(left, op, right):
                return isinstance(op, ast.Div) or self(left) or self(right)
            case ast.IfExp(_, body, orelse):
                return self(body) and self(orelse)
            case ast.List(elements) | ast.Tuple(elements):
                return any(map(self, elements))
            case ast.ListComp(element) | ast.GeneratorExp(element):
                return self(element)
            case ast.Name(name):
                return self._name(name)
            case ast.Subscript(value):
                return self(value)
            case ast.Attribute(value, attr):
                return self(value) if attr == "T" else self._of_data(value)
            case ast.Call():
                return self._call(node)
        return False

    def _of_data(self, owner: ast.expr) -> bool:
        """Whether `owner` is of weights or of an instance, whose arrays have floats."""
        while isinstance(owner, (ast.Attribute, ast.Subscript)):
            owner = owner.value
        found = self.env.names.get(owner.id) if isinstance(owner, ast.Name) else None
        if not isinstance(found, T.Var):
            return False
        if isinstance(found.type, DataRef):
            return is_data(self.ctx.builder.declarations.datas[found.type.name].cls)
        return isinstance(found.type, ParamsRef)

    def _call(self, node: ast.Call) -> bool:
        function = self.static(node.func)
        dtypes = [k.value for k in node.keywords if k.arg == "dtype"]
        if dtypes:
            return is_one(self.static(dtypes[0]), FLOATS)
        operation = operation_name(function)
        if operation is not None:
            of_floats = any(map(self, node.args))
            return operation not in _MASKS and (operation not in _KEEP or of_floats)
        if is_one(function, (*_MADE_OF_FLOATS, *_UFUNCS_OF_FLOATS, *FLOATS)):
            return True
        if function is np.full:
            return len(node.args) == 2 and self(node.args[1])
        if is_one(function, (np.zeros_like, np.ones_like, np.full_like, np.empty_like)):
            return self(node.args[0])
        if isinstance(node.func, ast.Attribute):
            if node.func.attr == "astype" and len(node.args) == 1:
                return is_one(self.static(node.args[0]), FLOATS)
            if isinstance(node.func.value, ast.expr) and self(node.func.value):
                return node.func.attr not in ("argmax", "argmin", "any", "all")
        return is_one(function, _KEEPERS) and any(map(self, node.args))

    def _name(self, name: str) -> bool:
        found = self.env.names.get(name)
        if isinstance(found, T.Var) and found.type == FLOAT:
            return True
        if name in self.seen:
            return True  # if every other value has floats, so has this one
        self.seen.add(name)
        try:
            values = list(self._values(name))
        finally:
            self.seen.discard(name)
        return bool(values) and all(values)

    def _values(self, name: str) -> Iterator[bool]:
        for node in self.flow.names.get(name, ()):
            if not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Store):
                yield self.gets(node)

    def gets(self, node: ast.AST) -> bool:
        """Whether what a mention gives to a name is an array of floats."""
        if isinstance(node, ast.arg):
            return self._of_instance(node.arg) or (
                node.annotation is not None and "Float32" in ast.unparse(node.annotation)
            )
        if not isinstance(node, ast.Name):
            return False
        parent = self.flow.parents[id(node)]
        if isinstance(parent, ast.AugAssign):
            return True  # keeps what there is
        whole = self.flow.parents[id(parent)] if isinstance(parent, ast.Tuple) else parent
        match whole:
            case ast.Assign(value=ast.Call() as call) if node.id in changed_arrays(call):
                return True  # keeps what there is, and what is stored in it has been checked
        if isinstance(parent, ast.Tuple):
            return self._part(parent, node)
        return any(self(v) for n, v in named_values(parent) if n == node.id)

    def _of_instance(self, name: str) -> bool:
        """Whether a parameter is an array of an instance, which has floats."""
        ctx = self.ctx
        own = ctx.signature.model is ctx.builder.entry and self.flow.tree is ctx.source.tree
        return own and any(n == name and isinstance(t, TensorType) for n, t in ctx.signature.params)

    def _part(self, targets: ast.Tuple, node: ast.Name) -> bool:
        match self.flow.parents[id(targets)]:
            case ast.Assign([_], ast.Tuple(values)) if len(values) == len(targets.elts):
                return self(values[targets.elts.index(node)])
        return False
