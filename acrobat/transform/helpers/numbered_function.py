"""One function whose dropouts and calls are numbered: see `number_dropouts`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ...ir import typed as T
from ...ir.ops.random_numbers import BITS
from ...ir.rebuild import rebuilt
from ...ir.rewrite import regions, with_regions
from ...ir.span import NOWHERE, Span
from ...ir.types import FLOAT, INT, TensorType, TupleType, Type
from ...lang.draws import MODULUS, PLUS, TIMES, scale
from .dropout_counts import Counts, leaves_early
from .numbered_regions import constants, tested_inside, yielding

ZERO, ONE = T.Const(0, INT), T.Const(1, INT)


@dataclass(slots=True)
class NumberedFunction:
    """`key` is the key of this call of the function; `stmts` is the region being built. `carries`:
    for every enclosing loop, innermost last, whether it carries the number."""

    counts: Counts
    function: T.Function
    key: T.Atom = ZERO
    stmts: list[T.Stmt] = field(default_factory=list)
    carries: list[bool] = field(default_factory=list)
    span: Span = NOWHERE

    def made(self) -> T.Function:
        """The function with a parameter for its key and, if it is a helper, one for the number at
        the call."""
        f, counts = self.function, self.counts
        params, results = f.params, f.results
        key, first = T.Var("key", INT), T.Var("number", INT)
        number: T.Atom = ZERO
        if counts.takes_number(f.name):
            self.key, number, params = key, first, (*params, key, first)
        elif f.name in counts.drawing:
            self.key, params = key, (*params, key)
        body, _ = self.region(f.body, number)
        if counts.gives(f.name):
            results = (TupleType((*results, INT)),)
        return rebuilt(f, params=params, results=results, body=body)

    # -- regions ------------------------------------------------------------------------------

    def region(
        self, region: T.Region, number: T.Atom | Callable[[], T.Atom]
    ) -> tuple[T.Region, T.Atom]:
        """The region, and the number at its end. At its start, the number is `number`, or the
        result of calling `number`, which adds statements to the region."""
        outer, self.stmts = self.stmts, []
        n = number if isinstance(number, (T.Var, T.Const)) else number()
        for stmt in region.stmts:
            self.span = stmt.span
            n = self._statement(stmt, n)
        end = region.end
        match end:
            case T.Return(values) if self.counts.gives(self.function.name):
                both = TupleType((*self.function.results, INT))
                end = rebuilt(end, values=(self._let(T.MakeTuple((*values, n)), both, "counted"),))
            case T.Break(values) | T.Continue(values) if self.carries[-1]:
                end = rebuilt(end, values=(*values, n))
        made, self.stmts = rebuilt(region, stmts=tuple(self.stmts), end=end), outer
        return made, n

    def _statement(self, stmt: T.Stmt, n: T.Atom) -> T.Atom:
        """Append the numbered form of a statement, and return the number after it."""
        match stmt:
            case T.Let((out,), T.Op("dropout", (x, p))):
                self._dropout(out, x, p, n)
                return self._plus(n, ONE)
            case T.Let((out,), T.Call() as call):
                return self._call(out, call, n)
            case T.Let(outs, T.Parallel(several)):
                return self._parallel(stmt, outs, several, n)
            case T.Let():
                self.stmts.append(stmt)
                return n
            case T.If() | T.Match():
                return self._branches(stmt, n)
            case T.For():
                return self._for(stmt, n)
            case T.While():
                return self._while(stmt, n)
            case T.Map():
                return self._map(stmt, n)

    def _branches(self, stmt: T.If | T.Match, n: T.Atom) -> T.Atom:
        branches = [self.region(r, n) for r in regions(stmt)]
        ends = [end for r, end in branches if isinstance(r.end, T.Yield)]
        if not ends or (all(e == ends[0] for e in ends) and ends[0] in (n, *constants(ends))):
            self.stmts.append(with_regions(stmt, [r for r, _ in branches]))
            return ends[0] if ends else n
        out = T.Var("number", INT)
        inner = [yielding(r, end) for r, end in branches]
        self.stmts.append(with_regions(rebuilt(stmt, outs=(*stmt.outs, out)), inner))
        return out

    # -- loops --------------------------------------------------------------------------------

    def _for(self, stmt: T.For, n: T.Atom) -> T.Atom:
        if not self.counts.counts_anything(stmt.body):
            return self._unnumbered(stmt, n)
        each = self.counts.of(stmt.body)
        if each is None or leaves_early(stmt.body):
            return self._carrying(stmt, n)
        start, stop, step, step_of = stmt.start, stmt.stop, stmt.step, T.Const(each, INT)

        def begin() -> T.Atom:
            i: T.Atom = stmt.index
            if (start, step) != (ZERO, ONE):
                i = self._int("//", self._int("-", i, start), step)
            return self._plus(n, self._times(i, step_of))

        self.carries.append(False)
        body, _ = self.region(stmt.body, begin)
        self.carries.pop()
        self.stmts.append(rebuilt(stmt, body=body))
        many = self._int("range_length", start, stop, step)
        return self._plus(n, self._times(many, step_of))

    def _while(self, stmt: T.While, n: T.Atom) -> T.Atom:
        if self.counts.counts_anything(stmt.cond):
            stmt = tested_inside(stmt)
        elif not self.counts.counts_anything(stmt.body):
            return self._unnumbered(stmt, n)
        return self._carrying(stmt, n)

    def _unnumbered(self, stmt: T.For | T.While, n: T.Atom) -> T.Atom:
        """A loop in which nothing counts, but which may return."""
        self.carries.append(False)
        body, _ = self.region(stmt.body, n)
        self.carries.pop()
        self.stmts.append(rebuilt(stmt, body=body))
        return n

    def _carrying(self, stmt: T.For | T.While, n: T.Atom) -> T.Atom:
        """A loop that carries the number from one iteration to the next."""
        carried, out = T.Var("number", INT), T.Var("number", INT)
        self.carries.append(True)
        body = yielding(*self.region(stmt.body, carried))
        self.carries.pop()
        self.stmts.append(
            rebuilt(
                stmt,
                outs=(*stmt.outs, out),
                carried=(*stmt.carried, carried),
                inits=(*stmt.inits, n),
                body=body,
            )
        )
        return out

    def _map(self, stmt: T.Map, n: T.Atom) -> T.Atom:
        each = self.counts.of(stmt.body)
        if each is None:
            return self._map_as_loop(stmt, n)
        size = T.Const(each, INT)
        body, _ = self.region(stmt.body, lambda: self._plus(n, self._times(stmt.index, size)))
        self.stmts.append(rebuilt(stmt, body=body))
        if each == 0:
            return n
        many = self._int("range_length", ZERO, stmt.stop, ONE)
        return self._plus(n, self._times(many, size))

    def _map_as_loop(self, stmt: T.Map, n: T.Atom) -> T.Atom:
        """A comprehension as a loop that appends to its lists and carries the number."""
        lists = tuple(T.Var("items", o.type) for o in stmt.outs)
        empty = tuple(self._let(T.ListOp("make", ()), o.type, "items") for o in stmt.outs)
        carried, out = T.Var("number", INT), T.Var("number", INT)
        body, end = self.region(stmt.body, carried)
        assert isinstance(body.end, T.Yield)
        values = body.end.values[1:] if stmt.filtered else body.end.values
        appended = tuple(
            T.Let((T.Var("items", xs.type),), T.ListOp("append", (xs, x)), stmt.span)
            for xs, x in zip(lists, values, strict=True)
        )
        longer: tuple[T.Var, ...] = tuple(s.outs[0] for s in appended)
        more: tuple[T.Stmt, ...] = appended
        if stmt.filtered:
            kept = tuple(T.Var("items", o.type) for o in stmt.outs)
            branches = T.Region(appended, T.Yield(longer)), T.Region((), T.Yield(lists))
            more, longer = (T.If(kept, body.end.values[0], *branches, stmt.span),), kept
        self.stmts.append(
            T.For(
                (*stmt.outs, out),
                stmt.index,
                ZERO,
                stmt.stop,
                ONE,
                (*lists, carried),
                (*empty, n),
                T.Region((*body.stmts, *more), T.Yield((*longer, end))),
                stmt.span,
            )
        )
        return out

    # -- calls --------------------------------------------------------------------------------

    def _call(self, out: T.Var, call: T.Call, n: T.Atom) -> T.Atom:
        numbered = self._numbered(call, n)
        if not self.counts.gives(call.function):
            self.stmts.append(T.Let((out,), numbered, self.span))
            return self._plus(n, T.Const(self.counts.call(call) or 0, INT))
        both = self._let(numbered, TupleType((out.type, INT)), "counted")
        self.stmts.append(T.Let((out,), T.GetItem(both, 0), self.span))
        return self._let(T.GetItem(both, 1), INT, "number")

    def _parallel(
        self, stmt: T.Let, outs: Sequence[T.Var], several: Sequence[T.Call], n: T.Atom
    ) -> T.Atom:
        if any(self.counts.gives(c.function) for c in several):
            # The number at a call is known only when the call before it has returned.
            for out, call in zip(outs, several, strict=True):
                n = self._call(out, call, n)
            return n
        numbered: list[T.Call] = []
        for call in several:
            numbered.append(self._numbered(call, n))
            n = self._plus(n, T.Const(self.counts.call(call) or 0, INT))
        self.stmts.append(replace(stmt, rhs=T.Parallel(tuple(numbered))))
        return n

    def _numbered(self, call: T.Call, n: T.Atom) -> T.Call:
        """The call with the key, and the number, if the called function takes them."""
        if self.counts.takes_number(call.function):
            return replace(call, args=(*call.args, self.key, n))
        if call.function in self.counts.drawing:
            return replace(call, args=(*call.args, self._next_key(n)))
        return call

    # -- what is computed -----------------------------------------------------------------------

    def _dropout(self, out: T.Var, x: T.Atom, p: T.Atom, n: T.Atom) -> None:
        """x times a mask, which is computed like `lang.draws.mask`."""
        assert isinstance(x.type, TensorType) and isinstance(p, T.Const)
        key, t = self._next_key(n), TensorType(x.type.dims)
        low = self._int("&", key, T.Const(2**BITS - 1, INT))
        high = self._int(">>", key, T.Const(BITS, INT))
        words = [self._let(T.Scalar("float", (word,)), FLOAT, "key") for word in (low, high)]
        shape = (("shape", t.dims),)
        positions = self._let(T.Op("positions" if t.dims else "zeros", (), shape), t, "positions")
        drawn = self._let(T.Op("uniform", (positions, *words)), t, "drawn")
        below = self._let(T.Op("less", (drawn, p)), t, "dropped")
        kept = T.Const(scale(float(p.value)), FLOAT)
        mask = self._let(T.Op("where", (below, T.Const(0.0, FLOAT), kept)), t, "mask")
        self.stmts.append(T.Let((out,), T.Op("mul", (x, mask)), self.span))

    def _next_key(self, n: T.Atom) -> T.Var:
        """`lang.draws.next_key` for the function's key."""
        times = self._int("*", self.key, T.Const(TIMES, INT))
        plus: T.Atom = T.Const(PLUS, INT)
        if isinstance(n, T.Const):
            plus = T.Const((int(n.value) + 1) * PLUS, INT)
        else:
            plus = self._int("+", self._int("*", n, plus), plus)
        key = self._int("%", self._int("+", times, plus), T.Const(MODULUS, INT))
        assert isinstance(key, T.Var)
        return key

    def _plus(self, a: T.Atom, b: T.Atom) -> T.Atom:
        if isinstance(a, T.Const) and isinstance(b, T.Const):
            return T.Const(int(a.value) + int(b.value), INT)
        return b if a == ZERO else a if b == ZERO else self._int("+", a, b)

    def _times(self, a: T.Atom, b: T.Const) -> T.Atom:
        return ZERO if b == ZERO else a if b == ONE else self._int("*", a, b)

    def _int(self, op: str, *args: T.Atom) -> T.Atom:
        return self._let(T.Scalar(op, args), INT, "key" if op == "%" else "number")

    def _let(self, rhs: T.Rhs, t: Type, name: str) -> T.Var:
        out = T.Var(name, t)
        self.stmts.append(T.Let((out,), rhs, self.span))
        return out
