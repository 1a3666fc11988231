"""What compiling says while it takes its time: a line on a terminal, records for `logging`."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import acrobat as ab
from acrobat.aot.build import COMMON

ROOT = Path(__file__).parents[2]
LINE = "acrobat: compiling the run-time library for this machine, once (about 10 s) ...\n"
# Builds nothing: what would be built is there at once, but for one object file that is "built".
SCRIPT = """
import sys
from pathlib import Path
from acrobat.aot import build

build._compile = lambda what, arguments, path, *rest, **named: Path(path).write_bytes(b"")
for _ in range(2):
    build.RuntimeBuild().object()
print("done")
"""


def on_a_terminal(script: str, cache: Path, **environment: str) -> tuple[str, str]:
    """What `script` writes to stdout, a pipe, and to stderr, a terminal."""
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "ACROBAT_CACHE": str(cache),
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    text = b""
    while True:
        try:
            text += os.read(ours, 4096)
        except OSError:  # nobody else has the terminal any more
            break
    os.close(ours)
    assert done.returncode == 0, text.decode()
    return done.stdout, text.decode().replace("\r\n", "\n")


def test_a_terminal_gets_one_line_once(tmp_path: Path) -> None:
    assert on_a_terminal(SCRIPT, tmp_path) == ("done\n", LINE)
    assert on_a_terminal(SCRIPT, tmp_path) == ("done\n", "")


def test_no_line_where_logging_is_configured(tmp_path: Path) -> None:
    configured = "import logging; logging.basicConfig(level='WARNING')\n" + SCRIPT
    assert on_a_terminal(configured, tmp_path) == ("done\n", "")


def test_no_line_where_stderr_is_no_terminal(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": str(ROOT), "ACROBAT_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_the_environment_turns_the_log_on(tmp_path: Path) -> None:
    _, text = on_a_terminal(SCRIPT, tmp_path, ACROBAT_LOG="debug")
    lines = re.sub(r"\d+\.\d s", "n s", re.sub(r"\w+\.o", "x.o", text)).splitlines()
    # The precompiled header is made at the same time, as are the parts of the library.
    first, *parts, whole, built, again = [line for line in lines if "header" not in line]
    assert first == "acrobat: compiling the run-time library for this machine, once (about 10 s)"
    assert parts == ["acrobat: programs/x.o: built in n s"] * len(COMMON)
    assert whole == "acrobat: run-time library: n s"
    assert built == "acrobat: programs/x.o: built in n s"
    assert again == "acrobat: programs/x.o is in the cache"


def test_a_level_that_does_not_exist() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import acrobat"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "ACROBAT_LOG": "loud"},
        capture_output=True,
        text=True,
    )
    assert done.stderr.splitlines()[-1] == (
        "acrobat.errors.OptionError: ACROBAT_LOG='loud': the levels are debug, info, warning, error"
    )


def test_compiling_logs_its_stages(
    load_model: Callable[[str], ModuleType],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    m = load_model(
        "@ab.params\nclass P:\n    b: Tensor['H']\n\n\n"
        "@ab.model\ndef f(p: P, n: int) -> Tensor['H']:\n    return p.b\n"
    )
    caplog.set_level("INFO", "acrobat")
    import numpy as np

    ab.compile(m.f, m.P(b=np.ones(3)), options=ab.Options(executor="vm"))
    assert re.fullmatch(r"f compiled for cpu: \d+\.\d s", caplog.messages[-1])
    monkeypatch.setenv("ACROBAT_DISABLE", "1")
    ab.compile(m.f, m.P(b=np.ones(3)))
    assert caplog.messages[-1].startswith("nothing is compiled, because ACROBAT_DISABLE=1 is set")
