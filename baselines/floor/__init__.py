"""Not a system but a limit: only the matrix products of a mini-batch that is batched by hand.

Everything else is left out: no gathers, no point-wise operations, inputs in place (and warm in the
cache), by the fastest library kernel for each row count. The products are those that
`torch_batched` computes for the same mini-batch, attention included, with decisions taken in
advance. There are no outputs, so nothing is checked. On a GPU the variant `launches` also leaves
out the products, and launches a kernel that does nothing as often instead.
"""

from __future__ import annotations

import importlib
import time
from typing import Any, ClassVar

from ..api import Breakdown, Problem, Supported, Unsupported
from ..shared.support import check
from ..system_record import Look, SystemRecord
from ..torch_batched import WORKLOADS


class System:
    """Runs the products alone."""

    VARIANTS: ClassVar[tuple[str, ...]] = ("full", "launches")

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Every workload, if torch is installed; the variant `launches` on a GPU only."""
        if problem.variant == "launches" and problem.device != "cuda":
            return Unsupported("floor's variant 'launches' counts launches of a GPU's kernels")
        return check(
            problem,
            "floor",
            workloads=WORKLOADS,
            variants=System.VARIANTS,
            devices=("cpu", "cuda"),
            module="torch",
        )

    def prepare(self, problem: Problem) -> None:
        """Run the mini-batch once and record its products; choose a kernel for each."""
        import torch

        from ..shared.place import Place
        from ..torch_batched.weights import Weights

        torch.set_num_threads(problem.threads)
        self.torch, self.place = torch, Place(problem.device)
        module = importlib.import_module(f"baselines.torch_batched.{problem.workload}")
        weights = Weights(self.place)
        with torch.inference_mode():
            self.net = module.Batched(problem.params, module.flatten(problem.instances), weights)
            self.net.assemble()
            weights.record = True
            self.net.compute()
        self.products = weights.products
        if problem.variant == "launches":
            self.products = [_launch_nothing] * len(self.products)
        self.run()

    def run(self) -> None:
        """Run all products, in order."""
        start = time.perf_counter()
        with self.torch.inference_mode():
            for product in self.products:
                product()
        self.place.synchronize()
        self.kernel_ms = (time.perf_counter() - start) * 1e3

    def outputs(self) -> list[Any]:
        """Empty: there is nothing to check."""
        return []

    def breakdown(self) -> Breakdown:
        """The time of kernels only."""
        return Breakdown(
            kernel_ms=self.kernel_ms,
            n_nodes=self.net.n_nodes,
            n_batches=self.net.n_batches,
            n_kernel_calls=len(self.products),
            min_batches=self.net.n_batches,
            versions=self.place.versions(),
        )


def _launch_nothing() -> None:
    import torch

    torch.cuda._sleep(0)


RECORD = SystemRecord(
    name="floor",
    implementation=System,
    trainer="baselines.floor.training:Trainer",
    order=100,
    variants=("full",),
    label="library GEMMs alone",
    # On a GPU, products and launches are two limits.
    label_on_gpu="library GEMMs or launches alone",
    title="floor",
    prose="the library's GEMMs alone",
    look=Look("#009E73", marker="x", hatch="\\\\\\\\\\\\"),
    family="PyTorch",
    default=True,
    is_limit=True,
    chooses_by_timing=("cpu",),
    built_on=("torch_batched",),
    packages={"cpu": ("torch",), "cuda": ("torch",)},
)
