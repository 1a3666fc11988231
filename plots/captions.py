"""What stands above a table: its code, what it shows, and the device."""

from __future__ import annotations

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
_TEXT = {
    "F1": (
        "Speed-up of acrobat: the opponent's median time over acrobat's, in each cell. A bar below "
        "1 is of an opponent that is faster; a hollow bar's interval includes 1 (no difference). "
        f"{_SIGNS} The geometric mean is over the n cells of its panel, or over as many as stand "
        "beside it: only rows of one machine and one version of the sources (†: others). The "
        "library's GEMMs "
        "alone are the products of the workload and nothing else (on a GPU: or as many launches "
        "that do nothing, if these take longer). That is no bound: generated kernels do more per "
        "product and need no calls of a library, and may be faster."
    ),
    "T2": "The workloads, with acrobat's default options.",
    "T3": "ACRoBat against DyNet: median milliseconds of a mini-batch.",
    "T4": "ACRoBat against a Cortex-like compiler: median milliseconds of a mini-batch.",
    "T5": "ACRoBat against PyTorch, and the floor: median milliseconds of a mini-batch.",
    "F2": (
        "The ablation ladder: one more optimisation on each rung, and milliseconds of a "
        "mini-batch. The step is the speed-up over the rung before, the total that over the first "
        "rung with a time."
    ),
    "F3": "Median milliseconds of a mini-batch, and instances per second, by batch size.",
    "F4": (
        "Where the time goes. A bar's length is the median time relative to the slowest system of "
        f"its cell; numbers are milliseconds. {_ACTIVITIES} A dot is beside a row that may be "
        "unstable, or whose run took another time than most."
    ),
    "F6": (
        "Energy, idle power included; W is the energy of a mini-batch over its median time; "
        "the last column is the energy over acrobat's."
    ),
    "T6": f"Where the time goes: milliseconds of each activity (and share). {_ACTIVITIES}",
}
# What the signs in a figure mean, if there is a table of the same code.
_FIGURES = {
    "F2": (
        "Bars are totals; colours tell what the step brings, which is no difference if its "
        f"interval includes 1. {_SIGNS} Beside them: batches and kernel calls of a mini-batch."
    ),
    "F3": "Whiskers are 95% bootstrap intervals; a hollow point's row may be unstable.",
    "F6": "Each is one measurement, without an interval; a hollow point's row may be unstable.",
}


def figure_caption(code: str, device: str) -> str:
    """The caption of a figure, which explains its signs too."""
    return " ".join(filter(None, [_TEXT[code], _FIGURES.get(code), f"{device}."]))


def caption(code: str, device: str, variants: bool = False) -> str:
    """The caption of a table (T3), of a figure's table (F3), or of the `variants` beside a table;
    `device` is the device's title."""
    more = " Each variant, and what else was measured." if variants else ""
    return f"{code}. {_TEXT[code]}{more} {device}."
