"""Argument checks shared by `ab.compile`, `ab.gradients` and `ab.torch.Module`."""

from __future__ import annotations

import operator
from typing import Any

from .errors import OptionError
from .examples import with_examples
from .lang.model import Model
from .lang.params import check_class, is_params
from .options import Options


def checked_options(options: Options | None) -> Options:
    """Return the options, or the defaults for None. OptionError if they are something else."""
    if options is None:
        return Options()
    if not isinstance(options, Options):
        raise OptionError(
            f"options: expected an ab.Options, got {type(options).__name__}; write "
            f"options=ab.Options(...)"
        )
    return options


def check_arguments(model: object, params: object, examples: Any = None) -> Model[..., Any]:
    """Check them and return the model, with the hints that `examples` tell. OptionError if `model`
    is not a model or `params` are not weights, ParamsError if the weights are not the model's,
    InstanceError for examples that are no instances."""
    if not is_params(type(params)):
        raise OptionError(
            f"params: expected an instance of an @ab.params class, got {type(params).__name__}; "
            f"declare the weights with their shapes, `@ab.params class Weights: "
            f'w: Float32[Tensor, "N H"]`, and make them by name, `Weights(w=...)`'
        )
    if not isinstance(model, Model):
        raise OptionError(f"model: expected a function decorated with @ab.model, got {model!r}")
    check_class(model.function.__qualname__, model.params_class(), type(params))
    return with_examples(model, params, examples)


def checked_seed(seed: Any) -> int:
    """Return the seed as an int. OptionError if it is something else."""
    try:
        return operator.index(seed)
    except TypeError:
        raise OptionError(f"seed: expected an int, got {type(seed).__name__}") from None
