"""Replace symbolic dimensions by the sizes of the actual weights."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.rebuild import rebuilt
from ..ir.rewrite import map_vars, regions, with_regions
from ..ir.type_maps import bind
from ..ir.types import Type

_Attrs = tuple[tuple[str, T.AttrValue], ...]
_Fields = tuple[tuple[str, Type], ...]


def bind_dims(module: T.Module, sizes: Mapping[str, int]) -> T.Module:
    """`module` with a number for every dimension. `sizes` must contain every symbol."""
    cache: dict[T.Var, T.Var] = {}

    def bind_type(t: Type) -> Type:
        bound = bind(t, sizes)
        return t if bound == t else bound

    def bind_var(var: T.Var) -> T.Var:
        if var not in cache:
            cache[var] = rebuilt(var, type=bind_type(var.type))
        return cache[var]

    def bind_function(f: T.Function) -> T.Function:
        f = map_vars(f, bind_var)
        return rebuilt(f, results=tuple(map(bind_type, f.results)), body=_bind_attrs(f.body, sizes))

    def bind_fields(fields: _Fields) -> _Fields:
        bound = tuple((n, bind_type(t)) for n, t in fields)
        return fields if bound == fields else bound

    return rebuilt(
        module,
        datas={n: rebuilt(d, fields=bind_fields(d.fields)) for n, d in module.datas.items()},
        params={n: rebuilt(p, fields=bind_fields(p.fields)) for n, p in module.params.items()},
        functions={n: bind_function(f) for n, f in module.functions.items()},
        result=bind_type(module.result),
    )


def _bind_attrs(region: T.Region, sizes: Mapping[str, int]) -> T.Region:
    stmts: list[T.Stmt] = []
    for stmt in region.stmts:
        match stmt:
            case T.Let(_, T.Op(_, _, attrs), _) if attrs:
                op = rebuilt(stmt.rhs, attrs=_bind_each(attrs, sizes))
                stmts.append(rebuilt(stmt, rhs=op))
            case _:
                stmts.append(with_regions(stmt, [_bind_attrs(r, sizes) for r in regions(stmt)]))
    return rebuilt(region, stmts=tuple(stmts))


def _bind_each(attrs: _Attrs, sizes: Mapping[str, int]) -> _Attrs:
    def value(v: T.AttrValue) -> T.AttrValue:
        if isinstance(v, tuple):
            bound = [Dim.of(d).bind(sizes) for d in v]
            return tuple(d if d.known is None else d.known for d in bound)
        if not isinstance(v, Dim):
            return v
        known = v.bind(sizes).known
        return v.bind(sizes) if known is None else known

    bound = tuple((name, value(v)) for name, v in attrs)
    return attrs if bound == attrs else bound
