"""Epilogue instructions as TVMScript expressions."""

from __future__ import annotations

from ...specification.spec import Instr, KernelSpec
from . import math
from .access import Access, int64

LEAVES = ("acc", "row", "vec", "lit", "col")


def leaf(access: Access, bases: list[int], instr: Instr, column: str) -> str:
    """The value of an instruction that reads memory, or a constant, at `column` of row `r`."""
    match instr.fn:
        case "row":
            return access.element(instr.args[0], access.affine(instr, column, "r"), "r")
        case "vec":
            base = int64(bases[instr.args[0]])
            return f"v[{base} + {access.affine(instr, column, 'r')}]"
        case "lit":
            return f"T.float32({instr.value!r})"
        case "col":
            return f"T.Cast('float32', {column})"
    raise ValueError(f"{access.spec.name}: {instr.fn!r} reads no memory")


def point(spec: KernelSpec, instr: Instr, args: list[str], bind: math.Bind) -> str:
    """The value of a point-wise instruction."""
    if instr.fn in math.FUNCTIONS:
        return math.FUNCTIONS[instr.fn](bind, args[0])
    if instr.fn in math.OPERATORS:
        return math.OPERATORS[instr.fn].format(*args)
    raise ValueError(f"{spec.name}: there is no epilogue instruction {instr.fn!r}")
