"""A batched module as C++ text: the control flow, compiled; the tables the run-time reads.

Handles, ints, floats, truth values and pointers to records are plain C++ values; a function of the
module is a function, its results a struct. The depth of the dataflow graph is counted as the
program runs (`cx.depth`): a node takes the current depth and advances it; the calls of an
`ab.parallel` start at the same depth and join at the maximum (paper: inline depth computation).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import batched as B
from ..ir import typed as T
from ..ir.types import BoolType, DataRef, FloatType, IntType, TensorType, Type, rows_of
from ..kernels.printers.cuda.compiled import CudaKernels
from .calls import emit_call, emit_parallel
from .cpp import atom, cpp_type, name_of
from .lists import list_text, list_value
from .loops import emit_for, emit_map, emit_while
from .runs import emit_run, expect_node
from .scalars import scalar_text
from .tables import Loop, TableEmitter


class Emitter(TableEmitter):
    """Writes one program."""

    def program(self) -> str:
        """The whole file."""
        self("// Generated from the batched IR; do not edit.")
        self("#include <acrobat/generated.h>")
        if isinstance(self.kernels, CudaKernels):
            self("#include <acrobat/cuda/kernels.h>")
        self()
        self("using namespace acrobat;")
        self()
        self.kernel_tables()
        self.type_tables()
        self("namespace {")
        self()
        for f in self.module.functions.values():
            self(f"struct {f.name}_results {{ " + self.fields(f.results) + "};")
            self(self.signature(f) + ";")
        self()
        for f in self.module.functions.values():
            self.function(f)
        self("}  // namespace")
        self()
        self.entry()
        return "\n".join(self.lines) + "\n"

    def fields(self, results: Sequence[Type]) -> str:
        return "".join(f"{cpp_type(t)} r{i}; " for i, t in enumerate(results))

    # -- functions --------------------------------------------------------------------------

    def signature(self, f: B.Function) -> str:
        params = "".join(f", {cpp_type(v.type)} {name_of(v)}" for v in f.params)
        return f"{f.name}_results {f.name}([[maybe_unused]] Context& cx{params})"

    def function(self, f: B.Function) -> None:
        self(self.signature(f) + " {")
        self.depth += 1
        self("cx.enter();")
        self.region(f.body, ())
        self.depth -= 1
        self("}")
        self()

    def region(self, region: B.Region, outs: tuple[T.Var, ...]) -> None:
        for stmt in region.stmts:
            match stmt:
                case B.Let(targets, rhs, _):
                    self.let(targets, rhs)
                case B.Run():
                    emit_run(self, stmt)
                case B.Ghost(count):
                    if self.inline_depth:
                        self(f"cx.depth += {count};  // ghost")
                case B.Align():
                    self("cx.align();")
                case B.Mark(number):
                    if self.inline_depth:
                        self(f"const uint32_t mark_{number} = cx.depth;")
                case B.Resume(marks):
                    if self.inline_depth:
                        noted = ", ".join(f"mark_{n}" for n in marks)
                        self(f"cx.depth = std::max({{{noted}}});")
                case B.If(targets, cond, then, orelse, _):
                    self.declare(targets)
                    self(f"if ({atom(cond)}) {{")
                    self.nested(then, targets)
                    self("} else {")
                    self.nested(orelse, targets)
                    self("}")
                case B.Match(targets, subject, arms, _):
                    self.match(targets, subject, arms)
                case B.For():
                    emit_for(self, stmt)
                case B.While():
                    emit_while(self, stmt)
                case B.Map():
                    emit_map(self, stmt)
        match region.end:
            case T.Yield(values):
                self.assign(outs, values)
            case T.Return(values):
                self(f"return {{{', '.join(atom(v) for v in values)}}};")
            case T.Break(values):
                self.leave(values, "done")
            case T.Continue(values):
                self.leave(values, "next")
            case T.Unreachable():
                self("__builtin_unreachable();")

    def assign(self, outs: tuple[T.Var, ...], values: tuple[T.Atom, ...]) -> None:
        """outs = values, all at once: a value may be one of the outs."""
        pairs = [(o, v) for o, v in zip(outs, values, strict=True) if o != v]
        if len(pairs) > 1 and any(v in outs for _, v in pairs):
            number = next(self.numbers)
            self("{")
            for i, (out, value) in enumerate(pairs):
                self(f"  {cpp_type(out.type)} t{number}_{i} = {atom(value)};")
            for i, (out, _) in enumerate(pairs):
                self(f"  {name_of(out)} = t{number}_{i};")
            self("}")
            return
        for out, value in pairs:
            self(f"{name_of(out)} = {atom(value)};")

    def leave(self, values: tuple[T.Atom, ...], label: str) -> None:
        """Break out of the innermost loop (`done`), or go to the end of its turn (`next`)."""
        loop = self.loops[-1]
        self.assign(loop.carried, values)
        loop.done_used |= label == "done"
        loop.next_used |= label == "next"
        self(f"goto {label}_{loop.number};")

    def begin_loop(self, carried: tuple[T.Var, ...], inits: tuple[T.Atom, ...]) -> Loop:
        """Declare a loop's variables."""
        for var, init in zip(carried, inits, strict=True):
            self(f"[[maybe_unused]] {cpp_type(var.type)} {name_of(var)} = {atom(init)};")
        self.loops.append(Loop(next(self.numbers), carried))
        return self.loops[-1]

    def end_loop(self, outs: tuple[T.Var, ...]) -> None:
        """Behind the loop: its results are the last values of its variables."""
        loop = self.loops.pop()
        if loop.done_used:
            self(f"done_{loop.number}:;")
        for out, var in zip(outs, loop.carried, strict=True):
            self(f"[[maybe_unused]] {cpp_type(out.type)} {name_of(out)} = {name_of(var)};")

    def nested(self, region: B.Region, outs: tuple[T.Var, ...]) -> None:
        self.depth += 1
        self.region(region, outs)
        self.depth -= 1

    def declare(self, outs: tuple[T.Var, ...]) -> None:
        for v in outs:
            self(f"{cpp_type(v.type)} {name_of(v)}{{}};")

    def match(self, outs: tuple[T.Var, ...], subject: T.Var, arms: tuple[B.Arm, ...]) -> None:
        self.declare(outs)
        self(f"switch ({name_of(subject)}[0].i) {{")
        for arm in arms:
            data = self.module.datas[arm.data]
            self(f"  case {data.tag}: {{  // {data.name}")
            self.depth += 2
            for i, v in enumerate(arm.binds):
                self(
                    f"[[maybe_unused]] {cpp_type(v.type)} {name_of(v)} = "
                    f"{self.load(f'{name_of(subject)}[{i + 1}]', v.type)};"
                )
            self.region(arm.region, outs)
            if isinstance(arm.region.end, T.Yield):
                self("break;")
            self.depth -= 2
            self("  }")
        self("  default:")
        self("    __builtin_unreachable();")
        self("}")

    def load(self, word: str, t: Type) -> str:
        match t:
            case IntType():
                return f"{word}.i"
            case BoolType():
                return f"{word}.i != 0"
            case FloatType():
                return f"{word}.f"
            case TensorType():
                return f"{word}.h"
            case _:
                return f"{word}.p"

    def store(self, word: str, value: T.Atom) -> None:
        member = self.load("", value.type).removeprefix(".").split(" ")[0]
        self(f"{word}.{member} = {atom(value)};")

    def let(self, outs: tuple[T.Var, ...], rhs: B.Rhs) -> None:
        match rhs:
            case T.NextPhase():
                if self.inline_depth or self.phased:
                    self("cx.next_phase();")
            case T.ListOp("len" | "get", _):
                (out_var,) = outs
                value = list_value(rhs, out_var, self.load)
                self(f"[[maybe_unused]] {cpp_type(out_var.type)} {name_of(out_var)} = {value};")
            case T.ListOp():
                (out_var,) = outs
                self(f"[[maybe_unused]] const Word* {name_of(out_var)} = {list_text(rhs)};")
            case T.Call():
                emit_call(self, outs, rhs)
            case T.Parallel(calls):
                emit_parallel(self, outs, calls)
            case T.Construct(data, args):
                d = self.module.datas[data]
                out = name_of(outs[0])
                self(f"Word* {out}_new = cx.construct({d.tag}, {len(args)});  // {data}")
                for i, a in enumerate(args):
                    self.store(f"{out}_new[{i + 1}]", a)
                self(f"[[maybe_unused]] const Word* {out} = {out}_new;")
            case _:
                (out_var,) = outs
                self(
                    f"[[maybe_unused]] {cpp_type(out_var.type)} {name_of(out_var)} = "
                    f"{self.value(rhs, out_var)};"
                )
                expect_node(self, out_var, rhs)

    def value(self, rhs: B.Rhs, out: T.Var) -> str:
        match rhs:
            case B.View(source, start):
                return f"part({name_of(source)}, {start})"
            case B.WeightRow(param):
                return f"part(kWeightNode, {self.row_offsets[param]})"
            case B.RowOf(source, index):
                rows, size = rows_of(source.type)
                return f"Context::row_of({name_of(source)}, {atom(index)}, {rows}, {size})"
            case B.ScalarRow(value):
                return f"cx.scalar(static_cast<double>({atom(value)}))"
            case T.Read(tensor):
                read = f"cx.read({name_of(tensor)})"
                return f"static_cast<int64_t>({read})" if isinstance(out.type, IntType) else read
            case T.Narrow(obj):
                return name_of(obj)
            case T.GetField(obj, field):
                assert isinstance(obj.type, DataRef)
                names = [n for n, _ in self.module.datas[obj.type.name].fields]
                return self.load(f"{name_of(obj)}[{names.index(field) + 1}]", out.type)
            case T.Scalar(op, args):
                none = self.module.datas.get("None")
                return scalar_text(op, args, out, none.tag if none else -1)
            case _:
                raise AssertionError(f"{type(rhs).__name__} has no value")

    def entry(self) -> None:
        f = self.module.functions[self.module.entry]
        self("void acrobat::build_instance(Context& cx, const Word* arguments, Word* results) {")
        self.depth += 1
        args = "".join(f", {self.load(f'arguments[{i}]', v.type)}" for i, v in enumerate(f.params))
        self(f"auto r = {f.name}(cx{args});")
        for i, t in enumerate(f.results):
            member = self.load("", t).removeprefix(".").split(" ")[0]
            self(f"results[{i}].{member} = r.r{i};")
        self.depth -= 1
        self("}")
