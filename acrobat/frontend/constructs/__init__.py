"""The constructs of the model language: their handlers, registered by importing every file here."""

from __future__ import annotations

from ..context import Handlers
from ..registry import EXPRESSIONS, STATEMENTS
from . import (
    arithmetic,
    assignments,
    attributes,
    booleans,
    branches,
    builtins,
    calls,
    comparisons,
    comprehensions,
    effects,
    functions,
    iteration,
    lists,
    literals,
    loops,
    matching,
    names,
    operations,
    patterns,
    subscripts,
)
from .refused import refuse_expression, refuse_statement

MODULES = (
    arithmetic,
    assignments,
    attributes,
    booleans,
    branches,
    builtins,
    calls,
    comparisons,
    comprehensions,
    effects,
    functions,
    iteration,
    lists,
    literals,
    loops,
    matching,
    names,
    operations,
    patterns,
    subscripts,
)

HANDLERS = Handlers(EXPRESSIONS, STATEMENTS, refuse_expression, refuse_statement)
