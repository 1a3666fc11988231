"""What a `KernelSpec` means, in numpy: the judge of every code generator.

Contractions and reductions are accumulated in float64; the point-wise part is float32, as in the
kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .spec import Gate, Instr, KernelSpec

_erf = np.frompyfunc(math.erf, 1, 1)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # e^-x = inf gives the right 0
        return np.asarray(1 / (1 + np.exp(-x)))


def _gelu(x: np.ndarray) -> np.ndarray:
    erf = np.asarray(_erf(x.astype(np.float64) / math.sqrt(2)), dtype=np.float64)
    return (x * 0.5 * (1 + erf)).astype(np.float32)


def _select(c: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(c != 0, a, b)


def _number(test: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    return lambda a, b: test(a, b).astype(np.float32)


_FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": np.minimum,
    "max": np.maximum,
    "lt": _number(np.less),
    "le": _number(np.less_equal),
    "eq": _number(np.equal),
    "select": _select,
    "neg": np.negative,
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "relu": lambda x: np.maximum(x, np.float32(0)),
    "gelu": _gelu,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: np.float32(1) / np.sqrt(x),
    "abs": np.abs,
}


def run_reference(
    spec: KernelSpec,
    arena: np.ndarray,
    offsets: Mapping[int, np.ndarray],
    tables: Mapping[int, np.ndarray],
    weights: Sequence[np.ndarray],
    vectors: Sequence[np.ndarray],
    out: np.ndarray,
    scratch: np.ndarray | None = None,
) -> None:
    """Compute `spec` for the n nodes whose records are `out`, float32 [n, record], and whose
    scratch records are `scratch`, [n, spec.scratch]; writes exactly what the stores cover.

    `offsets[i]`, int [n], says where each node's operand i begins: in `arena` (float32, 1-D) if
    it is a row, in the flattened `tables[i]` if it is a table row; the keys are `spec.indexed`.
    `weights` and `vectors` have the shapes that the spec states.

    Raises IndexError for an access that leaves its array, ValueError for a function that does not
    exist.
    """
    scratch = np.zeros((len(out), 0), np.float32) if scratch is None else scratch
    for n in range(len(out)):
        regions: list[np.ndarray] = []
        for i, o in enumerate(spec.operands):
            match o.kind:
                case "self":
                    regions.append(out[n, o.at :].copy())
                case "scratch":
                    regions.append(scratch[n, o.at :].copy())
                case "row":
                    regions.append(arena[offsets[i][n] :][: o.width])
                case "table":
                    regions.append(tables[i].ravel()[offsets[i][n] :][: o.width])
        _node(spec, regions, weights, vectors, out[n], scratch[n])


def _node(
    spec: KernelSpec,
    regions: Sequence[np.ndarray],
    weights: Sequence[np.ndarray],
    vectors: Sequence[np.ndarray],
    out: np.ndarray,
    scratch: np.ndarray,
) -> None:
    """One node: every value is [rows, width], float32."""
    m, j = np.arange(spec.rows)[:, None], np.arange(spec.width)[None, :]
    accs = [_contract(spec, gate, regions, weights) for gate in spec.gates]
    values: list[np.ndarray] = []
    for instr in spec.epilogue:
        match instr.fn:
            case "acc":
                value = accs[instr.args[0]]
            case "row" | "vec":
                number, offset, row_stride, col_stride = _strided(instr)
                array = regions[number] if instr.fn == "row" else vectors[number].ravel()
                value = array[offset + m * row_stride + j * col_stride]
            case "lit":
                value = np.full((spec.rows, spec.width), instr.value, np.float32)
            case "col":
                value = np.broadcast_to(j, (spec.rows, spec.width)).astype(np.float32)
            case "rsum" | "rmax" | "rargmax":
                value = _reduce(instr.fn, values[instr.args[0]])
            case fn if fn in _FUNCTIONS:
                with np.errstate(all="ignore"):
                    value = _FUNCTIONS[fn](*(values[a] for a in instr.args))
            case fn:
                raise ValueError(f"{spec.name}: there is no epilogue instruction {fn!r}")
        values.append(np.asarray(value, dtype=np.float32))
    for s in spec.stores:
        place = out if s.place == "record" else scratch
        columns = j[:, :1] if s.scalar else j
        place[s.offset + m * s.row_stride + columns] = values[s.value][:, : columns.shape[1]]


def _strided(instr: Instr) -> tuple[int, int, int, int]:
    number, offset, *rest = instr.args
    row_stride, col_stride = rest or (0, 1)
    return number, offset, row_stride, col_stride


def _reduce(fn: str, value: np.ndarray) -> np.ndarray:
    wide = value.astype(np.float64)
    function = {"rsum": np.sum, "rmax": np.max, "rargmax": np.argmax}[fn]
    return np.broadcast_to(function(wide, axis=1)[:, None], value.shape)  # type: ignore[operator]


def _contract(
    spec: KernelSpec, gate: Gate, regions: Sequence[np.ndarray], weights: Sequence[np.ndarray]
) -> np.ndarray:
    total = np.zeros((spec.rows, spec.width))
    m, j = np.arange(spec.rows)[:, None], np.arange(spec.width)[None, :]
    for t in gate.terms:
        k = np.arange(t.k)
        x = regions[t.operand][t.offset + m * t.row_stride + k[None, :] * t.k_stride]
        if t.matrix is None:
            w = weights[t.weight][t.row : t.row + t.k, t.col : t.col + spec.width]
        else:
            at = t.matrix.offset + k[:, None] * t.matrix.row_stride + j
            w = regions[t.matrix.operand][at]
        total += x.astype(np.float64) @ w.astype(np.float64)
    return total.astype(np.float32)
