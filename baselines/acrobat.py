"""Our own compiler, behind the same contract as every other system.

The variant "full" is the default options; "off" has every optimisation off, and "off+a,b" all but
the options a and b, which have their defaults: the rungs of an ablation ladder. Any other is a list
of changed options, such as "gather_fusion=off" or "kernel_fusion=off,scheduler=runtime_depth".
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import workloads

from .api import Breakdown, Problem, Supported, Unsupported
from .shared.support import check
from .system_record import Look, SystemRecord

if TYPE_CHECKING:
    import acrobat as ab

# What generates the kernels for a device: the module that is looked for, and the packages, whose
# versions belong to the figures.
_TOOLCHAIN = {"cpu": ("tvm", "apache-tvm", "apache-tvm-ffi"), "cuda": ("triton", "triton")}


class System:
    """Every workload, compiled by `ab.compile`."""

    VARIANTS: ClassVar[tuple[str, ...]] = ()  # options: see `read_variant`

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Every workload, with any options that the device has; on a GPU if there is one."""
        from acrobat.errors import OptionError
        from acrobat.targets import choose_target

        try:
            options = read_variant(problem.variant)
        except OptionError as error:
            return Unsupported(f"acrobat has no variant {problem.variant!r}: {error}")
        if problem.device in _TOOLCHAIN:
            try:
                choose_target(problem.device, options)
            except OptionError as error:
                return Unsupported(f"acrobat, variant {problem.variant!r}: {error}")
        module, package, *_ = _TOOLCHAIN.get(problem.device, ("numpy", "numpy"))
        return check(
            problem,
            "acrobat",
            workloads=workloads.NAMES,
            variants=(problem.variant,),
            devices=tuple(_TOOLCHAIN),
            module=module,
            package=package,
        )

    def prepare(self, problem: Problem) -> None:
        """Compile the model and convert the instances."""
        import acrobat as ab

        options = dataclasses.replace(read_variant(problem.variant), threads=problem.threads)
        model: Any = workloads.get(problem.workload).model
        compiled = ab.compile(model, problem.params, target=problem.device, options=options)
        if not compiled.is_compiled:
            raise RuntimeError("ACROBAT_DISABLE is set: there is no compiled model to measure")
        self.fast, self.device = compiled, problem.device
        self.inputs = self.fast.prepare(list(problem.instances))
        self.least: int | None = None

    def run(self) -> None:
        """One compiled call; on a GPU the results are complete in its memory when it returns."""
        self.results: list[Any] = self.fast.run(self.inputs)

    def outputs(self) -> list[tuple[np.ndarray, ...]]:
        """The compiled model's results as they came: on a GPU `DeviceArray`s, which numpy copies
        from there (`workloads.results.flatten`)."""
        return list(self.results)

    def breakdown(self) -> Breakdown:
        """The compiler's own profile of the last call."""
        import acrobat

        profile = self.fast.last_profile
        known = {f.name for f in dataclasses.fields(Breakdown)}
        figures = {k: v for k, v in dataclasses.asdict(profile).items() if k in known}
        if self.least is None:  # It takes a run, and the inputs stay the same.
            self.least = self.fast.count_least_batches(self.inputs)
        figures["min_batches"] = self.least
        versions = {n: importlib.metadata.version(n) for n in _TOOLCHAIN[self.device][1:]}
        versions["acrobat"] = acrobat.__version__
        return Breakdown(**figures, precision=self.fast.options.precision, versions=versions)


def read_variant(variant: str) -> ab.Options:
    """The options a variant stands for, threads aside; OptionError if there are none such."""
    from acrobat.errors import OptionError
    from acrobat.options import Options

    if variant == "full":
        return Options()
    if variant == "off" or variant.startswith("off+"):
        on = [name for name in variant.removeprefix("off").lstrip("+").split(",") if name]
        return Options.ladder_rung(on)
    changes: dict[str, str] = {}
    for part in variant.split(","):
        name, equals, value = (text.strip() for text in part.partition("="))
        if not equals:
            raise OptionError(f"expected option=value, found {part!r}")
        if name in changes:
            raise OptionError(f"option {name!r} is given twice")
        changes[name] = value
    if "threads" in changes:
        raise OptionError("option 'threads' is set by the measurement, not by the variant")
    return Options.parse(changes)


RECORD = SystemRecord(
    name="acrobat",
    implementation=System,
    order=0,
    variants=("full",),
    label="acrobat",
    title="acrobat",
    prose="acrobat",
    look=Look("#000000", marker="o"),
    default=True,
    builds_graphs=True,
    uses_acrobat=True,
    packages={"cpu": ("apache-tvm",), "cuda": ("triton",)},
)
