"""The stages of one model as text, compared with what is in tests/golden.

`pytest tests/programs/test_golden.py --update-golden` writes the files anew; read the diff.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import acrobat as ab
import workloads
from acrobat.build import kernel_sources
from acrobat.pipeline import run_pipeline
from tests.aot.generated import generated
from workloads.data.source import TreeSource

FOLDER = Path(__file__).parents[1] / "golden"


def numbered_anew(text: str) -> str:
    """Variables of the typed IR carry numbers that depend on what was compiled before: number them
    by their first occurrence."""
    order: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        return order.setdefault(match[0], str(len(order)))

    return re.sub(r"((?<=[A-Za-z]\.)|(?<=_\d\.))\d+\b", number, text)


def control_flow(source: str) -> str:
    """The functions of a generated program; the tables before them depend on the machine."""
    return source[source.index("namespace {") :]


@pytest.mark.parametrize("name", ["treelstm", "drnn", "birnn"])
@pytest.mark.parametrize("stage", ["typed", "batched", "cpp"])
def test_stage(name: str, stage: str, golden: Callable[[Path, str], None]) -> None:
    workload = workloads.get(name)
    params = workload.make_params("tiny", 0, TreeSource(None))
    if stage == "cpp":
        text = control_flow(generated(workload.model, params))
    else:
        text = run_pipeline(workload.model, params, ab.Options()).text(stage)
    if stage == "typed":
        text = numbered_anew(text)
    golden(FOLDER / f"{name}.{stage}.txt", text)


def test_what_is_generated_does_not_depend_on_what_was_compiled_before() -> None:
    workload = workloads.get("drnn")
    params = workload.make_params("tiny", 0, TreeSource(None))

    def texts() -> list[str]:
        done = run_pipeline(workload.model, params, ab.Options())
        kernels = kernel_sources(done, "cpu", ab.Options(), None, {})
        return [done.text("batched"), kernels, generated(workload.model, params)]

    assert texts() == texts()
