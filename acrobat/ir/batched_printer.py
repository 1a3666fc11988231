"""The batched IR as Python-like text."""

from __future__ import annotations

from . import batched as B
from . import typed as T


def print_batched(module: B.Module) -> str:
    """All blocks, then all functions."""
    parts = [_block(i, b) for i, b in enumerate(module.blocks)]
    parts += [_function(module, f) for f in module.functions.values()]
    return "\n\n".join(parts) + "\n"


def _block(number: int, block: B.Block) -> str:
    lines = [f"block {number} {block.name}:"]
    for i in block.inputs:
        match i:
            case B.Row(var):
                lines.append(f"    {var} = per instance {var.type}")
            case B.TableRow(var, param):
                lines.append(f"    {var} = per instance a row of {param} {var.type}")
            case B.Shared(var, param):
                lines.append(f"    {var} = shared {param} {var.type}")
    for o in block.ops:
        attrs = "".join(f", {k}={v}" for k, v in o.op.attrs)
        lines.append(f"    {o.out} = {o.op.name}({', '.join(map(str, o.op.args))}{attrs})")
    lines.append(f"    -> {', '.join(map(str, block.outputs))}")
    return "\n".join(lines)


def _function(module: B.Module, f: B.Function) -> str:
    params = ", ".join(f"{v}: {v.type}" for v in f.params)
    lines = [f"def {f.name}({params}) -> {', '.join(map(str, f.results))}:"]
    _region(module, f.body, (), 1, lines)
    return "\n".join(lines)


def _region(
    module: B.Module, region: B.Region, outs: tuple[T.Var, ...], depth: int, lines: list[str]
) -> None:
    pad = "    " * depth
    for stmt in region.stmts:
        match stmt:
            case B.Ghost(count):
                lines.append(f"{pad}ghost {count}")
                continue
            case B.Align():
                lines.append(f"{pad}align")
                continue
            case B.Mark(number):
                lines.append(f"{pad}mark {number}")
                continue
            case B.Resume(marks):
                lines.append(f"{pad}resume after {', '.join(map(str, marks))}")
                continue
            case _:
                targets = ", ".join(map(str, stmt.outs))
        match stmt:
            case B.Run(_, block, rows, indices, hoisted, _):
                args = ", ".join(map(str, (*rows, *indices)))
                early = " ahead" if hoisted else ""
                lines.append(f"{pad}{targets} = run {module.blocks[block].name}({args}){early}")
            case B.Let((), rhs, _):
                lines.append(f"{pad}{_rhs(rhs)}")
            case B.Let(_, rhs, _):
                lines.append(f"{pad}{targets} = {_rhs(rhs)}")
            case B.For() | B.While():
                for var, init in zip(stmt.carried, stmt.inits, strict=True):
                    lines.append(f"{pad}{var} = {init}")
                if isinstance(stmt, B.For):
                    bounds = f"{stmt.start}, {stmt.stop}, {stmt.step}"
                    lines.append(f"{pad}for {stmt.index} in range({bounds}):")
                else:
                    lines.append(f"{pad}while:")
                    _region(module, stmt.cond, (), depth + 2, lines)
                _region(module, stmt.body, stmt.carried, depth + 1, lines)
                for out, var in zip(stmt.outs, stmt.carried, strict=True):
                    lines.append(f"{pad}{out} = {var}")
            case B.Map():
                lines.append(f"{pad}{targets} = map {stmt.index} in range({stmt.stop}):")
                _region(module, stmt.body, (), depth + 1, lines)
            case B.If(inner, cond, then, orelse, _):
                lines.append(f"{pad}if {cond}:")
                _region(module, then, inner, depth + 1, lines)
                lines.append(f"{pad}else:")
                _region(module, orelse, inner, depth + 1, lines)
            case B.Match(inner, subject, arms, _):
                lines.append(f"{pad}match {subject}:")
                for arm in arms:
                    lines.append(f"{pad}    case {arm.data}({', '.join(map(str, arm.binds))}):")
                    _region(module, arm.region, inner, depth + 2, lines)
    match region.end:
        case T.Return(values):
            lines.append(f"{pad}return {', '.join(map(str, values))}")
        case T.Yield(values) if len(values) != len(outs):
            lines.append(f"{pad}yield {', '.join(map(str, values))}")
        case T.Break(values):
            lines.append(f"{pad}break {', '.join(map(str, values))}".rstrip())
        case T.Continue(values):
            lines.append(f"{pad}continue {', '.join(map(str, values))}".rstrip())
        case T.Yield(values):
            for out, value in zip(outs, values, strict=True):
                lines.append(f"{pad}{out} = {value}")
            if not region.stmts and not outs:
                lines.append(f"{pad}pass")
        case T.Unreachable():
            pass


def _rhs(rhs: B.Rhs) -> str:
    match rhs:
        case T.Scalar(op, args):
            return f"{op}({', '.join(map(str, args))})"
        case T.Call(function, args):
            return f"{function}({', '.join(map(str, args))})"
        case T.Parallel(calls):
            return f"parallel({', '.join(map(_rhs, calls))})"
        case T.GetField(obj, field):
            return f"{obj}.{field}"
        case T.Construct(data, args):
            return f"{data}({', '.join(map(str, args))})"
        case B.View(source, start):
            return f"{source}[{start}:...]"
        case B.RowOf(source, index):
            return f"{source}[{index}]"
        case B.WeightRow(param):
            return f"row of {param}"
        case B.ScalarRow(value):
            return f"tensor of {value}"
        case T.ListOp(op, args):
            return f"list_{op}({', '.join(map(str, args))})"
        case T.Read(tensor):
            return f"read {tensor}"
        case T.Narrow(obj):
            return f"narrow {obj}"
        case T.NextPhase():
            return "phase"
