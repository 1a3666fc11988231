"""One model function, lowered to a function of the typed IR."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ..ir import typed as T
from ..ir.names import authors
from ..ir.rewrite import regions
from ..ir.subtypes import is_subtype
from ..ir.types import Type
from . import optional_items
from .blocks import block
from .cached_functions import with_cached_functions
from .changing_keys import with_changing_keys
from .class_name_tests import with_class_name_tests
from .constructs import HANDLERS
from .constructs.changed_results import changed_by
from .constructs.generators import with_generators
from .constructs.lazy_effects import check_lazy_effects
from .constructs.leaving_dicts import returned, with_result
from .constructs.local_objects import with_local_objects
from .constructs.object_finding import with_collections_apart
from .constructs.out_parameters import with_out_parameters
from .constructs.rows_softmax import note_function
from .constructs.unnamed_objects import with_unnamed_objects
from .context import FunctionContext
from .default_dicts import with_plain_dicts
from .dict_forms import with_dict_forms
from .function_loops import with_function_loops
from .guard_effects import with_guards_apart
from .inner_sets import with_inner_sets
from .kept_functions import has_functions
from .lambda_lifting import with_lifted_functions
from .last_uses import mark_moved_lists, names_iterated_later
from .local_arrays import with_local_arrays
from .nesting import check_nesting
from .objects_in_lists import with_objects_in_lists
from .open_hints import contradicts
from .open_results import OpenHint, TwoSizesError
from .optional import joined, remedy
from .own_collections import with_plain_collections
from .own_counters import with_own_counters
from .own_iterators import with_own_iterators
from .passed_iterators import with_passed_iterators
from .record_dicts import with_record_dicts
from .scope import ITEMS, POISON, Env, Recover
from .set_forms import with_set_forms
from .short_forms import with_short_forms
from .signatures import ModuleBuilder, Signature
from .slice_names import with_slice_names
from .stacks import parts_of_stacks
from .syntax import names_assigned, parameters
from .type_differences import difference
from .unassigned import message, to_try
from .visitor_names import with_visitor_names
from .written_functions import with_written_functions


def lower_function(builder: ModuleBuilder, signature: Signature) -> T.Function | None:
    """The function, or None if its signature or body has errors, which are reported."""
    before, known = len(builder.reporter.errors), dict(builder.optional_items)
    lowered = _lowered(builder, signature)
    errors = builder.reporter.errors[before:]
    if lowered is None and optional_items.to_try(builder, signature, known):
        del builder.reporter.errors[before:]
        lowered = lower_function(builder, signature)
        if lowered is None and len(builder.reporter.errors) - before >= len(errors):
            builder.reporter.errors[before:] = errors
        return lowered
    names = to_try(builder, errors) if lowered is None else {}
    if not names:
        return lowered
    del builder.reporter.errors[before:]
    for span, found in names.items():
        builder.unassigned.setdefault(span, set()).update(found)
    lowered = lower_function(builder, signature)
    tried = {message(name, span) for span, found in names.items() for name in found}
    lines = {e.span.line for e in errors if e.message in tried}
    left = builder.reporter.errors[before:]
    same = any(e.message in tried or (e.span.line in lines and e.code != "AC009") for e in left)
    if lowered is None and same:
        for span, found in names.items():
            builder.unassigned[span] -= found
        # Errors that the first lowering did not come to may be why that did not help. Otherwise the
        # errors of the first lowering say more.
        told = {(e.code, e.span, e.message) for e in errors}
        others = [e for e in left if e.span.line not in lines and e.message not in tried]
        more = any((e.code, e.span, e.message) not in told for e in others)
        builder.reporter.errors[before:] = others if more else errors
    return lowered


def _lowered(builder: ModuleBuilder, signature: Signature) -> T.Function | None:
    if not check_nesting(signature.source, builder.reporter):
        return None
    ctx = FunctionContext(builder, signature, HANDLERS)
    tree, result = signature.source.tree, signature.result
    before = len(ctx.reporter.errors)
    env = Env()
    env.names.update(signature.bound)
    params: list[T.Var] = []
    nodes = {arg.arg: arg for arg in parameters(tree)}
    for name, t in signature.params:
        if t is None:
            env.names[name] = POISON
            continue
        var = T.Var(name, t)
        node = nodes[name]
        ctx.origins[var.number] = (
            f"from the hint in line {ctx.span(node).line}"
            if node.annotation is not None
            else f"an argument of {authors(signature.name)}"
        )
        params.append(var)
        env.names[name] = var
    ctx.locals = names_assigned(tree.body) | set(env.names)
    later = names_iterated_later(tree)
    try:
        with_generators(ctx, tree)
        check_lazy_effects(ctx, tree)
        with_guards_apart(ctx, tree)
    except Recover:
        return None
    with_written_functions(ctx, tree)
    try:
        with_changing_keys(ctx, tree)
    except Recover:
        return None
    with_function_loops(ctx, tree)
    with_slice_names(ctx, tree)
    with_own_counters(ctx, tree)
    with_short_forms(ctx, tree)
    with_visitor_names(tree)
    with_class_name_tests(ctx, tree)
    with_record_dicts(ctx, tree)
    with_unnamed_objects(ctx, tree)
    with_collections_apart(ctx, tree)
    with_cached_functions(ctx, tree)
    with_local_arrays(ctx, tree)
    try:
        with_objects_in_lists(ctx, tree)
        with_local_objects(ctx, tree)
        with_passed_iterators(ctx, tree)
    except Recover:
        return None
    with_dict_forms(ctx, tree)
    with_set_forms(ctx, tree)
    with_inner_sets(ctx, tree)
    with_plain_dicts(ctx, tree)
    with_own_iterators(ctx, tree)
    with_plain_collections(ctx, tree)
    try:
        with_lifted_functions(ctx, tree)
        with_out_parameters(ctx, tree)
    except Recover:
        return None
    env.owned |= {n + own for n in changed_by(tree) for own in ("", ITEMS)}
    mark_moved_lists(tree, changed_by(tree), later)
    ctx.locals |= names_assigned(tree.body)
    region, after = block(ctx, tree.body, env, parts_of_stacks(ctx, tree, params))
    note_function(ctx, tree, params, region.end)
    if len(ctx.reporter.errors) > before:
        told = _elsewhere(region)
        if told is not None:
            builder.told[signature.name] = told
    elif signature.inferred:
        result = _inferred(ctx, region)
        if result is not None and tree.returns is not None and contradicts(tree.returns, result):
            ctx.error(
                "AC021",
                tree.returns,
                f"{tree.name} returns {result}, but its hint says {ast.unparse(tree.returns)}",
                "change the value or the hint",
            )
        if result is not None and signature.open_hint is not None:
            return _with_hint(ctx, signature, signature.open_hint, result)
        # On some paths None is returned, or a comparison where others return a truth value.
        if result is not None and result != signature.result and not _all_are(region, result):
            return _lowered(builder, replace(signature, result=result))
    elif result is not None:
        types = [v.type for end in _returns(region) for v in end.values]
        found = returned(ctx, types, result)
        if found != result and len(ctx.reporter.errors) == before:
            return _lowered(builder, with_result(builder, signature, found))
    if after is not None and result is not None and len(ctx.reporter.errors) == before:
        ctx.error(
            "AC020",
            tree.body[-1],
            f"{tree.name} can end without a return",
            f"`return` a {result} on every path",
        )
    is_entry = signature.model is builder.entry and signature.is_model
    if is_entry and result is not None and has_functions(ctx, result):
        ctx.error(
            "AC002",
            tree.body[-1],
            f"{tree.name} returns an object with a function in a field",
            "its other fields: `return x.a, x.b`",
        )
    if len(ctx.reporter.errors) > before or result is None:
        return None
    params += signature.extra
    head = signature.source.head()
    is_helper = not signature.is_model
    return T.Function(signature.name, tuple(params), (result,), region, head, is_helper)


def _with_hint(
    ctx: FunctionContext, signature: Signature, hint: OpenHint, returned: Type
) -> T.Function | None:
    """The function, lowered for the sizes that its result was found to have."""
    tree = ctx.source.tree
    try:
        result = hint.of(returned)
    except TwoSizesError as error:
        ctx.error(
            "AC021",
            tree.returns or tree,
            f"{tree.name} returns {returned}, but its hint says {hint.type}: {error}",
            "a name of its own for each of these sizes",
        )
        return None
    known = replace(signature, result=result, inferred=False, open_hint=None)
    return _lowered(ctx.builder, known)


def _inferred(ctx: FunctionContext, region: T.Region) -> Type | None:
    """The type of what a function without a hint for its result returns."""
    tree = ctx.source.tree
    result: Type | None = None
    for end in _returns(region):
        if not end.values:
            return None  # its value depends on an error that is reported
        (value,) = end.values
        both = value.type if result is None else joined(result, value.type)
        if both is None:
            assert result is not None
            ctx.error(
                "AC021",
                tree,
                f"{tree.name} returns {result} on one path and {value.type} on another"
                + difference(result, value.type),
                remedy(result, value.type, "the same type on every path"),
            )
            return None
        result = both
    if result is None:
        ctx.error("AC020", tree.body[-1], f"{tree.name} returns nothing", "`return` a value")
    return result


def _elsewhere(region: T.Region) -> Type | None:
    """The type of what a function returns on paths without errors, if there is a common one."""
    found: Type | None = None
    for end in _returns(region):
        for value in end.values:
            found = value.type if found is None else joined(found, value.type)
            if found is None:
                return None
    return found


def _all_are(region: T.Region, result: Type) -> bool:
    """Whether every path returns a value of type `result`, without a conversion."""
    return all(is_subtype(v.type, result) for end in _returns(region) for v in end.values)


def _returns(region: T.Region) -> Iterator[T.Return]:
    if isinstance(region.end, T.Return):
        yield region.end
    for stmt in region.stmts:
        for inner in regions(stmt):
            yield from _returns(inner)
