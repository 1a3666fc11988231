"""A copy of the checkout, and a small configuration that was measured with it once."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[2]
PARTS = ("acrobat", "baselines", "config", "harness", "plots", "workflow", "workloads")
SMALL: dict[str, Any] = {
    "name": "small",
    "device": "cpu",
    "seed": 0,
    "samples": 3,
    "min_seconds": 0,
    "noisy_seconds": 0,
    "timeout_s": 300,
    "tolerance": 1e-4,
    "sst_dir": "generated",
    "systems": {"dynet": ["wheel-autobatch1"], "torch_eager": []},
    "measure": [
        {
            "workload": "treelstm",
            "sizes": ["tiny"],
            "batches": [2],
            "threads": ["all"],
            "systems": ["torch_eager"],
        },
        {"workload": "treelstm", "sizes": ["tiny"], "batches": [3], "threads": [1]},
    ],
}
ALONE, BOTH = "treelstm/tiny/bs2.tall", "treelstm/tiny/bs3.t1"


@dataclass
class Project:
    """A checkout and a folder that Snakemake works in, beside each other."""

    root: Path
    python: str = sys.executable

    def __post_init__(self) -> None:
        self.config = copy.deepcopy(SMALL)

    @property
    def checkout(self) -> Path:
        return self.root / "checkout"

    @property
    def work(self) -> Path:
        return self.root / "work"

    def snakemake(self, *arguments: str, code: int = 0, **kwargs: Any) -> str:
        """The output, both streams; `arguments` come after the Snakefile, folder, configuration."""
        self.work.mkdir(exist_ok=True)
        path = self.root / "config.json"
        path.write_text(json.dumps(self.config))
        snakefile = self.checkout / "workflow" / "Snakefile"
        where = ("--snakefile", str(snakefile), "--directory", str(self.work))
        return self.run(*where, "--configfile", str(path), *arguments, code=code, **kwargs)

    def run(self, *arguments: str, code: int = 0, cwd: Path | None = None) -> str:
        """The output of `snakemake` with these arguments, from nowhere near the checkout."""
        # What the session's own interpreter imports is not what the jobs should.
        env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTEST_ADDOPTS")}
        done = subprocess.run(
            [self.python, "-m", "snakemake", *arguments],
            cwd=cwd or self.root,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout
        return done.stdout

    def to_do(self) -> set[str]:
        """What a run would do: the keys of cells, and names of rules."""
        said = self.snakemake("--dry-run")
        cells = re.findall(r"output: results/\w+/raw/cpu/(\S+)", said)
        return {*cells, *re.findall(r"rule (report|build_native):", said)}

    def edit(self, path: str) -> None:
        """Add a comment to a file of the checkout."""
        with (self.checkout / path).open("a") as file:
            file.write("\n# A comment.\n")


@pytest.fixture(scope="session")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose two cells and report were made; not to be changed. All workers of
    pytest-xdist share one."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    project, done = Project(folder / "measured"), folder / "measured.done"
    with FileLock(folder / "measured.lock"):
        if not done.exists():
            shutil.rmtree(project.root, ignore_errors=True)  # another worker may have failed
            measure(project)
            done.touch()
    return project


def measure(project: Project) -> None:
    """Copy the checkout and make everything of the small configuration."""
    skip = shutil.ignore_patterns("__pycache__", ".snakemake")
    for part in PARTS:
        source, target = ROOT / part, project.checkout / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=skip)
        else:
            shutil.copy2(source, target)
    project.snakemake("--cores", "all")


@pytest.fixture
def project(measured: Project, tmp_path: Path) -> Project:
    """A copy of it elsewhere: the checkout has moved, and so has the folder of results."""
    shutil.copytree(measured.root, tmp_path / "moved")
    return Project(tmp_path / "moved")
