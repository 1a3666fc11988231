"""Our own compiler, behind the same interface as every other system.

The variant "full" has the default options; "off" has every optimisation off, and "off+a,b" all but
the options a and b, which keep their defaults: the rungs of an ablation ladder. Any other variant
is a list of changed options, such as "gather_fusion=off" or
"kernel_fusion=off,scheduler=runtime_depth". If the list contains "tune=60", kernel schedules are
first searched for from scratch, for 60 seconds, on the measured mini-batch; nothing is saved. With
"pgo=off" every kernel gets an equal share of these seconds. With "weights=bf16", "weights=int8" or
"precision=bf16", results may be off by `TOLERANCE`.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import workloads

from ..api import Breakdown, Problem, Supported, Unsupported
from ..shared.support import check
from ..system_record import Look, SystemRecord

if TYPE_CHECKING:
    import acrobat as ab

# The toolchain that generates a device's kernels: the module that must be importable, and the
# packages, whose versions are recorded with the figures.
_TOOLCHAIN = {"cpu": ("tvm", "apache-tvm", "apache-tvm-ffi"), "cuda": ("triton", "triton")}


# The permitted error of results, whose values range from some tenths to one, if weights are stored
# in fewer bits, or if products are computed in bfloat16 ("products").
TOLERANCE = {"fp32": 0.0, "bf16": 1e-2, "int8": 5e-2, "products": 2e-2}


class System:
    """Every workload, compiled by `ab.compile`."""

    VARIANTS: ClassVar[tuple[str, ...]] = ()  # options: see `read_variant`

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Every workload, with any options that the device supports; on a GPU if one is present."""
        from acrobat.errors import OptionError
        from acrobat.targets import choose_target

        try:
            options = read_variant(problem.variant)
        except OptionError as error:
            return Unsupported(f"acrobat has no variant {problem.variant!r}: {error}")
        if problem.device != "cpu" and read_tuning(problem.variant) is not None:
            return Unsupported("acrobat tunes kernels on the CPU only")
        if problem.device in _TOOLCHAIN:
            try:
                choose_target(problem.device, options)
            except OptionError as error:
                return Unsupported(f"acrobat, variant {problem.variant!r}: {error}")
        module, package, *_ = _TOOLCHAIN.get(problem.device, ("numpy", "numpy"))
        return check(
            problem,
            "acrobat",
            workloads=workloads.ALL,
            variants=(problem.variant,),
            devices=tuple(_TOOLCHAIN),
            module=module,
            package=package,
        )

    def prepare(self, problem: Problem) -> None:
        """Compile the model, tune it if the variant says so, and convert the instances."""
        import acrobat as ab

        options = dataclasses.replace(read_variant(problem.variant), threads=problem.threads)
        model: Any = workloads.get(problem.workload).model
        compiled = ab.compile(model, problem.params, target=problem.device, options=options)
        if not compiled.is_compiled:
            raise RuntimeError("ACROBAT_DISABLE is set: there is no compiled model to measure")
        tuned = read_tuning(problem.variant)
        if tuned is not None:
            from_nothing: ab.CompiledModel[Any, Any] = ab.CompiledModel(
                compiled.model, problem.params, options, "cpu", {}
            )
            instances = list(problem.instances)
            done = ab.tune(
                from_nothing, instances, seconds=tuned.seconds, pgo=tuned.pgo, save=False
            )
            compiled = done.model
        self.fast, self.device = compiled, problem.device
        self.inputs = self.fast.prepare(list(problem.instances))
        self.least: int | None = None

    def run(self) -> None:
        """Run one compiled call; on return from a GPU, the results are complete in its memory."""
        self.results: list[Any] = self.fast.run(self.inputs)

    def outputs(self) -> list[tuple[np.ndarray, ...]]:
        """The unchanged results of the compiled model: on a GPU `DeviceArray`s, which numpy copies
        to the host (`workloads.results.flatten`)."""
        return list(self.results)

    def breakdown(self) -> Breakdown:
        """The compiler's own profile of the last call."""
        import acrobat

        profile = self.fast.last_profile
        known = {f.name for f in dataclasses.fields(Breakdown)}
        figures = {k: v for k, v in dataclasses.asdict(profile).items() if k in known}
        if self.least is None:  # Counted once: counting takes a run, and the inputs do not change.
            self.least = self.fast.count_least_batches(self.inputs)
        figures["min_batches"] = self.least
        versions = {n: importlib.metadata.version(n) for n in _TOOLCHAIN[self.device][1:]}
        versions["acrobat"] = acrobat.__version__
        options = self.fast.options
        stored = f", weights {options.weights}" if options.weights != "fp32" else ""
        return Breakdown(**figures, precision=f"{options.precision}{stored}", versions=versions)


@dataclass(frozen=True, slots=True)
class Tuned:
    """How a variant is tuned before it is measured; see `ab.tune`."""

    seconds: float
    pgo: bool


def read_tuning(variant: str) -> Tuned | None:
    """How a variant is tuned; None if it is not. OptionError if it does not say for how long."""
    from acrobat.errors import OptionError

    parts = [part.partition("=") for part in variant.split(",")]
    given = {name.strip(): value.strip() for name, _, value in parts}
    if "tune" not in given:
        if "pgo" in given:
            raise OptionError("pgo says where tuning time goes: it needs tune=SECONDS")
        return None
    try:
        seconds = float(given["tune"])
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 3600:
        raise OptionError(f"tune={given['tune']!r}: write a number of seconds, from 1 to 3600")
    pgo = given.get("pgo", "on")
    if pgo not in ("on", "off"):
        raise OptionError(f"pgo={pgo!r}: write on or off")
    return Tuned(seconds, pgo == "on")


def search_s(variant: str) -> float:
    """The seconds for which a variant is tuned."""
    tuned = read_tuning(variant)
    return 0.0 if tuned is None else tuned.seconds


def tolerance(variant: str) -> float:
    """The permitted error of a variant that stores weights in fewer bits or multiplies in bfloat16;
    0 for other variants, and for names that are not variants."""
    from acrobat.errors import OptionError

    try:
        options = read_variant(variant)
        return TOLERANCE["products" if options.precision == "bf16" else options.weights]
    except OptionError:
        return 0.0


def read_variant(variant: str) -> ab.Options:
    """The options that a variant stands for, except threads and tuning; OptionError if the name is
    not a variant."""
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
    if read_tuning(variant) is not None:
        changes = {n: v for n, v in changes.items() if n not in ("tune", "pgo")}
    if "threads" in changes:
        raise OptionError("option 'threads' is set by the measurement, not by the variant")
    return Options.parse(changes)


RECORD = SystemRecord(
    name="acrobat",
    implementation=System,
    trainer="baselines.acrobat.training:Trainer",
    search_s=search_s,
    tolerance=tolerance,
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
