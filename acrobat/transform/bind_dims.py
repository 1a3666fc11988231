"""Replace symbolic dimensions by the sizes of the actual weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.rewrite import map_vars, regions, with_regions
from ..ir.types import bind

_Attrs = tuple[tuple[str, T.AttrValue], ...]


def bind_dims(module: T.Module, sizes: Mapping[str, int]) -> T.Module:
    """`module` with every dimension a number. `sizes` must know every symbol."""
    cache: dict[T.Var, T.Var] = {}

    def bind_var(var: T.Var) -> T.Var:
        if var not in cache:
            cache[var] = T.Var(var.name, bind(var.type, sizes), var.number)
        return cache[var]

    def bind_function(f: T.Function) -> T.Function:
        f = map_vars(f, bind_var)
        return replace(
            f,
            results=tuple(bind(t, sizes) for t in f.results),
            body=_bind_attrs(f.body, sizes),
        )

    return replace(
        module,
        datas={
            name: replace(d, fields=tuple((n, bind(t, sizes)) for n, t in d.fields))
            for name, d in module.datas.items()
        },
        params={
            name: replace(p, fields=tuple((n, bind(t, sizes)) for n, t in p.fields))
            for name, p in module.params.items()
        },
        functions={name: bind_function(f) for name, f in module.functions.items()},
        result=bind(module.result, sizes),
    )


def _bind_attrs(region: T.Region, sizes: Mapping[str, int]) -> T.Region:
    stmts: list[T.Stmt] = []
    for stmt in region.stmts:
        match stmt:
            case T.Let(outs, T.Op(name, args, attrs), span) if attrs:
                stmts.append(T.Let(outs, T.Op(name, args, _bind_each(attrs, sizes)), span))
            case _:
                stmts.append(with_regions(stmt, [_bind_attrs(r, sizes) for r in regions(stmt)]))
    return T.Region(tuple(stmts), region.end)


def _bind_each(attrs: _Attrs, sizes: Mapping[str, int]) -> _Attrs:
    def value(v: T.AttrValue) -> T.AttrValue:
        if isinstance(v, tuple):
            bound = [Dim.of(d).bind(sizes) for d in v]
            return tuple(d if d.known is None else d.known for d in bound)
        if not isinstance(v, Dim):
            return v
        known = v.bind(sizes).known
        return v.bind(sizes) if known is None else known

    return tuple((name, value(v)) for name, v in attrs)
