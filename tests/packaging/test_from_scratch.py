"""docs/from_scratch.md runs, and prints what it says that it prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "from_scratch.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.S | re.M)


def test_it_prints_what_it_says(tmp_path: Path) -> None:
    program = tmp_path / "from_scratch.py"
    program.write_text("\n\n".join(blocks("python")))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(blocks("text"))


def test_it_stays_short() -> None:
    lines = [line for block in blocks("python") for line in block.splitlines() if line.strip()]
    assert len(lines) <= 300
