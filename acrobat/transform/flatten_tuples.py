"""Scalar replacement of tuples: afterwards no variable has a tuple type.

A tuple never exists at run time: parameters, results and branch results of tuple type become one
variable per leaf; building and indexing a tuple becomes a renaming.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir import typed as T
from ..ir.types import TupleType, Type

_Env = dict[T.Var, tuple[T.Atom, ...]]


def leaf_types(t: Type) -> tuple[Type, ...]:
    """The types of the leaves of `t`, left to right; `(t,)` if it is no tuple."""
    if isinstance(t, TupleType):
        return tuple(leaf for item in t.items for leaf in leaf_types(item))
    return (t,)


def flatten_tuples(module: T.Module) -> T.Module:
    """`module` without tuples; `module.result` keeps the declared type."""
    return replace(module, functions={name: _function(f) for name, f in module.functions.items()})


def _function(f: T.Function) -> T.Function:
    env: _Env = {}
    params = tuple(leaf for v in f.params for leaf in _define(v, env))
    results = tuple(leaf for t in f.results for leaf in leaf_types(t))
    return replace(f, params=params, results=results, body=_region(f.body, env))


def _define(var: T.Var, env: _Env) -> tuple[T.Var, ...]:
    """The leaves that stand for `var`."""
    if not isinstance(var.type, TupleType):
        return (var,)
    leaves = tuple(T.Var(f"{var.name}_{i}", t) for i, t in enumerate(leaf_types(var.type)))
    env[var] = leaves
    return leaves


def _leaves(atom: T.Atom, env: _Env) -> tuple[T.Atom, ...]:
    return env.get(atom, (atom,)) if isinstance(atom, T.Var) else (atom,)


def _flat(atoms: tuple[T.Atom, ...], env: _Env) -> tuple[T.Atom, ...]:
    return tuple(leaf for a in atoms for leaf in _leaves(a, env))


def _region(region: T.Region, env: _Env) -> T.Region:
    stmts: list[T.Stmt] = []
    for stmt in region.stmts:
        match stmt:
            case T.Let((out,), T.MakeTuple(items), _):
                env[out] = _flat(items, env)
            case T.Let((out,), T.GetItem(obj, index), _):
                env[out] = _item(obj, index, env)
            case T.Let(outs, rhs, span):
                new_outs = tuple(leaf for v in outs for leaf in _define(v, env))
                stmts.append(T.Let(new_outs, _rhs(rhs, env), span))
            case T.If(outs, cond, then, orelse, span):
                (cond,) = _leaves(cond, env)
                branches = _region(then, env), _region(orelse, env)
                new_outs = tuple(leaf for v in outs for leaf in _define(v, env))
                stmts.append(T.If(new_outs, cond, *branches, span))
            case T.Match(outs, subject, arms, span):
                new_arms = tuple(T.Arm(a.data, a.binds, _region(a.region, env)) for a in arms)
                new_outs = tuple(leaf for v in outs for leaf in _define(v, env))
                stmts.append(T.Match(new_outs, _one(subject, env), new_arms, span))
    end = region.end
    if not isinstance(end, T.Unreachable):
        end = replace(end, values=_flat(end.values, env))
    return T.Region(tuple(stmts), end)


def _one(var: T.Var, env: _Env) -> T.Var:
    (leaf,) = _leaves(var, env)
    assert isinstance(leaf, T.Var)
    return leaf


def _item(obj: T.Var, index: int, env: _Env) -> tuple[T.Atom, ...]:
    assert isinstance(obj.type, TupleType)
    start = sum(len(leaf_types(t)) for t in obj.type.items[:index])
    return env[obj][start : start + len(leaf_types(obj.type.items[index]))]


def _rhs(rhs: T.Rhs, env: _Env) -> T.Rhs:
    match rhs:
        case T.Op(name, args, attrs):
            return T.Op(name, _flat(args, env), attrs)
        case T.Scalar(op, args):
            return T.Scalar(op, _flat(args, env))
        case T.Call(function, args):
            return T.Call(function, _flat(args, env))
        case T.Parallel(calls):
            return T.Parallel(tuple(T.Call(c.function, _flat(c.args, env)) for c in calls))
        case T.Construct(data, args):
            return T.Construct(data, _flat(args, env))
        case T.ParamRead(params, field):
            return T.ParamRead(_one(params, env), field)
        case T.GetField(obj, field):
            return T.GetField(_one(obj, env), field)
        case _:
            return rhs
