"""The records of the operations against what models and readers see of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab
from acrobat import ops
from acrobat.ir.ops import OPS, POINTWISE, operations_table
from acrobat.ir.ops.definition import Pointwise

LANGUAGE = Path(__file__).parents[2] / "docs" / "language.md"
BEGIN, END = "<!-- operations: begin -->\n", "<!-- operations: end -->\n"
WRITTEN = [op for op in POINTWISE.values() if op.written]


def test_every_operation_is_in_the_language() -> None:
    """But those that only the compiler makes; and slices and rows, which are brackets."""
    public = {n for n, f in vars(ops).items() if inspect.isfunction(f)}
    compiler = {op.name for op in OPS.values() if not op.written}
    assert compiler == {"eye", "parts", "positions", "rsqrt", "triangle", "uniform"}
    assert set(OPS) - public == {*compiler, "slice", "lookup"}
    composed = {"clip", "cross_entropy", "cumsum", "dot", "min", "ones", "ones_like", "zeros_like"}
    piecewise = {"hardtanh", "relu6", "hardsigmoid", "hardswish"}
    assert public - set(OPS) == {"item", "split", *composed, *piecewise}
    for name in public & set(OPS):
        doc = inspect.getdoc(getattr(ops, name)) or ""
        assert " ".join(doc.split()) == OPS[name].doc


@pytest.mark.parametrize("op", POINTWISE.values(), ids=lambda op: op.name)
def test_forms_take_the_operands_of_the_function(op: Pointwise) -> None:
    assert len(op.cpu.operands) == len(op.cuda.operands) == len(op.partials) == op.arity
    if op.written:
        parameters = inspect.signature(getattr(ops, op.name)).parameters
        assert tuple(parameters) == op.cpu.operands
    assert op.domain[0] < op.domain[1]
    assert all(op.domain[0] <= edge <= op.domain[1] for edge in op.edges)


def test_the_language_lists_the_operations(golden: Callable[[Path, str], None]) -> None:
    """`pytest tests/lang/test_operation_records.py --update-golden` writes the list anew."""
    text = LANGUAGE.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    wanted = f"{before}{BEGIN}{operations_table()}{END}{after}"
    golden(LANGUAGE, wanted)


def draw(op: Pointwise, *shape: int) -> list[np.ndarray]:
    """Operands in the domain, neither large nor next to 0."""
    rng = np.random.default_rng(len(op.name))
    low, high = max(op.domain[0], -3.0), min(op.domain[1], 3.0)
    drawn = [rng.uniform(low, high, shape).astype(np.float32) for _ in range(op.arity)]
    return [np.where(abs(x) < 0.1, np.float32(0.5), x) for x in drawn]


@pytest.mark.parametrize("shape", [(), (50,), (5, 10)])
@pytest.mark.parametrize("op", POINTWISE.values(), ids=lambda op: op.name)
def test_float32_is_close_to_float64(op: Pointwise, shape: tuple[int, ...]) -> None:
    xs = draw(op, *shape)
    got = op.numpy(*xs)
    assert (got.dtype, got.shape) == (np.float32, shape)  # type: ignore[comparison-overlap]
    np.testing.assert_allclose(got, op.exact(*(x.astype(np.float64) for x in xs)), rtol=1e-6)


@pytest.mark.parametrize(
    "op", [op for op in POINTWISE.values() if op.arity == 1], ids=lambda op: op.name
)
def test_float32_is_close_to_float64_at_edges(op: Pointwise) -> None:
    edges = np.array(op.edges, np.float32)
    with np.errstate(all="ignore"):
        want = op.exact(edges.astype(np.float64)).astype(np.float32)
        np.testing.assert_allclose(op.numpy(edges), want, rtol=1e-6, atol=2e-45)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["vm", "aot"])
def test_models_compute_every_pointwise_operation(
    executor: str, load_model: Callable[[str], ModuleType]
) -> None:
    """In plain Python and compiled: a model that applies each to operands of its own."""
    operands = {op.name: [f"{op.name}_{i}" for i in range(op.arity)] for op in WRITTEN}
    fields = "".join(f'    {x}: Tensor["H"]\n' for xs in operands.values() for x in xs)
    calls = "".join(
        f"    v_{name} = ops.{name}({', '.join(f'x.{n}' for n in xs)})\n"
        for name, xs in operands.items()
    )
    results = ", ".join(f"v_{name}" for name in operands)
    hints = ", ".join(['Tensor["H"]'] * len(operands))
    module = load_model(
        f'@ab.data\nclass X:\n{fields}\n\n@ab.params\nclass P:\n    w: Tensor["H"]\n\n\n'
        f"@ab.model\ndef every(p: P, x: X) -> tuple[{hints}]:\n{calls}    return {results}\n"
    )
    x = module.X(
        **{n: v for op in WRITTEN for n, v in zip(operands[op.name], draw(op, 20), strict=True)}
    )
    params = module.P(w=np.zeros(20))
    fast = ab.compile(module.every, params, options=ab.Options(executor=executor, threads=1))
    [got] = fast([x])
    for op, g, want in zip(WRITTEN, got, module.every(params, x), strict=True):
        relative, absolute = op.cpu.relative, op.cpu.absolute
        np.testing.assert_allclose(g, want, rtol=relative, atol=absolute, err_msg=op.name)
