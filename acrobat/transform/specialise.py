"""Make the findings of parameter reuse explicit: one function per context, weights by name.

Afterwards no variable has a params type. An operand that is the same for the whole mini-batch is
read by `weight "path"` right before it is used; parameters that are known disappear from the
signatures. A function reached in several contexts is duplicated, so that each copy keeps its own
weights shared (the two directions of a BiRNN). Operations on weights alone are folded: their
results become new weights, computed once by the operation's numpy implementation.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from ..analysis.parameter_reuse import TooManyGroupsError, analyse_reuse
from ..analysis.reuse_contexts import Context, Reuse
from ..analysis.reuse_values import Value, passed
from ..frontend.diagnostics import Reporter
from ..ir import typed as T
from ..ir.names import Names, authors
from ..ir.rewrite import fresh_copy, regions, with_regions
from ..ir.span import Span
from ..ir.types import TensorType
from ..limits import MAX_GROUP_CONTEXTS


def specialise(module: T.Module, parameter_reuse: str) -> T.Module:
    """`module` with one function per context that the analysis finds; `parameter_reuse` is the
    option of that name. Raises ModelError (AC008) if weights are chosen at run time."""
    reporter = Reporter()
    try:
        reuse = analyse_reuse(module, parameter_reuse)
    except TooManyGroupsError as error:
        reporter.error(
            "AC008",
            module.functions[error.function].span,
            f"{authors(error.function)} is called with more than {MAX_GROUP_CONTEXTS} sets of "
            f"weights, and would be copied for each of them",
            "a recursion that passes its groups of weights on as they are; or pass the weights "
            "themselves, tensors, which one copy can choose from",
        )
        reporter.finish()
        raise
    names: dict[Context, str] = {}
    free = Names()
    for context in reuse.values:
        names[context] = free.free(context.function)
    folded: dict[str, T.FoldedWeight] = {}
    functions: dict[str, T.Function] = {}
    for context, name in names.items():
        with suppress(_Refused):
            specialiser = _Specialiser(module, reuse, context, names, folded, reporter)
            functions[name] = specialiser.function()
    reporter.finish()
    return replace(module, functions=functions, entry=names[reuse.entry], folded=folded)


class _Refused(Exception):
    """An error in the function has been reported."""


class _Specialiser:
    def __init__(
        self,
        module: T.Module,
        reuse: Reuse,
        context: Context,
        names: Mapping[Context, str],
        folded: dict[str, T.FoldedWeight],
        reporter: Reporter,
    ) -> None:
        self.module, self.reuse, self.context = module, reuse, context
        self.names, self.folded, self.reporter = names, folded, reporter

    def function(self) -> T.Function:
        source = self.module.functions[self.context.function]
        params = tuple(v for v in source.params if not self._dropped(self._value(v)))
        body = self._region(source.body)
        copies: dict[T.Var, T.Atom] = {v: T.Var(v.name, v.type) for v in params}
        body = fresh_copy(body, copies)
        new_params = tuple(v for v in copies.values() if isinstance(v, T.Var))
        return replace(source, name=self.names[self.context], params=new_params, body=body)

    def _value(self, atom: T.Atom) -> Value:
        return self.reuse.value(self.context, atom)

    @staticmethod
    def _dropped(value: Value) -> bool:
        return isinstance(value, T.Weight | T.FoldedWeight)

    def _weight(self, var: T.Var, stmts: list[T.Stmt]) -> T.Var:
        """Append a read of the weight known for `var`; return the variable that holds it."""
        value = self._value(var)
        assert isinstance(value, T.Weight | T.FoldedWeight) and isinstance(var.type, TensorType)
        if isinstance(value, T.FoldedWeight):
            self.folded[value.path] = value
        read = T.Var(var.name, var.type)
        stmts.append(T.Let((read,), T.Weight(value.path)))
        return read

    def _use(self, atoms: tuple[T.Atom, ...], stmts: list[T.Stmt]) -> tuple[T.Atom, ...]:
        """`atoms` with the known ones replaced by reads of their weights."""
        return tuple(
            self._weight(a, stmts)
            if isinstance(a, T.Var)
            and isinstance(a.type, TensorType)
            and self._dropped(self._value(a))
            else a
            for a in atoms
        )

    def _region(self, region: T.Region) -> T.Region:
        stmts: list[T.Stmt] = []
        for stmt in region.stmts:
            if isinstance(stmt, T.Let):
                self._let(stmt.outs, stmt.rhs, stmt.span, stmts)
                continue
            if isinstance(stmt, (T.For, T.While)):
                stmt = replace(stmt, inits=self._use(stmt.inits, stmts))
            stmts.append(with_regions(stmt, [self._region(r) for r in regions(stmt)]))
        end = region.end
        if not isinstance(end, T.Unreachable):
            end = replace(end, values=self._use(end.values, stmts))
        return T.Region(tuple(stmts), end)

    def _let(self, outs: tuple[T.Var, ...], rhs: T.Rhs, span: Span, stmts: list[T.Stmt]) -> None:
        match rhs:
            case T.ParamRead() if self._dropped(self._value(outs[0])):
                return
            case T.ParamRead(group, name):
                self.reporter.error(
                    "AC008",
                    span,
                    f"{name}: of which {group.type} it is read is decided at run time",
                    "`if` around the calls, each with its own weights",
                )
                raise _Refused
            case T.Op() if self._dropped(self._value(outs[0])):
                return
            case T.Op(name, args, attrs):
                rhs = T.Op(name, self._use(args, stmts), attrs)
            case T.Call():
                rhs = self._call(rhs, stmts)
            case T.Parallel(calls):
                rhs = T.Parallel(tuple(self._call(c, stmts) for c in calls))
            case T.Construct(data, args):
                rhs = T.Construct(data, self._use(args, stmts))
            case T.ListOp(op, args):
                rhs = T.ListOp(op, self._use(args, stmts))
            case T.Read(tensor):
                (atom,) = self._use((tensor,), stmts)
                assert isinstance(atom, T.Var)
                rhs = T.Read(atom)
            case T.Narrow() if self._dropped(self._value(outs[0])):
                return
            case _:
                pass
        stmts.append(T.Let(outs, rhs, span))

    def _call(self, call: T.Call, stmts: list[T.Stmt]) -> T.Call:
        values = tuple(passed(self._value(a)) for a in call.args)
        callee = self.reuse.context_of(call.function, values)
        kept = tuple(
            a
            for a, v in zip(call.args, self.reuse.args[callee], strict=True)
            if not self._dropped(v)
        )
        return T.Call(self.names[callee], self._use(kept, stmts))
