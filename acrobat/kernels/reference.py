"""What a `KernelSpec` means, in numpy: the judge of every code generator.

Contractions are accumulated in float64; the point-wise part is float32, as in the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .spec import Gate, KernelSpec


def _sigmoid(x: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # e^-x = inf gives the right 0
        return np.asarray(1 / (1 + np.exp(-x)))


_FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "relu": lambda x: np.maximum(x, np.float32(0)),
}


def run_reference(
    spec: KernelSpec,
    arena: np.ndarray,
    offsets: Mapping[int, np.ndarray],
    tables: Mapping[int, np.ndarray],
    weights: Sequence[np.ndarray],
    vectors: Sequence[np.ndarray],
    out: np.ndarray,
) -> None:
    """Compute `spec` for the n nodes whose records are `out`, float32 [n, record]; writes exactly
    the stores' columns [offset, offset + width).

    `offsets[i]`, int [n], says where each node's operand i begins: in `arena` (float32, 1-D) if
    it is a row, in the flattened `tables[i]` if it is a table row; the keys are `spec.indexed`.
    Operands of kind `self` are read from `out` before anything is stored. `weights` and `vectors`
    have the shapes that the spec states.

    Raises ValueError for an offset that leaves its array, or a function that does not exist.
    """
    rows = [_rows(spec, i, arena, offsets, tables, out) for i in range(len(spec.operands))]
    accs = [_contract(spec, gate, rows, weights) for gate in spec.gates]
    n, width = len(out), spec.width
    values: list[np.ndarray] = []
    for instr in spec.epilogue:
        match instr.fn:
            case "acc":
                value = accs[instr.args[0]]
            case "row":
                operand, offset = instr.args
                value = rows[operand][:, offset : offset + width]
            case "vec":
                vector, offset = instr.args
                value = np.broadcast_to(vectors[vector][offset : offset + width], (n, width))
            case "lit":
                value = np.full((n, width), instr.value, np.float32)
            case fn if fn in _FUNCTIONS:
                value = _FUNCTIONS[fn](*(values[a] for a in instr.args))
            case fn:
                raise ValueError(
                    f"{spec.name}: there is no epilogue instruction {fn!r}; "
                    f"point-wise ones are {', '.join(sorted(_FUNCTIONS))}"
                )
        if value.shape != (n, width):
            raise ValueError(
                f"{spec.name}: {instr.fn}{instr.args} reads {value.shape[1]} columns where the "
                f"kernel has {width}"
            )
        values.append(value)
    for store in spec.stores:
        out[:, store.offset : store.offset + width] = values[store.value]


def _rows(
    spec: KernelSpec,
    i: int,
    arena: np.ndarray,
    offsets: Mapping[int, np.ndarray],
    tables: Mapping[int, np.ndarray],
    out: np.ndarray,
) -> np.ndarray:
    """Operand i of every node, gathered: float32 [n, operand width]."""
    operand = spec.operands[i]
    if operand.kind == "self":
        return out[:, operand.at : operand.at + operand.width].copy()
    base = arena if operand.kind == "row" else tables[i].ravel()
    start = np.asarray(offsets[i], np.int64)
    if len(start) and (start.min() < 0 or start.max() + operand.width > base.size):
        raise ValueError(
            f"{spec.name}: operand {i} ({operand.kind}, {operand.width} floats) has offsets "
            f"{start.min()}..{start.max()}, which leave its {base.size} floats"
        )
    return np.asarray(base[start[:, None] + np.arange(operand.width)])


def _contract(
    spec: KernelSpec, gate: Gate, rows: Sequence[np.ndarray], weights: Sequence[np.ndarray]
) -> np.ndarray:
    total = np.zeros((len(rows[gate.terms[0].operand]), spec.width))
    for t in gate.terms:
        x = rows[t.operand][:, t.offset : t.offset + t.k].astype(np.float64)
        w = weights[t.weight][t.row : t.row + t.k, t.col : t.col + spec.width]
        total += x @ w.astype(np.float64)
    return total.astype(np.float32)
