"""`ops.dropout`: the same in plain Python and compiled, off where nothing is trained."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.frontend.module import lower_model
from acrobat.lang.draws import Draws, Noise, drawing, instance_key
from acrobat.lang.params import weights as arrays
from acrobat.pipeline import run_pipeline
from acrobat.transform.number_dropouts import number_dropouts
from tests.training import models
from tests.training.dropout_models import (
    CASES,
    LISTS,
    TREES,
    P,
    matrices,
    recursive,
    weights,
)

VM = ab.Options(executor="vm")
OPTIONS = {
    "on": VM,
    "off": ab.Options.all_off(executor="vm"),
    "no coarsening": ab.Options(executor="vm", grain_size_coarsening=False),
    "no parallelism": ab.Options(executor="vm", inferred_parallelism=False, hoisting=False),
    "no fibers": ab.Options(executor="vm", fibers=False, speculation=False),
}


def one_step(
    model: Any, instances: Any, options: ab.Options | None, step: Noise
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The losses and gradients of one step; as plain Python without options."""
    p = weights()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACROBAT_DISABLE", "1" if options is None else "0")
        loss = 0 if model is matrices else None
        made = ab.gradients(model, p, options=options, loss=loss, seed=step.seed)
        made.number = step.step
        losses, grads = made(instances)
        assert made.number == step.step + 1
    return losses, {path: np.asarray(g) for path, g in arrays(grads).items()}


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("model", "instances"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_as_plain_python(model: Any, instances: Any) -> None:
    seen = []
    for step in (Noise(0, 0), Noise(0, 1), Noise(7, 0)):
        want, slopes = one_step(model, instances, None, step)
        seen.append(want)
        for name, options in OPTIONS.items():
            got, found = one_step(model, instances, options, step)
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5, err_msg=name)
            for path, slope in slopes.items():
                np.testing.assert_allclose(found[path], slope, rtol=1e-3, atol=1e-4, err_msg=path)
    assert not np.allclose(seen[0], seen[1]) and not np.allclose(seen[0], seen[2])


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_as_generated_code(threads: int) -> None:
    options = ab.Options(threads=threads)
    for step in (Noise(1, 2), Noise(1, 3)):
        got, found = one_step(recursive, TREES * 3, options, step)
        want, slopes = one_step(recursive, TREES * 3, None, step)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
        for path, slope in slopes.items():
            np.testing.assert_allclose(found[path], slope, rtol=1e-3, atol=1e-4)


@pytest.mark.usefixtures("interpreted_kernels")
def test_every_instance_draws_for_itself() -> None:
    same = [(LISTS[0], 1)] * 8
    losses, _ = one_step(matrices, same, VM, Noise(0, 0))
    assert len(set(losses.tolist())) == 8
    # A mini-batch of the first three has the first three's.
    few, _ = one_step(matrices, same[:3], VM, Noise(0, 0))
    np.testing.assert_allclose(few, losses[:3], rtol=1e-6)


@pytest.mark.usefixtures("interpreted_kernels")
def test_off_where_nothing_is_trained() -> None:
    p = weights()
    plain = [recursive(p, t) for t in TREES]
    fast = ab.compile(recursive, p, options=VM)
    np.testing.assert_allclose(fast(TREES), plain, rtol=1e-5)
    results, _ = fast.vjp(TREES, [np.float32(1)] * 3)
    np.testing.assert_allclose(results, plain, rtol=1e-5)
    first, second = (recursive(p, TREES[0]) for _ in range(2))
    assert first == second
    assert "dropout" in fast.ir("typed") and "dropout" not in fast.ir("number_dropouts")


def test_nothing_is_added_where_there_is_none() -> None:
    p = models.weights()
    module = lower_model(models.loss, p)
    assert number_dropouts(module, True) is module
    done = [run_pipeline(models.loss, p, ab.Options(), training) for training in (False, True)]
    assert done[0].module.instance == done[1].module.instance


@pytest.mark.usefixtures("interpreted_kernels")
def test_concurrency_stays() -> None:
    """The branches of a tree are in one batch, although both drop out."""
    p = weights()
    step = ab.gradients(recursive, p, options=VM)
    step(TREES)
    with_dropout = step.last_profile.batches
    fast = ab.compile(recursive, p, options=VM)
    fast(TREES)
    cells = "concat_matmul_tanh"
    assert with_dropout[cells] == fast.last_profile.batches[cells]
    assert sum(with_dropout.values()) == fast.last_profile.n_batches + 1  # all leaves are nodes now


def test_what_a_mask_is() -> None:
    for p, kept in ((0.25, 4 / 3), (0.0, 1.0), (1.0, 0.0), (0.5, 2.0)):
        draws = Draws(instance_key(Noise(3, 1), 5))
        masks = [draws.mask((40, 50), p) for _ in range(20)]
        assert all(m.dtype == np.float32 for m in masks)
        assert set(np.unique(masks)) <= {np.float32(0), np.float32(kept)}
        share = np.mean([m == 0 for m in masks])
        assert abs(share - p) < 4 * np.sqrt(p * (1 - p) / (20 * 40 * 50)) + 1e-9
    assert draws.mask((), 0.5).shape == ()


