"""Which options a model can be trained with."""

from __future__ import annotations

from ..errors import OptionError
from ..options import Options


def check_trainable(options: Options) -> None:
    """Raise OptionError if kernels would read weights other than those that a step changes, or run
    anywhere but on the CPU."""
    if options.precision != "fp32":
        raise OptionError(
            f"Options.precision={options.precision!r}: gradients are of float32 products; train "
            f"with precision='fp32', and pass precision={options.precision!r} to ab.compile "
            "afterwards"
        )
    if options.gpu_mode != "launches":
        raise OptionError(
            f"Options.gpu_mode={options.gpu_mode!r}: gradients are computed on the CPU, which "
            f"launches nothing; pass gpu_mode={options.gpu_mode!r} to ab.compile afterwards"
        )
    if options.weights != "fp32":
        raise OptionError(
            f"Options.weights={options.weights!r}: gradients are of float32 weights, and a step "
            f"changes them by less than {options.weights} can tell apart; train with "
            f"weights='fp32', and pass weights={options.weights!r} to ab.compile afterwards"
        )
