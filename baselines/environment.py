"""A virtual environment of a system's own, for packages that do not agree with everybody else's.

It is made once per machine, Python and lock, below acrobat's cache, from `requirements/NAME.txt`,
which has hashes. The worker process of such a system is started with its Python; the checkout is on
its path, and what the harness imports there, numpy and filelock, is in the lock.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from acrobat.cache import cache_dir, content_hash

ROOT = Path(__file__).resolve().parents[1]
# Written last, with the packages that were installed.
_COMPLETE = "complete.txt"
# Of pip's output, when it fails.
_LAST_LINES = 8


class EnvironmentFailure(Exception):
    """An environment could not be made; the message says why."""


@dataclass(frozen=True, slots=True)
class Environment:
    """`name` is that of the lock; `command` makes the environment."""

    name: str
    command: str

    @property
    def lock(self) -> Path:
        """The pinned packages."""
        return ROOT / "requirements" / f"{self.name}.txt"

    @property
    def folder(self) -> Path:
        """Where it is, or would be: another lock or Python has another."""
        key = content_hash([self.lock.read_bytes(), sys.version, sys.base_prefix])
        return cache_dir() / "environments" / f"{self.name}-{key[:12]}"

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    def is_there(self) -> bool:
        """Whether it has been made to its end."""
        return (self.folder / _COMPLETE).is_file()

    def lack(self) -> str | None:
        """What to do if it has not been made; None if it has."""
        if self.is_there():
            return None
        return f"the environment {self.name!r} has not been made on this machine: {self.command}"

    def make(self) -> bool:
        """Make it unless it is there; whether there was something to do. EnvironmentFailure if a
        package cannot be had. One process makes it, others wait."""
        folder = self.folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f"{folder.name}.lock")):
            if self.is_there():
                return False
            shutil.rmtree(folder, ignore_errors=True)
            _run([sys.executable, "-m", "venv", str(folder)])
            pip = [str(self.python), "-m", "pip", "--disable-pip-version-check", "--no-input"]
            # Never a compiler: what has no wheel for this machine is not measured on it.
            only = ["--quiet", "--require-hashes", "--only-binary=:all:"]
            _run([*pip, "install", *only, "-r", str(self.lock)])
            packages = _run([*pip, "freeze"])
            (folder / _COMPLETE).write_text(packages, encoding="utf-8")
        return True


def command_line(environment: Environment, systems: str) -> int:
    """The command that makes an environment; `systems` are what it is for. The exit status."""
    parser = argparse.ArgumentParser(description=f"Make the environment of {systems}.")
    # What every native build is given; there is nothing to compile here.
    parser.add_argument("--jobs", type=int, default=1, help="of native builds; unused here")
    parser.parse_args()
    try:
        new = environment.make()
    except (EnvironmentFailure, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{'made' if new else 'there already'}: {environment.folder}", file=sys.stderr)
    return 0


def _run(command: list[str]) -> str:
    """What a program prints; EnvironmentFailure with the end of it if it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
    if done.returncode:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        last = "\n".join(said[-_LAST_LINES:])
        raise EnvironmentFailure(f"{' '.join(command[:4])} ... failed ({done.returncode}):\n{last}")
    return done.stdout
