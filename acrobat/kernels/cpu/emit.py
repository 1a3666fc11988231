"""A kernel specification as TIR: the template of `template.py` written out as TVMScript.

All arguments are opaque pointers and integers (see kernels.compiled for their order). Inside a
tile every accumulator is a small buffer with constant indices, which LLVM keeps in registers.
"""

from __future__ import annotations

from typing import Any

from ..spec import Instr, KernelSpec
from . import math
from .template import Template

_LEAVES = ("acc", "row", "vec", "lit")
_BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


class _Text:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def __call__(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)


def kernel_source(spec: KernelSpec, template: Template, r: int) -> str:
    """TVMScript of the variant with row tile `r`."""
    text = _Text()
    text("@T.prim_func")
    indexed = spec.indexed
    pointers = [f"x{i}_: T.handle('float32'), o{i}_: T.handle('int32')" for i in indexed]
    args = ["out_: T.handle('float32')", "tiles: T.int64", "jo: T.int64"]
    args += ["w_: T.handle('float32')", "v_: T.handle('float32')", *pointers]
    text(f"def main({', '.join(args)}):")
    text.depth = 1
    name = f"{spec.name}_r{r}"
    text(f"T.func_attr({{'global_symbol': '{name}', 'tirx.noalias': True}})")
    for buffer, dtype in _buffers(spec):
        # The extent is not checked by anything; the pointers are as long as they have to be.
        text(f"{buffer} = T.decl_buffer((T.int64({1 << 40}),), '{dtype}', data={buffer}_)")
    text("for ib in T.serial(tiles):")
    text.depth = 2
    _tile(text, spec, template, r)
    return "\n".join(text.lines) + "\n"


def _buffers(spec: KernelSpec) -> list[tuple[str, str]]:
    found = [("out", "float32"), ("w", "float32"), ("v", "float32")]
    for i in spec.indexed:
        found += [(f"x{i}", "float32"), (f"o{i}", "int32")]
    return found


def _lane_loop(template: Template) -> str:
    # TVM does not vectorise a loop of one.
    kind = "vectorized" if template.lanes > 1 else "serial"
    return f"for l in T.{kind}({_int(template.lanes)}):"


def _int(n: int) -> str:
    return f"T.int64({n})"


def _row(spec: KernelSpec, operand: int, offset: str, r: int, row: str) -> str:
    """Element `offset` of an operand of the tile's row `row`, as an expression."""
    o = spec.operands[operand]
    node = f"(ib * {_int(r)} + {row})"
    if o.kind == "self":
        return f"out[{node} * {_int(spec.record)} + {_int(o.at)} + {offset}]"
    return f"x{operand}[T.Cast('int64', o{operand}[{node}]) + {offset}]"


def _tile(text: _Text, spec: KernelSpec, template: Template, r: int) -> None:
    """One row tile: the passes over k, then the epilogue row by row."""
    offsets = gate_offsets(spec, template)
    per_block = sum(t.k for g in spec.gates for t in g.terms) * template.jv
    for g in range(len(spec.gates)):
        for j in range(template.vectors):
            shape = f"({_int(r)}, {_int(template.lanes)})"
            text(f"a{g}_{j} = T.alloc_buffer({shape}, 'float32', scope='local')")
    for gates in template.passes(spec, r):
        _pass(text, spec, template, r, gates, offsets, per_block)
    text(f"for r in T.serial({_int(r)}):")
    text.depth += 1
    if spec.gates:
        for j in range(template.vectors):
            _epilogue(text, spec, template, r, str(j))
    else:
        text(f"for jb in T.serial({_int(template.vectors)}):")
        text.depth += 1
        _epilogue(text, spec, template, r, "jb")
        text.depth -= 1
    text.depth -= 1


def gate_offsets(spec: KernelSpec, template: Template) -> list[list[int]]:
    """Where each gate's terms begin within a column block of the packed weights, in floats."""
    at = 0
    offsets: list[list[int]] = []
    for gate in spec.gates:
        offsets.append([])
        for term in gate.terms:
            offsets[-1].append(at)
            at += term.k * template.jv
    return offsets


