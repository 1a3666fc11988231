"""The type of a parameter for one argument, where its hint leaves that to the argument."""

from __future__ import annotations

from dataclasses import replace

from ..ir.type_maps import substitute
from ..ir.types import ANY, ParamsRef, TensorType, Type
from .checks import bound_names
from .function_values import Closure
from .parameters import Parameter
from .signatures import ModuleBuilder
from .syntax import parameters


def for_argument(builder: ModuleBuilder, parameter: Parameter, given: Type) -> Parameter:
    """`parameter` with the type of the given weights, if its hint is of weights of their class; and
    with sizes that only the instance knows for names that no weight has."""
    hint, definitions = parameter.type, builder.declarations.params
    if isinstance(hint, ParamsRef) and isinstance(given, ParamsRef):
        same = definitions[hint.name].cls is definitions[given.name].cls
        return replace(parameter, type=given) if same else parameter
    if not isinstance(hint, TensorType) or not isinstance(given, TensorType):
        return parameter
    pairs = zip(hint.dims, given.dims, strict=False)
    names = {str(h) for h, g in pairs if g == ANY} - bound_names(builder)
    if not names or len(hint.dims) != len(given.dims):
        return parameter
    return replace(parameter, type=substitute(hint, dict.fromkeys(names, ANY)))


def note_hint(builder: ModuleBuilder, function: Closure, parameter: Parameter) -> None:
    """Have the names of dimensions in the type of a function's parameter checked."""
    if parameter.type is None:
        return
    for arg in parameters(function.tree):
        if arg.arg == parameter.name and arg.annotation is not None:
            place = function.source.span(arg.annotation)
            builder.hints.append((place, parameter.name, parameter.type))
