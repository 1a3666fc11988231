"""`ab.torch.Module`: torch trains a model."""

from __future__ import annotations

import copy
import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.lang.params import weights as arrays
from tests.training.models import INSTANCES, P, encode, judge, loss, weights

torch = pytest.importorskip("torch")
VM = ab.Options(executor="vm")


@pytest.fixture(autouse=True)
def interpreted(interpreted_kernels: None) -> None:
    """No kernel is compiled."""


def total(module: Any) -> Any:
    return torch.stack(module(INSTANCES)).sum()


def by_step(p: P) -> dict[str, np.ndarray]:
    _, grads = ab.gradients(loss, p, options=VM)(INSTANCES)
    return {path: np.asarray(g) for path, g in arrays(grads).items()}


def test_parameters_are_on_the_weights_memory() -> None:
    p = weights()
    module: Any = ab.torch.Module(loss, p, VM)
    assert set(module.state_dict()) == set(arrays(p))
    for path, parameter in module.named_parameters():
        assert np.shares_memory(parameter.detach().numpy(), arrays(p)[path])
        assert np.shares_memory(arrays(module.weights)[path], arrays(p)[path])
    assert repr(module).startswith("Module(\n  loss\n")


def test_gradients() -> None:
    p = weights()
    module: Any = ab.torch.Module(loss, p, VM)
    total(module).backward()
    for path, want in by_step(p).items():
        got = module.get_parameter(path).grad.numpy()
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)
    # Another mini-batch adds to them, as torch has it.
    total(module).backward()
    np.testing.assert_allclose(module.out.grad, 2 * by_step(p)["out"], rtol=1e-4, atol=1e-6)


def test_finite_differences_by_torch() -> None:
    module: Any = ab.torch.Module(loss, weights(), VM).double()
    first = total(module)
    assert first.dtype == torch.float64
    first.backward()
    for name, parameter in module.named_parameters():
        at = (0,) * (parameter.ndim - 1) + (1,) if name != "emb" else (1, 1)
        ends = []
        for h in (1e-6, -1e-6):
            with torch.no_grad():
                parameter[at] += h
                ends.append(float(total(module)))
                parameter[at] -= h
        assert float(parameter.grad[at]) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5)


def test_results_of_any_structure() -> None:
    p = weights()
    vectors: Any = ab.torch.Module(encode, p, VM)
    judged: Any = ab.torch.Module(judge, p, VM)
    words = [i[0] for i in INSTANCES]
    found = vectors(words)
    torch.nn.functional.mse_loss(torch.stack(found), torch.ones(3, 4)).backward()
    assert vectors.emb.grad[1].any() and not vectors.emb.grad[0].any()
    assert vectors.out.grad is not None and not vectors.out.grad.any()
    right, value = judged(INSTANCES)[0]
    assert isinstance(right, int) and value.requires_grad
    with torch.no_grad():
        plain = [judge(p, *i) for i in INSTANCES]
        for (r, v), (want, w) in zip(judged(INSTANCES), plain, strict=True):
            assert r == want and not v.requires_grad
            np.testing.assert_allclose(v.numpy(), w, rtol=1e-5)


def test_training_with_optimiser_schedule_and_clipping() -> None:
    module: Any = ab.torch.Module(loss, weights(), VM)
    optimiser = torch.optim.AdamW(module.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimiser, 5, 0.5)
    seen = []
    for _ in range(12):
        optimiser.zero_grad()
        value = total(module)
        value.backward()
        norm = torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        assert norm > 0
        optimiser.step()
        schedule.step()
        seen.append(value.item())
    assert seen[-1] < seen[0] / 3


