"""The typed IR as Python-like text."""

from __future__ import annotations

from . import typed as T


def print_typed(module: T.Module) -> str:
    """The declarations and all functions of `module`."""
    lines = [
        f"{kind} {d.name}({', '.join(f'{n}: {t}' for n, t in d.fields)})"
        for kind, found in (("data", module.datas), ("params", module.params))
        for d in found.values()
    ]
    head = "\n".join(lines) + "\n\n" if lines else ""
    return head + "\n\n".join(_function(f) for f in module.functions.values()) + "\n"


def _function(f: T.Function) -> str:
    params = ", ".join(f"{v}: {v.type}" for v in f.params)
    lines = [f"def {f.name}({params}) -> {', '.join(map(str, f.results))}:"]
    _region(f.body, (), 1, lines)
    return "\n".join(lines)


def _region(region: T.Region, outs: tuple[T.Var, ...], depth: int, lines: list[str]) -> None:
    pad = "    " * depth
    for stmt in region.stmts:
        match stmt:
            case T.Let((), rhs, _):
                lines.append(f"{pad}{print_rhs(rhs)}")
            case T.Let(targets, rhs, _):
                lines.append(f"{pad}{', '.join(map(str, targets))} = {print_rhs(rhs)}")
            case T.If(inner, cond, then, orelse, _):
                lines.append(f"{pad}if {cond}:")
                _region(then, inner, depth + 1, lines)
                lines.append(f"{pad}else:")
                _region(orelse, inner, depth + 1, lines)
            case T.Match(inner, subject, arms, _):
                lines.append(f"{pad}match {subject}:")
                for arm in arms:
                    lines.append(f"{pad}    case {arm.data}({', '.join(map(str, arm.binds))}):")
                    _region(arm.region, inner, depth + 2, lines)
            case T.For() | T.While():
                for var, init in zip(stmt.carried, stmt.inits, strict=True):
                    lines.append(f"{pad}{var} = {init}")
                if isinstance(stmt, T.For):
                    bounds = f"{stmt.start}, {stmt.stop}, {stmt.step}"
                    lines.append(f"{pad}for {stmt.index} in range({bounds}):")
                else:
                    lines.append(f"{pad}while:")
                    _region(stmt.cond, (), depth + 2, lines)
                _region(stmt.body, stmt.carried, depth + 1, lines)
                for out, var in zip(stmt.outs, stmt.carried, strict=True):
                    lines.append(f"{pad}{out} = {var}")
            case T.Map():
                lists = ", ".join(map(str, stmt.outs))
                how = "map, filtered," if stmt.filtered else "map"
                lines.append(f"{pad}{lists} = {how} {stmt.index} in range({stmt.stop}):")
                _region(stmt.body, (), depth + 1, lines)
    match region.end:
        case T.Yield(values) if len(values) != len(outs):
            lines.append(f"{pad}yield {', '.join(map(str, values))}")
        case T.Break(values):
            lines.append(f"{pad}break {', '.join(map(str, values))}".rstrip())
        case T.Continue(values):
            lines.append(f"{pad}continue {', '.join(map(str, values))}".rstrip())
        case T.Return(values):
            lines.append(f"{pad}return {', '.join(map(str, values))}")
        case T.Yield(values):
            lines += [f"{pad}{o} = {v}" for o, v in zip(outs, values, strict=True)]
            if not region.stmts and not outs:
                lines.append(f"{pad}pass")
        case T.Unreachable():
            pass


def print_rhs(rhs: T.Rhs) -> str:
    """The right-hand side of a let."""
    match rhs:
        case T.Op(name, args, attrs):
            parts = [*map(str, args), *(f"{k}={_attr(v)}" for k, v in attrs)]
            return f"{name}({', '.join(parts)})"
        case T.Scalar(op, args):
            return f"{op}({', '.join(map(str, args))})"
        case T.ParamRead(params, field) | T.GetField(params, field):
            return f"{params}.{field}"
        case T.Weight(path):
            return f"weight {path!r}"
        case T.Call(function, args):
            return f"{function}({', '.join(map(str, args))})"
        case T.Parallel(calls):
            return f"parallel({', '.join(map(print_rhs, calls))})"
        case T.Construct(data, args):
            return f"{data}({', '.join(map(str, args))})"
        case T.MakeTuple(items):
            return f"tuple({', '.join(map(str, items))})"
        case T.GetItem(obj, index):
            return f"{obj}[{index}]"
        case T.ListOp(op, args):
            return f"list_{op}({', '.join(map(str, args))})"
        case T.Read(tensor):
            return f"read {tensor}"
        case T.Narrow(obj):
            return f"narrow {obj}"
        case T.NextPhase():
            return "phase"


def _attr(value: T.AttrValue) -> str:
    """An attribute; dimensions as they are written in hints."""
    if not isinstance(value, tuple):
        return str(value)
    return f"({', '.join(map(str, value))}{',' if len(value) == 1 else ''})"
