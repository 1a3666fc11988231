"""The warning about a model that took long to compile: where the time went, and for which
function."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable

from ..ir import typed as T
from ..ir.names import authors
from ..ir.rewrite import statements
from ..ir.span import Span
from .run import Compilation

# Compilations of up to this many seconds are not reported.
BUDGET_S = 30.0


def slow_compilation(done: Compilation, name: str, seconds: float) -> str | None:
    """Return a warning if the `seconds` of compiling the model `name` exceed the budget, else
    None."""
    if seconds <= BUDGET_S:
        return None
    slowest = max(done.steps, key=lambda s: s.seconds)
    passes_s, kernels_s = sum(s.seconds for s in done.steps), sum(done.kernel_s.values())
    made = _Functions(done.steps[0].product)
    if kernels_s > passes_s:
        where = made.largest(_kernel_spans(done))
    else:
        where = made.largest((s.span, 1.0) for s in _statements(done.typed))
    return (
        f"{name} took {seconds:.0f} s to compile, more than {BUDGET_S:.0f} s: passes "
        f"{passes_s:.0f} s (of which {slowest.name} {slowest.seconds:.0f} s), "
        f"{len(done.kernel_s)} kernels {kernels_s:.0f} s, g++ {done.program_s:.0f} s; most of it "
        f"for {where}. The next time it comes from the cache. ACROBAT_DUMP=<folder> writes what "
        f"every pass made and how long it took"
    )


def _kernel_spans(done: Compilation) -> Iterable[tuple[Span, float]]:
    for block, plan in zip(done.module.blocks, done.plans, strict=True):
        if not block.ops:  # the block copies its operands
            continue
        for spec in plan.kernels:
            yield block.ops[0].span, done.kernel_s.get(spec.name, 0.0)


def _statements(module: T.Module) -> Iterable[T.Stmt]:
    for function in module.functions.values():
        yield from statements(function.body)


class _Functions:
    """The author's functions; inlined code counts towards the function whose source it is from."""

    def __init__(self, module: object) -> None:
        assert isinstance(module, T.Module)
        self.lines: dict[str, list[T.Function]] = {}
        for function in sorted(module.functions.values(), key=lambda f: f.span.line):
            self.lines.setdefault(function.span.file, []).append(function)

    def largest(self, parts: Iterable[tuple[Span, float]]) -> str:
        """Return the function whose parts weigh most, with its place."""
        weights: Counter[str] = Counter()
        names: dict[str, str] = {}
        for span, weight in parts:
            function = self._around(span)
            if function is not None:
                place = f"{authors(function.name)} ({function.span.file}:{function.span.line})"
                # Rounded, so that the first of equals is chosen.
                weights[names.setdefault(function.name, place)] += round(weight * 1e6)
        return max(weights, key=lambda n: weights[n], default="no function of its own")

    def _around(self, span: Span) -> T.Function | None:
        lines = self.lines.get(span.file, [])
        at = bisect_right(lines, span.line, key=lambda f: f.span.line)
        return lines[at - 1] if at else None
