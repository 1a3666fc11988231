"""mypy and pyright, both strict, accept what model authors write, and see what is wrong."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import acrobat as ab
from tests.lang import typed_idioms

ROOT = Path(__file__).parents[2]
# But for what uses PyTorch, whose own types are not strict.
GOOD = [
    *(p for p in sorted((ROOT / "examples").glob("*.py")) if "import torch" not in p.read_text()),
    ROOT / "tests" / "lang" / "typed_idioms.py",
]
# Every line with a comment is wrong, in the way it says.
BAD = """
import numpy as np
import acrobat as ab
from acrobat import Float32, Tensor, ops

@ab.data
class Leaf:
    word: int

@ab.params
class Weights:
    b: Float32[Tensor, "H"]

@ab.model
def f(p: Weights, leaf: Leaf) -> Float32[Tensor, "H"]:
    return ops.tanh(p.c)  # no such weight

weights = Weights(b=np.zeros(3))
fast = ab.compile(f, weights)
fast([3])  # no such instance
ab.compile(f, Leaf(1))  # no such weights
f(weights)  # an argument is missing
Leaf("word")  # not an int
Weights(w=np.zeros(3))  # no such field
x: int = fast([Leaf(1)])[0]  # a tensor
a, b, c = ab.parallel(f(weights, Leaf(1)), f(weights, Leaf(2)))  # two
"""
WRONG = {n for n, line in enumerate(BAD.splitlines(), 1) if "  # " in line}


def mypy(files: list[Path], folder: Path) -> list[tuple[str, int, str]]:
    """(file, line, message) of every error in `files`, which are in `folder`."""
    settings = folder / "mypy.ini"
    settings.write_text(
        f"[mypy]\nstrict = true\nmypy_path = {ROOT}\ncache_dir = {folder}\n"
        "[mypy-acrobat.*]\nfollow_imports = silent\n"
        "[mypy-tvm.*,triton.*]\nignore_missing_imports = true\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", settings, "-O", "json", *files],
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [(e["file"], e["line"], e["message"]) for e in found if e["severity"] == "error"]


def pyright(files: list[Path], folder: Path) -> list[tuple[str, int, str]]:
    """(file, line, message) of every error in `files`, which are in `folder`."""
    module = next((m for m in ("basedpyright", "pyright") if importlib.util.find_spec(m)), None)
    if module is None:
        pytest.skip("pyright is not installed: pip install basedpyright")
    settings = folder / "pyrightconfig.json"
    settings.write_text(
        json.dumps(
            {
                "include": [f.name for f in files],
                "extraPaths": [str(ROOT)],
                "typeCheckingMode": "strict",
                "pythonVersion": "3.11",
            }
        )
    )
    python = ("--pythonpath", sys.executable)
    done = subprocess.run(
        [sys.executable, "-m", module, "--outputjson", "-p", settings, *python],
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == len(files)
    return [
        (e["file"], e["range"]["start"]["line"] + 1, e["message"])
        for e in report["generalDiagnostics"]
        if e["severity"] == "error"
    ]


# That the good ones are accepted, `make lint` shows, too.
@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("check", [mypy, pyright])
def test_type_checkers_agree_with_us(
    check: Callable[[list[Path], Path], list[tuple[str, int, str]]], tmp_path: Path
) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    for path in GOOD:
        shutil.copy(path, tmp_path)
    found = check(sorted(tmp_path.glob("*.py")), tmp_path)
    assert [e for e in found if Path(e[0]).name != "bad.py"] == []
    assert {line for _, line, _ in found} == WRONG


@pytest.mark.slow
def test_the_idioms_are_the_language_s() -> None:
    x, rows = np.full(4, 0.1, np.float32), np.ones((4, 4), np.float32)
    leaf = typed_idioms.Leaf(1, x)
    node = typed_idioms.Node(leaf, leaf, [leaf], 0.5, True)
    chain = typed_idioms.Chain(x, rows, typed_idioms.Chain(x, rows, None))
    instances = [([leaf, node], chain, 0.9), ([node], None, 0.1)]
    p = typed_idioms.weights()
    fast = ab.compile(typed_idioms.entry, p, "cpu", ab.Options(executor="vm"))
    for instance, (vectors, label) in zip(instances, fast(instances), strict=True):  # type: ignore[arg-type]
        want, number = typed_idioms.entry(p, *instance)  # type: ignore[arg-type]
        assert label == number
        np.testing.assert_allclose(vectors, want, atol=1e-5)
