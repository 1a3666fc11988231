"""A device that is not the host's, without one: tensors that are made on "meta" lie in the host's
memory but are marked, and an operation of a marked tensor with one of the host's fails, as it would
on a GPU; so does reading one without bringing it to the host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.weak import WeakTensorKeyDictionary

HOST, OTHER = torch.device("cpu"), torch.device("meta")


class OtherDevice(TorchDispatchMode):
    """Marks what is made on `OTHER` or from it; counts what goes there and comes back."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.marked = WeakTensorKeyDictionary()
        self.sent = self.fetched = 0
        self.read = torch.Tensor.numpy

    def is_there(self, tensor: torch.Tensor) -> bool:
        """Whether the tensor is on the other device."""
        return tensor in self.marked

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        # The counts of a packed sequence are the host's on every device.
        packed = func is torch.ops.aten.rnn_tanh.data
        checked = (args[0], *args[2:]) if packed else (args, kwargs)
        tensors = [t for t in tree_leaves(checked) if isinstance(t, torch.Tensor)]
        marks = {self.is_there(t) for t in tensors if t.ndim}
        wanted = kwargs.get("device")
        if wanted is not None:
            kwargs["device"] = HOST
        # A number of the host's may be an operand.
        assert len(marks) < 2, f"{func}: tensors on two devices"
        found = func(*args, **kwargs)
        if True in marks or wanted == OTHER:
            tree_map(self._mark, found)
        return found

    def moved(self, tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
        """A tensor on `device`: itself if it is there."""
        there = device == OTHER
        if there == self.is_there(tensor):
            return tensor
        self.sent += there
        self.fetched += not there
        copy = torch.from_numpy(self.read(tensor).copy())
        return self._mark(copy) if there else copy

    def _mark(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            self.marked[value] = True
        return value


@contextmanager
def other_device(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtherDevice]:
    """The mode, within which a tensor of the other device has no `numpy()` and no `item()`."""
    mode = OtherDevice()

    def guarded(name: str) -> Any:
        read = getattr(torch.Tensor, name)

        def call(tensor: torch.Tensor, *args: Any) -> Any:
            assert not mode.is_there(tensor), f"{name} of a tensor on the other device"
            return read(tensor, *args)

        return call

    def make(data: Any, device: str = "cpu", **others: Any) -> torch.Tensor:
        return tensor(data, **others).to(device)

    def move(tensor: torch.Tensor, device: Any, **_: Any) -> torch.Tensor:
        return mode.moved(tensor, torch.device(device))

    def parameter(cls: Any, data: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        """A parameter made of a marked tensor is marked."""
        found = new(cls, data, *args, **kwargs)
        return mode._mark(found) if mode.is_there(data) else found

    tensor, new = torch.tensor, torch.nn.Parameter.__new__
    monkeypatch.setattr(torch.nn.Parameter, "__new__", parameter)
    for name in ("numpy", "tolist", "__array__"):
        monkeypatch.setattr(torch.Tensor, name, guarded(name))
    monkeypatch.setattr(torch.Tensor, "to", move)
    monkeypatch.setattr(torch, "tensor", make)
    with mode:
        yield mode
