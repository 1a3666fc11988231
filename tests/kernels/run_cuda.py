"""Run the Triton kernels of a specification and compare with its numpy meaning: in the interpreter,
or on a GPU.

Every variant runs. What a kernel may read is surrounded by NaN, what it is to store is poisoned
first, and everything else that it could write must stay as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from acrobat.kernels.printers.cuda.compiled import CudaVariant
from acrobat.kernels.printers.cuda.emit import kernel_source, symbol
from acrobat.kernels.printers.cuda.packing import pack_vectors, pack_weights
from acrobat.kernels.printers.cuda.parts import split
from acrobat.kernels.printers.cuda.tile import Precision, Tile
from acrobat.kernels.printers.cuda.tile_choice import choose_tiles
from acrobat.kernels.specification.reference import run_reference
from acrobat.kernels.specification.spec import KernelSpec
from tests.kernels.run_triton import interpret

Args = Sequence[np.ndarray | int]
# Spec, tile, precision, arguments in the order of the parameters: the arrays afterwards.
Execute = Callable[[KernelSpec, Tile, Precision, tuple[int, int], Args], list[np.ndarray]]

POISON = np.float32(12345.0)
GUARD = 64  # floats of NaN behind an array


def run(
    spec: KernelSpec,
    nodes: int = 7,
    seed: int = 0,
    rtol: float = 2e-4,
    atol: float = 5e-5,
    precision: Precision = "fp32",
    only: int | None = None,
    execute: Execute | None = None,
    choices: Sequence[int] | None = None,
    special: float | None = None,
) -> None:
    """Judge all variants of `spec`, or the one of `only` rows per tile, on `nodes` nodes. Of
    operands that are matrices of tables node n has number `choices[n]`, or one of its own. The
    first element of every weight and, of the last node, of every operand is `special`."""
    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray:
        return rng.uniform(-1, 1, shape).astype(np.float32)

    weights = [draw(*s) for s in spec.weights]
    vectors = [draw(n) for n in spec.vectors]
    if special is not None:
        for w in weights:
            w.flat[0] = special
    arena = np.full(17, np.nan, np.float32)
    offsets: dict[int, np.ndarray] = {}
    for i in spec.indexed:
        slot = spec.operands[i].width + 3
        places = rng.permutation(nodes) * slot
        if choices is not None and i in spec.chosen:
            places = np.asarray(choices) * slot
        offsets[i] = (arena.size + places).astype(np.int32)
        own = np.full((nodes, slot), np.nan, np.float32)
        own[:, : slot - 3] = draw(nodes, slot - 3)
        if special is not None:
            own[-1, 0] = special
        arena = np.concatenate([arena, own.ravel()])
    tables = dict.fromkeys(spec.indexed, arena)
    before = draw(nodes, spec.record), draw(nodes, spec.scratch)
    stored = [np.zeros_like(b, dtype=bool) for b in before]
    m, j = np.arange(spec.rows)[:, None], np.arange(spec.width)[None, :]
    for s in spec.stores:
        at = (s.offset + m * s.row_stride + (j[:, :1] if s.scalar else j)).ravel()
        stored[s.place == "scratch"][:, at] = True
    for array, mask in zip(before, stored, strict=True):
        array[mask] = POISON
    want = before[0].copy(), before[1].copy()
    run_reference(spec, arena, offsets, tables, weights, vectors, *want)
    packed = [guarded(pack_weights(spec, weights)), guarded(pack_vectors(spec, vectors))]
    parts = split(spec)
    for tile in choose_tiles(parts.first, len(parts.specs), precision):
        if only not in (None, tile.rows):
            continue
        args: list[np.ndarray | int] = [*map(guarded, before), nodes * spec.rows, *packed]
        for i in spec.indexed:
            # The base is not the beginning of an allocation: the run-time adds to it.
            args += [arena[17:], offsets[i] - 17]
        grid = variant(spec, tile).grid(nodes, spec.rows, spec.shares_tiles)
        try:
            after = (execute or interpreted)(spec, tile, precision, grid, args)
            for got, w, b, mask in zip(after[:2], want, before, stored, strict=True):
                got, behind = got[: b.size].reshape(b.shape), got[b.size :]
                np.testing.assert_allclose(got[mask], w[mask], rtol=rtol, atol=atol)
                np.testing.assert_array_equal(got[~mask], b[~mask])
                assert np.isnan(behind).all()
        except Exception as error:
            text = kernel_source(spec, parts, tile, precision)
            error.add_note(f"{nodes} nodes, {tile}\n{text}")
            raise


def interpreted(
    spec: KernelSpec, tile: Tile, precision: Precision, grid: tuple[int, int], args: Args
) -> list[np.ndarray]:
    """By Triton's interpreter."""
    text = kernel_source(spec, split(spec), tile, precision)
    # The interpreter multiplies the bits of bf16; rounded values as float32 mean the same.
    text = text.replace(".to(tl.bfloat16)", ".to(tl.bfloat16).to(tl.float32)")
    # It does not know of sums of bfloat16, which are float32 to rounding.
    text = text.replace('input_precision="bf16x6"', 'input_precision="ieee"')
    return interpret(text, symbol(spec, tile), grid, args)


def variant(spec: KernelSpec, tile: Tile) -> CudaVariant:
    """The launch description of a variant, of which there is no machine code."""
    parts = split(spec)
    blocks = len(parts.specs) * tile.blocks(parts.first)
    return CudaVariant(
        Path(), symbol(spec, tile), tile.least_rows, tile.rows, blocks, tile.warps, 0
    )


def guarded(array: np.ndarray) -> np.ndarray:
    """A flat copy with NaN behind it."""
    return np.concatenate([array.ravel(), np.full(GUARD, np.nan, np.float32)])
