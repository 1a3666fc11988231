"""The device of the PyTorch systems' tensors, and transfers of numpy arrays to and from it.

On a GPU even the smallest transfer costs microseconds, so all arrays known at the same time are
transferred together, from page-locked memory and without waiting. fp32 means fp32: TF32 is off.
"""

from __future__ import annotations

import itertools

import numpy as np
import torch


class Place:
    """A device: "cpu" or "cuda". On the CPU nothing is copied. `dtype` is the type of the weights,
    and so of all values computed from them; numpy gets float32."""

    def __init__(self, device: str, dtype: torch.dtype = torch.float32) -> None:
        self.device, self.dtype = torch.device(device), dtype
        self._shares = device == "cpu"
        self._locks = device == "cuda"
        torch.set_float32_matmul_precision("highest")
        torch.backends.cudnn.allow_tf32 = False

    def weight(self, array: np.ndarray) -> torch.Tensor:
        """Put a weight or input of any type and shape on the device, contiguous; not for use in a
        timed run."""
        found = torch.from_numpy(np.ascontiguousarray(array)).to(self.device)
        rounded = self.dtype != torch.float32 == found.dtype
        return found.to(self.dtype) if rounded else found

    def put(self, *arrays: np.ndarray) -> tuple[torch.Tensor, ...]:
        """Put int64 arrays of any shapes on the device in one transfer, for which the host does not
        wait."""
        if self._shares:
            return tuple(torch.from_numpy(a) for a in arrays)
        # Each array begins at a multiple of 16 bytes, which suits inductor's kernels.
        starts = list(itertools.accumulate((a.size + a.size % 2 for a in arrays), initial=0))
        # The allocator does not reuse page-locked memory before it has been copied.
        staged = torch.empty(starts.pop(), dtype=torch.int64, pin_memory=self._locks)
        host = staged.numpy()
        for at, a in zip(starts, arrays, strict=True):
            host[at : at + a.size] = a.ravel()
        there = staged.to(self.device, non_blocking=True)
        pairs = zip(starts, arrays, strict=True)
        return tuple(there[at : at + a.size].view(a.shape) for at, a in pairs)

    def get(self, tensor: torch.Tensor) -> np.ndarray:
        """Copy a tensor to the host, waiting until it is computed."""
        there = tensor.float() if tensor.dtype == torch.bfloat16 else tensor
        array: np.ndarray = (there if self._shares else there.to("cpu")).numpy()
        return array

    def synchronize(self) -> None:
        """Wait for all pending work."""
        if self._locks:
            torch.cuda.synchronize()

    def versions(self) -> dict[str, str]:
        """The versions of PyTorch and of the CUDA with which it is built."""
        found = {"torch": str(torch.__version__)}
        if self._locks:
            found["cuda"] = str(torch.version.cuda)
        return found
