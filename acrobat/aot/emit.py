"""A batched module as C++ text: the control flow, compiled; the tables the run-time reads.

Handles, ints, floats, truth values and pointers to records are plain C++ values; a function of the
module is a function, its results a struct. The depth of the dataflow graph is counted as the
program runs (`cx.depth`): a node takes the current depth and advances it; the calls of an
`ab.parallel` start at the same depth and join at the maximum (paper: inline depth computation).
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..ir import batched as B
from ..ir import typed as T
from ..ir.types import (
    BoolType,
    DataRef,
    FloatType,
    IntType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)
from ..kernels.compiled import KernelObject
from ..kernels.spec import BlockPlan
from ..options import Options

_CPP = {IntType: "int64_t", FloatType: "double", BoolType: "bool", TensorType: "Handle"}
_FUNCTIONS = {"//": "floor_div", "%": "floor_mod", "/": "true_div"}
_INFIX = {"and": "&&", "or": "||"}


def cpp_type(t: Type) -> str:
    """The C++ type of a value of type `t`."""
    return _CPP.get(type(t), "const Word*")


def name_of(var: T.Var) -> str:
    """A C++ identifier: the author's name and the variable's number."""
    return f"{var.name}_{var.number}"


def atom(a: T.Atom) -> str:
    """An atom as a C++ expression."""
    if isinstance(a, T.Var):
        return name_of(a)
    if isinstance(a.value, bool):
        return "true" if a.value else "false"
    if isinstance(a.value, int):
        return f"int64_t{{{a.value}}}"
    return repr(a.value)


class Emitter:
    """Writes one program."""

    def __init__(
        self,
        module: B.Module,
        plans: Sequence[BlockPlan],
        kernels: KernelObject,
        options: Options,
    ) -> None:
        self.module, self.plans, self.kernels, self.options = module, plans, kernels, options
        self.lines: list[str] = []
        self.depth = 0
        self.table_names = table_weights(module)
        self.row_offsets = weight_row_offsets(module)

    def __call__(self, line: str = "") -> None:
        self.lines.append("  " * self.depth + line if line else "")

    # -- tables -----------------------------------------------------------------------------

    def program(self) -> str:
        """The whole file."""
        self("// Generated from the batched IR; do not edit.")
        self("#include <acrobat/python.h>")
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

    def kernel_tables(self) -> None:
        names = sorted({k.name for p in self.plans for k in p.kernels})
        self('extern "C" {')
        for name in names:
            for r in self.kernels.kernels[name].tiles:
                symbol = self.kernels.kernels[name].symbol(r)
                self(f"int {symbol}(void*, const PackedArg*, int32_t, PackedArg*);")
        self("}")
        self()
        packed = 0
        for b, plan in enumerate(self.plans):
            block = self.module.blocks[b]
            rows = len(block.rows)
            self(f"static const KernelInfo kernels_{b}[] = {{")
            for q, spec in enumerate(plan.kernels):
                compiled = self.kernels.kernels[spec.name]
                variants = [compiled.symbol(r) for r in compiled.tiles]
                sources = []
                for kind, n, _ in plan.rows[q]:
                    if kind == "row":
                        sources.append(f"{{{n}, -1}}")
                    else:
                        param = block.table_rows[n].param
                        sources.append(f"{{{rows + n}, {self.table_names.index(param)}}}")
                self(
                    f"    {{{{nullptr, {', '.join(variants)}}}, {max(compiled.tiles)}, "
                    f"{compiled.column_blocks}, {spec.flops}, {packed}, {packed + 1}, "
                    f"{len(sources)}, {{{', '.join(sources)}}}}},"
                )
                packed += 2
            self("};")
        self("namespace acrobat {")
        self("const BlockInfo kBlockInfo[] = {")
        for block, plan in zip(self.module.blocks, self.plans, strict=True):
            counts = f"{len(block.rows)}, {len(block.table_rows)}, {plan.record}"
            self(f'    {{"{block.name}", {counts}}},')
        self("};")
        entries = ", ".join(f"{{kernels_{b}, {len(p.kernels)}}}" for b, p in enumerate(self.plans))
        self(f"const BlockKernels kPlans[] = {{{entries}}};")
        for b, block in enumerate(self.module.blocks):
            widths = [str(_width(r.var.type)) for r in block.rows] or ["0"]
            self(f"static const int widths_{b}[] = {{{', '.join(widths)}}};")
        pointers = ", ".join(f"widths_{b}" for b in range(len(self.plans)))
        self(f"const int* const kRowWidths[] = {{{pointers}}};")
        self(f"const int kBlocks = {len(self.plans)};")

    def type_tables(self) -> None:
        datas = sorted(self.module.datas.values(), key=lambda d: d.tag)
        for d in datas:
            fields = [self.field_type(t) for _, t in d.fields] or ["{'i', 0, 0}"]
            self(f"static const FieldType fields_{d.tag}[] = {{{', '.join(fields)}}};")
        entries = [f'{{"{d.name}", {len(d.fields)}, fields_{d.tag}}}' for d in datas]
        self(f"const DataType kDataType[] = {{{', '.join(entries) or '{nullptr, 0, nullptr}'}}};")
        self(f"const int kDataTypes = {len(datas)};")
        parameters = [self.field_type(t) for t in self.module.instance]
        self(f"const FieldType kParameter[] = {{{', '.join(parameters)}}};")
        self(f"const int kParameters = {len(parameters)};")
        results = [self.field_type(t) for t in self.module.functions[self.module.entry].results]
        self(f"const FieldType kResult[] = {{{', '.join(results)}}};")
        self(f"const int kResults = {len(results)};")
        self(f"const char kResultShape[] = {json.dumps(_shape(self.module.result))};")
        self("}  // namespace acrobat")
        self()

    def field_type(self, t: Type) -> str:
        match t:
            case IntType():
                return "{'i', 0, 0}"
            case FloatType():
                return "{'f', 0, 0}"
            case BoolType():
                return "{'b', 0, 0}"
            case TensorType():
                return f"{{'t', {_width(t)}, 0}}"
            case DataRef(name):
                return f"{{'d', 0, {1 << self.module.datas[name].tag}u}}"
            case UnionType(members):
                bits = sum(1 << self.module.datas[m].tag for m in members)
                return f"{{'d', 0, {bits}u}}"
            case _:
                raise AssertionError(f"{t} is no field type")

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
                    self.run(stmt)
                case B.If(targets, cond, then, orelse, _):
                    self.declare(targets)
                    self(f"if ({atom(cond)}) {{")
                    self.nested(then, targets)
                    self("} else {")
                    self.nested(orelse, targets)
                    self("}")
                case B.Match(targets, subject, arms, _):
                    self.match(targets, subject, arms)
        end = region.end
        if isinstance(end, T.Yield):
            for out, value in zip(outs, end.values, strict=True):
                self(f"{name_of(out)} = {atom(value)};")
        elif isinstance(end, T.Return):
            self(f"return {{{', '.join(atom(v) for v in end.values)}}};")
        else:
            self("__builtin_unreachable();")

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

    def run(self, run: B.Run) -> None:
        block = self.module.blocks[run.block]
        plan = self.plans[run.block]
        count = len(run.rows) + len(run.indices)
        first = name_of(run.outs[0]) if run.outs else "unused"
        self("{")
        self.depth += 1
        offsets: list[str] = []
        for table, index in zip(block.table_rows, run.indices, strict=True):
            t = self.module.weights[table.param]
            rows, columns = (d.known for d in t.dims)
            # Before the node is recorded: an index out of range must leave no half a node.
            offsets.append(f"row_{len(offsets)}")
            self(
                f"int64_t {offsets[-1]} = Context::table_row({json.dumps(table.param)}, "
                f"{atom(index)}, {rows}, {columns});"
            )
        depth = "cx.depth++" if self.options.scheduler == "inline_depth" else "0"
        self(
            f"[[maybe_unused]] int64_t* args = cx.graph.add({run.block}, {depth}, {count});"
            f"  // {block.name}"
        )
        for i, value in enumerate([*map(atom, run.rows), *offsets]):
            self(f"args[{i}] = {value};")
        self.depth -= 1
        self("}")
        self(f"[[maybe_unused]] Handle {first}_node = cx.graph.bucket.size() - 1;")
        for out, offset in zip(run.outs, plan.outputs, strict=True):
            self(f"[[maybe_unused]] Handle {name_of(out)} = part({first}_node, {offset});")

    def let(self, outs: tuple[T.Var, ...], rhs: B.Rhs) -> None:
        match rhs:
            case T.Call(function, args):
                self.call(outs, function, args)
            case T.Parallel(calls):
                self.parallel(outs, calls)
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

    def value(self, rhs: B.Rhs, out: T.Var) -> str:
        match rhs:
            case B.View(source, start):
                return f"part({name_of(source)}, {start})"
            case B.WeightRow(param):
                return f"part(kWeightNode, {self.row_offsets[param]})"
            case T.GetField(obj, field):
                assert isinstance(obj.type, DataRef)
                names = [n for n, _ in self.module.datas[obj.type.name].fields]
                return self.load(f"{name_of(obj)}[{names.index(field) + 1}]", out.type)
            case T.Scalar(op, args):
                return self.scalar(op, args)
            case _:
                raise AssertionError(f"{type(rhs).__name__} has no value")

    def scalar(self, op: str, args: tuple[T.Atom, ...]) -> str:
        texts = [atom(a) for a in args]
        if op == "not":
            return f"!{texts[0]}"
        if op == "neg":
            return f"-{texts[0]}"
        if op in _FUNCTIONS:
            floats = any(isinstance(a.type, FloatType) for a in args)
            name = f"float_{_FUNCTIONS[op]}" if floats and op != "/" else _FUNCTIONS[op]
            return f"{name}({texts[0]}, {texts[1]})"
        return f"{texts[0]} {_INFIX.get(op, op)} {texts[1]}"

    def call(self, outs: tuple[T.Var, ...], function: str, args: tuple[T.Atom, ...]) -> None:
        results = f"{name_of(outs[0])}_results" if outs else "unused"
        texts = "".join(f", {atom(a)}" for a in args)
        self(f"[[maybe_unused]] {function}_results {results} = {function}(cx{texts});")
        for i, v in enumerate(outs):
            self(f"[[maybe_unused]] {cpp_type(v.type)} {name_of(v)} = {results}.r{i};")

    def parallel(self, outs: tuple[T.Var, ...], calls: tuple[T.Call, ...]) -> None:
        together = self.options.instance_parallelism
        name = name_of(outs[0])
        if together:
            self(f"uint32_t {name}_start = cx.depth, {name}_end = cx.depth;")
        at = 0
        for c in calls:
            n = len(self.module.functions[c.function].results)
            if together:
                self(f"cx.depth = {name}_start;")
            self.call(outs[at : at + n], c.function, c.args)
            if together:
                self(f"{name}_end = std::max({name}_end, cx.depth);")
            at += n
        if together:
            self(f"cx.depth = {name}_end;")

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


def table_weights(module: B.Module) -> list[str]:
    """The weights that some block reads by row, sorted: their order in `Config.tables`."""
    return sorted({t.param for b in module.blocks for t in b.table_rows})


def weight_row_offsets(module: B.Module) -> dict[str, int]:
    """Where each weight that is read like a row lies in the arena, in floats."""
    found: dict[str, int] = {}
    at = 0
    for name in sorted(_weight_rows(module)):
        found[name] = at
        at += -(-_width(module.weights[name]) // 16) * 16
    return found


def _weight_rows(module: B.Module) -> set[str]:
    found: set[str] = set()
    work = [f.body for f in module.functions.values()]
    while work:
        region = work.pop()
        for stmt in region.stmts:
            match stmt:
                case B.Let(_, B.WeightRow(param), _):
                    found.add(param)
                case B.If(_, _, then, orelse, _):
                    work += [then, orelse]
                case B.Match(_, _, arms, _):
                    work += [a.region for a in arms]
                case _:
                    pass
    return found


def _width(t: Type) -> int:
    assert isinstance(t, TensorType)
    total = 1
    for d in t.dims:
        assert d.known is not None
        total *= d.known
    return total


def _shape(t: Type) -> str:
    if isinstance(t, TupleType):
        return "(" + "".join(_shape(i) for i in t.items) + ")"
    return "x"
