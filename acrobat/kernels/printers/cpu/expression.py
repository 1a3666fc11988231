"""Epilogue instructions as TVMScript expressions."""

from __future__ import annotations

from ....ir.ops import POINTWISE
from ...specification.spec import Instr, KernelSpec
from .access import Access, int64
from .functions import Bind, constant, pointwise

LEAVES = ("acc", "load", "load_shared", "lit", "col")


def leaf(access: Access, bases: list[int], instr: Instr, column: str) -> str:
    """The value of an instruction that reads memory, or a constant, at `column` of row `r`."""
    match instr.fn:
        case "load":
            return access.element(instr.args[0], access.affine(instr, column, "r"), "r")
        case "load_shared":
            base = int64(bases[instr.args[0]])
            return f"v[{base} + {access.affine(instr, column, 'r')}]"
        case "lit":
            return constant(instr.value)
        case "col":
            return f"T.Cast('float32', {column})"
    raise ValueError(f"{access.spec.name}: {instr.fn!r} reads no memory")


def point(spec: KernelSpec, instr: Instr, args: list[str], bind: Bind) -> str:
    """The value of a point-wise instruction."""
    if instr.fn not in POINTWISE:
        raise ValueError(f"{spec.name}: there is no epilogue instruction {instr.fn!r}")
    return pointwise(instr.fn, args, bind)
