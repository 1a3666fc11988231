"""Batching by hand in PyTorch, as an expert writes it: the whole mini-batch at once, per workload.

Each workload has a module with a class `Batched`, which keeps the weights and the instances in flat
arrays; `assemble()` computes what depends on the structure of the mini-batch (padding, orders,
levels), `compute()` runs the model, and `results()` splits the output by instance. The work of a
level or a step is a method from tensors to tensors, which `torch_compile` replaces. All products go
through `weights`, which can record them so that `floor` can repeat them.
"""

from __future__ import annotations

import importlib
import time
from typing import Any, ClassVar

from ..api import Breakdown, Problem, Supported, Unsupported
from ..needs import Needs
from ..shared.support import check, implemented
from ..system_record import Look, SystemRecord

WORKLOADS = implemented(__name__)
# The workloads with a recurrence that `nn.RNN` implements.
RECURRENT = implemented(__name__, defines="Library")
# The workloads whose instances end at different times, but may all run to the maximum.
ENDING = implemented(__name__, defines="Maximum")
# The workloads that bfloat16 was tried with.
IN_BF16 = ("treelstm", "mvrnn", "birnn", "stackrnn")
# The tolerance of its results, numbers from a few tenths to one, rounded to 8 bits at every step.
BF16_TOLERANCE = 0.1
# The class of a workload's module by variant.
_CLASSES = {"nn": "Library", "maximum": "Maximum"}


class System:
    """Every workload, batched by hand.

    In the variant "nn", sequences go through `nn.RNN`; in "maximum", all instances run for the
    largest number of steps, as in published code; in "bf16", the weights are bfloat16, and hence
    all tensors are.
    """

    VARIANTS: ClassVar[tuple[str, ...]] = ("full", "nn", "maximum", "bf16")

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Support every workload if torch is installed."""
        if problem.variant == "nn" and problem.workload not in RECURRENT:
            return Unsupported(
                f"torch_batched has no variant 'nn' of {problem.workload}: PyTorch has no module "
                f"for its recursion"
            )
        if problem.variant == "maximum" and problem.workload not in ENDING:
            return Unsupported(
                f"torch_batched has no variant 'maximum' of {problem.workload}: its instances do "
                f"not repeat a step until they end"
            )
        if problem.variant == "bf16" and problem.workload not in IN_BF16:
            return Unsupported(
                f"torch_batched has no variant 'bf16' of {problem.workload}: it was tried with "
                f"{', '.join(IN_BF16)}"
            )
        supported = check(
            problem,
            "torch_batched",
            workloads=WORKLOADS,
            variants=System.VARIANTS,
            devices=("cpu", "cuda"),
            module="torch",
        )
        on_cpu = problem.variant == "bf16" and problem.device == "cpu"
        if isinstance(supported, Supported) and on_cpu:
            import torch

            # oneDNN, which packs the weights, refuses bfloat16 without AVX-512.
            if torch.backends.mkldnn.is_available() and not (
                torch.ops.mkldnn._is_mkldnn_bf16_supported()
            ):
                return Unsupported(
                    "torch_batched, variant 'bf16': PyTorch has no products of bfloat16 on this CPU"
                )
        return supported

    def prepare(self, problem: Problem) -> None:
        """Pack the weights, flatten the instances and choose the matrix kernels."""
        import torch

        from ..shared.place import Place

        torch.set_num_threads(problem.threads)
        dtype = torch.bfloat16 if problem.variant == "bf16" else torch.float32
        self.torch, self.place = torch, Place(problem.device, dtype)
        module = importlib.import_module(f"baselines.torch_batched.{problem.workload}")
        with torch.inference_mode():
            start = time.perf_counter()
            form = module.flatten(problem.instances)
            self.input_ms = (time.perf_counter() - start) * 1e3
            self.net = self.batched(problem, form)
            # Matrix kernels are chosen, and regions compiled, when their sizes first occur.
            self.net.assemble()
            self.net.compute()
        self.place.synchronize()
        self.graph_ms = self.kernel_ms = 0.0

    def batched(self, problem: Problem, form: Any) -> Any:
        """Return the workload's `Batched`, or the variant's class, for instances in flat form."""
        from .weights import Weights

        module = importlib.import_module(f"baselines.torch_batched.{problem.workload}")
        made = getattr(module, _CLASSES.get(problem.variant, "Batched"))
        return made(problem.params, form, Weights(self.place))

    def run(self) -> None:
        """Assemble the mini-batch from the flat instances, then run it."""
        start = time.perf_counter()
        with self.torch.inference_mode():
            self.net.assemble()
            assembled = time.perf_counter()
            self.net.compute()
        self.place.synchronize()
        self.graph_ms = (assembled - start) * 1e3
        self.kernel_ms = (time.perf_counter() - assembled) * 1e3

    def outputs(self) -> list[Any]:
        """Return the results by instance, in the reference's structure."""
        results: list[Any] = self.net.results()
        return results

    def breakdown(self) -> Breakdown:
        """Return the parts of a run: assembly is `graph_ms`, everything after it `kernel_ms`."""
        return Breakdown(
            input_ms=self.input_ms,
            graph_ms=self.graph_ms,
            kernel_ms=self.kernel_ms,
            n_nodes=self.net.n_nodes,
            n_batches=self.net.n_batches,
            min_batches=self.net.n_batches,
            precision="bf16" if self.place.dtype == self.torch.bfloat16 else "fp32",
            versions={**self.place.versions(), **self.net.weights.describe()},
        )


RECORD = SystemRecord(
    name="torch_batched",
    implementation=System,
    trainer="baselines.torch_batched.training:Trainer",
    order=40,
    variants=("full",),
    label="PyTorch, batched by an expert",
    title="expert",
    prose="PyTorch (expert)",
    look=Look("#0072B2", marker="^"),
    family="PyTorch",
    default=True,
    # The library for each product.
    chooses_by_timing=("cpu",),
    tolerance=lambda variant: BF16_TOLERANCE if variant == "bf16" else 0.0,
    packages={"cpu": ("torch",), "cuda": ("torch",)},
    needs=(Needs("torch", "PyTorch and of the floor", packages=("torch",)),),
)
