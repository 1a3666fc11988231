"""What stands above a table: its code, what it shows, and the device."""

from __future__ import annotations

_TEXT = {
    "T2": "The workloads, with acrobat's default options.",
    "T3": "ACRoBat against DyNet: median milliseconds of a mini-batch.",
    "T4": "ACRoBat against a Cortex-like compiler: median milliseconds of a mini-batch.",
    "T5": "ACRoBat against PyTorch, and the floor: median milliseconds of a mini-batch.",
    "F2": "The ablation ladder: median milliseconds of a mini-batch.",
    "F3": "Median milliseconds of a mini-batch, and instances per second, by batch size.",
    "F6": (
        "Energy, idle power included; W is the energy of a mini-batch over its median time; "
        "the last column is the energy over acrobat's."
    ),
}


def caption(code: str, device: str, variants: bool = False) -> str:
    """The caption of a table (T3), of a figure's table (F3), or of the `variants` beside a table;
    `device` is the device's title."""
    more = " Each variant, and what else was measured." if variants else ""
    return f"{code}. {_TEXT[code]}{more} {device}."
