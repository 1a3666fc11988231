"""Kernels against a plain numpy reading of their specification, on random specifications.

The object file is linked into a small shared library and called through ctypes with the packed
convention; outputs are poisoned first, and what lies between the stores must stay untouched.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acrobat.kernels.cpu.build import build_kernels
from acrobat.kernels.cpu.pack import aligned, pack_vectors, pack_weights
from acrobat.kernels.spec import Gate, Instr, KernelSpec, Operand, Store, Term

POISON = 12345.0
NODES = 19


class Arg(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("pad", ctypes.c_uint32), ("value", ctypes.c_int64))


def reference(
    spec: KernelSpec, xs: list[np.ndarray], ws: list[np.ndarray], vs: list[np.ndarray]
) -> np.ndarray:
    """Records, float64 accumulation. xs[i] is [nodes, width] for every operand."""
    out = np.full((NODES, spec.record), POISON)
    accs = []
    for gate in spec.gates:
        total = np.zeros((NODES, spec.width))
        for t in gate.terms:
            x = xs[t.operand][:, t.offset : t.offset + t.k].astype(float)
            total += x @ ws[t.weight][t.row : t.row + t.k, t.col : t.col + spec.width]
        accs.append(total)
    values: list[np.ndarray] = []
    functions = {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "neg": np.negative,
        "tanh": np.tanh,
        "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "relu": lambda x: np.maximum(x, 0),
    }
    columns = slice(None)
    for i in spec.epilogue:
        match i.fn:
            case "acc":
                values.append(accs[i.args[0]])
            case "row":
                x = xs[i.args[0]][:, i.args[1] : i.args[1] + spec.width]
                values.append(x.astype(float))
            case "vec":
                v = vs[i.args[0]][i.args[1] : i.args[1] + spec.width]
                values.append(np.broadcast_to(v.astype(float), (NODES, spec.width)))
            case "lit":
                values.append(np.full((NODES, spec.width), i.value))
            case _:
                values.append(functions[i.fn](*(values[a][:, columns] for a in i.args)))
    for s in spec.stores:
        out[:, s.offset : s.offset + spec.width] = values[s.value]
    return out


def run(spec: KernelSpec, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray:
        return rng.uniform(-1, 1, shape).astype(np.float32)

    ws = [draw(*s) for s in spec.weights]
    vs = [draw(n) for n in spec.vectors]
    kernels = build_kernels([spec])
    compiled = kernels.kernels[spec.name]
    with tempfile.TemporaryDirectory() as folder:
        stub = Path(folder) / "stub.c"
        stub.write_text("void TVMFFIErrorSetRaisedFromCStrParts(void) { __builtin_trap(); }\n")
        library = Path(folder) / "k.so"
        command = ["gcc", "-shared", "-fPIC", str(stub), str(kernels.path), "-o", str(library)]
        subprocess.run(command, check=True, capture_output=True)
        loaded = ctypes.CDLL(str(library))
        packed_w, packed_v = pack_weights(spec, ws), pack_vectors(spec, vs)
        arena = aligned(NODES * 4096)
        xs: list[np.ndarray] = []
        offsets: dict[int, np.ndarray] = {}
        for i, o in enumerate(spec.operands):
            x = draw(NODES, o.width)
            places = rng.permutation(NODES) * (o.width + 3) + i * NODES * 256
            for n in range(NODES):
                arena[places[n] : places[n] + o.width] = x[n]
            offsets[i] = places.astype(np.int32)
            xs.append(x)
        want = reference(spec, xs, ws, vs)
        first: np.ndarray | None = None
        for r in compiled.tiles:
            out = aligned(NODES * spec.record + 64)
            out[:] = POISON
            for start, tiles, height in ((0, NODES // r, r), (NODES // r * r, NODES % r, 1)):
                if tiles:
                    call(loaded, compiled, spec, height, out, start, tiles, packed_w, packed_v,
                         arena, offsets)  # fmt: skip
            got = out[: NODES * spec.record].reshape(NODES, spec.record)
            for s in spec.stores:
                at = slice(s.offset, s.offset + spec.width)
                np.testing.assert_allclose(got[:, at], want[:, at], rtol=2e-6, atol=5e-6)
            if not all(s.padded for s in spec.stores):
                np.testing.assert_array_equal(got == POISON, want == POISON)
            assert (out[NODES * spec.record :] == POISON).all()
            stored = np.concatenate([got[:, s.offset : s.offset + spec.width] for s in spec.stores])
            # The same bits for every row tile: results must not depend on the batch.
            first = stored.copy() if first is None else first
            np.testing.assert_array_equal(stored, first)


def call(loaded, compiled, spec, r, out, start, tiles, w, v, arena, offsets) -> None:
    function = getattr(loaded, compiled.symbol(r))
    for jo in range(compiled.column_blocks):
        args = [
            (4, out.ctypes.data + start * spec.record * 4),
            (1, tiles),
            (1, jo),
            (4, w.ctypes.data),
            (4, v.ctypes.data),
        ]
        for i in spec.indexed:
            args += [(4, arena.ctypes.data), (4, offsets[i].ctypes.data + start * 4)]
        packed = (Arg * len(args))(*(Arg(t, 0, x) for t, x in args))
        assert function(None, packed, len(args), ctypes.byref(Arg())) == 0


def pointwise(name: str, width: int, padded: bool, *fns: str) -> KernelSpec:
    code = [Instr("row", (0, 0)), Instr("row", (1, 2))]
    code += [Instr(f, (len(code) - 1,)) for f in fns]
    code += [Instr("lit", (), 0.5), Instr("mul", (len(code) - 1, 0))]
    code.append(Instr("mul", (len(code) - 1, len(code) - 2)))
    return KernelSpec(
        name=name,
        width=width,
        record=-(-width // 16) * 16 + 16,
        operands=(Operand("row", width), Operand("table", width + 2)),
        weights=(),
        vectors=(),
        gates=(),
        epilogue=tuple(code),
        stores=(Store(0, len(code) - 1, padded),),
    )


@pytest.mark.parametrize("width", [1, 7, 16, 17, 50, 64])
@pytest.mark.parametrize("padded", [True, False])
def test_pointwise(width: int, padded: bool) -> None:
    run(pointwise("pointwise", width, padded, "tanh", "sigmoid"))


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.data())
def test_random_contractions(data: st.DataObject) -> None:
    width = data.draw(st.sampled_from([1, 5, 16, 24, 32, 48]))
    inputs = [data.draw(st.sampled_from([1, 3, 20, 33])) for _ in range(2)]
    columns = width + data.draw(st.integers(0, 9))
    col = columns - width
    gates = []
    for _ in range(data.draw(st.integers(1, 5))):
        chosen = data.draw(st.sampled_from([(0,), (1,), (0, 1)]))
        terms = [Term(i, 0, inputs[i], i, 0, col) for i in chosen]
        gates.append(Gate(tuple(terms)))
    code: list[Instr] = []
    total = -1
    for g in range(len(gates)):
        code += [Instr("acc", (g,)), Instr("vec", (0, col))]
        code.append(Instr("add", (len(code) - 2, len(code) - 1)))
        fn = data.draw(st.sampled_from(["tanh", "sigmoid", "relu", "neg"]))
        code.append(Instr(fn, (len(code) - 1,)))
        if total >= 0:
            code.append(Instr("mul", (len(code) - 1, total)))
        total = len(code) - 1
    padded = data.draw(st.booleans())
    slot = -(-width // 16) * 16
    run(
        KernelSpec(
            name="random",
            width=width,
            record=2 * slot,
            operands=tuple(Operand("row", k) for k in inputs),
            weights=tuple((k, columns) for k in inputs),
            vectors=(columns,),
            gates=tuple(gates),
            epilogue=tuple(code),
            stores=(Store(0, total, padded), Store(slot, 0, padded)),
        )
    )


def test_functions_saturate_and_keep_small_values() -> None:
    spec = pointwise("saturate", 16, True, "tanh")
    assert spec.flops == 0
    for fn, xs, want in (
        ("tanh", [-1e4, -20, -1e-6, 0, 1e-6, 0.3, 20, 1e4], np.tanh),
        ("sigmoid", [-1e4, -80, -1, 0, 1, 80, 1e4, 5], lambda x: 1 / (1 + np.exp(-x))),
    ):
        got = apply(fn, np.array(xs, np.float32))
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(got, want(np.array(xs)), rtol=2e-6, atol=1e-37)
        assert np.isnan(apply(fn, np.full(8, np.nan, np.float32))).all()


def apply(fn: str, x: np.ndarray) -> np.ndarray:
    spec = KernelSpec(
        name=f"apply_{fn}",
        width=8,
        record=16,
        operands=(Operand("row", 8),),
        weights=(),
        vectors=(),
        gates=(),
        epilogue=(Instr("row", (0, 0)), Instr(fn, (0,))),
        stores=(Store(0, 1),),
    )
    kernels = build_kernels([spec])
    with tempfile.TemporaryDirectory() as folder:
        stub = Path(folder) / "stub.c"
        stub.write_text("void TVMFFIErrorSetRaisedFromCStrParts(void) { __builtin_trap(); }\n")
        library = Path(folder) / "k.so"
        command = ["gcc", "-shared", "-fPIC", str(stub), str(kernels.path), "-o", str(library)]
        subprocess.run(command, check=True, capture_output=True)
        arena, out = aligned(64), aligned(64)
        arena[:8] = x
        zero = np.zeros(1, np.int32)
        call(ctypes.CDLL(str(library)), kernels.kernels[spec.name], spec, 1, out, 0, 1,
             aligned(16), aligned(16), arena, {0: zero})  # fmt: skip
        return out[:8].copy()