@pytest.fixture
def renewed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What compiled models were told to take anew."""
    calls: list[Any] = []
    original = ab.CompiledModel.reload_weights

    def reload_weights(self: Any, params: Any = None, changed: Any = None) -> None:
        calls.append(changed)
        original(self, params, changed)

    monkeypatch.setattr(ab.CompiledModel, "reload_weights", reload_weights)
    yield calls


def test_what_is_compiled_takes_what_has_changed(
    renewed: list[Any],
) -> None:
    p = weights()
    module: Any = ab.torch.Module(loss, p, VM)

    def check() -> None:
        with torch.no_grad():
            np.testing.assert_allclose(
                torch.stack(module(INSTANCES)), [loss(p, *i) for i in INSTANCES], rtol=1e-4
            )

    check()
    check()
    assert renewed == []
    optimiser = torch.optim.SGD([module.out], lr=0.5)
    total(module).backward()
    optimiser.step()
    check()
    check()
    assert renewed == [{"out"}]
    table: Any = p.emb
    table[...] *= 0.5  # behind torch's back
    module.weights_changed()
    check()
    assert renewed[1:] == [set(arrays(p))]
    module.out = torch.nn.Parameter(torch.zeros(4, 3))  # on other memory
    p = module.weights
    check()


def test_frozen_parameters() -> None:
    module: Any = ab.torch.Module(loss, weights(), VM)
    module.emb.requires_grad_(False)
    total(module).backward()
    assert module.emb.grad is None and module.out.grad.any()
    for parameter in module.parameters():
        parameter.requires_grad_(False)
    assert module.get_parameter("out").grad is not None


def test_sparse_gradients() -> None:
    p = weights()
    want = by_step(p)
    module: Any = ab.torch.Module(loss, p, VM, sparse=True)
    optimiser = torch.optim.SGD(module.parameters(), lr=1.0)
    before = module.emb.detach().clone()
    total(module).backward()
    assert module.emb.grad.is_sparse and not module.out.grad.is_sparse
    np.testing.assert_array_equal(module.emb.grad.coalesce().indices()[0], [1, 2, 3, 5])
    optimiser.step()
    moved = (before - module.emb.detach()).numpy()
    np.testing.assert_allclose(moved, want["emb"], rtol=1e-4, atol=1e-6)


def test_checkpoints(tmp_path: Path) -> None:
    module: Any = ab.torch.Module(loss, weights(), VM)
    optimiser = torch.optim.Adam(module.parameters(), lr=0.1)

    def step(m: Any, o: Any) -> float:
        o.zero_grad()
        value = total(m)
        value.backward()
        o.step()
        return float(value.detach())

    step(module, optimiser)
    torch.save({"m": module.state_dict(), "o": optimiser.state_dict()}, tmp_path / "a.pt")
    want = [step(module, optimiser) for _ in range(3)]
    other: Any = ab.torch.Module(loss, weights(seed=1), VM)
    resumed = torch.optim.Adam(other.parameters(), lr=0.1)
    state = torch.load(tmp_path / "a.pt", weights_only=True)
    other.load_state_dict(state["m"])
    resumed.load_state_dict(state["o"])
    assert [step(other, resumed) for _ in range(3)] == want


def test_copies() -> None:
    module: Any = ab.torch.Module(loss, weights(), VM)
    with torch.no_grad():
        want = torch.stack(module(INSTANCES))
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    for other in (copy.deepcopy(module), torch.load(file, weights_only=False)):
        with torch.no_grad():
            other.out.mul_(2)
            assert not torch.equal(torch.stack(other(INSTANCES)), want)
            assert torch.equal(torch.stack(module(INSTANCES)), want)


def test_a_mini_batch_is_differentiated_once() -> None:
    module: Any = ab.torch.Module(loss, weights(), VM)
    first, *others = module(INSTANCES)
    first.backward(retain_graph=True)
    with pytest.raises(RuntimeError) as caught:
        others[0].backward()
    assert "the record of this mini-batch is used up" in str(caught.value)


def test_weights_that_changed_before_the_walk_back() -> None:
    module: Any = ab.torch.Module(loss, weights(), VM)
    first = total(module)
    with torch.no_grad():
        module.out.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        first.backward()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda m: m.half(),
            "the parameters are torch.float16; a model takes all of them in float32, or in "
            "float64 for tests: module.float()",
        ),
        (
            lambda m: m.get_submodule("layers").double(),
            "the parameters are torch.float32, torch.float64; a model takes all of them in "
            "float32, or in float64 for tests: module.float()",
        ),
        (lambda m: m.to("meta"), "emb is on meta: a module runs on the CPU: .cpu()"),
        (
            lambda m: setattr(m, "out", torch.nn.Parameter(torch.zeros(4, 5))),
            "out: made with the shape [4, 3], now [4, 5]",
        ),
        (lambda m: delattr(m, "out"), "out: the module has no such parameter any more"),
    ],
)
def test_parameters_that_a_model_does_not_take(change: Any, text: str) -> None:
    module: Any = ab.torch.Module(loss, weights(), VM)
    change(module)
    with pytest.raises(ab.ParamsError) as caught:
        module(INSTANCES)
    assert str(caught.value) == text


def test_other_arguments() -> None:
    with pytest.raises(ab.OptionError, match="model: expected a function decorated"):
        ab.torch.Module(len, weights())
    with pytest.raises(ab.InstanceError, match="expected a list of instances, got int"):
        ab.torch.Module(loss, weights(), VM)(3)


@pytest.mark.slow
def test_nobody_needs_torch_who_does_not_ask_for_it() -> None:
    script = "import sys, acrobat as ab; ab.gradients; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
    script = (
        "import sys; sys.modules['torch'] = None; import acrobat as ab\n"
        "try: ab.torch\nexcept ImportError as e: print(e)"
    )
    said = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert said.stdout == "acrobat.torch needs PyTorch: pip install 'acrobat[torch]'\n"
