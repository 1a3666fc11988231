"""Whether an idiom means the same compiled as it does in plain Python."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import acrobat as ab
from tests.loading import load_text
from workloads.results import flatten

from .cases import SETTING, Idiom

Results = Sequence[tuple[str, list[np.ndarray]]]


def load_idiom(idiom: Idiom, folder: Path, remedy: bool = False) -> ModuleType:
    """The module with an idiom's source (or its remedy's), in a file in `folder`."""
    source = idiom.remedy if remedy else idiom.source
    return load_text(f"{SETTING}\n\n{source}", folder, f"idiom_{abs(hash((idiom, remedy)))}")


def plain_results(module: ModuleType) -> Results:
    """What its model makes of every instance as plain Python, flat."""
    single = len(inspect.signature(module.f.function).parameters) == 2
    arguments = [(i,) if single or type(i) is not tuple else i for i in module.INSTANCES]
    return [flatten(module.f(module.WEIGHTS, *given)) for given in arguments]


def compare(
    module: ModuleType, want: Sequence[tuple[str, list[np.ndarray]]], **options: Any
) -> None:
    """AssertionError if the compiled model, over all instances at once, does not give `want`."""
    fast = ab.compile(module.f, module.WEIGHTS, options=ab.Options(**options))
    for (structure, arrays), got in zip(want, fast(module.INSTANCES), strict=True):
        got_structure, got_arrays = flatten(got)
        assert got_structure == structure
        for a, b in zip(arrays, got_arrays, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-5)
