"""The constructs of the model language, one file for each kind. Importing a file registers its
handlers, and this one imports all."""

from __future__ import annotations

from ..context import Handlers
from ..registry import EXPRESSIONS, ROW_OPERATIONS, STATEMENTS
from . import (  # noqa: F401  (each registers its handlers)
    activations,
    arithmetic,
    assignments,
    attributes,
    booleans,
    branches,
    builtins,
    calls,
    changes,
    comparisons,
    comprehensions,
    dict_changes,
    dicts,
    dropout,
    effects,
    failures,
    folds,
    functions,
    in_place,
    iteration,
    keyed_weights,
    lists,
    literals,
    local_functions,
    loops,
    losses,
    matching,
    mathematics,
    membership,
    messages,
    names,
    numbers,
    operations,
    out_parameters,
    patterns,
    reductions,
    rows,
    rows_attention,
    rows_products,
    rows_reductions,
    rows_values,
    sequences,
    shaped,
    subscripts,
    tensor_arithmetic,
    tensor_methods,
    tensor_parts,
    type_tests,
    walrus,
    weight_fields,
)
from .refused import refuse_expression, refuse_statement

HANDLERS = Handlers(EXPRESSIONS, STATEMENTS, refuse_expression, refuse_statement, ROW_OPERATIONS)
