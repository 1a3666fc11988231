"""The recurrences that go through `nn.RNN`."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from baselines.shared.place import Place  # noqa: E402
from baselines.torch_batched.library import module_of, run_packed  # noqa: E402


@pytest.mark.slow
def test_first_states_are_contiguous(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else cuDNN refuses them ("rnn: hx is not contiguous"), which no CPU shows."""
    w, u, b = (torch.randn(*shape).numpy() for shape in ((3, 4), (4, 4), (4,)))
    with torch.no_grad():
        rnn = module_of(Place("cpu"), (w, u, b))
    right, seen = torch.nn.RNN.forward, []

    def forward(self: Any, x: Any, first: Any) -> Any:
        seen.append(first.is_contiguous())
        return right(self, x, first)

    monkeypatch.setattr(torch.nn.RNN, "forward", forward)
    state = torch.randn(4)
    x = torch.randn(3, 3)
    states = run_packed(rnn, x, [2, 1], state.expand(2, -1)[None])
    assert seen == [True]
    expected = torch.tanh(x[0] @ torch.tensor(w) + state @ torch.tensor(u) + torch.tensor(b))
    torch.testing.assert_close(states[0], expected)
