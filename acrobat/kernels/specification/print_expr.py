"""Expressions as text, for messages and tests.

%0 = gathered0[3*m + j]
%1 = sum k < 4: gathered1[k] * w[k, j]
%2 = mul %0, %1
"""

from __future__ import annotations

from collections.abc import Iterable

from .expr import Apply, Contraction, Expr, Load, LoadShared, Number, Product, Reduction, reachable


def print_exprs(roots: Iterable[Expr]) -> str:
    """`roots` and what they are computed from, one line each, operands first; m is the row and j
    the column."""
    at: dict[Expr, str] = {}
    lines: list[str] = []
    for e in reachable(roots):
        at[e] = f"%{len(at)}"
        lines.append(f"{at[e]} = {_line(e, at)}\n")
    return "".join(lines)


def _line(e: Expr, at: dict[Expr, str]) -> str:
    match e:
        case Load(region, start, row_stride, col_stride):
            return f"{region}[{affine(start, ('m', row_stride), ('j', col_stride))}]"
        case LoadShared(weight, start, row_stride, col_stride):
            return f"{weight}[{affine(start, ('m', row_stride), ('j', col_stride))}]"
        case Number(value):
            return repr(value)
        case Contraction(terms):
            return " + ".join(map(_product, terms))
        case Reduction(fn, width, operand):
            return f"{fn} {at[operand]} over {width}"
        case Apply(fn, operands):
            return f"{fn} {', '.join(at[o] for o in operands)}"


def _product(p: Product) -> str:
    left = f"{p.x}[{affine(p.offset, ('m', p.row_stride), ('k', p.k_stride))}]"
    if p.matrix is None:
        row, column = affine(p.row, ("k", 1)), affine(p.col, ("j", 1))
        right = f"{p.weight}[{column}, {row}]" if p.turned else f"{p.weight}[{row}, {column}]"
    else:
        right = f"{p.matrix}[{affine(p.col, ('k', p.row), ('j', p.col_stride))}]"
    return f"sum k < {p.k}: {left} * {right}"


def affine(offset: int, *strides: tuple[str, int]) -> str:
    """offset + stride * index + ...; terms that are 0 are left out."""
    parts = [name if by == 1 else f"{by}*{name}" for name, by in strides if by]
    return " + ".join([*([str(offset)] if offset or not parts else []), *parts])
