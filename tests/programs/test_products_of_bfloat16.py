"""`Options.precision="bf16"` on a CPU: models whose products are those of its matrix unit."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
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
from tests.runtime.test_memory_limits import run_script
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


NO_AMX = re.escape(f"Options.precision='bf16': this CPU has no AMX; {INSTEAD}")


def test_a_cpu_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amx, "_cpu_flags", lambda: frozenset({"avx512f", "amx_tile"}))
    assert refusal(OPTIONS) == f"Options.precision='bf16': this CPU has no AMX; {INSTEAD}"


def test_narrower_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amx, "_cpu_flags", lambda: frozenset({"amx_bf16", "amx_tile"}))
    monkeypatch.setenv("ACROBAT_LANES", "4")
    assert refusal(OPTIONS) == (
        "Options.precision='bf16': with AMX go vectors of 16 floats, not 4 (ACROBAT_LANES, or no "
        f"AVX-512); {INSTEAD}"
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


# The threads of the first model are there before Linux is asked for the unit.
_CHILDREN = """
batch = trees(64, 6)
first = ab.compile(encode, weights(), "cpu", ab.Options(threads=2))(batch)
options = ab.Options(threads=2, precision="bf16")
fast = ab.compile(encode, weights(), "cpu", options)
want = fast(batch)
print(0 < max(abs(x - y).max() for x, y in zip(first, want)) < 2e-2)
for _ in range(3):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            assert all(map(np.array_equal, want, fast(batch)))
            again = ab.compile(encode, weights(), "cpu", options)
            assert all(map(np.array_equal, want, again(batch)))
            status = 0
        finally:
            os._exit(status)
    print(os.waitpid(child, 0)[1])
"""


@with_amx
def test_older_threads_and_forked_children_have_it() -> None:
    assert run_script(_CHILDREN).split() == ["True", "0", "0", "0"]


@with_amx
def test_many_threads_at_once_and_pytorch_between() -> None:
    """Others use the unit on the same threads: PyTorch's products of bfloat16."""
    torch = pytest.importorskip("torch")
    params, instances, _ = problem("treelstm", 7)
    fast = ab.compile(workloads.get("treelstm").model, params, "cpu", OPTIONS)
    x = torch.randn(64, 512, generator=torch.Generator().manual_seed(0)).bfloat16()
    want, product = tensors(fast(instances)), x @ x.T

    def work(_: int) -> bool:
        alike = True
        for _ in range(20):
            alike &= bool(torch.equal(x @ x.T, product))
            got = tensors(fast(instances))
            alike &= all(map(np.array_equal, want, got))
        return alike

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def test_a_model_that_is_made_directly_or_unpickled_is_refused_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the unit its instructions would end the process."""
    p, _ = drawn()
    monkeypatch.setattr(amx, "_cpu_flags", lambda: frozenset({"avx512f"}))
    with pytest.raises(ab.OptionError, match=NO_AMX):
        ab.CompiledModel(layer, p, OPTIONS)
    make, arguments = _pickled_as(layer, p)
    with pytest.raises(ab.OptionError, match=NO_AMX):
        make(*arguments)


def _pickled_as(model: Any, params: Layer) -> Any:
    """What a pickled model is made again from, as where there is the unit."""
    make, (*given, _) = ab.compile(model, params, "cpu").__reduce__()
    return make, (*given, OPTIONS)


@pytest.mark.slow
def test_gradients_beside_products_on_a_gpu() -> None:
    """Gradients are computed on the CPU, in float32, whatever tensor cores multiply."""
    p, words = drawn()
    fast = ab.compile(layer, p, "cpu")
    cotangents = [np.ones(20, np.float32)] * len(words)
    _, want = fast.vjp(words, cotangents)
    fast.target, fast.options, fast._backward = "cuda", OPTIONS, None
    _, got = fast.vjp(words, cotangents)
    np.testing.assert_array_equal(got.w, want.w)