def _pass(
    text: _Text,
    spec: KernelSpec,
    template: Template,
    r: int,
    gates: list[int],
    offsets: list[list[int]],
    per_block: int,
) -> None:
    accumulators = [(g, j) for g in gates for j in range(template.vectors)]
    text(f"for r in T.unroll({_int(r)}):")
    text.depth += 1
    for g, j in accumulators:
        text(_lane_loop(template))
        text(f"    a{g}_{j}[r, l] = T.float32(0)")
    text.depth -= 1
    for t, term in enumerate(spec.gates[gates[0]].terms):
        text(f"for k in T.serial({_int(term.k)}):")
        text(f"    for r in T.unroll({_int(r)}):")
        text.depth += 2
        x = _row(spec, term.operand, f"({_int(term.offset)} + k)", r, "r")
        for g, j in accumulators:
            at = f"jo * {_int(per_block)} + {_int(offsets[g][t] + j * template.lanes)}"
            text(_lane_loop(template))
            text(
                f"    a{g}_{j}[r, l] = a{g}_{j}[r, l] + {x} * w[{at} + k * {_int(template.jv)} + l]"
            )
        text.depth -= 2


def _epilogue(text: _Text, spec: KernelSpec, template: Template, r: int, j: str) -> None:
    """The point-wise instructions and the stores for vector column `j` of the block.

    Every intermediate is a one-vector buffer, which LLVM turns back into a register. As a bound
    variable it would be expanded by TVM's simplifier wherever it is used, exponentially often.
    """
    column = f"(jo * {_int(template.jv)} + T.int64({j}) * {_int(template.lanes)} + l)"
    if not j.isdigit():
        column = f"({j} * {_int(template.lanes)} + l)"
    bases = vector_offsets(spec, template)
    code: list[str] = []
    names: list[str] = []

    def bind(expression: str) -> str:
        name = f"e{j}_{len(names)}"
        names.append(name)
        code.append(f"{name}[l] = {expression}")
        return f"{name}[l]"

    values: list[str] = []
    for instr in spec.epilogue:
        args = [values[n] for n in instr.args] if instr.fn not in _LEAVES else []
        if instr.fn in math.FUNCTIONS:
            values.append(bind(math.FUNCTIONS[instr.fn](bind, args[0])))
        else:
            values.append(bind(_value(spec, bases, instr, args, r, j, column)))
    for store in spec.stores:
        node = f"(ib * {_int(r)} + r)"
        at = f"{node} * {_int(spec.record)} + {_int(store.offset)} + {column}"
        code.append(f"out[{at}] = {values[store.value]}")
    for name in names:
        text(f"{name} = T.alloc_buffer(({_int(template.lanes)},), 'float32', scope='local')")
    text(_lane_loop(template))
    text.depth += 1
    for line in code:
        text(line)
    text.depth -= 1


def vector_offsets(spec: KernelSpec, template: Template) -> list[int]:
    """Where each shared vector begins in the packed vectors, in floats; each is over-allocated
    by a padded width, so that reading padding stays inside."""
    at = 0
    offsets: list[int] = []
    for n in spec.vectors:
        offsets.append(at)
        at += -(-n // 16) * 16 + template.width - spec.width
    offsets.append(at + 16)
    return offsets


def _value(
    spec: KernelSpec,
    bases: list[int],
    instr: Instr,
    args: list[str],
    r: int,
    j: str,
    column: str,
) -> str:
    match instr.fn:
        case "acc":
            return f"a{instr.args[0]}_{j}[r, l]"
        case "row":
            return _row(spec, instr.args[0], f"({_int(instr.args[1])} + {column})", r, "r")
        case "vec":
            return f"v[{_int(bases[instr.args[0]] + instr.args[1])} + {column}]"
        case "lit":
            return f"T.float32({instr.value!r})"
        case "neg":
            return f"T.float32(0) - {args[0]}"
        case "add" | "sub" | "mul" | "div":
            return f"{args[0]} {_BINARY[instr.fn]} {args[1]}"
    raise ValueError(f"{spec.name}: there is no epilogue instruction {instr.fn!r}")


def build_function(spec: KernelSpec, template: Template, r: int) -> Any:
    """The TIR function of the variant with row tile `r`. Imports TVM."""
    import tvm
    from tvm.script import tirx as T

    return tvm.script.from_source(kernel_source(spec, template, r), extra_vars={"T": T})
