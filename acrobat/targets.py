"""Where a program runs: the values of `target`, and the options of each target."""

from __future__ import annotations

import importlib.util

from .errors import DeviceError, OptionError
from .kernels.printers.cpu.amx import why_no_matrix_unit
from .options import Options
from .runtime.gpu import find_gpu

TARGETS = ("auto", "cpu", "cuda")


def choose_target(target: str, options: Options) -> str:
    """Return the target's name, "cpu" or "cuda"; `auto` is a GPU if there is one, kernels can be
    generated for it, and the options require nothing that only the CPU target has. OptionError for
    a target that does not exist or options that it does not support."""
    if not isinstance(target, str) or target not in TARGETS:
        raise OptionError(f"target={target!r}: the targets are {', '.join(map(repr, TARGETS))}")
    if target == "auto":
        anywhere = options.executor == "aot" and options.weights == "fp32"
        target = "cuda" if anywhere and _gpu_is_usable() else "cpu"
    if target == "cuda" and options.executor == "vm":
        raise OptionError(
            "Options.executor='vm': the interpreter runs on the CPU only; pass target='cpu'"
        )
    if target == "cuda" and options.weights != "fp32":
        raise OptionError(
            f"Options.weights={options.weights!r}: kernels on a GPU read float32 weights; pass "
            f"target='cpu', or for products on tensor cores precision='bf16'"
        )
    if target == "cpu" and options.precision == "bf16":
        _require_matrix_unit(options)
    elif target == "cpu" and options.precision != "fp32":
        raise OptionError(
            f"Options.precision={options.precision!r}: the CPU computes in fp32 only, or, if it "
            f"has AMX, in bf16; pass target='cuda'"
        )
    if target == "cpu" and options.gpu_mode != "launches":
        raise OptionError(
            f"Options.gpu_mode={options.gpu_mode!r}: the CPU launches nothing; pass target='cuda'"
        )
    return target


def _require_matrix_unit(options: Options) -> None:
    """Raise OptionError unless this process may multiply bfloat16 in the CPU's matrix unit."""
    if options.weights == "int8":
        raise OptionError(
            "Options.weights='int8': precision='bf16' multiplies weights in bfloat16; "
            "pass precision='fp32', or weights='bf16'"
        )
    lacking = why_no_matrix_unit()
    if lacking is not None:
        raise OptionError(
            f"Options.precision='bf16': {lacking}; for bfloat16 weights and float32 products pass "
            f"weights='bf16', or target='cuda'"
        )


def _gpu_is_usable() -> bool:
    if importlib.util.find_spec("triton") is None:
        return False
    try:
        find_gpu()
    except DeviceError:
        return False
    return True
