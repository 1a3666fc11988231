"""Compiled regions: how `torch.compile` is called, and with which options of inductor.

Common to all variants: `fullgraph` (a graph break is an error), dynamic shapes from the first call
on, no assumption that sizes stay equal because they were equal once, tanh by way of exp
(inductor's own is slow), and artefacts in the project's cache. A region is compiled at most twice,
for one row and for any number of rows: one row is always a separate case.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from acrobat.cache import cache_dir

# Read when inductor is imported, in this process and in every process that compiles for it.
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(cache_dir() / "inductor"))
# No process pool: it would outlive the compilation and run beside the measurements.
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
    graphs: unfrozen, with a region's kernels as a CUDA graph for each number of rows that occurs.
    """
    inductor.triton.cudagraphs = variant == "graphs"
    inductor.triton.cudagraph_dynamic_shape_warn_limit = None
    # No choices by timing, because other systems may be prepared on the same GPU meanwhile.
    inductor.triton.autotune_pointwise = False
    shapes.use_duck_shape = False
    inductor.cpp.use_decompose_tanh = True
    inductor.freezing = variant == "frozen"
    inductor.size_asserts = inductor.alignment_asserts = False
    # The limit is shared by all modules of a class.
    torch._dynamo.config.recompile_limit = 64
    torch.compiler.set_stance("default")


def finish() -> None:
    """Make every further compilation an error. Guards that can only fail if the code, the weights
    or the options change are no longer evaluated: they cost tens of microseconds per call."""
    torch.compiler.set_stance("fail_on_recompile", skip_guard_eval_unsafe=True)


def begin() -> None:
    """Begin a mini-batch: CUDA graphs may reuse the memory of the last one's results."""
    torch.compiler.cudagraph_mark_step_begin()


def region(module: nn.Module) -> Callable[..., Any]:
    """Return `module` compiled for tensors of any size and integers of any value."""
    # Not the module itself: a module's call checks for hooks, which adds several microseconds.
    forward = module.eval().forward
    compiled: Callable[..., Any] = torch.compile(forward, dynamic=True, fullgraph=True)
    return compiled


def compilations() -> int:
    """Return the number of graphs that this process has compiled."""
    return int(counters["stats"]["unique_graphs"])
