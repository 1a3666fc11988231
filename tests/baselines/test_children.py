"""The processes that the other tests ask."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.baselines import children

SCRIPT = """
import os, sys
from tests.baselines.children import answer

def respond(system, *words):
    if words == ("fail",):
        raise ValueError("no such word")
    if words == ("die",):
        print("the end", file=sys.stderr)
        os._exit(3)
    print("not an answer")
    return [os.getpid(), os.environ["OMP_NUM_THREADS"], *words]

answer(respond)
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", str(Path(children.__file__).parent))
    path = tmp_path / "child.py"
    path.write_text(SCRIPT)
    return path


@pytest.mark.slow
def test_questions_about_one_system_are_answered_by_one_process(script: Path) -> None:
    first, threads, *words = children.ask(script, "one", "a", "b")
    assert (threads, words) == ("1", ["a", "b"])
    assert children.ask(script, "one")[0] == first
    assert children.ask(script, "one:variant")[0] == first
    assert children.ask(script, "other")[0] != first
    torch = children.ask(script, "torch_eager")[0]
    assert children.ask(script, "floor:full")[0] == torch
    assert children.ask(script, "acrobat")[0] != torch


def test_an_exception_is_an_answer(script: Path) -> None:
    first = children.ask(script, "one")[0]
    with pytest.raises(AssertionError, match="ValueError: no such word"):
        children.ask(script, "one", "fail")
    assert children.ask(script, "one")[0] == first


@pytest.mark.slow
def test_a_process_that_ends_is_replaced(script: Path) -> None:
    message = re.escape("the process ended (3) at ('one', 'die'):\nthe end\n")
    with pytest.raises(AssertionError, match=f"^{message}$"):
        children.ask(script, "one", "die")
    assert children.ask(script, "one", "again")[2:] == ["again"]


def test_a_process_that_does_not_answer_is_ended(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script.write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setattr(children, "TIMEOUT", 0.1)
    with pytest.raises(AssertionError, match=r"^the process ended \(-9\) at \('one',\):\n$"):
        children.ask(script, "one")
