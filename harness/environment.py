"""The fields of a row that describe the machine and the sources."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path

import baselines
from acrobat.errors import DeviceError
from acrobat.runtime.gpu import find_gpu

from .printable import printable

ROOT = Path(__file__).resolve().parents[1]
# A program asked for its version, or git asked for changes, counts as broken after this time.
_VERSION_S, _GIT_S = 20.0, 60.0


def device_name(device: str = "cpu") -> str:
    """The CPU's model name and number of cores, or the GPU's name, from its driver."""
    if device == "cuda":
        try:
            return find_gpu().name
        except DeviceError as error:
            return f"none: {error}"
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else platform.processor() or "unknown"


def free_memory() -> float:
    """The fraction of the machine's memory that is free or can be freed at once; 1 if unknown."""
    info = Path("/proc/meminfo")
    if not info.exists():
        return 1.0
    kib = {k: int(v.split()[0]) for k, v in (x.split(":") for x in info.read_text().splitlines())}
    return kib["MemAvailable"] / kib["MemTotal"]


@functools.cache
def git_sha() -> str:
    """The commit, with "+" if the working tree differs from it; "unknown" outside git."""
    try:
        sha = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return sha + ("+" if changed else "")


def _git(*args: str) -> str:
    return _output(["git", *args], _GIT_S).strip()


def _output(command: list[str], limit_s: float) -> str:
    """The output of a program. OSError or SubprocessError if it is missing, fails or hangs."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=True,
        timeout=limit_s,
    )
    return done.stdout


def source_files(system: str) -> list[Path]:
    """The sources on which a system's figures depend, sorted."""
    files = [*baselines.sources(system), *(ROOT / "workloads").rglob("*.py")]
    if baselines.record(system).uses_acrobat:
        files += [p for p in (ROOT / "acrobat").rglob("*") if p.suffix in (".py", ".h", ".cc")]
    return sorted({p.resolve() for p in files})


@functools.cache
def source_hash(system: str) -> str:
    """A hash over the sources of `system`."""
    return files_hash(source_files(system))


def files_hash(paths: Iterable[Path]) -> str:
    """A hash over files and their paths in the checkout, or their names if they lie outside it."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name
        digest.update(str(place).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def _versions(device: str) -> tuple[tuple[str, str], ...]:
    found = [("python", platform.python_version())]
    systems = baselines.records().values()
    packages = (name for system in systems for name in system.packages.get(device, ()))
    for name in dict.fromkeys(["numpy", *packages]):
        try:
            found.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            continue
    tools = {"g++": ["g++", "--version"]}
    if device == "cuda":
        tools["driver"] = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    for name, command in tools.items():
        try:
            found.append((name, printable(_output(command, _VERSION_S).splitlines()[0], 200)))
        except (OSError, subprocess.SubprocessError, IndexError):
            continue
    return tuple(found)


def versions(device: str = "cpu") -> dict[str, str]:
    """Versions of the packages and tools that the systems use on a device."""
    return dict(_versions(device))
