"""A random program: the same result as plain Python."""

from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import random
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from random_programs import write_program
from reference_kernels import ReferenceKernels

import acrobat as ab
import acrobat.vm.program
from workloads.results import flatten

H, V = 8, 11


_numbers = itertools.count()


def load(source: str, folder: Path) -> ModuleType:
    name = f"random_program_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def make_tree(m: ModuleType, rng: np.random.Generator, depth: int) -> Any:
    kind = rng.integers(3) if depth else 0
    if kind == 0:
        return m.Leaf(int(rng.integers(V)), rng.normal(0, 0.5, H).astype(np.float32))
    if kind == 1:
        parts = make_tree(m, rng, depth - 1), make_tree(m, rng, depth - 1)
        return m.Node(*parts, int(rng.integers(4)))
    children = [make_tree(m, rng, depth - 1) for _ in range(rng.integers(0, 4))]
    return m.Many(children, float(rng.uniform(-1, 1)))


def run_plainly(m: ModuleType, params: Any, instance: Any) -> tuple[Any, float]:
    """The result of plain Python, flat, and by how much its closest `argmax` was decided. Where the
    largest numbers are the same but for rounding, another order of additions decides otherwise."""
    least = np.inf

    def argmax(x: np.ndarray) -> int:
        nonlocal least
        below, largest = np.sort(x)[-2:]
        least = min(least, largest - below)
        return ab.ops.argmax(x)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(m, "ops", SimpleNamespace(**{**vars(ab.ops), "argmax": argmax}))
        return flatten(m.main(params, *instance)), float(least)


def try_program(
    seed: int,
    folder: Path,
    target: str = "cpu",
    choose: random.Random | None = None,
    **given: Any,
) -> None:
    """One program on seven instances; with other options every few programs. On the CPU one in
    eight is compiled and one in eight interpreted with compiled kernels; the others' kernels are
    taken as they are specified. Instances that plain Python decides by rounding are not compared.
    `choose` draws the program, by default from the seed; `given` are
    options that are not drawn."""
    choose = choose or random.Random(seed)
    source = write_program(choose)
    m = load(source, folder)
    rng = np.random.default_rng(seed)
    shapes = {"emb": (V, H), "w0": (H, H), "w1": (2 * H, H), "g": (H,), "b": (H,)}
    params = m.P(**{n: rng.normal(0, 0.4, s).astype(np.float32) for n, s in shapes.items()})
    instances = [
        (make_tree(m, rng, 3), rng.integers(0, V, rng.integers(0, 5)).tolist()) for _ in range(7)
    ]
    want = [run_plainly(m, params, instance) for instance in instances]
    compiled = target == "cuda" or seed % 8 == 0
    changes: dict[str, Any] = {"executor": "aot" if compiled else "vm"}
    for f in dataclasses.fields(ab.Options):
        if f.name in ("executor", "precision", "gpu_mode"):
            continue
        if f.metadata["choices"] and choose.random() < 0.15:
            changes[f.name] = choose.choice(f.metadata["choices"])
    changes |= given
    options = ab.Options(**changes)
    with pytest.MonkeyPatch.context() as patch:
        if not compiled and seed % 8 != 1:
            patch.setattr(acrobat.vm.program, "Kernels", ReferenceKernels)
        fast = ab.compile(m.main, params, target, options)
    got = fast(instances)
    for i, (((structure, arrays), decided), result) in enumerate(zip(want, got, strict=True)):
        if decided < 1e-5:
            continue
        got_structure, got_arrays = flatten(result)
        told = f"program {seed}, instance {i}, {changes}\n{source}"
        assert got_structure == structure, told
        for a, b in zip(arrays, got_arrays, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-3, atol=1e-4, err_msg=told)
