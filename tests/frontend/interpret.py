"""An interpreter of the typed IR: what the front end made, run by itself.

It shares nothing with the compiler behind the front end. A model gives the same as plain Python and
as interpreted here, or the front end is at fault; the same here and compiled, or what follows is.
Every value is checked against the type that the front end gave its variable.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from acrobat.ir import typed as T
from acrobat.ir.dims import Dim
from acrobat.ir.host_functions import HOST_FUNCTIONS, host_call
from acrobat.ir.type_maps import bind
from acrobat.ir.types import (
    BOOL,
    FLOAT,
    INT,
    TEXT,
    DataRef,
    DictType,
    KeyedType,
    ListType,
    MemberType,
    OptionalType,
    ParamsRef,
    TensorType,
    TupleType,
    Type,
    UnionType,
)
from acrobat.lang.params import sizes
from tests.frontend.interpreted_operations import LISTS, OPS, SCALARS
from tests.frontend.interpreted_values import outward, weight_at


def interpret(module: T.Module, params: Any, *instance: Any) -> Any:
    """The entry of `module` on one instance."""
    run = _Interpreter(module, sizes(params))
    types = [v.type for v in module.functions[module.entry].params[1:]]
    inside = [run.inward(v, t) for v, t in zip(instance, types, strict=True)]
    return outward(run.call(module.entry, [params, *inside]), module.result)


@dataclasses.dataclass(frozen=True)
class _Left:
    """How a region ended, and with which values."""

    how: type
    values: list[Any]


class _Interpreter:
    def __init__(self, module: T.Module, known: dict[str, int]) -> None:
        self.module, self.sizes = module, known
        self.phases = 0

    def inward(self, value: Any, t: Type) -> Any:
        """A value of plain Python; a float may be written as an int."""
        match t:
            case OptionalType(items=(_, item)):
                there = value is not None
                return there, self.inward(value, item) if there else self.missing(item)
            case DictType(items=(keys, values)):
                return self.inward(list(value), keys), self.inward(list(value.values()), values)
            case KeyedType(items):
                return tuple(map(self.inward, value.values(), items))
            case TupleType(items):
                return tuple(map(self.inward, value, items))
            case ListType(item):
                value = value if t.along is None else np.moveaxis(value, t.along, 0)
                return [self.inward(v, item) for v in value]
            case MemberType():
                return t.members.index(value)
            case TensorType():
                return np.asarray(value, np.float32)
        return float(value) if t == FLOAT else value

    def missing(self, t: Type) -> Any:
        """Some value in place of one that is None."""
        match bind(t, self.sizes):
            case TensorType(dims):
                return np.zeros([d.known or 0 for d in dims], np.float32)
            case ListType():
                return []
            case TupleType(items):
                return tuple(map(self.missing, items))
            case MemberType():
                return 0
        return {INT: 0, FLOAT: 0.0, BOOL: False, TEXT: ""}[t]

    def is_of(self, name: str, value: Any) -> bool:
        """Whether a value is of a data type, or of what stands for one."""
        data = self.module.datas[name]
        same = (str if isinstance(value, T.Text) else type(value)) is data.cls
        return same and (not isinstance(value, tuple) or data.length in (None, len(value)))

    def field(self, data: T.DataDef, value: Any, name: str, t: Type) -> Any:
        """A field of an object of the author's class."""
        return self.inward(value if data.raw else getattr(value, name), t)

    def call(self, name: str, args: Sequence[Any]) -> Any:
        function = self.module.functions[name]
        env: dict[T.Var, Any] = {}
        self.define(env, function.params, args)
        left = self.region(function.body, env)
        assert left.how is T.Return, f"{name} ends in {left.how}"
        (result,) = left.values
        self.check(function.results[0], result, name)
        return result

    def region(self, region: T.Region, env: dict[T.Var, Any]) -> _Left:
        for stmt in region.stmts:
            left = self.stmt(stmt, env)
            if left is not None:
                return left
        assert not isinstance(region.end, T.Unreachable), "an end that is never reached"
        return _Left(type(region.end), [self.atom(a, env) for a in region.end.values])

    def stmt(self, stmt: T.Stmt, env: dict[T.Var, Any]) -> _Left | None:
        """What leaves the region around, if anything does."""
        match stmt:
            case T.Let(outs, rhs, _):
                self.define(env, outs, self.rhs(rhs, outs, env))
                return None
            case T.If(outs, cond, then, orelse, _):
                test = self.atom(cond, env)
                assert isinstance(test, bool)
                left = self.region(then if test else orelse, env)
            case T.Match(outs, subject, arms, _):
                value = self.atom(subject, env)
                (arm,) = [a for a in arms if self.is_of(a.data, value)]
                data = self.module.datas[arm.data]
                parts = [self.field(data, value, n, t) for n, t in data.fields]
                self.define(env, arm.binds, parts)
                left = self.region(arm.region, env)
            case T.For():
                bounds = [self.atom(a, env) for a in (stmt.start, stmt.stop, stmt.step)]
                return self.iterations(stmt, iter(range(*bounds)), env)
            case T.While():
                return self.iterations(stmt, None, env)
            case T.Map():
                self.map(stmt, env)
                return None
        if left.how is not T.Yield:
            return left
        self.define(env, outs, left.values)
        return None

    def iterations(
        self, stmt: T.For | T.While, numbers: Any, env: dict[T.Var, Any]
    ) -> _Left | None:
        values = [self.atom(a, env) for a in stmt.inits]
        while True:
            self.define(env, stmt.carried, values)
            if isinstance(stmt, T.For):
                number = next(numbers, None)
                if number is None:
                    break
                self.define(env, (stmt.index,), [number])
            else:
                (going,) = self.region(stmt.cond, env).values
                if not going:
                    break
            left = self.region(stmt.body, env)
            if left.how is T.Return:
                return left
            values = left.values
            if left.how is T.Break:
                break
        self.define(env, stmt.outs, values)
        return None

    def map(self, stmt: T.Map, env: dict[T.Var, Any]) -> None:
        results = []
        for i in range(self.atom(stmt.stop, env)):
            self.define(env, (stmt.index,), [i])
            left = self.region(stmt.body, env)
            assert left.how is T.Yield
            if not stmt.filtered:
                results.append(left.values)
            elif left.values[0]:
                results.append(left.values[1:])
        self.define(
            env, stmt.outs, [[values[k] for values in results] for k in range(len(stmt.outs))]
        )

    def define(self, env: dict[T.Var, Any], outs: Sequence[T.Var], values: Sequence[Any]) -> None:
        for var, value in zip(outs, values, strict=True):
            self.check(var.type, value, var)
            env[var] = value

    def atom(self, atom: T.Atom, env: dict[T.Var, Any]) -> Any:
        return atom.value if isinstance(atom, T.Const) else env[atom]

    def rhs(self, rhs: T.Rhs, outs: Sequence[T.Var], env: dict[T.Var, Any]) -> list[Any]:
        def values(atoms: Sequence[T.Atom]) -> list[Any]:
            return [self.atom(a, env) for a in atoms]

        match rhs:
            case T.Op(name, args, attrs):
                result = OPS[name](*values(args), **{n: self.attr(v) for n, v in attrs})
                return [np.asarray(result, dtype=np.float32)]
            case T.Scalar(op, args) if op in HOST_FUNCTIONS:
                return [host_call(op, self.module.lookups, values(args))]
            case T.Scalar(op, args):
                number = SCALARS[op](*values(args))
                # min and max of ints and floats: a float, whichever it is.
                return [float(number) if outs[0].type == FLOAT else number]
            case T.ParamRead(obj, field):
                return [weight_at(env[obj], field)]
            case T.GetField(obj, field):
                assert isinstance(obj.type, DataRef)
                data = self.module.datas[obj.type.name]
                return [self.field(data, env[obj], field, outs[0].type)]
            case T.Call(function, args):
                return [self.call(function, values(args))]
            case T.Parallel(calls):
                return [self.call(c.function, values(c.args)) for c in calls]
            case T.Construct("None", ()):
                return [None]
            case T.Construct(data, args):
                found = self.module.datas[data]
                parts = zip(values(args), found.fields, strict=True)
                fields = [outward(v, t) for v, (_, t) in parts]
                return fields if found.raw else [found.cls(*fields)]
            case T.MakeTuple(items):
                return [tuple(values(items))]
            case T.GetItem(obj, index):
                return [env[obj][index]]
            case T.ListOp(op, args):
                return [LISTS[op](*values(args))]
            case T.Read(tensor):
                return [(int if outs[0].type == INT else float)(env[tensor].reshape(()))]
            case T.Narrow(obj):
                return [env[obj]]
            case T.NextPhase():
                self.phases += 1
                return []
        raise AssertionError(rhs)

    def attr(self, value: T.AttrValue) -> Any:
        if isinstance(value, tuple):
            return tuple(map(self.attr, value))
        if isinstance(value, Dim):
            return value.bind(self.sizes).known
        return value

    def check(self, t: Type, value: Any, what: object) -> None:
        """The value has the type that the front end says it has."""
        assert self.fits(bind(t, self.sizes), value), f"{what} is no {t}: {value!r}"

    def fits(self, t: Type, value: Any) -> bool:
        match t:
            case TensorType(dims):
                return np.shape(value) == tuple(d.known for d in dims)
            case ListType(item):
                return isinstance(value, list) and all(self.fits(item, v) for v in value)
            case TupleType(items):
                return (
                    isinstance(value, tuple)
                    and len(value) == len(items)
                    and all(map(self.fits, items, value))
                )
            case DataRef(name):
                return self.is_of(name, value)
            case UnionType(members):
                return any(self.fits(DataRef(m), value) for m in members)
            case ParamsRef(name):
                return type(value) is self.module.params[name].cls
            case MemberType():
                return type(value) is int and 0 <= value < len(t.members)
        if t in (INT, TEXT):  # of an enumeration of ints or of strings, too
            return isinstance(value, int if t == INT else str) and not isinstance(value, bool)
        return type(value) is {FLOAT: float, BOOL: bool}.get(t)
