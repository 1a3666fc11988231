"""Triton's interpreter, in a process of its own: whether `triton.jit` interprets or compiles is
decided when Triton is imported. Nothing here may import it but `run_source`."""

from __future__ import annotations

import functools
import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from unittest import mock

import numpy as np

# Matrices are small: threads of the BLAS would wait for each other.
ENVIRONMENT = {"TRITON_INTERPRET": "1", "OPENBLAS_NUM_THREADS": "1"}


@functools.cache
def _process() -> ProcessPoolExecutor:
    pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    with mock.patch.dict(os.environ, ENVIRONMENT):
        pool.submit(os.getpid).result()  # the process starts, with this environment
    return pool


def interpret(
    text: str, symbol: str, grid: tuple[int, int], args: Sequence[np.ndarray | int]
) -> list[np.ndarray]:
    """The arrays among `args` after `symbol` of the source `text` ran on them."""
    return _process().submit(run_source, text, symbol, grid, args).result()


def run_source(
    text: str, symbol: str, grid: tuple[int, int], args: Sequence[np.ndarray | int]
) -> list[np.ndarray]:
    """What the process does. A failure in there comes back as an exception."""
    import torch

    from acrobat.cache import content_hash
    from acrobat.kernels.printers.cuda.compile import load_source
    from tests.kernels.interpreter import sum_together

    sum_together()
    function = getattr(load_source(text, content_hash([text])), symbol)
    tensors = [torch.from_numpy(a) if isinstance(a, np.ndarray) else a for a in args]
    with np.errstate(all="ignore"):
        function[grid](*tensors)
    return [a.numpy() for a in tensors if not isinstance(a, int)]
