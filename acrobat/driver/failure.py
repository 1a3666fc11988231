"""Reports a failing pass: which one, in which stage, and at which place in the model's source."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from ..errors import AcrobatError, CompilerBug
from ..frontend.diagnostics import Reporter
from ..ir.span import NOWHERE, Span
from .recursion import deep_recursion

# Errors that are not the compiler's fault: those in the model (ModelError is a SyntaxError), those
# of the machine, and our own kinds of error, among which only CompilerBug is handled here.
_NOT_OURS = (AcrobatError, SyntaxError, ImportError, OSError, MemoryError)


@contextmanager
def naming(name: str, stage: str) -> Iterator[None]:
    """Turn an unexpected exception of the body into a CompilerBug that names the pass `name` of
    `stage` and the source of the statement or function that it was at. The cause is chained."""
    try:
        with deep_recursion():
            yield
    except CompilerBug as bug:
        raise CompilerBug(_message(name, stage, bug, str(bug))) from bug
    except _NOT_OURS:
        raise
    except RecursionError as error:
        place = span_of(error.__traceback__) or NOWHERE
        reporter = Reporter()
        reporter.error(
            "AC032",
            place,
            f"the model is nested deeper, or calls more functions one in another, than this Python "
            f"can follow (in the pass {name})",
            "parts of it as values with names; fewer functions that only call the next one",
        )
        reporter.finish()
    except Exception as error:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise CompilerBug(_message(name, stage, error, what)) from error


def _message(name: str, stage: str, error: BaseException, what: str) -> str:
    span = span_of(error.__traceback__)
    place = f", at {span}" if span is not None else ""
    return (
        f"the pass {name} (stage: {stage}) failed{place}: {what}\n"
        f"This is a fault of the compiler, not of the model. Please report it with the model; "
        f"ACROBAT_DUMP=<folder> writes what every pass made, ACROBAT_DISABLE=1 runs the model as "
        f"plain Python."
    )


def span_of(traceback: TracebackType | None) -> Span | None:
    """Return the span of the innermost IR node that a frame of `traceback` has in a local variable:
    the statement, or at least the function, that a pass was at. None if no frame has one."""
    frames = []
    while traceback is not None:
        frames.append(traceback.tb_frame)
        traceback = traceback.tb_next
    for frame in reversed(frames):
        held = frame.f_locals.values()
        spans = [v if isinstance(v, Span) else getattr(v, "span", None) for v in held]
        known = [s for s in spans if isinstance(s, Span) and s != NOWHERE]
        if known:
            # A function's span is its `def`; the spans of its statements begin later.
            return max(known, key=lambda s: (s.line, s.col))
    return None
