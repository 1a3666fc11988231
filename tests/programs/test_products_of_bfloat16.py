"""`Options.precision="bf16"` on a CPU: models whose products are those of its matrix unit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
import workloads
from acrobat.kernels.printers.cpu import amx
from acrobat.kernels.specification.weight_types import rounded_to_bf16
from acrobat.targets import choose_target
from tests.programs.test_weights_in_fewer_bits import Layer, Word, drawn, layer, loss
from tests.programs.test_workloads_compiled import problem
from workloads.results import flatten

with_amx = pytest.mark.skipif(amx.why_no_matrix_unit() is not None, reason="a CPU without AMX")
OPTIONS = ab.Options(precision="bf16")


def plain(p: Layer, words: list[Word]) -> np.ndarray:
    """Both operands of the product are rounded, and nothing else."""
    table, w, b = (np.asarray(x) for x in (p.table, p.w, p.b))
    x = np.array([word.vector + table[word.number] for word in words])
    return np.asarray(rounded_to_bf16(x) @ rounded_to_bf16(w) + b)


@with_amx
@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_operands_are_rounded_and_nothing_else(executor: str) -> None:
    (p, words), (other, _) = drawn(), drawn(1)
    fast = ab.compile(layer, p, "cpu", ab.Options(precision="bf16", executor=executor))
    np.testing.assert_allclose(fast(words), plain(p, words), rtol=1e-5, atol=1e-5)
    far = abs(np.array(fast(words)) - [layer(p, word) for word in words]).max()
    assert 1e-3 < far < 0.2
    changed = Layer(table=p.table, w=other.w, b=p.b)
    fast.reload_weights(changed, {"w"})
    np.testing.assert_allclose(fast(words), plain(changed, words), rtol=1e-5, atol=1e-5)


@with_amx
def test_the_report_says_so() -> None:
    p, _ = drawn()
    fast = ab.compile(layer, p, "cpu", OPTIONS)
    assert "1,320 flop per node, products of bf16,\n" in fast.explain()
    assert "width 20, products of bf16\n" in fast.ir("specifications")
    assert "llvm.x86.tdpbf16ps" in fast.ir("kernels")


def tensors(results: list[Any]) -> list[np.ndarray]:
    return [x for r in results for x in flatten(r)[1]]


@with_amx
@pytest.mark.usefixtures("small_kernels")
@pytest.mark.parametrize("name", ["treelstm", "mvrnn", "birnn"])
def test_workloads_are_as_far_from_float32_as_bfloat16_is(name: str) -> None:
    params, instances, exact = problem(name, 7)
    got = ab.compile(workloads.get(name).model, params, "cpu", OPTIONS)(instances)
    errors = [abs(x - y).max() for x, y in zip(tensors(exact), tensors(got), strict=True)]
    assert 1e-5 < max(errors) < 2e-2


@with_amx
def test_neither_threads_nor_the_rest_of_the_batch_change_a_bit() -> None:
    params, instances, _ = problem("treelstm", 7)
    model = workloads.get("treelstm").model
    one, two = (
        ab.compile(model, params, "cpu", ab.Options(precision="bf16", threads=n)) for n in (1, 2)
    )
    together = tensors(one(instances))
    apart = [x for i in instances for x in tensors(one([i]))]
    for other in (tensors(two(instances)), apart):
        for x, y in zip(together, other, strict=True):
            np.testing.assert_array_equal(x, y)


def refusal(options: ab.Options) -> str:
    with pytest.raises(ab.OptionError) as info:
        choose_target("cpu", options)
    return str(info.value)


INSTEAD = "for bfloat16 weights and float32 products pass weights='bf16', or target='cuda'"


def test_a_cpu_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amx, "_cpu_flags", lambda: frozenset({"avx512f", "amx_tile"}))
    assert refusal(OPTIONS) == f"Options.precision='bf16': this CPU has no AMX; {INSTEAD}"


def test_narrower_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amx, "_cpu_flags", lambda: frozenset({"amx_bf16", "amx_tile"}))
    monkeypatch.setenv("ACROBAT_LANES", "4")
    assert refusal(OPTIONS) == (
        f"Options.precision='bf16': ACROBAT_LANES asks for a narrower CPU, without AMX; {INSTEAD}"
    )


@with_amx
def test_a_system_that_withholds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amx, "_is_granted", lambda: False)
    assert refusal(OPTIONS) == (
        f"Options.precision='bf16': Linux does not let this process use AMX; {INSTEAD}"
    )


def test_weights_of_another_type() -> None:
    assert refusal(ab.Options(precision="bf16", weights="int8")) == (
        "Options.weights='int8': precision='bf16' multiplies weights in bfloat16; pass "
        "precision='fp32', or weights='bf16'"
    )


def test_training_refuses_it() -> None:
    p, words = drawn()
    message = (
        "Options.precision='bf16': gradients are of float32 products; train with "
        "precision='fp32', and pass precision='bf16' to ab.compile afterwards"
    )
    with pytest.raises(ab.OptionError) as info:
        ab.gradients(loss, p, options=OPTIONS)
    assert str(info.value) == message
    if amx.why_no_matrix_unit() is None:
        with pytest.raises(ab.OptionError) as info:
            ab.compile(layer, p, "cpu", OPTIONS).vjp(words, [np.ones(20, np.float32)] * 7)
        assert str(info.value) == message
