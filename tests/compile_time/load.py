"""A source with weights that fit it."""

from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import acrobat as ab
from acrobat.lang.hints import resolve_class_hints
from acrobat.lang.params import is_params

from .sources import HIDDEN

_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Loaded:
    """The module's model, weights for it, and its class of leaves."""

    main: ab.Model[..., Any]
    weights: Any
    leaf: type
    node: type


def load(source: str, folder: Path) -> Loaded:
    """`source` as a module with a file: the compiler reads it there."""
    name = f"compile_time_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    weights = _weights(module.P, np.random.default_rng(0))
    return Loaded(module.main, weights, module.Leaf, module.Node)


def _weights(cls: type, rng: np.random.Generator) -> Any:
    made: dict[str, Any] = {}
    hints = resolve_class_hints(cls)
    for field in dataclasses.fields(cls):
        hint = hints[field.name]
        if is_params(hint):
            made[field.name] = _weights(hint, rng)
        else:
            shape = [d.bind({"H": HIDDEN}).known for d in hint.dims]
            made[field.name] = rng.normal(0, 0.3, shape).astype(np.float32)
    return cls(**made)
