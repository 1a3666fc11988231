"""What to write in place of functions of `operator`, `functools` and `math` that a model does not
have."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

# What a function means, with names for its arguments: an expression, which a lambda may have.
_EXPRESSIONS: dict[Any, str] = {
    operator.contains: "lambda a, b: b in a",
    operator.concat: "lambda a, b: a + b",
    operator.countOf: "lambda a, b: a.count(b)",
    operator.indexOf: "lambda a, b: a.index(b)",
    operator.is_: "lambda a, b: a is b",
    operator.is_not: "lambda a, b: a is not b",
    operator.truth: "lambda a: bool(a)",
    operator.index: "lambda a: a",
    operator.abs: "lambda a: abs(a)",
}
# The same of statements, and of functions that make others.
_OTHERS: dict[Any, str] = {
    operator.setitem: "`a[b] = c`",
    operator.delitem: "`del a[b]`",
    operator.iadd: "`a += b`, or `operator.add` of numbers",
    operator.isub: "`a -= b`, or `operator.sub` of numbers",
    operator.imul: "`a *= b`, or `operator.mul` of numbers",
    operator.itruediv: "`a /= b`, or `operator.truediv` of numbers",
    operator.iconcat: "`a += b`, or `lambda a, b: a + b`",
    operator.itemgetter: "a lambda, `lambda x: x[i]`, or `lambda x: (x[i], x[j])`",
    operator.attrgetter: "a lambda, `lambda x: x.name`",
    operator.methodcaller: "a lambda, `lambda x: x.name()`",
    functools.cmp_to_key: "a key with that order, `key=lambda x: (x.a, -x.b)`",
    math.fsum: "`sum(xs)`, which rounds as Python's does",
    functools.partialmethod: "a method that calls the other one",
}
_MODULES = ("operator", "_operator", "functools", "_functools")


def instead_of_library(found: Any) -> str | None:
    """What to write instead of a function of `operator` or `functools`; None for anything else."""
    for function, text in _EXPRESSIONS.items():
        if found is function:
            args, body = text.removeprefix("lambda ").split(": ")
            return f"`{body}` for the arguments {args}, or `{text}` as a function"
    for function, text in _OTHERS.items():
        if found is function:
            return text
    if getattr(found, "__module__", None) in _MODULES:
        return "a lambda, or a function of your own, that does the same"
    return None
