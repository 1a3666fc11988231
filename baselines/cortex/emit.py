"""Writes a recursion as a C++ program: the tables that the run-time reads, and a description of the
model for which the linearisation (cpp/cortex/) is compiled."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from acrobat.aot.cpp import atom, name_of
from acrobat.aot.program import emit_let, new_context
from acrobat.aot.tables import program_tables
from acrobat.ir import batched as B
from acrobat.ir import typed as T
from acrobat.ir.type_queries import rows_of
from acrobat.kernels.printers.calling_convention import CompiledKernel
from acrobat.kernels.printers.cuda.compiled import CudaKernels
from acrobat.layout import Layout
from acrobat.options import Options

from .cells import Cell
from .layout import SequenceLayout, TreeLayout


class CortexEmitter:
    """Writes one program; `structure` gives the purpose of its blocks."""

    def __init__(
        self,
        layout: Layout,
        kernels: Mapping[str, CompiledKernel] | CudaKernels,
        options: Options,
        structure: TreeLayout | SequenceLayout,
    ) -> None:
        self.layout, self.kernels, self.structure = layout, kernels, structure
        self.context = new_context(layout, options)
        self.write = self.context.write

    def program(self) -> str:
        """The text of the whole file."""
        tree = isinstance(self.structure, TreeLayout)
        device = "Gpu" if isinstance(self.kernels, CudaKernels) else "Cpu"
        self.write("// Generated from a recursion; do not edit.")
        self.write(f"#include <cortex/{device.lower()}.h>")
        self.write("#include <cortex/program.h>")
        self.write(f"#include <cortex/{'trees' if tree else 'sequences'}.h>")
        self.write()
        self.write("using namespace acrobat;")
        self.write()
        program_tables(self.write, self.layout, self.kernels)
        self.write("// Programs of the other kind have this.")
        self.write("void acrobat::build_instance(Context&, const Word*, Word*) {}")
        self.write()
        self.write("struct Generated {")
        with self.write.indented():
            if isinstance(self.structure, TreeLayout):
                self._tree(self.structure)
            else:
                self._sequence(self.structure)
        self.write("};")
        self.write()
        self.write(f"using Layout = cortex::{'Trees' if tree else 'Sequences'}<Generated>;")
        self.write(f"using Program = cortex::Program<Layout, cortex::{device}>;")
        self.write("ACROBAT_ENTRY_POINTS(Program)")
        return self.write.text

    def _constants(self, values: Mapping[str, int]) -> None:
        for name, value in values.items():
            self.write(f"static constexpr int {name} = {value};")

    def _table(self, name: str, rows: Sequence[Sequence[int | str]], kind: str = "int") -> None:
        """A table of rows that may have different lengths."""
        width = max(1, *(len(r) for r in rows))
        text = ", ".join("{" + ", ".join(map(str, r)) + "}" for r in rows)
        self.write(f"static constexpr {kind} {name}[{len(rows)}][{width}] = {{{text}}};")

    def _list(self, name: str, values: Sequence[int | str], kind: str = "int") -> None:
        text = ", ".join(map(str, values)) or "0"
        self.write(f"static constexpr {kind} {name}[] = {{{text}}};")

    def _tree(self, t: TreeLayout) -> None:
        messages = max(len(m.outputs) for m in t.messages)
        self._constants(
            {
                "kChildren": len(t.child_fields),
                "kStates": len(t.node_states),
                "kMessages": messages,
                "kUnroll": t.unroll,
                "kNodeTag": t.node_tag,
                "kLeafBlock": t.leaf_block,
                "kNodeBlock": t.node_block,
                "kNodeOperands": len(t.node_operands),
            }
        )
        self._list("kChildField", t.child_fields)
        self._list("kLeafState", t.leaf_states, "int64_t")
        self._list("kNodeState", t.node_states, "int64_t")
        operands = [f"{{{c}, {'true' if m else 'false'}, {n}}}" for c, m, n in t.node_operands]
        self._list("kNodeOperand", operands, "cortex::NodeOperand")
        self._list("kMessageBlock", [m.block for m in t.messages])
        self._list("kMessageOperands", [len(m.operands) for m in t.messages])
        self._table("kMessageOperand", [m.operands for m in t.messages])
        self._table("kMessageAt", [m.outputs for m in t.messages], "int64_t")
        self._list("kRootState", t.root_states)
        self.write("static void leaf(const Word* leaf, [[maybe_unused]] int64_t* out) {")
        with self.write.indented():
            (number,) = t.leaf.function.params
            self.write(f"[[maybe_unused]] int64_t {name_of(number)} = leaf[{t.leaf_field + 1}].i;")
            self._indices(t.leaf)
            if t.leaf.block is None:
                for s, state in enumerate(t.leaf.results):
                    self.write(f"out[{s}] = offset_of({name_of(state)});")
        self.write("}")

    def _sequence(self, s: SequenceLayout) -> None:
        self._constants(
            {
                "kDirections": len(s.steps),
                "kStates": len(s.steps[0].states),
                "kUnroll": s.unroll,
                "kOutputBlock": s.output_block,
                "kOutputOperands": len(s.output_operands),
            }
        )
        self.write(f"static constexpr int64_t kOutputAt = {s.output_at};")
        self._list("kReversed", [str(d.reversed).lower() for d in s.steps], "bool")
        starts = [[self.layout.arena_weights[w] for w in d.starts] for d in s.steps]
        self._table("kStart", starts, "int64_t")
        self._list("kStepBlock", [d.block for d in s.steps])
        self._list("kStepOperands", [len(d.operands) for d in s.steps])
        operands = [[f"{{{str(i).lower()}, {n}}}" for i, n in d.operands] for d in s.steps]
        self._table("kStepOperand", operands, "cortex::StepOperand")
        self._table("kStepTable", [d.step_tables for d in s.steps])
        self._table("kStepState", [d.states for d in s.steps], "int64_t")
        self._list("kInputBlock", [d.input_block for d in s.steps])
        self._table("kInputTable", [d.input_tables for d in s.steps])
        self._table("kInputAt", [d.inputs for d in s.steps], "int64_t")
        read = [f"{{{d}, {n}}}" for d, n in s.output_operands]
        self._list("kOutputOperand", read, "cortex::OutputOperand")
        self.write("template <int d>")
        self.write("static void tables(int64_t item, int64_t* out) {")
        with self.write.indented():
            for d, step in enumerate(s.steps):
                self.write(f"if constexpr (d == {d}) {{")
                with self.write.indented():
                    number = step.cell.function.params[0]
                    self.write(f"[[maybe_unused]] int64_t {name_of(number)} = item;")
                    self._indices(step.cell)
                self.write("}")
        self.write("}")

    def _indices(self, cell: Cell) -> None:
        """Write a cell's ints and handles; the offsets of its block's gathered rows go to `out`."""
        for stmt in cell.function.body.stmts:
            if isinstance(stmt, B.Let):
                emit_let(self.context, stmt)
        if cell.block is None:
            return
        for i, (table, index) in enumerate(
            zip(cell.block.gathered_rows, cell.indices, strict=True)
        ):
            t = self.layout.module.weights[table.param]
            rows, columns = rows_of(t)
            self.write(
                f"out[{i}] = Context::gathered_row({json.dumps(table.param)}, {atom(index)}, "
                f"{rows}) * {columns};"
            )


def stub(source: B.Function) -> B.Function:
    """`source` without its body, which the linearisation replaces."""
    return B.Function(source.name, source.params, source.results, B.Region((), T.Return(())))
