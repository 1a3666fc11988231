"""Argument checks shared by `ab.compile`, `ab.gradients` and `ab.torch.Module`."""

from __future__ import annotations

import operator
from typing import Any

from .errors import OptionError
from .examples import with_examples
from .lang.model import Model
from .lang.params import check_class
from .lang.plain_weights import as_weights
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


def check_arguments(
    model: object, params: Any, examples: Any = None
) -> tuple[Model[..., Any], Any]:
    """Check them and return the model, with the hints that `examples` tell, and the weights as an
    object of a params class. OptionError if `model` is not a model, ParamsError if `params` are not
    weights, or not the model's, InstanceError for examples that are no instances."""
    if not isinstance(model, Model):
        raise OptionError(f"model: expected a function decorated with @ab.model, got {model!r}")
    weights = as_weights(params)
    check_class(model.function.__qualname__, model.weights_class(params), type(params))
    return with_examples(model, weights, examples), weights


def checked_seed(seed: Any) -> int:
    """Return the seed as an int. OptionError if it is something else."""
    try:
        return operator.index(seed)
    except TypeError:
        raise OptionError(f"seed: expected an int, got {type(seed).__name__}") from None
