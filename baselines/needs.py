"""The requirements of a system, and a check of which are missing on this machine."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from .environment import Environment


@dataclass(frozen=True, slots=True)
class Needs:
    """A line of `acrobat doctor`: `name` is its title, `rows` says which rows cannot be measured
    without these requirements. `packages` (as "name==1.2" if the version matters) and `programs`
    are installed by pip; `compiler` is g++, `headers` are Python's, `pip` is the module; an
    `environment` is made by a separate command, and contains everything else."""

    name: str
    rows: str
    packages: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    compiler: bool = False
    headers: bool = False
    pip: bool = False
    environment: Environment | None = None

    def examine(self, compiler: bool, headers: bool) -> tuple[bool, str]:
        """Whether all requirements are met, and what was found or how to get what is missing;
        `compiler` and `headers` say whether g++ and Python's headers are present."""
        if self.environment is not None:
            lack = self.environment.lack()
            return lack is None, f"no rows of {self.rows}: {lack}" if lack else "there"
        there: dict[str, bool] = {}
        found: list[str] = []
        for package in self.packages:
            name, _, pinned = package.partition("==")
            version = _version(name)
            there[package] = version is not None and pinned in ("", version)
            found.append(f"{name} {version}")
        beside = str(Path(sys.executable).parent)
        for program in self.programs:
            there[program] = bool(shutil.which(program, path=beside) or shutil.which(program))
            found.append(program)
        install = [name for name, is_there in there.items() if not is_there]
        advice = [f"pip install {' '.join(install)}"] if install else []
        others = {
            "pip": (self.pip, importlib.util.find_spec("pip") is not None),
            "g++": (self.compiler, compiler),
            "Python.h": (self.headers, headers),
        }
        found += [name for name, (needed, _) in others.items() if needed]
        missing = install + [n for n, (needed, is_there) in others.items() if needed > is_there]
        if "pip" in missing:
            advice.append("python -m ensurepip")
        if missing:
            lacks = f"no rows of {self.rows}: {', '.join(missing)} missing"
            return False, "; ".join([lacks, *advice])
        return True, ", ".join(found)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
