"""Scalar replacement of tuples: afterwards no variable and no field has a tuple type.

A tuple never exists at run time: parameters, results, loop variables and branch results of tuple
type become one variable per leaf; building and indexing a tuple become renamings. A list of tuples
becomes one list per leaf, all of the same length. (An empty list of unknown item type stands for as
many empty lists as are needed.) Likewise, a field of a data type that holds a tuple becomes one
field per leaf.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..ir import typed as T
from ..ir.rebuild import rebuilt
from ..ir.type_queries import has_arrays, leaf_types
from ..ir.types import BOOL, ListType, NothingType, TupleType, Type

_Env = dict[T.Var, tuple[T.Atom, ...]]


def flatten_tuples(module: T.Module) -> T.Module:
    """`module` without tuples; `module.result` and `module.arguments` keep the declared types."""
    functions = {name: _Function(module, f).function() for name, f in module.functions.items()}
    datas = {name: _divided(d) for name, d in module.datas.items()}
    # The weights are the entry's first parameter.
    arguments = tuple(v.type for v in module.functions[module.entry].params[1:])
    if all(leaf_types(t) == (t,) and not has_arrays(t) for t in arguments):
        arguments = module.arguments
    return rebuilt(module, functions=functions, datas=datas, arguments=arguments)


def _divided(data: T.DataDef) -> T.DataDef:
    """`data` with a field for every leaf of each of its fields."""
    fields = tuple(leaf for name, t in data.fields for leaf in _leaf_fields(name, t))
    return data if fields == data.fields else replace(data, fields=fields, declared=data.fields)


def _leaf_fields(name: str, t: Type) -> tuple[tuple[str, Type], ...]:
    """The fields that replace the field `name` of type `t`."""
    leaves = leaf_types(t)
    if leaves == (t,):
        return ((name, t),)
    return tuple((f"{name}.{i}", leaf) for i, leaf in enumerate(leaves))


class _Function:
    def __init__(self, module: T.Module, source: T.Function) -> None:
        self.module, self.source = module, source
        self.env: _Env = {}

    def function(self) -> T.Function:
        f = self.source
        params = self.define(f.params)
        leaves = tuple(leaf for t in f.results for leaf in leaf_types(t))
        results = f.results if leaves == f.results else leaves
        return rebuilt(
            f, params=params, results=results, body=self.region(f.body, (), (), f.results)
        )

    def define(self, variables: Sequence[T.Var]) -> tuple[T.Var, ...]:
        """The leaves that stand for `variables`."""
        found: list[T.Var] = []
        for var in variables:
            types = leaf_types(var.type)
            if types == (var.type,):
                found.append(var)
                continue
            leaves = tuple(T.Var(f"{var.name}_{i}", t) for i, t in enumerate(types))
            self.env[var] = leaves
            found.extend(leaves)
        return tuple(found)

    def leaves(self, atom: T.Atom) -> tuple[T.Atom, ...]:
        return self.env.get(atom, (atom,)) if isinstance(atom, T.Var) else (atom,)

    def flat(
        self, atoms: Sequence[T.Atom], types: Sequence[Type] | None = None
    ) -> tuple[T.Atom, ...]:
        """The leaves of `atoms`, for a place where values of `types` are expected."""
        found: list[T.Atom] = []
        for i, atom in enumerate(atoms):
            leaves = self.leaves(atom)
            found += leaves if types is None else _fitting(leaves, atom.type, types[i])
        return tuple(found)

    def one(self, var: T.Var) -> T.Var:
        """The variable for `var`, which is not a tuple; for a list of tuples, its first list."""
        leaf = self.leaves(var)[0]
        assert isinstance(leaf, T.Var)
        return leaf

    def atom(self, atom: T.Atom) -> T.Atom:
        (leaf,) = self.leaves(atom)
        return leaf

    def region(
        self,
        region: T.Region,
        outs: Sequence[Type],
        loop: Sequence[Type],
        results: Sequence[Type],
    ) -> T.Region:
        """`outs`, `loop`, `results`: the types of the values that the region yields, breaks or
        continues with, and returns."""
        stmts: list[T.Stmt] = []
        for stmt in region.stmts:
            self.stmt(stmt, stmts, loop, results)
        match region.end:
            case T.Yield(values):
                end: T.End = rebuilt(region.end, values=self.flat(values, outs))
            case T.Break(values) | T.Continue(values):
                end = rebuilt(region.end, values=self.flat(values, loop))
            case T.Return(values):
                end = rebuilt(region.end, values=self.flat(values, results))
            case T.Raise(_, values):
                end = rebuilt(region.end, values=self.flat(values))
            case T.Unreachable():
                end = region.end
        return rebuilt(region, stmts=tuple(stmts), end=end)

    def stmt(
        self, stmt: T.Stmt, stmts: list[T.Stmt], loop: Sequence[Type], results: Sequence[Type]
    ) -> None:
        outs = [v.type for v in stmt.outs]
        match stmt:
            case T.Let():
                self.let(stmt, stmts)
            case T.If(_, cond, then, orelse, _):
                cond = self.atom(cond)
                then = self.region(then, outs, loop, results)
                orelse = self.region(orelse, outs, loop, results)
                outer = self.define(stmt.outs)
                stmts.append(rebuilt(stmt, outs=outer, cond=cond, then=then, orelse=orelse))
            case T.Match(_, subject, arms, _):
                arms = tuple(
                    rebuilt(
                        a,
                        binds=self.define(a.binds),
                        region=self.region(a.region, outs, loop, results),
                    )
                    for a in arms
                )
                outer, subject = self.define(stmt.outs), self.one(subject)
                stmts.append(rebuilt(stmt, outs=outer, subject=subject, arms=arms))
            case T.For() | T.While():
                types = [v.type for v in stmt.carried]
                inits = self.flat(stmt.inits, types)
                carried = self.define(stmt.carried)
                body = self.region(stmt.body, types, types, results)
                stmt = rebuilt(stmt, carried=carried, inits=inits, body=body)
                if isinstance(stmt, T.For):
                    start, stop, step = map(self.atom, (stmt.start, stmt.stop, stmt.step))
                    stmt = rebuilt(stmt, start=start, stop=stop, step=step)
                else:
                    stmt = rebuilt(stmt, cond=self.region(stmt.cond, [BOOL], (), ()))
                stmts.append(rebuilt(stmt, outs=self.define(stmt.outs)))
            case T.Map():
                items = [t.item if isinstance(t, ListType) else t for t in outs]
                wanted: list[Type] = [*([BOOL] if stmt.filtered else []), *items]
                body = self.region(stmt.body, wanted, (), ())
                stop = self.atom(stmt.stop)
                stmts.append(rebuilt(stmt, stop=stop, body=body, outs=self.define(stmt.outs)))

    def let(self, stmt: T.Let, stmts: list[T.Stmt]) -> None:
        outs, rhs = stmt.outs, stmt.rhs

        def keep(new: T.Rhs) -> None:
            stmts.append(rebuilt(stmt, outs=self.define(outs), rhs=new))

        match rhs:
            case T.MakeTuple(items):
                t = outs[0].type
                assert isinstance(t, TupleType)
                self.env[outs[0]] = self.flat(items, t.items)
            case T.GetItem(obj, index):
                self.env[outs[0]] = self._item(obj, index)
            case T.Narrow(obj):
                keep(rebuilt(rhs, obj=self.one(obj)))
            case T.ListOp():
                self.list_op(stmt, rhs, stmts)
            case T.Call():
                keep(self._call(rhs))
            case T.Parallel(calls):
                keep(rebuilt(rhs, calls=tuple(map(self._call, calls))))
            case T.Construct(data, args):
                types = [t for _, t in self.module.datas[data].fields]
                keep(rebuilt(rhs, args=self.flat(args, types)))
            case T.Op() | T.Scalar():
                keep(rebuilt(rhs, args=self.flat(rhs.args)))
            case T.ParamRead(params, _):
                keep(rebuilt(rhs, params=self.one(params)))
            case T.GetField(obj, name):
                obj = self.one(obj)
                fields = _leaf_fields(name, outs[0].type)
                for out, (leaf, _) in zip(self.define(outs), fields, strict=True):
                    stmts.append(rebuilt(stmt, outs=(out,), rhs=rebuilt(rhs, obj=obj, field=leaf)))
            case T.Read(tensor):
                keep(rebuilt(rhs, tensor=self.one(tensor)))
            case _:
                stmts.append(stmt)

    def list_op(self, stmt: T.Let, operation: T.ListOp, stmts: list[T.Stmt]) -> None:
        """Apply the operation to each of the lists that stand for a list of tuples."""
        op, args = operation.op, operation.args
        if op == "len":
            (leaf, *_) = self.leaves(args[0])
            stmts.append(rebuilt(stmt, rhs=rebuilt(operation, args=(leaf,))))
            return
        if op == "find":
            kind = args[0].type
            assert isinstance(kind, ListType)
            found = self.flat(args, [kind, kind.item])
            stmts.append(rebuilt(stmt, rhs=rebuilt(operation, args=found)))
            return
        outs = self.define(stmt.outs)
        columns: list[list[T.Atom]] = [[] for _ in outs]
        for arg, wanted in zip(args, _operands(operation, stmt.outs[0].type), strict=True):
            # Lists and items have as many leaves as the result; plain arguments (indices) have one.
            leaves = (self.atom(arg),) * len(outs) if wanted is None else self.flat([arg], [wanted])
            for column, leaf in zip(columns, leaves, strict=True):
                column.append(leaf)
        for var, column in zip(outs, columns, strict=True):
            new = rebuilt(operation, args=tuple(column))
            stmts.append(rebuilt(stmt, outs=(var,), rhs=new))

    def _call(self, call: T.Call) -> T.Call:
        types = [v.type for v in self.module.functions[call.function].params]
        return rebuilt(call, args=self.flat(call.args, types))

    def _item(self, obj: T.Var, index: int) -> tuple[T.Atom, ...]:
        assert isinstance(obj.type, TupleType)
        start = sum(len(leaf_types(t)) for t in obj.type.items[:index])
        return self.env[obj][start : start + len(leaf_types(obj.type.items[index]))]


def _operands(operation: T.ListOp, out: Type) -> list[Type | None]:
    """The types that the operands of an operation need if it makes a value of type `out`; None for
    plain arguments, such as indices."""
    op, count = operation.op, len(operation.args)
    if op in ("get", "flatten"):
        return [ListType(out), *[None] * (count - 1)]
    if op == "get_or":
        return [ListType(out), None, out]
    if op == "order":
        return [a.type for a in operation.args]
    assert isinstance(out, ListType)
    if op == "make":
        return [out.item] * count
    of_op: dict[str, list[Type | None]] = {
        "append": [out, out.item],
        "concat": [out, out],
        "set": [out, None, out.item],
    }
    return of_op.get(op, [out, *[None] * (count - 1)])


def _fitting(leaves: Sequence[T.Atom], t: Type, wanted: Type) -> Sequence[T.Atom]:
    """The leaves of a value of type `t` where a `wanted` is expected: an empty list becomes as many
    empty lists as are needed."""
    if isinstance(t, NothingType):
        return [*leaves] * len(leaf_types(wanted))
    if isinstance(t, ListType) and isinstance(wanted, ListType):
        return _fitting(leaves, t.item, wanted.item)
    if not isinstance(t, TupleType) or not isinstance(wanted, TupleType):
        return leaves
    found: list[T.Atom] = []
    for part, of_wanted in zip(t.items, wanted.items, strict=True):
        size = len(leaf_types(part))
        found += _fitting(leaves[:size], part, of_wanted)
        leaves = leaves[size:]
    return found
