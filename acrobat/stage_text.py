"""`fast.ir(stage)`: the program after a pass, or the code generated from it."""

from __future__ import annotations

from collections.abc import Callable

from .driver.run import Compilation
from .pipeline import PIPELINE


def stage_text(done: Compilation, stage: str, source: str, kernels: Callable[[], str]) -> str:
    """Return the program after the pass `stage`, or the generated C++ ("cpp"), which is `source`,
    or the kernels ("kernels"), which `kernels` prints. ValueError, which lists the names, if there
    is no such stage."""
    if stage in done.stages:
        return done.text(stage)
    if stage == "cpp":
        if not source:
            raise ValueError("there is no C++: the control flow is interpreted (executor='vm')")
        return source
    if stage == "kernels":
        return kernels()
    if any(stage == p.name for s in PIPELINE for p in s.passes):
        raise ValueError(f"the pass {stage!r} does not run with these options")
    raise ValueError(
        f"there is no stage {stage!r}; the stages are {', '.join([*done.stages, 'kernels', 'cpp'])}"
    )
