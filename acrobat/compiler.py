"""`ab.compile`: a model function and its weights become a function over mini-batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, TypeVarTuple, overload

from .arguments import check_arguments, checked_options
from .compiled_model import CompiledModel
from .options import Options
from .targets import choose_target

_W = TypeVar("_W", contravariant=True)  # weights
_I = TypeVar("_I")  # an instance
_Is = TypeVarTuple("_Is")  # the parts of an instance of several
_R = TypeVar("_R")  # a result


@overload
def compile(
    model: Callable[[_W, _I], _R],
    params: _W,
    target: str = "auto",
    options: Options | None = None,
    *,
    examples: Sequence[_I] | None = None,
) -> CompiledModel[_I, _R]: ...


@overload
def compile(
    model: Callable[[_W, *_Is], _R],
    params: _W,
    target: str = "auto",
    options: Options | None = None,
    *,
    examples: Sequence[tuple[*_Is]] | None = None,
) -> CompiledModel[tuple[*_Is], _R]: ...


def compile(
    model: Callable[..., Any],
    params: Any,
    target: str = "auto",
    options: Options | None = None,
    *,
    examples: Sequence[Any] | None = None,
) -> CompiledModel[Any, Any]:
    """Compile `model` with the weights `params`, an object of an `@ab.params` class, or a dict, a
    list or an object with arrays in it, into a function over mini-batches, for the CPU
    ("cpu"), for the first GPU that CUDA_VISIBLE_DEVICES shows ("cuda"), or for that GPU if it is
    usable, otherwise for the CPU ("auto").

    `examples`, a few instances, complete the hints of the model: of a parameter without one, of
    `list` and `np.ndarray` without what they contain, and of the fields of classes (docs/
    language.md).

    Raises ModelError if the model is not in the language, OptionError for a target that does not
    exist or options that it does not support, ToolchainError if a compiler is missing, DeviceError
    if there is no GPU, ParamsError for weights of another class than the model's, CapacityError if
    they do not fit on the GPU, InstanceError for examples that no instance can be like. With
    ACROBAT_DISABLE=1 in the environment nothing is compiled and every call runs as plain Python.
    """
    options = checked_options(options)
    target = choose_target(target, options)
    checked, weights = check_arguments(model, params, examples)
    return CompiledModel(checked, weights, options, target, given=params)
