"""Every option of the compiler, declared once: type, default, choices, a one-sentence
description."""

from __future__ import annotations

import dataclasses
import difflib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np

from .errors import OptionError

# The most threads that a program starts.
MAX_THREADS: Final = 1024


def _option(default: Any, doc: str, choices: tuple[Any, ...] = (True, False)) -> Any:
    return field(default=default, metadata={"doc": doc, "choices": choices})


def _number(default: int, least: int, most: int, doc: str, zero: str = "") -> Any:
    """A whole number from `least` to `most`; `zero` says what 0 stands for."""
    allowed = f"a whole number from {least} to {most}" + (f", or 0: {zero}" if zero else "")
    metadata = {"doc": doc, "choices": (), "allowed": allowed, "least": least, "most": most}
    return field(default=default, metadata={**metadata, "zero": bool(zero)})


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `ab.compile`. All optimisations are on by default; turning one off makes a model
    slower, never wrong."""

    parameter_reuse: str = _option(
        "context-sensitive",
        "find the operands that the whole mini-batch shares, with functions specialised per "
        "calling context, or with their contexts joined; off: every operand belongs to an instance",
        ("off", "context-insensitive", "context-sensitive"),
    )
    kernel_fusion: bool = _option(True, "fuse point-wise operations into the contractions")
    horizontal_fusion: bool = _option(
        True, "contractions of the same input or of the same width in a block become one kernel"
    )
    grain_size_coarsening: bool = _option(
        True, "a control-flow-free run of tensor operations is one node of the dataflow graph"
    )
    hoisting: bool = _option(
        True,
        "operations that depend on the instance alone run early, for all steps together, and "
        "recursion invariants run before the recursion",
    )
    deduplication: bool = _option(
        True,
        "hoisted operations on a single row of a weight run once per mini-batch, however often "
        "the row occurs (a word's input projection)",
    )
    memoisation: bool = _option(
        True,
        "a call on an object that occurs more than once in the mini-batch runs once per set of "
        "arguments: a directed acyclic graph takes one call per object, not per path",
    )
    scheduler: str = _option(
        "auto",
        "depth counted by the generated program as it runs, or computed from the finished graph; "
        "DyNet's agenda; or lookahead, which schedules the finished graph in close to the minimum "
        "number of batches; auto: inline depth, unless lookahead pays, or a block order cached "
        "from an earlier mini-batch",
        ("auto", "inline_depth", "runtime_depth", "agenda", "lookahead"),
    )
    instance_parallelism: bool = _option(
        True,
        "the calls of ab.parallel and the iterations of a comprehension start at the same depth "
        "and join at the maximum",
    )
    inferred_parallelism: bool = _option(
        True,
        "so does everything in a function that does not depend on what is written before it, even "
        "without ab.parallel",
    )
    ghost_ops: bool = _option(
        True,
        "the shorter branch of a conditional is padded to the depths of the longer one, so that "
        "nodes of blocks that occur in both are batched",
    )
    program_phases: bool = _option(
        True,
        "all nodes of a phase, or of a loop iteration, run before the next one begins, so that "
        "instances stay in step",
    )
    speculation: bool = _option(
        True,
        "a small computation that only a decision needs is done as early as possible, ahead of "
        "other decisions and of the branch that contains it",
    )
    fibers: bool = _option(
        True,
        "instances and branches suspend at a decision, and everything recorded so far runs "
        "together; off: one instance after the other",
    )
    gather_fusion: bool = _option(
        True, "kernels read scattered operands in place; off: they are gathered by copying first"
    )
    autoschedule: bool = _option(
        True,
        "CPU kernels use the schedules that a search (acrobat tune) has found for this machine, "
        "where there are any; off: the rule's schedules alone",
    )
    executor: str = _option(
        "aot",
        "control flow compiled to C++ ahead of time, or interpreted in Python (one thread, no g++ "
        "needed)",
        ("aot", "vm"),
    )
    precision: Literal["fp32", "tf32x3", "bf16x6", "tf32", "bf16"] = _option(
        "fp32",
        "the format of the factors of contractions: float32; or on a GPU's tensor cores, about as "
        "accurate, float32 as the sum of two TF32 (three products) or, equally accurate, of three "
        "bfloat16 (six products), or float32 rounded to TF32 or to bfloat16; or on a CPU with AMX "
        "rounded to bfloat16 where a matrix is one that the mini-batch shares; sums and everything "
        "else are float32",
        ("fp32", "tf32x3", "bf16x6", "tf32", "bf16"),
    )
    weights: Literal["fp32", "bf16", "int8"] = _option(
        "fp32",
        "how kernels on the CPU store the matrices that a mini-batch shares: float32, or rounded "
        "to bfloat16, half the bytes, for mini-batches of few rows, or to int8 with a scale for "
        "each column, a quarter; products and sums are float32, and so are vectors, and tables "
        "whose rows are read",
        ("fp32", "bf16", "int8"),
    )
    gpu_mode: Literal["launches", "persistent"] = _option(
        "launches",
        "on a GPU, one launch per kernel of a batch, or one per computation, of a persistent "
        "kernel that runs all batches",
        ("launches", "persistent"),
    )
    check_finite: bool = _option(
        False,
        "a result with NaN or infinity, and a decision by one, is an error naming the operation "
        "and the line of the model where it began: such an instance is run again as plain Python, "
        "and so is every one that decides by whole numbers, as masks and argmax give them",
    )
    threads: int = _number(
        0,
        1,
        MAX_THREADS,
        "CPU threads for kernels; 0 is every core this process may use",
        zero="every core this process may use",
    )
    stack_mb: int = _number(1024, 1, 1 << 20, "address space for the recursion of one call, in MiB")
    memory_mb: int = _number(
        0,
        1,
        1 << 30,
        "the memory that one call may use, in MiB; 0 is what the machine, the control group and "
        "the limits of the process leave, less a reserve",
        zero="what is free",
    )

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):
            object.__setattr__(self, f.name, _checked(f, getattr(self, f.name)))

    @property
    def thread_count(self) -> int:
        """The number of threads that `threads` stands for on this machine."""
        return self.threads or min(len(os.sched_getaffinity(0)), MAX_THREADS)

    @classmethod
    def all_off(cls, **changes: Any) -> Options:
        """Every optimisation off: the bottom rung of the ablation ladder."""
        off: dict[str, Any] = {
            "parameter_reuse": "off",
            "scheduler": "runtime_depth",
        }
        for f in dataclasses.fields(cls):
            if f.metadata["choices"] == (True, False):
                off[f.name] = False
        return cls(**{**off, **changes})

    @classmethod
    def ladder(cls) -> tuple[str, ...]:
        """The options that `all_off` turns off, in the order in which a ladder turns them on."""
        off = cls.all_off()
        return tuple(f.name for f in dataclasses.fields(cls) if getattr(off, f.name) != f.default)

    @classmethod
    def ladder_rung(cls, on: Sequence[str]) -> Options:
        """Every optimisation off except those named; OptionError if one does not exist."""
        for name in on:
            if name not in cls.ladder():
                near = difflib.get_close_matches(name, cls.ladder(), 1)
                hint = f"; did you mean {near[0]!r}? The" if near else "; the"
                raise OptionError(
                    f"a ladder has no rung {name!r}{hint} options are {', '.join(cls.ladder())}"
                )
        defaults = {f.name: f.default for f in dataclasses.fields(cls)}
        return cls.all_off(**{name: defaults[name] for name in on})

    @classmethod
    def parse(cls, assignments: dict[str, str]) -> Options:
        """Parse options from text, as in `--option kernel_fusion=false`; OptionError if that
        fails."""
        known = {f.name: f for f in dataclasses.fields(cls)}
        values: dict[str, Any] = {}
        for name, text in assignments.items():
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean {near[0]!r}? The" if near else "; the"
                raise OptionError(
                    f"there is no option {name!r}{hint} options are {', '.join(known)}"
                )
            values[name] = _parse_value(name, text, type(known[name].default))
        return cls(**values)


def _checked(f: dataclasses.Field[Any], value: object) -> object:
    """Return the value as a built-in Python type; OptionError if the option does not accept it."""
    choices, given = f.metadata["choices"], _shown(value)
    if choices:
        kind = type(f.default)
        plain = value.item() if isinstance(value, (np.bool_, np.str_)) else value
        if type(plain) is kind and plain in choices:
            return plain
        allowed = ", ".join(map(repr, choices))
        raise OptionError(f"Options.{f.name}={given}: the choices are {allowed}")
    if not isinstance(value, (bool, np.bool_)) and isinstance(value, (int, np.integer)):
        number = int(value)
        if f.metadata["least"] <= number <= f.metadata["most"] or (
            number == 0 and f.metadata["zero"]
        ):
            return number
    raise OptionError(f"Options.{f.name}={given}: {f.metadata['allowed']}")


def _shown(value: object) -> str:
    """The value as text for an error message, which it must neither flood nor break."""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _parse_value(name: str, text: str, kind: type) -> Any:
    if kind is bool:
        lowered = text.lower()
        if lowered not in ("true", "false", "on", "off"):
            raise OptionError(f"option {name}={text!r}: write true or false")
        return lowered in ("true", "on")
    if kind is int:
        try:
            return int(text)
        except ValueError:  # also for more digits than Python converts
            raise OptionError(f"option {name}={text!r}: write a whole number") from None
    return text
