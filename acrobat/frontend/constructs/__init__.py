"""The constructs of the model language, one file for each kind. Importing a file registers its
handlers, and this one imports all."""

from __future__ import annotations

from ..context import Handlers
from ..registry import EXPRESSIONS, STATEMENTS
from . import (  # noqa: F401  (each registers its handlers)
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

HANDLERS = Handlers(EXPRESSIONS, STATEMENTS, refuse_expression, refuse_statement)
