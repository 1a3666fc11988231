"""Compile a specification, run it on random data and compare with its numpy meaning.

Outputs are poisoned first: what lies between the stores must stay untouched. Every tile height must
give the same bits, and those that `alike`, a kernel of rounded weights, gives.
"""

from __future__ import annotations

import numpy as np

from acrobat.kernels.printers.cpu.build import build_kernels
from acrobat.kernels.printers.cpu.pack import aligned, pack_vectors, pack_weights
from acrobat.kernels.printers.cpu.standalone import Standalone
from acrobat.kernels.specification.reference import run_reference
from acrobat.kernels.specification.spec import KernelSpec
from acrobat.kernels.specification.weight_types import rounded_to_bf16

POISON = np.float32(12345.0)


def run(
    spec: KernelSpec,
    nodes: int = 7,
    seed: int = 0,
    rtol: float = 2e-4,
    alike: KernelSpec | None = None,
) -> None:
    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray:
        return rng.uniform(-1, 1, shape).astype(np.float32)

    weights = [draw(*s) for s in spec.weights]
    vectors = [draw(n) for n in spec.vectors]
    slot = max([o.width for o in spec.operands], default=0) + 19
    arena = aligned(len(spec.operands) * nodes * slot + 4096)
    arena[:] = draw(arena.size)
    offsets = {
        i: (rng.permutation(nodes) * slot + i * nodes * slot).astype(np.int32) for i in spec.indexed
    }
    tables = dict.fromkeys(spec.indexed, arena)
    before = draw(nodes, spec.record), draw(nodes, spec.scratch)
    stored = [np.zeros_like(b, dtype=bool) for b in before]
    m, j = np.arange(spec.rows)[:, None], np.arange(spec.width)[None, :]
    for s in spec.stores:
        columns = j[:, :1] if s.scalar else j
        at = (s.offset + m * s.row_stride + columns).ravel()
        stored[s.place == "scratch"][:, at] = True
    for array, mask in zip(before, stored, strict=True):
        array[mask] = POISON
    want = before[0].copy(), before[1].copy()
    run_reference(spec, arena, offsets, tables, weights, vectors, *want)
    built = build_kernels([spec])
    compiled, library = built.kernels[spec.name], Standalone(built)
    packed = pack_weights(spec, weights), pack_vectors(spec, vectors)
    first: list[np.ndarray] | None = None
    if alike is not None:
        other = build_kernels([alike])
        got = [aligned(b.size + 64)[: b.size].reshape(b.shape) for b in before]
        for g, b in zip(got, before, strict=True):
            g[:] = b
        rounded = pack_weights(alike, [rounded_to_bf16(w) for w in weights]), packed[1]
        Standalone(other).run(alike, got[0], tables, offsets, *rounded, scratch=got[1])
        first = [g[mask] for g, mask in zip(got, stored, strict=True)]
    for height in compiled.tiles:
        rows = nodes * spec.rows
        plan = [(height, rows // height)]
        if rows % height:
            plan.append((1, rows % height))
        if height > rows:
            continue
        got = [aligned(b.size + 64)[: b.size].reshape(b.shape) for b in before]
        for g, b in zip(got, before, strict=True):
            g[:] = b
        library.run(spec, got[0], tables, offsets, *packed, plan, scratch=got[1])
        for g, w, b, mask in zip(got, want, before, stored, strict=True):
            np.testing.assert_allclose(g[mask], w[mask], rtol=rtol, atol=5e-5)
            if not any(s.padded for s in spec.stores):
                np.testing.assert_array_equal(g[~mask], b[~mask])
        bits = [g[mask] for g, mask in zip(got, stored, strict=True)]
        first = first or bits
        for a, b in zip(first, bits, strict=True):
            np.testing.assert_array_equal(a, b)
