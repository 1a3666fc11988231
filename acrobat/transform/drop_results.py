"""Redirect calls with unused results to a copy of the function that does not compute them.

The root of a tree may need less than the nodes below it: of MV-RNN's vector and matrix, only the
vector. A copy is made where that saves a contraction. It calls the same functions as the original:
if its own calls were redirected as well, the nodes along one side of a tree would belong to a
different block from the rest, and every depth would take two batches instead of one.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir import typed as T
from ..ir.names import Names
from ..ir.ops import OPS
from ..ir.rebuild import rebuilt
from ..ir.rewrite import regions, statements, uses, with_regions
from .prune_dead import prune_dead

Used = tuple[bool, ...]


def drop_results(module: T.Module) -> T.Module:
    """`module` with such copies, and the calls redirected to them."""
    return _Copies(module).run()


class _Copies:
    def __init__(self, module: T.Module) -> None:
        self.module = module
        # The copy for every set of used results; None where a copy saves nothing.
        self.names: dict[tuple[str, Used], str | None] = {}
        self.functions: dict[str, T.Function] = {}
        self.free = Names(module.functions)

    def run(self) -> T.Module:
        for name, f in self.module.functions.items():
            self.functions[name] = rebuilt(f, body=self._calls(f.body, set(uses(f.body))))
        module = rebuilt(self.module, functions=self.functions)
        return module if module is self.module else prune_dead(module)

    def _copy(self, name: str, used: Used) -> str | None:
        """The name of the copy that returns only the results `used`, made on first use; None if it
        saves nothing."""
        key = name, used
        if key not in self.names:
            source = self.module.functions[name]
            results = tuple(t for t, u in zip(source.results, used, strict=True) if u)
            copy = replace(source, results=results, body=_returning(source.body, used))
            copy = self._pruned(copy)
            self.names[key] = None
            if _contractions(copy) < _contractions(source):
                numbers = "_".join(str(i) for i, u in enumerate(used) if u)
                copy = replace(copy, name=self.free.free(f"{name}#result_{numbers or 'none'}"))
                self.names[key] = copy.name
                self.functions[copy.name] = copy
        return self.names[key]

    def _pruned(self, function: T.Function) -> T.Function:
        alone = replace(self.module, functions={function.name: function}, entry=function.name)
        return prune_dead(alone).functions[function.name]

    def _calls(self, region: T.Region, live: set[T.Var]) -> T.Region:
        stmts: list[T.Stmt] = []
        for stmt in region.stmts:
            if isinstance(stmt, T.Let) and isinstance(stmt.rhs, T.Call):
                call, outs = self._call(stmt.rhs, stmt.outs, live)
                stmt = rebuilt(stmt, outs=outs, rhs=call)
            elif isinstance(stmt, T.Let) and isinstance(stmt.rhs, T.Parallel):
                stmt = self._parallel(stmt, stmt.rhs, live)
            else:
                stmt = with_regions(stmt, [self._calls(r, live) for r in regions(stmt)])
            stmts.append(stmt)
        return rebuilt(region, stmts=tuple(stmts))

    def _parallel(self, stmt: T.Let, parallel: T.Parallel, live: set[T.Var]) -> T.Let:
        calls: list[T.Call] = []
        outs: tuple[T.Var, ...] = ()
        at = 0
        for call in parallel.calls:
            n = len(self.module.functions[call.function].results)
            new, kept = self._call(call, stmt.outs[at : at + n], live)
            calls.append(new)
            outs += kept
            at += n
        return rebuilt(stmt, outs=outs, rhs=rebuilt(parallel, calls=tuple(calls)))

    def _call(
        self, call: T.Call, outs: tuple[T.Var, ...], live: set[T.Var]
    ) -> tuple[T.Call, tuple[T.Var, ...]]:
        used = tuple(v in live for v in outs)
        name = call.function if all(used) else self._copy(call.function, used)
        if name is None or name == call.function:
            return call, outs
        return T.Call(name, call.args), tuple(v for v in outs if v in live)


def _returning(region: T.Region, used: Used) -> T.Region:
    """`region` with only the results `used` returned."""
    stmts = tuple(with_regions(s, [_returning(r, used) for r in regions(s)]) for s in region.stmts)
    end = region.end
    if isinstance(end, T.Return):
        end = T.Return(tuple(a for a, u in zip(end.values, used, strict=True) if u))
    return T.Region(stmts, end)


def _contractions(function: T.Function) -> int:
    return sum(
        isinstance(s, T.Let) and isinstance(s.rhs, T.Op) and OPS[s.rhs.name].contracts
        for s in statements(function.body)
    )
