"""`ab.tune`: find schedules for a compiled model's kernels on this machine, and keep them."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..cache import scratch_folder
from ..compiled_model import CompiledModel
from ..errors import OptionError
from ..kernels.printers.cpu.schedule import Schedule
from ..kernels.printers.cpu.target import host_target
from ..kernels.schedules import Entry, Measured, kernel_key, merge_into_users, words
from .bench import KernelBench
from .budget import next_seconds
from .paired import Speedup
from .search import Found, search
from .uses import Use, classes, find_uses
from .whole_program import check_results, compare_programs

# The share of the seconds that the comparison of whole programs gets.
_COMPARISON = 0.15

# Receives the progress (0 to 1), and what is being done.
Progress = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class TunedKernel:
    """A kernel of the program: its share of the kernels' time, and what was found for it."""

    name: str
    about: str
    share: float
    found: Found


@dataclass(frozen=True, slots=True, eq=False)
class Tuning:
    """The result of `tune`. `model`: the program with the schedules found, or with the rule's if
    those made it slower. `speedup`: of its mini-batches over the rule's, None if every kernel keeps
    the rule. `seconds`: the total duration. `entries`: the results worth keeping; `saved`: the
    user's database, None if nothing was saved."""

    model: CompiledModel[Any, Any]
    kernels: tuple[TunedKernel, ...]
    speedup: Speedup | None
    seconds: float
    entries: tuple[Entry, ...]
    saved: Path | None

    def __str__(self) -> str:
        lines = [
            f"{k.name}: {k.about}; {k.share:.0%} of the kernels' time; {_outcome(k.found)}"
            for k in self.kernels
        ]
        if self.speedup is None:
            lines.append(f"the rule serves every kernel: {self.seconds:.1f} s")
        else:
            kept = f"saved in {self.saved}" if self.saved else "nothing was saved"
            lines.append(f"mini-batches: {self.speedup} of the rule: {self.seconds:.1f} s, {kept}")
        return "\n".join(lines)


def tune(
    fast: CompiledModel[Any, Any],
    *mini_batches: Sequence[Any],
    seconds: float = 60.0,
    pgo: bool = True,
    save: bool = True,
    progress: Progress = lambda done, what: None,
) -> Tuning:
    """Find schedules for the kernels of `fast` on this machine within about `seconds`, measured on
    the calls that `mini_batches` (lists of instances) make.

    With `pgo` the time goes to kernels by their share of these mini-batches' time, otherwise the
    same to each. The schedules found are saved for later compilations, unless `save` is false;
    results stay the same to the bit. Nothing else should run on the machine meanwhile.

    ValueError without instances or seconds; OptionError on a GPU, or if `autoschedule` is off."""
    _check(fast, mini_batches, seconds)
    begin, target = time.perf_counter(), host_target()
    by_rule = _compiled(fast, {}) if fast.schedules else fast
    progress(0.0, "profiling")
    uses = _profile(by_rule, mini_batches)

    def at(name: str) -> None:
        progress(min((time.perf_counter() - begin) / seconds, 1.0), name)

    tuned = _search_all(fast, uses, begin + seconds * (1 - _COMPARISON), pgo, at)
    schedules = _by_name(fast, uses, tuned)
    model, speedup, entries = by_rule, None, tuple(_entries(uses, tuned))
    if schedules:
        progress(1 - _COMPARISON, "whole program")
        model = _compiled(fast, schedules)
        check_results(by_rule, model, mini_batches)
        left = begin + seconds - time.perf_counter()
        speedup = compare_programs(by_rule, model, mini_batches, left).speedup
        if speedup.high < 1.0:  # kernels are faster alone, but mini-batches slower
            model, entries = by_rule, ()
    elif not fast.schedules:  # otherwise they replace earlier ones, which no longer hold
        entries = ()
    saved = merge_into_users(entries, target) if save and entries else None
    took = time.perf_counter() - begin
    model = copy.copy(model)  # the caller's may be in use
    model.tune_s = took
    progress(1.0, "done")
    return Tuning(model, tuple(tuned), speedup, took, entries, saved)


