"""The device of the PyTorch systems' tensors, and transfers of numpy arrays to and from it.

On a GPU a transfer costs microseconds however small it is, so what is known at one time goes there
in one: page-locked, and without waiting. fp32 means fp32: TF32 is off.
"""

from __future__ import annotations

import itertools

import numpy as np
import torch


class Place:
    """A device: "cpu" or "cuda". On the CPU nothing is copied. `dtype`: of the weights, and so of
    all that is computed from them; numpy gets float32."""

    def __init__(self, device: str, dtype: torch.dtype = torch.float32) -> None:
        self.device, self.dtype = torch.device(device), dtype
        self._shares = device == "cpu"
        self._locks = device == "cuda"
        torch.set_float32_matmul_precision("highest")
        torch.backends.cudnn.allow_tf32 = False

    def weight(self, array: np.ndarray) -> torch.Tensor:
        """Weights or inputs of any type and shape, contiguous; not in a timed run."""
        found = torch.from_numpy(np.ascontiguousarray(array)).to(self.device)
        rounded = self.dtype != torch.float32 == found.dtype
        return found.to(self.dtype) if rounded else found

    def put(self, *arrays: np.ndarray) -> tuple[torch.Tensor, ...]:
        """Arrays of int64 of any shapes, in one transfer; the host does not wait for it."""
        if self._shares:
            return tuple(torch.from_numpy(a) for a in arrays)
        # Each begins at a multiple of 16 bytes, which inductor's kernels like.
        starts = list(itertools.accumulate((a.size + a.size % 2 for a in arrays), initial=0))
        # The allocator does not give page-locked memory out again before it has been copied.
        staged = torch.empty(starts.pop(), dtype=torch.int64, pin_memory=self._locks)
        host = staged.numpy()
        for at, a in zip(starts, arrays, strict=True):
            host[at : at + a.size] = a.ravel()
        there = staged.to(self.device, non_blocking=True)
        pairs = zip(starts, arrays, strict=True)
        return tuple(there[at : at + a.size].view(a.shape) for at, a in pairs)

    def get(self, tensor: torch.Tensor) -> np.ndarray:
        """A tensor on the host, when it is complete."""
        there = tensor.float() if tensor.dtype == torch.bfloat16 else tensor
        array: np.ndarray = (there if self._shares else there.to("cpu")).numpy()
        return array

    def synchronize(self) -> None:
        """Wait for everything that is under way."""
        if self._locks:
            torch.cuda.synchronize()

    def versions(self) -> dict[str, str]:
        """Of PyTorch, and of the CUDA that it is built with."""
        found = {"torch": str(torch.__version__)}
        if self._locks:
            found["cuda"] = str(torch.version.cuda)
        return found
