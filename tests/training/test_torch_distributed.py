"""`DistributedDataParallel` over two processes computes what one does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.programs.reference_kernels import reference_kernels
from tests.training.models import INSTANCES, loss, weights

torch = pytest.importorskip("torch")
VM = ab.Options(executor="vm", threads=1)
BATCH = [*INSTANCES, ([7, 8], 0)]


def train(module: Any, instances: Any) -> dict[str, np.ndarray]:
    optimiser = torch.optim.SGD(module.parameters(), lr=0.3)
    for _ in range(3):
        optimiser.zero_grad()
        torch.stack(module(instances)).mean().backward()
        optimiser.step()
    return {n.removeprefix("module."): p.detach().numpy() for n, p in module.named_parameters()}


def work(rank: int, folder: str) -> None:
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2
    )
    # The first process's weights count.
    module = ab.torch.Module(loss, weights(seed=rank), VM)
    parallel = torch.nn.parallel.DistributedDataParallel(module)
    with reference_kernels():  # they would be compiled in each process
        found: Any = train(parallel, BATCH[rank::2])
    np.savez(f"{folder}/{rank}.npz", **found)
    torch.distributed.destroy_process_group()


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted_kernels")
def test_two_processes(tmp_path: Path) -> None:
    torch.multiprocessing.spawn(work, (str(tmp_path),), nprocs=2)
    want = train(ab.torch.Module(loss, weights(seed=0), VM), BATCH)
    for rank in range(2):
        with np.load(tmp_path / f"{rank}.npz") as found:
            for path, weight in want.items():
                np.testing.assert_allclose(found[path], weight, rtol=1e-4, atol=1e-5)