def _check(
    fast: CompiledModel[Any, Any], mini_batches: Sequence[Sequence[Any]], seconds: float
) -> None:
    fast.compilation  # noqa: B018  RuntimeError if nothing is compiled
    if fast.target != "cpu":
        raise OptionError(
            f"schedules are tuned on the CPU, not on target={fast.target!r}; compile the model "
            f"with target='cpu'"
        )
    if not fast.options.autoschedule:
        raise OptionError(
            "Options.autoschedule=False: what is found would not be used; compile the model with it"
        )
    if not any(len(b) for b in mini_batches):
        raise ValueError("tune needs instances: ab.tune(fast, instances)")
    if not seconds > 0:
        raise ValueError(f"seconds={seconds}: tuning takes some, 60 for a model of a few kernels")


def _compiled(
    fast: CompiledModel[Any, Any], schedules: dict[str, Schedule]
) -> CompiledModel[Any, Any]:
    return CompiledModel(fast.model, fast.params, fast.options, fast.target, schedules)


def _profile(fast: CompiledModel[Any, Any], mini_batches: Sequence[Sequence[Any]]) -> list[Use]:
    program: Any = fast.program
    calls = []
    for instances in mini_batches:
        if len(instances):
            fast(list(instances))  # allocates memory and starts threads before the trace
            calls.append(program.trace(program.convert(list(instances))))
    return find_uses(program.layout, calls)


def _search_all(
    fast: CompiledModel[Any, Any],
    uses: Sequence[Use],
    until: float,
    pgo: bool,
    at: Callable[[str], None],
) -> list[TunedKernel]:
    """Search for each kernel's schedule, one after the other; `at` is called with the kernel's
    name."""
    tuned: list[TunedKernel] = []
    target = host_target()
    with scratch_folder() as folder:
        for n, use in enumerate(uses):
            name = use.spec.name
            at(name)
            left = until - time.perf_counter()
            given = next_seconds(left, [u.share for u in uses[n:]], pgo)
            if given <= 0:
                continue
            part = folder / str(n)
            part.mkdir()
            bench = KernelBench(use.spec, target, classes(use), part)
            known, watch = fast.schedules.get(name), partial(at, name)
            found = search(use.spec, target, bench, given, time.perf_counter, known, watch)
            tuned.append(TunedKernel(name, words(use.spec), use.share, found))
    return tuned


def _by_name(
    fast: CompiledModel[Any, Any], uses: Sequence[Use], tuned: Sequence[TunedKernel]
) -> dict[str, Schedule]:
    """The schedules found, by the names of all kernels that compute the same; kernels that were not
    tuned keep theirs."""
    program: Any = fast.program
    specs = {u.spec.name: u.spec for u in uses}
    found = {kernel_key(specs[k.name]): k.found for k in tuned}
    made: dict[str, Schedule] = {}
    for kernel in program.layout.kernels:
        now = found.get(kernel_key(kernel.spec))
        schedule = kernel.schedule if now is None else now.schedule
        if schedule is not None and not (now is not None and now.by_rule):
            made[kernel.spec.name] = schedule
    return made


def _entries(uses: Sequence[Use], tuned: Sequence[TunedKernel]) -> list[Entry]:
    """The entries of every kernel that was tuned, including those that keep the rule: these replace
    what an earlier search may have found."""
    found = []
    by_name = {u.spec.name: u for u in uses}
    for kernel in tuned:
        use = by_name[kernel.name]
        measured: tuple[Measured, ...] = ()
        if kernel.found.paired is not None:
            measured = tuple(
                Measured(c.rows, *times)
                for c, times in zip(classes(use), kernel.found.paired.medians, strict=True)
            )
        found.append(Entry(kernel_key(use.spec), kernel.about, kernel.found.schedule, measured))
    return found


def _outcome(found: Found) -> str:
    if found.by_rule:
        return f"the rule is as fast as any of {found.tried}"
    s = found.schedule
    shape = f"{s.usual} rows x {s.lanes * s.vectors} columns"
    return f"{found.speedup} of the rule with {shape}, unrolled {s.unroll}, {s.ahead} ahead"
