"""Which values are the same for the whole mini-batch (paper section on parameter reuse).

An abstract interpretation of the typed IR, over the values of `reuse_values.py`.

Functions are analysed per *context*. Context-sensitive: a context is a function with the abstract
values of its arguments, so a function called with two sets of weights is analysed (and later
duplicated) once per set, and likewise for constants (`passed`). The lattice of arguments is finite,
so the fixed point exists. Context-insensitive: tensors are joined over all calls; only params
objects, which do not exist at run time, still distinguish contexts. A recursion that permutes
weights has as many contexts as there are permutations: a function that would have more than
`MAX_CONTEXTS` is analysed context-insensitively.

Values survive tuples and data types: a field of a data type that the model constructs is known if
every construction stores the same weight in it, and no instance can contain that data type.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from ..ir import typed as T
from ..ir.types import DataRef, ListType, ParamsRef, TensorType, Type, UnionType
from ..limits import MAX_CONTEXTS, MAX_GROUP_CONTEXTS
from .reuse_contexts import Context, Reuse
from .reuse_values import VARYING, Value, Varying, join, passed


def analyse_reuse(module: T.Module, mode: str) -> Reuse:
    """Run the analysis to its fixed point. `mode` is `Options.parameter_reuse`. Raises
    TooManyGroupsError if there are too many sets of params objects, each of which must be known."""
    joined: frozenset[str] = frozenset()
    while True:
        try:
            return _Analysis(module, mode, joined).run()
        except _TooMany as too_many:
            # Start over: the result must not depend on when the limit was exceeded.
            joined |= {too_many.function}


class TooManyGroupsError(Exception):
    """More than `MAX_GROUP_CONTEXTS` sets of params objects are passed to a function."""

    def __init__(self, function: str) -> None:
        super().__init__(function)
        self.function = function


class _TooMany(Exception):
    """More than `MAX_CONTEXTS` contexts of a function."""

    def __init__(self, function: str) -> None:
        super().__init__(function)
        self.function = function


class _Analysis:
    """`stale` are the contexts to visit again because something that they read has changed: their
    arguments, their own values, results of their callees (`callers`) or fields (`readers`)."""

    def __init__(self, module: T.Module, mode: str, joined: frozenset[str]) -> None:
        self.module = module
        self.reuse = Reuse(mode, joined=joined)
        self.stale: set[Context] = set()
        self.count: Counter[str] = Counter()
        self.callers: defaultdict[Context, set[Context]] = defaultdict(set)
        self.readers: defaultdict[tuple[str, str], set[Context]] = defaultdict(set)
        self.reuse.groups = {
            name: tuple(isinstance(v.type, ParamsRef) for v in f.params)
            for name, f in module.functions.items()
        }

    def run(self) -> Reuse:
        entry = self.module.functions[self.module.entry]
        first: tuple[Value, ...] = (T.Weight(""), *(VARYING for _ in entry.params[1:]))
        self._from_instances(v.type for v in entry.params[1:])
        self.reuse.entry = self._enter(self.module.entry, first)
        while self.stale:
            for context in list(self.reuse.values):
                if context in self.stale:
                    self.stale.remove(context)
                    self._function(context)
        return self.reuse

    def _from_instances(self, types: Iterable[Type]) -> None:
        """Mark the fields of data types that an instance may hold as varying: users fill them."""
        seen: set[str] = set()
        work = list(types)
        while work:
            t = work.pop()
            while isinstance(t, ListType):
                t = t.item
            names: set[str] = {t.name} if isinstance(t, DataRef) else set()
            names |= set(t.members) if isinstance(t, UnionType) else set()
            for name in names - seen:
                seen.add(name)
                for field_name, field_type in self.module.datas[name].fields:
                    self.reuse.fields[name, field_name] = VARYING
                    work.append(field_type)

    def _enter(self, function: str, args: tuple[Value, ...]) -> Context:
        """Record a call: join `args` into the arguments of its context, which is returned."""
        args = tuple(map(passed, args))
        context = self.reuse.context_of(function, args)
        params = self.module.functions[function].params
        if context not in self.reuse.values:
            self._count(function)
            self.reuse.values[context] = {}
            self.reuse.args[context] = tuple(None for _ in params)
            self.reuse.results[context] = tuple(
                None for _ in self.module.functions[function].results
            )
            self.stale.add(context)
        joined = tuple(map(join, self.reuse.args[context], args))
        if joined != self.reuse.args[context]:
            self.reuse.args[context] = joined
            self.stale.add(context)
        return context

    def _count(self, function: str) -> None:
        """Count one more context. Raises _TooMany or TooManyGroupsError if it is one too many."""
        self.count[function] += 1
        if function in self.reuse.joined or self.reuse.mode != "context-sensitive":
            if self.count[function] > MAX_GROUP_CONTEXTS:
                raise TooManyGroupsError(function)
        elif self.count[function] > MAX_CONTEXTS:
            raise _TooMany(function)

    def _function(self, context: Context) -> None:
        function = self.module.functions[context.function]
        for var, value in zip(function.params, self.reuse.args[context], strict=True):
            self._set(context, var, value)
        self._region(context, function.body, ())

    def _set(self, context: Context, var: T.Var, value: Value) -> None:
        # Numbers, booleans and data objects never count as shared.
        if not isinstance(var.type, (TensorType, ParamsRef)):
            value = VARYING
        known = self.reuse.values[context]
        joined = join(known.get(var.number), value)
        if joined != known.get(var.number):
            known[var.number] = joined
            self.stale.add(context)

    def _region(
        self,
        context: Context,
        region: T.Region,
        outs: Sequence[T.Var],
        loop: tuple[Sequence[T.Var], Sequence[T.Var]] = ((), ()),
    ) -> None:
        """`outs` receive what the region yields; `loop` holds the carried variables and the outs
        of the innermost enclosing loop."""
        for stmt in region.stmts:
            match stmt:
                case T.Let(targets, rhs, _):
                    self._each(context, targets, self._rhs(context, rhs))
                case T.If(targets, _, then, orelse, _):
                    self._region(context, then, targets, loop)
                    self._region(context, orelse, targets, loop)
                case T.Match(targets, _, arms, _):
                    for arm in arms:
                        names = [name for name, _ in self.module.datas[arm.data].fields]
                        for var, name in zip(arm.binds, names, strict=True):
                            self._set(context, var, self._field(context, arm.data, name))
                        self._region(context, arm.region, targets, loop)
                case T.For() | T.While():
                    if isinstance(stmt, T.For):
                        self._set(context, stmt.index, VARYING)
                    self._each(context, stmt.carried, self._values(context, stmt.inits))
                    self._each(context, stmt.outs, self._values(context, stmt.carried))
                    inside = (stmt.carried, stmt.outs)
                    if isinstance(stmt, T.While):
                        self._region(context, T.Region(stmt.cond.stmts, T.Unreachable()), ())
                    self._region(context, stmt.body, stmt.carried, inside)
                case T.Map():
                    for var in (stmt.index, *stmt.outs):
                        self._set(context, var, VARYING)
                    self._region(context, T.Region(stmt.body.stmts, T.Unreachable()), ())
        match region.end:
            case T.Yield(atoms):
                self._each(context, outs, self._values(context, atoms))
            case T.Continue(atoms):
                self._each(context, loop[0], self._values(context, atoms))
            case T.Break(atoms):
                self._each(context, loop[1], self._values(context, atoms))
            case T.Return(atoms):
                values = tuple(
                    VARYING if isinstance(v, T.FoldedWeight) else v
                    for v in self._values(context, atoms)
                )
                joined = tuple(map(join, self.reuse.results[context], values))
                if joined != self.reuse.results[context]:
                    self.reuse.results[context] = joined
                    self.stale |= self.callers[context]

    def _values(self, context: Context, atoms: Sequence[T.Atom]) -> tuple[Value, ...]:
        return tuple(self.reuse.value(context, a) for a in atoms)

    def _each(self, context: Context, targets: Sequence[T.Var], values: Sequence[Value]) -> None:
        for var, value in zip(targets, values, strict=True):
            self._set(context, var, value)

    def _field(self, context: Context, data: str, name: str) -> Value:
        self.readers[data, name].add(context)
        return self.reuse.fields.get((data, name))

    def _rhs(self, context: Context, rhs: T.Rhs) -> tuple[Value, ...]:
        def value(atom: T.Atom) -> Value:
            return self.reuse.value(context, atom)

        match rhs:
            case T.ParamRead(params, name):
                group = value(params)
                if not isinstance(group, T.Weight):
                    return (group,)
                path = f"{group.path}.{name}" if group.path else name
                return (T.Weight(path),)
            case T.Op(name, args, attrs):
                return (self._op(name, args, attrs, tuple(map(value, args))),)
            case T.Call(function, args):
                return self._call(context, function, tuple(map(value, args)))
            case T.Parallel(calls):
                return tuple(
                    r
                    for c in calls
                    for r in self._call(context, c.function, tuple(map(value, c.args)))
                )
            case T.Construct(data, args):
                for (name, _), arg in zip(self.module.datas[data].fields, args, strict=True):
                    stored = value(arg)
                    stored = VARYING if isinstance(stored, T.FoldedWeight) else stored
                    known = self.reuse.fields.get((data, name))
                    joined = join(known, stored)
                    if joined != known:
                        self.reuse.fields[data, name] = joined
                        self.stale |= self.readers[data, name]
                return (VARYING,)
            case T.GetField(obj, name):
                members = obj.type.members if isinstance(obj.type, UnionType) else (str(obj.type),)
                result: Value = None
                for member in members:
                    result = join(result, self._field(context, member, name))
                return (result,)
            case T.Scalar() | T.ListOp() | T.Read():
                return (VARYING,)
            case T.Narrow(obj):
                return (value(obj),)
            case T.NextPhase():
                return ()
            case T.Weight() | T.MakeTuple() | T.GetItem():
                raise AssertionError(f"{type(rhs).__name__} does not occur before this analysis")

    def _op(
        self,
        name: str,
        args: tuple[T.Atom, ...],
        attrs: tuple[tuple[str, T.AttrValue], ...],
        values: tuple[Value, ...],
    ) -> Value:
        operands: list[T.Weight | T.FoldedWeight | T.Const] = []
        for arg, value in zip(args, values, strict=True):
            if isinstance(arg, T.Const):
                operands.append(arg)
            elif value is None:
                return None
            elif isinstance(value, Varying):
                return VARYING
            else:
                operands.append(value)
        return T.FoldedWeight(name, tuple(operands), attrs)

    def _call(self, caller: Context, function: str, args: tuple[Value, ...]) -> tuple[Value, ...]:
        callee = self._enter(function, args)
        self.callers[callee].add(caller)
        return self.reuse.results[callee]
