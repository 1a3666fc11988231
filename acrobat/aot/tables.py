"""The tables of a generated program: its kernels, its static blocks, its types."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass

from ..analysis.decisions import waiting_functions
from ..analysis.scheduling import hoisted_blocks, once_blocks, turns, weight_row_offsets
from ..ir import batched as B
from ..ir import typed as T
from ..ir.types import (
    INT,
    BoolType,
    DataRef,
    FloatType,
    IntType,
    ListType,
    NothingType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    leaf_types,
)
from ..kernels.printers.calling_convention import KernelObject
from ..kernels.printers.cuda.compiled import CudaKernels
from ..kernels.specification.spec import BlockPlan
from ..limits import CPP_NAMES
from ..options import Options
from .cpu_tables import emit_cpu_kernels, emit_cpu_plans
from .cuda_tables import emit_cuda_kernels, emit_cuda_plans


@dataclass(slots=True)
class Loop:
    """A loop that is being written: its number, its variables, and whether something jumps to the
    end of its turn or behind it."""

    number: int
    carried: tuple[T.Var, ...]
    next_used: bool = False
    done_used: bool = False


class TableEmitter:
    """The state of one program that is being written; writes its tables."""

    def __init__(
        self,
        module: B.Module,
        plans: Sequence[BlockPlan],
        kernels: KernelObject | CudaKernels,
        options: Options,
    ) -> None:
        self.module, self.plans, self.kernels, self.options = module, plans, kernels, options
        self.lines: list[str] = []
        self.depth = 0
        self.item_types: dict[str, int] = {}
        self.waiting = waiting_functions(module)
        self.phases = 1 + sum(
            isinstance(s, B.Let) and isinstance(s.rhs, T.NextPhase)
            for s in module.functions[module.entry].body.stmts
        )
        self.turns = turns(module)
        self.phased = self.phases > 1 or self.turns > 1
        # What a region may give its values to, from the inside out: the carried variables of the
        # loop around it, and the labels that its breaks and continues go to.
        self.loops: list[Loop] = []
        self.numbers = itertools.count(1)
        self.table_names = table_weights(module)
        self.row_offsets = weight_row_offsets(module)
        self.once = once_blocks(module) if options.deduplication else {}
        self.weight_rows: dict[T.Var, str] = {}  # variables that are such a weight as a whole

    @property
    def inline_depth(self) -> bool:
        return self.options.scheduler == "inline_depth"

    def __call__(self, line: str = "") -> None:
        self.lines.append("  " * self.depth + line if line else "")

    def kernel_tables(self) -> None:
        if isinstance(self.kernels, CudaKernels):
            emit_cuda_kernels(self)
        else:
            emit_cpu_kernels(self, self.kernels)
        self("namespace acrobat {")
        agree = " && ".join(f"{name} == {value}" for name, value in CPP_NAMES.items())
        self(f'static_assert({agree}, "acrobat/limits.py and limits.h disagree");')
        hoisted = hoisted_blocks(self.module)
        self("const BlockInfo kBlockInfo[] = {")
        for b, (block, plan) in enumerate(zip(self.module.blocks, self.plans, strict=True)):
            counts = f"{len(block.rows)}, {len(block.table_rows)}, {plan.record}, {plan.scratch}, "
            counts += "true, " if b in self.once else "false, "
            counts += "true" if b in hoisted else "false"
            self(f'    {{"{block.name}", {counts}}},')
        self("};")
        if isinstance(self.kernels, CudaKernels):
            emit_cuda_plans(self)
        else:
            emit_cpu_plans(self)
        for b, block in enumerate(self.module.blocks):
            widths = [str(_width(r.var.type)) for r in block.rows] or ["0"]
            self(f"static const int widths_{b}[] = {{{', '.join(widths)}}};")
        pointers = ", ".join(f"widths_{b}" for b in range(len(self.plans)))
        self(f"const int* const kRowWidths[] = {{{pointers}}};")
        self(f"const int kBlocks = {len(self.plans)};")

    def sources(self, block: int, kernel: int) -> list[str]:
        """Where the indexed operands of a block's kernel come from: initialisers of
        `KernelInfo::Source`."""
        b = self.module.blocks[block]
        found: list[str] = []
        for kind, n, start in self.plans[block].rows[kernel]:
            if kind == "row":
                found.append(f"{{{n}, -1, {start}}}")
            else:
                table = self.table_names.index(b.table_rows[n].param)
                found.append(f"{{{len(b.rows) + n}, {table}, {start}}}")
        return found

    def type_tables(self) -> None:
        datas = sorted(self.module.datas.values(), key=lambda d: d.tag)
        tables: list[str] = []
        for d in datas:
            fields = [self.field_type(t) for _, t in d.fields] or [self.field_type(INT)]
            tables.append(f"static const FieldType fields_{d.tag}[] = {{{', '.join(fields)}}};")
        parameters = [self.field_type(t) for t in self.module.instance]
        results = [self.field_type(t) for t in self.module.functions[self.module.entry].results]
        for text, number in self.item_types.items():
            self(f"static const FieldType item_{number} = {text};")
        for line in tables:
            self(line)
        entries = [f'{{"{d.name}", {len(d.fields)}, fields_{d.tag}}}' for d in datas]
        self(f"const DataType kDataType[] = {{{', '.join(entries) or '{nullptr, 0, nullptr}'}}};")
        self(f"const int kDataTypes = {len(datas)};")
        self(f"const FieldType kParameter[] = {{{', '.join(parameters)}}};")
        self(f"const int kParameters = {len(parameters)};")
        self(f"const FieldType kResult[] = {{{', '.join(results)}}};")
        self(f"const int kResults = {len(results)};")
        self(f"const char kResultShape[] = {json.dumps(_shape(self.module.result))};")
        self(f"const int kPhases = {self.phases};")
        self(f"const int kTurns = {self.turns};")
        self(f"const bool kWaits = {'true' if self.waiting else 'false'};")
        self("}  // namespace acrobat")
        self()

    def field_type(self, t: Type) -> str:
        """The initialiser of a `FieldType`. Types of list items are written as variables."""

        def of(kind: str, dims: Sequence[int] = (), members: int = 0, item: str = "nullptr") -> str:
            sizes = ", ".join(map(str, [*dims, 0, 0, 0][:3]))
            return f"{{'{kind}', {len(dims)}, {{{sizes}}}, {members}ull, {item}}}"

        match t:
            case IntType():
                return of("i")
            case FloatType():
                return of("f")
            case BoolType():
                return of("b")
            case TensorType(dims):
                return of("t", [d.known or 0 for d in dims])
            case DataRef(name):
                return of("d", members=1 << self.module.datas[name].tag)
            case UnionType(members):
                return of("d", members=sum(1 << self.module.datas[m].tag for m in members))
            case ListType(item):
                text = self.field_type(INT if isinstance(item, NothingType) else item)
                number = self.item_types.setdefault(text, len(self.item_types))
                return of("l", item=f"&item_{number}")
            case _:
                raise AssertionError(f"{t} is no field type")


def table_weights(module: B.Module) -> list[str]:
    """The weights that some block reads by row, sorted: their order in `Config.tables`."""
    return sorted({t.param for b in module.blocks for t in b.table_rows})


def _width(t: Type) -> int:
    assert isinstance(t, TensorType)
    return t.size


def _shape(t: Type) -> str:
    if isinstance(t, TupleType):
        return "(" + "".join(_shape(i) for i in t.items) + ")"
    if isinstance(t, ListType) and leaf_types(t) != (t,):
        return "[" + _shape(t.item)
    return "x"