@pytest.mark.usefixtures("interpreted_kernels")
def test_the_gradient_is_of_what_was_kept() -> None:
    """Finite differences under the same noise."""
    p, noise = weights(), Noise(0, 4)
    _, grads = one_step(recursive, TREES[:1], VM, noise)
    at, ends = (3, 2), []
    for h in (1e-2, -1e-2):
        arrays(p)["u"][at] = arrays(weights())["u"][at] + h
        with drawing(noise, 0):
            ends.append(float(np.asarray(recursive(p, TREES[0]))))
    np.testing.assert_allclose(grads["u"][at], (ends[0] - ends[1]) / 2e-2, rtol=2e-2, atol=1e-3)


def test_a_probability_that_is_none() -> None:
    x = np.ones(3, np.float32)
    assert ab.ops.dropout(x, 0.5) is x
    with pytest.raises(ValueError, match=r"dropout with probability 1\.5: it is between 0 and 1"):
        ab.ops.dropout(x, 1.5)


MODEL = """@ab.params
class P:
    w: Tensor["H"]


@ab.model
def f(p: P, x: Tensor["H"], q: float, xs: list[Tensor["H"]]) -> Tensor["H"]:
    {line}
"""


@pytest.mark.parametrize(
    ("line", "marked", "text"),
    [
        (
            "return ops.dropout(x, q)",
            "q",
            "AC017: the probability of dropout is known when the model is compiled\n"
            "  instead: a number written out, one of the module, or one among the weights",
        ),
        (
            "return ops.dropout(x, 1.5)",
            "1.5",
            "AC017: dropout with probability 1.5\n  instead: one between 0 and 1",
        ),
        (
            "return x * ops.dropout(q, 0.5)",
            "q",
            "AC010: dropout needs a tensor, got float\n  instead: a tensor",
        ),
        (
            "return ops.sum(ops.dropout(ops.stack(xs), 0.5), axis=0)",
            "ops.stack(xs)",
            "AC010: dropout of a Tensor[?, H], whose size ? only the instance knows\n"
            "  instead: each of its rows, before they are put together: "
            "`[ops.dropout(x, 0.1) for x in xs]`",
        ),
    ],
)
def test_what_is_refused(
    line: str, marked: str, text: str, load_model: Callable[[str], ModuleType]
) -> None:
    module = load_model(MODEL.format(line=line))
    with pytest.raises(ab.ModelError) as caught:
        lower_model(module.f)
    marks = " " * (4 + line.rindex(marked)) + "^" * len(marked)
    assert caught.value.render().split("\n", 1)[1] == f"    {line}\n{marks}\n{text}"


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    "instances",
    [[(LISTS[0], "x")], [(LISTS[0],)], [3], 5, [([1, "a"], 2)]],
    ids=["second", "too few", "no tuple", "no list", "within"],
)
def test_instances_that_do_not_fit(instances: Any) -> None:
    """They are named as the author knows them, without the key."""
    p = weights()
    with pytest.raises(ab.InstanceError) as wanted:
        ab.compile(matrices, p, options=VM)(instances)
    with pytest.raises(ab.InstanceError) as caught:
        ab.gradients(matrices, p, options=VM, loss=0)(instances)
    assert str(caught.value) == str(wanted.value)


@pytest.mark.usefixtures("interpreted_kernels")
def test_prepared_instances_draw_anew() -> None:
    p = weights()
    first, second = (ab.gradients(recursive, p, options=VM) for _ in range(2))
    ready = first.prepare(TREES)
    losses = [first(ready)[0] for _ in range(3)]
    for number, got in enumerate(losses):
        np.testing.assert_array_equal(got, second(TREES)[0], err_msg=f"step {number}")
    assert not np.array_equal(losses[0], losses[1])


def test_seeds() -> None:
    with pytest.raises(ab.OptionError, match="seed: expected an int, got float"):
        ab.gradients(recursive, weights(), seed=0.5)  # type: ignore[arg-type]
    assert instance_key(Noise(-1, 0), 0) != instance_key(Noise(1, 0), 0)
    keys = {instance_key(Noise(s, n), i) for s in range(9) for n in range(9) for i in range(9)}
    assert len(keys) == 9**3


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("disabled", ["0", "1"])
def test_modes_of_a_torch_module(disabled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setenv("ACROBAT_DISABLE", disabled)
    p: P = weights()
    plain = np.array([recursive(p, t) for t in TREES])
    module: Any = ab.torch.Module(recursive, p, VM)

    def call() -> Any:
        return torch.stack(module(TREES))

    torch.manual_seed(3)
    first, second = call(), call()
    assert not torch.allclose(first, second) and first.requires_grad
    torch.manual_seed(3)
    with torch.no_grad():
        again = call()
    assert not again.requires_grad
    torch.testing.assert_close(first.detach(), again, rtol=1e-5, atol=1e-6)
    second.sum().backward()
    assert module.u.grad.any()
    module.eval()
    np.testing.assert_allclose(call().detach(), plain, rtol=1e-5)
    with torch.no_grad():
        np.testing.assert_allclose(call(), plain, rtol=1e-5)
    module.train()
    torch.manual_seed(3)
    torch.testing.assert_close(call(), first, rtol=1e-5, atol=1e-6)
    # In float64, as tests have it, the same masks.
    torch.manual_seed(3)
    torch.testing.assert_close(module.double()(TREES)[0].float(), first[0], rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_a_model_without_dropout_draws_no_seed() -> None:
    torch = pytest.importorskip("torch")
    module = ab.torch.Module(models.loss, models.weights(), VM)
    state = torch.get_rng_state()
    with torch.no_grad():
        module(models.INSTANCES)
    assert torch.equal(torch.get_rng_state(), state)
