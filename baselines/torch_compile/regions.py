"""Compiled regions: how `torch.compile` is called, and with which options of inductor.

Common: `fullgraph` (a graph break is an error), dynamic shapes from the first call on, no two sizes
taken for one because they were equal once, tanh by way of exp (its own is slow), artefacts in the
project's cache. A region is compiled at most twice, for one row and for any number of rows: one row
is always a case of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from acrobat.cache import cache_dir

# Read when inductor is imported, in this and in every process that compiles for it.
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(cache_dir() / "inductor"))
# No pool of processes: it would outlive the compilation, beside what is measured.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

import torch
import torch._dynamo
import torch._inductor.config as inductor
import torch.fx.experimental._config as shapes
from torch import nn
from torch._dynamo.utils import counters


def configure(variant: str) -> None:
    """Set the options of a variant for this process, and allow compilation.

    unfrozen: weights are arguments; products are torch's own (MKL, cuBLAS).
    frozen: weights are constants, packed for oneDNN, with the activation fused into the product.
    graphs: unfrozen, and a region's kernels are a CUDA graph for each number of rows that it meets.
    """
    inductor.triton.cudagraphs = variant == "graphs"
    inductor.triton.cudagraph_dynamic_shape_warn_limit = None
    # Nobody may choose by timing while others are prepared on the same GPU.
    inductor.triton.autotune_pointwise = False
    shapes.use_duck_shape = False
    inductor.cpp.use_decompose_tanh = True
    inductor.freezing = variant == "frozen"
    inductor.size_asserts = inductor.alignment_asserts = False
    # Modules of one class share it.
    torch._dynamo.config.recompile_limit = 64
    torch.compiler.set_stance("default")


def finish() -> None:
    """Make every further compilation an error. Guards that can only fail if the code, the weights
    or the options change are no longer evaluated: they cost tens of microseconds per call."""
    torch.compiler.set_stance("fail_on_recompile", skip_guard_eval_unsafe=True)


def begin() -> None:
    """A mini-batch begins: memory of the last one's results may be used by CUDA graphs."""
    torch.compiler.cudagraph_mark_step_begin()


def region(module: nn.Module) -> Callable[..., Any]:
    """`module` compiled for tensors of any size and integers of any value."""
    # Not the module itself: its call, with hooks to check, adds several microseconds.
    forward = module.eval().forward
    compiled: Callable[..., Any] = torch.compile(forward, dynamic=True, fullgraph=True)
    return compiled


def compilations() -> int:
    """How many graphs this process has compiled."""
    return int(counters["stats"]["unique_graphs"])
