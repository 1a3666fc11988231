"""The README's example is a file of its own, and prints what the README says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
EXAMPLE = README.split("```python\n")[1].split("```")[0]
PRINTED, EXPLAINED = re.findall(r"```text\n(.*?)```", README, re.S)[:2]


def run(path: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, path.name],
        cwd=path.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def of_any_machine(text: str) -> str:
    """Without what depends on the machine: the folder, and how kernels are cut up."""
    text = re.sub(r"\(\S*?(\w+\.py:\d+:\d+)\)", r"(\1)", text)
    return re.sub(r"tiles of [\d, ]+ rows?, \d+ column blocks?", "tiles", text)


def test_it_is_the_file_of_the_same_text() -> None:
    assert (ROOT / "examples" / "treernn.py").read_text() == EXAMPLE
    assert EXAMPLE.count("\n") <= 40


@pytest.mark.slow
def test_it_prints_what_the_readme_says(tmp_path: Path) -> None:
    script = tmp_path / "treernn.py"
    script.write_text(EXAMPLE + 'print(fast.explain(), end="")\n')
    assert of_any_machine(run(script)) == PRINTED + of_any_machine(EXPLAINED)
    assert of_any_machine(EXPLAINED).count(" tiles\n") == 1


@pytest.mark.slow
def test_it_prints_the_same_as_plain_python(tmp_path: Path) -> None:
    script = tmp_path / "treernn.py"
    script.write_text(EXAMPLE)
    assert run(script, ACROBAT_DISABLE="1") == PRINTED
