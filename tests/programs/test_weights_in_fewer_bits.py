"""`Options.weights`: models whose shared weights are stored in fewer bits."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, get_args

import numpy as np
import pytest

import acrobat as ab
import workloads
from acrobat import Float32, Tensor, ops
from acrobat.kernels.specification.weight_types import quantised, rounded_to_bf16
from acrobat.lang.params import weights
from acrobat.targets import choose_target
from tests.programs.test_workloads_compiled import check, problem
from tests.selection import some
from workloads.results import flatten

Stored = Literal["bf16", "int8"]
NARROW: tuple[Stored, ...] = get_args(Stored)


@ab.data
class Word:
    number: int
    vector: Float32[Tensor, "H"]


@ab.params
class Layer:
    table: Float32[Tensor, "V H"]
    w: Float32[Tensor, "H N"]
    b: Float32[Tensor, "N"]


@ab.model
def layer(p: Layer, word: Word) -> Float32[Tensor, "N"]:
    return ops.linear(word.vector + p.table[word.number], p.w, p.b)


@ab.model
def loss(p: Layer, word: Word) -> Float32[Tensor, ""]:
    return ops.sum(layer(p, word))


def drawn(seed: int = 0) -> tuple[Layer, list[Word]]:
    rng = np.random.default_rng(seed)
    made = Layer(table=rng.normal(size=(5, 33)), w=rng.normal(size=(33, 20)), b=rng.normal(size=20))
    return made, [Word(n % 5, rng.normal(size=33).astype(np.float32)) for n in range(7)]


def plain(p: Layer, words: list[Word], stored: Stored) -> np.ndarray:
    """Only `w` is rounded."""
    w = np.asarray(p.w)
    if stored == "bf16":
        rounded = rounded_to_bf16(w)
    else:
        (whole,), scale = quantised([w])
        rounded = whole * scale
    return np.array([layer(Layer(table=p.table, w=rounded, b=p.b), word) for word in words])


@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize("stored", NARROW)
def test_matrices_are_rounded_and_nothing_else(stored: Stored, executor: str) -> None:
    p, words = drawn()
    fast = ab.compile(layer, p, "cpu", ab.Options(weights=stored, executor=executor))
    np.testing.assert_allclose(fast(words), plain(p, words, stored), rtol=1e-5, atol=1e-5)
    far = abs(np.array(fast(words)) - [layer(p, word) for word in words]).max()
    assert 1e-3 < far < 0.2


@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize("stored", NARROW)
def test_weights_are_reloaded(stored: Stored, executor: str) -> None:
    (p, words), (other, _) = drawn(), drawn(1)
    fast = ab.compile(layer, p, "cpu", ab.Options(weights=stored, executor=executor))
    fast(words)
    changed = Layer(table=p.table, w=other.w, b=p.b)
    fast.reload_weights(changed, {"w"})
    np.testing.assert_allclose(fast(words), plain(changed, words, stored), rtol=1e-5, atol=1e-5)


def test_the_report_says_so() -> None:
    p, _ = drawn()
    fast = ab.compile(layer, p, "cpu", ab.Options(weights="bf16"))
    assert "1,320 flop per node, weights in bf16,\n" in fast.explain()
    assert "width 20, weights in bf16\n" in fast.ir("specifications")
    assert fast.options.weights == "bf16"


def rounded_like(fast: ab.CompiledModel[Any, Any], params: Any) -> Any:
    """The params with those weights rounded that kernels have in bfloat16."""
    layout: Any = fast.program.layout  # type: ignore[union-attr]
    stored = {n for k in layout.kernels if k.spec.weight_type == "bf16" for n in k.weights}
    as_they_are = {n for k in layout.kernels for n in k.vectors} | set(layout.tables)
    as_they_are |= {n for k in layout.kernels if k.spec.weight_type == "fp32" for n in k.weights}
    known = weights(params)
    assert stored and not stored & as_they_are and stored <= set(known)
    return _replaced(params, "", {n: rounded_to_bf16(known[n]) for n in stored})


def _replaced(value: Any, path: str, changed: dict[str, np.ndarray]) -> Any:
    if path in changed:
        return changed[path]
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    names = (f.name for f in dataclasses.fields(value))
    prefix = f"{path}." if path else ""
    parts = {n: _replaced(getattr(value, n), f"{prefix}{n}", changed) for n in names}
    return dataclasses.replace(value, **parts)


@pytest.mark.usefixtures("small_kernels")
@pytest.mark.parametrize(
    "name",
    some(workloads.NAMES, always=lambda name: name in ("treelstm", "mvrnn")),
)
def test_workloads_agree_with_plain_python_of_rounded_weights(name: str) -> None:
    params, instances, exact = problem(name, 7)
    model = workloads.get(name).model
    fast = ab.compile(model, params, "cpu", ab.Options(weights="bf16"))
    got = fast(instances)
    check(workloads.get(name).reference(rounded_like(fast, params), instances), got)
    # It is not float32 that has run.
    pairs = zip(exact, got, strict=True)
    assert any(
        x.shape != y.shape or abs(x - y).max() > 1e-5
        for a, b in pairs
        for x, y in zip(flatten(a)[1], flatten(b)[1], strict=True)
    )


@pytest.mark.slow
@pytest.mark.usefixtures("small_kernels")
@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_int8_is_as_far_from_float32_as_its_steps_are(executor: str) -> None:
    params, instances, exact = problem("treelstm", 7)
    options = ab.Options(weights="int8", executor=executor)
    got = ab.compile(workloads.get("treelstm").model, params, "cpu", options)(instances)
    errors = [
        abs(x - y).max()
        for a, b in zip(exact, got, strict=True)
        for x, y in zip(flatten(a)[1], flatten(b)[1], strict=True)
    ]
    assert 1e-5 < max(errors) < 1e-2


@pytest.mark.slow
def test_threads_compute_the_same_bits() -> None:
    params, instances, _ = problem("treelstm", 7)
    model = workloads.get("treelstm").model
    one, two = (
        ab.compile(model, params, "cpu", ab.Options(weights="bf16", threads=n))(instances)
        for n in (1, 2)
    )
    for a, b in zip(one, two, strict=True):
        for x, y in zip(flatten(a)[1], flatten(b)[1], strict=True):
            np.testing.assert_array_equal(x, y)


def test_a_gpu_has_none() -> None:
    with pytest.raises(ab.OptionError) as info:
        choose_target("cuda", ab.Options(weights="bf16"))
    assert str(info.value) == (
        "Options.weights='bf16': kernels on a GPU read float32 weights; pass target='cpu', or for "
        "products on tensor cores precision='bf16'"
    )


def test_where_there_is_a_gpu_the_cpu_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acrobat.targets._gpu_is_usable", lambda: True)
    assert choose_target("auto", ab.Options()) == "cuda"
    assert choose_target("auto", ab.Options(weights="bf16")) == "cpu"


def test_training_refuses_it() -> None:
    p, words = drawn()
    options = ab.Options(weights="bf16")
    message = (
        "Options.weights='bf16': gradients are of float32 weights, and a step changes them by less "
        "than bf16 can tell apart; train with weights='fp32', and pass weights='bf16' to "
        "ab.compile afterwards"
    )
    with pytest.raises(ab.OptionError) as info:
        ab.gradients(loss, p, options=options)
    assert str(info.value) == message
    with pytest.raises(ab.OptionError) as info:
        ab.compile(layer, p, "cpu", options).vjp(words, [np.ones(20, np.float32)] * 7)
    assert str(info.value) == message


def test_torch_refuses_it() -> None:
    torch_module = pytest.importorskip("acrobat.torch", exc_type=ImportError)
    p, _ = drawn()
    with pytest.raises(ab.OptionError, match=r"^Options.weights='bf16': gradients are of float32"):
        torch_module.Module(layer, p, ab.Options(weights="bf16"))
