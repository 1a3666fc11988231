"""Both IRs as Python-like text: one printer for the control flow that they share and for what is
specific to each, tensor operations in the typed IR, blocks and their runs in the batched one."""

from __future__ import annotations

from collections.abc import Sequence

from . import batched as B
from . import typed as T


def print_typed(module: T.Module) -> str:
    """The declarations and all functions of `module`."""
    lines = [
        f"{kind} {d.name}({', '.join(f'{n}: {t}' for n, t in d.fields)})"
        for kind, found in (("data", module.datas), ("params", module.params))
        for d in found.values()
    ]
    head = "\n".join(lines) + "\n\n" if lines else ""
    return head + "\n\n".join(_function(f, ()) for f in module.functions.values()) + "\n"


def print_batched(module: B.Module) -> str:
    """All blocks, then all functions."""
    parts = [_block(i, b) for i, b in enumerate(module.blocks)]
    parts += [_function(f, module.blocks) for f in module.functions.values()]
    return "\n\n".join(parts) + "\n"


def _block(number: int, block: B.Block) -> str:
    lines = [f"block {number} {block.name}:"]
    for i in block.inputs:
        match i:
            case B.Gathered(var):
                lines.append(f"    {var} = per instance {var.type}")
            case B.GatheredRow(var, param, _, _):
                lines.append(f"    {var} = per instance a row of {param} {var.type}")
            case B.Shared(var, param):
                lines.append(f"    {var} = shared {param} {var.type}")
    lines += [f"    {o.out} = {_rhs(o.op)}" for o in block.ops]
    lines.append(f"    -> {_list(block.outputs)}")
    return "\n".join(lines)


def _function(f: T.Function | B.Function, blocks: Sequence[B.Block]) -> str:
    params = ", ".join(f"{v}: {v.type}" for v in f.params)
    lines = [f"def {f.name}({params}) -> {_list(f.results)}:"]
    _region(f.body, (), 1, lines, blocks)
    return "\n".join(lines)


def _region(
    region: T.Region | B.Region,
    outs: Sequence[T.Var],
    depth: int,
    lines: list[str],
    blocks: Sequence[B.Block],
) -> None:
    """Append the text of `region`, whose yielded values become `outs`."""
    pad = "    " * depth

    def inner(region: T.Region | B.Region, outs: Sequence[T.Var], deeper: int = 1) -> None:
        _region(region, outs, depth + deeper, lines, blocks)

    for stmt in region.stmts:
        match stmt:
            case T.If() | B.If():
                lines.append(f"{pad}if {stmt.cond}:")
                inner(stmt.then, stmt.outs)
                lines.append(f"{pad}else:")
                inner(stmt.orelse, stmt.outs)
            case T.Match() | B.Match():
                lines.append(f"{pad}match {stmt.subject}:")
                for arm in stmt.arms:
                    lines.append(f"{pad}    case {arm.data}({_list(arm.binds)}):")
                    inner(arm.region, stmt.outs, 2)
            case T.For() | B.For() | T.While() | B.While():
                pairs = zip(stmt.carried, stmt.inits, strict=True)
                lines += [f"{pad}{var} = {init}" for var, init in pairs]
                if isinstance(stmt, T.For | B.For):
                    bounds = _list((stmt.start, stmt.stop, stmt.step))
                    lines.append(f"{pad}for {stmt.index} in range({bounds}):")
                else:
                    lines.append(f"{pad}while:")
                    inner(stmt.cond, (), 2)
                inner(stmt.body, stmt.carried)
                pairs = zip(stmt.outs, stmt.carried, strict=True)
                lines += [f"{pad}{out} = {var}" for out, var in pairs]
            case T.Map() | B.Map():
                how = "map, filtered," if stmt.filtered else "map"
                if isinstance(stmt, B.Map) and stmt.in_turn:
                    how = how.rstrip(",") + ", in turn,"
                lines.append(f"{pad}{_list(stmt.outs)} = {how} {stmt.index} in range({stmt.stop}):")
                inner(stmt.body, ())
            case _:
                lines.append(pad + _plain(stmt, blocks))
    match region.end:
        case T.Return(values):
            lines.append(f"{pad}return {_list(values)}")
        case T.Yield(values) if len(values) != len(outs):
            lines.append(f"{pad}yield {_list(values)}")
        case T.Raise():
            lines.append(f"{pad}raise {_message(region.end)}")
        case T.Break(values):
            lines.append(f"{pad}break {_list(values)}".rstrip())
        case T.Continue(values):
            lines.append(f"{pad}continue {_list(values)}".rstrip())
        case T.Yield(values):
            lines += [f"{pad}{o} = {v}" for o, v in zip(outs, values, strict=True)]
            if not region.stmts and not outs:
                lines.append(f"{pad}pass")
        case T.Unreachable():
            pass


def _message(end: T.Raise) -> str:
    parts = [repr(end.texts[0])]
    for value, text in zip(end.values, end.texts[1:], strict=True):
        parts += [str(value), repr(text)]
    return ", ".join(parts)


def _plain(stmt: T.Stmt | B.Stmt, blocks: Sequence[B.Block]) -> str:
    """A statement without inner regions."""
    match stmt:
        case T.Let((), rhs, _) | B.Let((), rhs, _):
            return _rhs(rhs)
        case T.Let(outs, rhs, _) | B.Let(outs, rhs, _):
            return f"{_list(outs)} = {_rhs(rhs)}"
        case B.Run(outs, block, operands, indices, hoisted, _):
            ahead = " ahead" if hoisted else ""
            return (
                f"{_list(outs)} = run {blocks[block].name}({_list((*operands, *indices))}){ahead}"
            )
        case B.Ghost(count):
            return f"ghost {count}"
        case B.Align():
            return "align"
        case B.Mark(number):
            return f"mark {number}"
        case B.Resume(marks):
            return f"resume after {_list(marks)}"
        case _:
            raise AssertionError(f"{type(stmt).__name__} has inner regions")


def _rhs(rhs: T.Rhs | B.Rhs) -> str:
    match rhs:
        case T.Op(name, args, attrs):
            return f"{name}({', '.join([*map(str, args), *(f'{k}={_attr(v)}' for k, v in attrs)])})"
        case T.Scalar(name, args) | T.Call(name, args) | T.Construct(name, args):
            return f"{name}({_list(args)})"
        case T.ListOp(op, args):
            return f"list_{op}({_list(args)})"
        case T.MakeTuple(items):
            return f"tuple({_list(items)})"
        case T.Parallel(calls):
            return f"parallel({', '.join(map(_rhs, calls))})"
        case T.ParamRead(obj, field) | T.GetField(obj, field):
            return f"{obj}.{field}"
        case T.GetItem(obj, index) | B.RowOf(obj, index):
            return f"{obj}[{index}]"
        case T.Read(obj):
            return f"read {obj}"
        case T.Narrow(obj):
            return f"narrow {obj}"
        case T.Weight(path):
            return f"weight {path!r}"
        case T.NextPhase():
            return "phase"
        case B.View(obj, start):
            return f"{obj}[{start}:...]"
        case B.WeightReference(path):
            return f"row of {path}"
        case B.ScalarReference(value):
            return f"tensor of {value}"
        case B.Unused():
            return "unused"


def _list(items: Sequence[object]) -> str:
    return ", ".join(map(str, items))


def _attr(value: T.AttrValue) -> str:
    """An attribute; dimensions as they are written in hints."""
    if not isinstance(value, tuple):
        return str(value)
    return f"({_list(value)}{',' if len(value) == 1 else ''})"
