"""The records that make up the pipeline: stages and their passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..ir import batched as B
from ..ir import typed as T
from ..kernels.specification.spec import BlockPlan
from ..options import Options

# The result of a pass: a module of one of the two IRs, or kernel specifications.
Product = T.Module | B.Module | tuple[BlockPlan, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """What a pass may know besides the module: the options, the weights (`params` is the instance
    of the model's @ab.params class), whether the model is compiled for training steps, and the
    target, "cpu" or "cuda"."""

    options: Options
    params: Any
    training: bool = False
    target: str = "cpu"


def always(options: Options) -> bool:
    """The condition of a pass that every compilation needs."""
    return True


def nothing(context: Context) -> tuple[()]:
    """The extra arguments of a pass that needs only the module: none."""
    return ()


@dataclass(frozen=True, slots=True)
class Pass:
    """One step of the compiler: `function(product of the previous pass, *extra(context))`.

    `name` is unique; `fast.ir(name)` shows what the pass made. `why` says in one sentence why the
    pass is at its place in the pipeline. It runs only if `when(options)`. A pass that finds nothing
    to do returns the object that it was given. `verified` is false where the module may contain
    mistakes of the author, which the next pass reports: the verifier would blame the compiler."""

    name: str
    function: Callable[..., Any]
    why: str
    when: Callable[[Options], bool] = always
    extra: Callable[[Context], tuple[Any, ...]] = nothing
    verified: bool = True


@dataclass(frozen=True, slots=True)
class Stage:
    """Passes with one purpose, in the order in which they run. `paper` names the part of the paper
    that the stage implements, if any."""

    name: str
    purpose: str
    passes: tuple[Pass, ...]
    paper: str = ""
