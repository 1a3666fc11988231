"""Generated programs as text, without kernels being compiled, and what g++ says about them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from acrobat import Options
from acrobat.aot import build, toolchain
from acrobat.aot.program import emit_program
from acrobat.kernels.printers.cpu.build import KernelBuild
from acrobat.lang.model import Model
from acrobat.layout import make_layout
from acrobat.pipeline import run_pipeline

# All but one, which is about the model: `x == x` compares a variable with itself.
WARNINGS = (
    *("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"),
    *("-Wno-tautological-compare", "-Wno-sign-conversion"),
)


def generated(model: Model[..., Any], params: Any, options: Options | None = None) -> str:
    """The C++ of a model, for the CPU."""
    options = options or Options()
    done = run_pipeline(model, params, options)
    specs = [k for p in done.plans for k in p.kernels]
    layout = make_layout(done.module, done.plans, options)
    return emit_program(layout, KernelBuild(specs).described, options)


def complaints(sources: list[str], folder: Path) -> str:
    """What g++ says about programs, which it compiles as the compiler does, but for optimising."""
    compiler, _ = toolchain.find_compiler()
    folders = (build.INCLUDE, toolchain.python_include(), np.get_include())
    said = []
    for number, source in enumerate(sources):
        path = folder / f"generated_{number}.cc"
        path.write_text(source, encoding="ascii")
        flags = (*toolchain.FLAGS, *WARNINGS, "-O0", *(f"-I{f}" for f in folders))
        command = [compiler, *flags, "-c", str(path), "-o", str(path.with_suffix(".o"))]
        done = subprocess.run(command, capture_output=True, text=True)
        said.append(done.stderr if done.returncode or done.stderr else "")
    return "\n".join(filter(None, said))
