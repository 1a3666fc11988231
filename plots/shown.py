"""The tables and figures of the report: one record each, in the order of their codes.

`acrobat report` builds what is here, Snakemake's report page takes its texts from here. A record
names its builder as entry points do, "module:function", so that the pipeline can read the texts
without pandas and matplotlib.
"""

from __future__ import annotations

from dataclasses import dataclass

import baselines

_SIGNS = (
    "Whiskers are 95% bootstrap intervals; a dot is beside what comes from a row that may be "
    "unstable."
)
_ACTIVITIES = (
    "Every system times its own activities; the shares are those of one run, the milliseconds "
    "these shares of the median. DyNet schedules and copies within what it calls its kernels, and "
    "does not tell these apart. Other: what no activity has. The conversion of the input comes "
    "before the timed run."
)
_NO_ACTIVITIES = "no row of {} has activities"


@dataclass(frozen=True, slots=True)
class Shown:
    """A table, a figure, or both from the same rows."""

    code: str
    name: str
    # A sentence for the page of `snakemake --report`.
    about: str
    # Above a table and below a figure; `signs` explains what only the figure has.
    caption: str
    # "module:function"; from a device's rows and this record to `plots.content.Content`.
    build: str
    signs: str = ""
    # It needs rows of a system of one of these families (`SystemRecord.family`); any if none.
    families: tuple[str, ...] = ()
    # Why there is nothing to show, if its builder finds nothing; "": nothing need be said.
    lacking: str = ""

    @property
    def file(self) -> str:
        """The name of its files, without device and ending: "T3_dynet"."""
        return f"{self.code}_{self.name}"

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems of its families."""
        known = baselines.records().items()
        return tuple(name for name, record in known if record.family in self.families)


def about() -> dict[str, str]:
    """The sentences of the report page by code."""
    return {shown.code: shown.about for shown in SHOWN}


def _activity_lack() -> str:
    builders = [name for name, record in baselines.records().items() if record.builds_graphs]
    return _NO_ACTIVITIES.format(", ".join(builders))


SHOWN = (
    Shown(
        code="T2",
        name="workloads",
        about="The workloads, and what the compiler makes of them with acrobat's default options.",
        caption="The workloads, with acrobat's default options.",
        build="plots.tables:build_workloads",
    ),
    Shown(
        code="T3",
        name="dynet",
        about="Median time of one mini-batch, ACRoBat against DyNet's best autobatching strategy; "
        "milliseconds.",
        caption="ACRoBat against DyNet: median milliseconds of a mini-batch.",
        build="plots.tables:build_opponent",
        families=("DyNet",),
    ),
    Shown(
        code="T4",
        name="cortex",
        about="Median time of one mini-batch, ACRoBat against a Cortex-like compiler with the same "
        "kernels: recursions whose shape is known before execution, linearised on the host; "
        "milliseconds.",
        caption="ACRoBat against a Cortex-like compiler: median milliseconds of a mini-batch.",
        build="plots.tables:build_opponent",
        families=("Cortex",),
    ),
    Shown(
        code="T5",
        name="pytorch",
        about="Median time of one mini-batch against PyTorch as first written and as batched by an "
        "expert, and the floor (library products alone); milliseconds.",
        caption="ACRoBat against PyTorch, and the floor: median milliseconds of a mini-batch.",
        build="plots.tables:build_pytorch",
        families=("PyTorch",),
    ),
    Shown(
        code="T6",
        name="activities",
        about="Where the time of a mini-batch goes: input, graph, scheduling, copies, kernels; "
        "milliseconds.",
        caption=f"Where the time goes: milliseconds of each activity (and share). {_ACTIVITIES}",
        build="plots.activities:build",
        lacking=_activity_lack(),
    ),
    Shown(
        code="F1",
        name="speedup",
        about="Speed-up of ACRoBat over each opponent, from times of the same rounds.",
        caption=(
            "Speed-up of acrobat: the opponent's median time over acrobat's, in each cell. A bar "
            "below 1 is of an opponent that is faster; a hollow bar's interval includes 1 (no "
            f"difference). {_SIGNS} The geometric mean is over the n cells of its panel, or over "
            "as many as stand beside it: only rows of one machine and one version of the sources "
            "(†: others). The library's GEMMs "
            "alone are the products of the workload and nothing else (on a GPU: or as many "
            "launches that do nothing, if these take longer). That is no bound: generated kernels "
            "do more per product and need no calls of a library, and may be faster."
        ),
        build="plots.speedup:build",
    ),
    Shown(
        code="F2",
        name="ablation",
        about="The ablation ladder: every optimisation off, then one more on each rung, to all on.",
        caption=(
            "The ablation ladder: one more optimisation on each rung, and milliseconds of a "
            "mini-batch. The step is the speed-up over the rung before, the total that over the "
            "first rung with a time."
        ),
        signs=(
            "Bars are totals; colours tell what the step brings, which is no difference if its "
            f"interval includes 1. {_SIGNS} Beside them: batches and kernel calls of a mini-batch."
        ),
        build="plots.ablation:build",
    ),
    Shown(
        code="F3",
        name="batches",
        about="Time of one mini-batch and instances per second against the size of the mini-batch.",
        caption="Median milliseconds of a mini-batch, and instances per second, by batch size.",
        signs="Whiskers are 95% bootstrap intervals; a hollow point's row may be unstable.",
        build="plots.batches:build",
        lacking="nothing was measured at 3 batch sizes",
    ),
    Shown(
        code="F4",
        name="activities",
        about="Where the time of a mini-batch goes: input, graph, scheduling, copies, kernels.",
        caption=(
            "Where the time goes. A bar's length is the median time relative to the slowest system "
            f"of its cell; numbers are milliseconds. {_ACTIVITIES} A dot is beside a row that may "
            "be unstable, or whose run took another time than most."
        ),
        build="plots.breakdown:build",
        lacking=_activity_lack(),
    ),
    Shown(
        code="F6",
        name="energy",
        about="Energy of a mini-batch, idle power included.",
        caption=(
            "Energy, idle power included; W is the energy of a mini-batch over its median time; "
            "the last column is the energy over acrobat's."
        ),
        signs=(
            "Each is one measurement, without an interval; a hollow point's row may be unstable."
        ),
        build="plots.energy:build",
        lacking="no row has energy_j (no counter that can be read)",
    ),
)
