"""Point-wise operations in Triton: an inline expression, or, where that is not enough, a function
of the generated module."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ....ir.ops import POINTWISE
from ....ir.ops import arithmetic as A
from ..scalar import ATOM, COMPARE, SHIFT, UNARY, Expression, Printed, ScalarPrinter, single
from ..text import Text


def pointwise(operation: str, operands: Sequence[str]) -> str:
    """The expression of an operation's result. KeyError for an unknown operation."""
    body = _Body()
    names = [A.Name(o) for o in operands]
    result = POINTWISE[operation].cuda.form(body, *names)
    return _PRINTER.text(result if body.is_expression else body.apply(operation, *names))


def write_functions(operations: Iterable[str]) -> str:
    """The functions that the expressions of `operations` call, callees before callers."""
    texts: dict[str, str] = {}
    for operation in sorted(set(operations) & set(POINTWISE)):
        _write(operation, texts)
    return "".join(texts.values())


def _write(operation: str, texts: dict[str, str]) -> None:
    code, body = POINTWISE[operation].cuda, _Body()
    result = _PRINTER.text(code.form(body, *map(A.Name, code.operands)))
    if body.is_expression or operation in texts:
        return
    for called in body.calls:
        _write(called, texts)
    text = Text()
    text("@triton.jit")
    text(f"def {operation}({', '.join(code.operands)}):")
    text.depth = 1
    text(f'"""{POINTWISE[operation].doc}"""')
    for line in (*body.lines, f"return {result}"):
        text(line)
    texts[operation] = "\n\n" + "\n".join(text.lines) + "\n"


class _Body:
    """Writes a form as the statements of a function."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.calls: list[str] = []

    @property
    def is_expression(self) -> bool:
        """Whether the result alone is enough, without statements or calls."""
        return not self.lines and not self.calls

    def let(self, x: A.Number) -> A.Name:
        name = f"t{len(self.lines)}"
        self.lines.append(f"{name} = {_PRINTER.text(x)}")
        return A.Name(name)

    def apply(self, operation: str, *operands: A.Number) -> A.Number:
        code, inner = POINTWISE[operation].cuda, _Body()
        result = code.form(inner, *operands)
        if inner.is_expression:
            return result
        self.calls.append(operation)
        return A.Name(f"{operation}({', '.join(map(_PRINTER.text, operands))})")


class _TritonPrinter(ScalarPrinter):
    def special(self, x: Expression) -> Printed:
        match x:
            case A.Literal(value):
                return constant(value), ATOM
            case A.Negative(y):
                return f"-{self.text(y, UNARY)}", UNARY
            case A.Quotient(left, right):
                return f"tl.div_rn({self.text(left)}, {self.text(right)})", ATOM
            case A.Function(name, y):
                function = "sqrt_rn" if name == "sqrt" else name
                return f"tl.{function}({self.text(y)})", ATOM
            case A.Select(condition, yes, no):
                return f"tl.where({self.text(condition)}, {self.text(yes)}, {self.text(no)})", ATOM
            case A.IsNan(y):
                return f"{self.text(y, SHIFT)} != {self.text(y, SHIFT)}", COMPARE
            case A.IntegerLiteral(value):
                return str(value), ATOM
            case A.Shift(op, y, by):
                return f"{self.text(y, SHIFT)} {op} {by}", SHIFT
            case A.ToInteger(y):
                return f"{self.text(y, ATOM)}.to(tl.int32)", ATOM
            case A.ToFloat(y):
                return f"{self.text(y, ATOM)}.to(tl.float32)", ATOM
            case A.BitsOf(y):
                return f"{self.text(y, ATOM)}.to(tl.int32, bitcast=True)", ATOM
            case A.FromBits(y):
                return f"{self.text(y, ATOM)}.to(tl.float32, bitcast=True)", ATOM
        raise TypeError(f"Triton has no {type(x).__name__}")


_PRINTER = _TritonPrinter()


def constant(value: float) -> str:
    """A float32 constant."""
    value = single(value)
    return repr(float(value)) if math.isfinite(value) else f'float("{value}")'
