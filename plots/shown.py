"""The tables and figures of the report: one record each, in the order of their codes.

`acrobat report` builds the tables and figures listed here, and Snakemake's report page uses their
texts. A record names its builder like an entry point, "module:function", so that the pipeline can
read the texts without pandas and matplotlib.
"""

from __future__ import annotations

from dataclasses import dataclass

import baselines
from workloads.api import DIVERGENCE, OTHER

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
    # Above a table and below a figure; `signs` explains the signs of the figure alone.
    caption: str
    # "module:function"; it maps a device's rows and this record to `plots.content.Content`.
    build: str
    # The configuration, by the name of its file, that measures its rows.
    config: str = "paper"
    signs: str = ""
    # The mode of its rows: "inference", or "train" for training steps.
    mode: str = "inference"
    # It needs rows of a system of one of these families (`SystemRecord.family`); any, if empty.
    families: tuple[str, ...] = ()
    # Its workloads: those of a study (`workloads.api.Workload.study`), "" for those of the paper
    # and of other distributions; None for all rows.
    study: str | None = ""
    # Why there is nothing to show, if its builder finds nothing; "" if no message is needed.
    lacking: str = ""

    @property
    def file(self) -> str:
        """The name of its files, without device and suffix: "T3_dynet"."""
        return f"{self.code}_{self.name}"

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems of its families."""
        known = baselines.records().items()
        return tuple(name for name, record in known if record.family in self.families)


def about() -> dict[str, str]:
    """The sentences of the report page, by code."""
    return {shown.code: shown.about for shown in SHOWN}


def _activity_lack() -> str:
    builders = [name for name, record in baselines.records().items() if record.builds_graphs]
    return _NO_ACTIVITIES.format(", ".join(builders))


SHOWN = (
    Shown(
        code="T1",
        name="systems",
        about="What each system can express of the workloads, and why not the rest.",
        caption="What each system can express: a row was measured, and right.",
        build="plots.expressed:build",
        study=None,
    ),
    Shown(
        code="T2",
        name="workloads",
        about="The workloads, and what the compiler makes of them with acrobat's default options.",
        caption="The workloads, with acrobat's default options.",
        build="plots.tables:build_workloads",
        study=None,
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
        code="T5b",
        name="modern",
        about="Median time of one mini-batch against systems of today: JAX (the model of an "
        "instance under vmap, and levels by an expert), TorchFold, DGL, and TensorFlow "
        "Probability's auto_batching.",
        caption="ACRoBat against systems of today, and beside them PyTorch as batched by an "
        "expert: median milliseconds of a mini-batch, and speed-ups, or why there is none.",
        build="plots.modern:build",
        config="modern",
        families=("JAX", "TorchFold", "DGL", "TFP"),
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
        code="T7",
        name="aot",
        about="Control flow compiled to C++ ahead of time, against the same program interpreted in "
        "Python; milliseconds.",
        caption="Ahead-of-time compilation against the interpreter: median milliseconds of a "
        "mini-batch. Both run the same kernels.",
        build="plots.executors:build",
        config="ablation",
    ),
    Shown(
        code="T8",
        name="tuning",
        about="Kernels tuned for some seconds, by a profile or the same to each, against the rule.",
        caption="Auto-scheduling with and without profile-guided priorities: speed-up of a "
        "mini-batch over the rule's schedules, and how long tuning took, from nothing.",
        build="plots.tuning:build",
        config="tuning",
    ),
    Shown(
        code="T9",
        name="claims",
        about="The paper's claims, and what it leaves open: what was measured of each, and the "
        "verdict that follows from it.",
        caption="The paper's claims (C) and what it leaves open (Q), with the verdict that follows "
        "from the rows. Speed-ups are of acrobat; a ratio counts with its whole interval.",
        build="plots.claims.table:build",
        study=None,
    ),
    Shown(
        code="T10",
        name="training",
        about="Median time of a training step (forward, backward, update): ACRoBat against DyNet's "
        "best strategy, PyTorch as first written and as batched by an expert, and the floor "
        "(library products alone); milliseconds.",
        caption="A training step: forward, backward and update; median milliseconds of a "
        "mini-batch. Beside it acrobat's forward run of the same loss without gradients.",
        build="plots.training:build",
        config="training",
        mode="train",
        families=("DyNet", "PyTorch"),
    ),
    Shown(
        code="T11",
        name="networks",
        about="Networks that the paper did not try: median time of one mini-batch against PyTorch "
        "as first written and as batched by an expert; milliseconds.",
        caption="Networks that the paper did not try: median milliseconds of a mini-batch. The "
        "expert's best variant counts: those that end leave, or all run to the maximum.",
        build="plots.tables:build_pytorch",
        config="generalize",
        families=("PyTorch",),
        study=OTHER,
    ),
    Shown(
        code="T12",
        name="precision",
        about="Variants that round what float32 does not (acrobat's weights in bfloat16 or int8, "
        "or its products of bfloat16; PyTorch in bfloat16) beside the same system in float32: "
        "milliseconds, and the error.",
        caption="Fewer bits than float32 (under weights= only those are stored in fewer): median "
        "milliseconds, the speed-up over the same system in float32, and the largest error against "
        "plain Python in float32, with what it may be. None of these is in another table.",
        build="plots.precision:build",
        config="precision",
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
        config="ablation",
    ),
    Shown(
        code="F3",
        name="batches",
        about="Time of one mini-batch and instances per second against the size of the mini-batch.",
        caption="Median milliseconds of a mini-batch, and instances per second, by batch size.",
        signs="Whiskers are 95% bootstrap intervals; a hollow point's row may be unstable.",
        build="plots.batches:build",
        config="scaling",
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
    Shown(
        code="F7",
        name="divergence",
        about="Speed-up against how much the instances of a mini-batch differ: fibers, lockstep by "
        "hand, masks, and all instances run to the maximum.",
        caption="Divergence: every choice that instances are made of (the split of a span, a "
        "decision, the depth of an exit) is an instance's own with the given probability, else the "
        "one that all have. Speed-ups are of acrobat.",
        signs="Whiskers are 95% bootstrap intervals; a hollow point comes from a row that may be "
        "unstable. Dotted: every instance runs for the most steps.",
        build="plots.divergence:build",
        config="divergence",
        study=DIVERGENCE,
    ),
    Shown(
        code="F9",
        name="networks",
        about="Speed-up of ACRoBat on networks that the paper did not try.",
        caption="Networks that the paper did not try: the opponent's median time over acrobat's, "
        f"in each cell. {_SIGNS}",
        build="plots.speedup:build",
        config="generalize",
        families=("PyTorch",),
        study=OTHER,
    ),
)
