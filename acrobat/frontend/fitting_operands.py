"""What to write instead of operands whose shapes do not fit: code that fits, if any."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.ops import OPS, POINTWISE, ShapeError
from ..ir.type_maps import unmasked
from ..ir.types import FLOAT, INT, ListType, TensorType, Type
from .written import shown

_Operands = Sequence[tuple[ast.AST, T.Atom]]
_Attrs = Mapping[str, T.AttrValue]
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "matmul": "@"}


@dataclass(frozen=True, slots=True)
class _Form:
    """An operand as it could be written, and the hint of a weight `w` that it needs for that."""

    text: str
    type: TensorType
    weight: str = ""

    @property
    def factor(self) -> str:
        """The text as an operand of an operator: in parentheses if it needs them."""
        try:
            node = ast.parse(self.text, mode="eval").body
        except SyntaxError:  # what the compiler has written, under a name that no model can have
            return self.text
        atom = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
        return self.text if atom else f"({self.text})"


def instead_of(
    name: str, node: ast.AST, operands: _Operands, attrs: _Attrs, blamed: _Operands
) -> str:
    """What to write instead of the operation `name` at `node`; `blamed` are those of its operands
    that its shape rule complains about."""
    for source, atom in blamed:
        if not isinstance(atom.type, TensorType) and (hint := _no_tensor(name, source, atom.type)):
            return hint
    forms = [
        _Form(shown(source), t)
        for source, atom in operands
        if isinstance(t := unmasked(atom.type), TensorType) and source is not node
    ]
    if len(forms) == len(operands) == 2:
        for other in itertools.chain(_turned(name, *forms), _projected(name, *forms)):
            if _fit(name, other, attrs):
                return _written(name, other)
    op = OPS[name]
    return f"operands that fit `{op.written or name}`: {' '.join(op.doc.split()).removesuffix('.')}"


def _no_tensor(name: str, source: ast.AST, t: Type) -> str:
    text = shown(source)
    if t in (INT, FLOAT) and name in POINTWISE and hasattr(math, name):
        return f"`math.{name}({text})` of a number"
    if isinstance(t, ListType) and isinstance(t.item, TensorType) and len(t.item.dims) == 1:
        return f"`ops.stack({text})`, a matrix of these rows"
    return ""


def _turned(name: str, a: _Form, b: _Form) -> Iterator[list[_Form]]:
    """Operands transposed, and in the other order."""
    yield from map(list, itertools.product(_transposed(a), _transposed(b)))
    if name == "matmul":
        yield [b, a]


def _transposed(form: _Form) -> list[_Form]:
    if len(form.type.dims) != 2:
        return [form]
    return [form, _Form(f"{form.factor}.T", TensorType(form.type.dims[::-1]))]


def _projected(name: str, a: _Form, b: _Form) -> Iterator[list[_Form]]:
    """One operand multiplied by a weight that gives it the width that the other wants."""
    if name == "matmul" and a.type.dims and b.type.dims:
        yield [_product(a, b.type.dims[0]), b]
    elif name in POINTWISE and a.type.dims and b.type.dims:
        yield [a, _product(b, a.type.dims[-1])]


def _product(form: _Form, width: Dim) -> _Form:
    *rows, columns = form.type.dims
    new = TensorType((*rows, width))
    return _Form(f"{form.factor} @ w", new, f'`w: Float32[Tensor, "{columns} {width}"]`')


def _fit(name: str, forms: list[_Form], attrs: _Attrs) -> bool:
    try:
        OPS[name].result([f.type for f in forms], dict(attrs))
    except ShapeError:
        return False
    return True


def _written(name: str, forms: list[_Form]) -> str:
    weights = "".join(f", with {f.weight} in the weights" for f in forms if f.weight)
    sign = _SIGNS.get(name)
    if sign is None:
        return f"`ops.{name}({', '.join(f.text for f in forms)})`{weights}"
    loose = name in ("add", "sub", "matmul")
    return f"`{f' {sign} '.join(f.text if loose else f.factor for f in forms)}`{weights}"
