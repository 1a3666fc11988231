"""The type that a hint stands for, or the error that it has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.span import Span
from ..ir.types import Type
from ..lang.hints import said
from .bad_hint import FIELDS, OR_EXAMPLES, BadHint
from .declarations import Declarations
from .diagnostics import Reporter


def read_hint(
    what: str, evaluate: Callable[[], Any], declarations: Declarations, span: Span
) -> Type | None:
    """The type of one hint, or None with the error reported."""
    try:
        return declarations.type_of(evaluate())
    except BadHint as error:
        declarations.reporter.error("AC004", span, f"{what}: {error}", error.hint)
    except NameError as error:
        declarations.reporter.error(
            "AC011", span, f"{what}: {error}", "define or import it where the model can see it"
        )
    except Exception as error:  # whatever the author's expression raises
        declarations.reporter.error("AC004", span, f"{what}: {said(error)}", f"use {FIELDS}")
    return None


def report_missing_hint(
    reporter: Reporter, span: Span, name: str, function: str, is_method: bool
) -> None:
    """Report that a parameter of the entry function has no hint."""
    reporter.error(
        "AC003",
        span,
        f"the parameter {name!r} of {function} has no type hint",
        "a model outside of the class, `def f(p: Weights, ...)`; a class of weights or data may "
        "have methods, without @ab.model"
        if is_method
        else f"`{name}: <type>`, such as int, Float32[Tensor, 'H'], or a data class, {OR_EXAMPLES}",
    )
