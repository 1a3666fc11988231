"""Pin every package with its hashes: `python requirements/lock.py [--check | --upgrade]`.

From the extras of pyproject.toml, by PyPI alone, it writes one file for each use (`LOCKS`) that
holds for all supported Pythons, `torch-cpu.txt`, and conda's (`ENVIRONMENTS`). `--check` writes
nothing: it fails if a file would change, or if a set does not resolve, or has no wheel, on a
supported Python.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "requirements"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORM = "x86_64-manylinux_2_28"
# The extras of each lock. PyTorch and CUDA's libraries are in `gpu` alone.
LOCKS: dict[str, tuple[str, ...]] = {
    "native": ("native",),
    "cpu": ("cpu",),
    "gpu": ("cpu", "gpu", "torch", "bench"),
    "bench": ("cpu", "torch", "bench"),
    "dev": ("cpu", "gpu", "torch", "bench", "dev"),
    "cloud": ("cpu", "torch", "bench", "slurm", "cloud"),
}
# The dependency groups that are environments of their own, each resolved by itself.
GROUPS = ("jax", "tfp")
LOCK_FILES = [f"{name}.txt" for name in LOCKS]
# For conda, and whether the project is installed: Snakemake copies its environments elsewhere, and
# its rules name the checkout themselves.
ENVIRONMENTS = {"env.yml": True, "workflow/envs/acrobat.yml": False}
WITH_CUDA = ("gpu",)
# Packages without a wheel: pure Python, and one that Python 3.14 has to compile.
SDISTS = {"connection-pool": PYTHONS, "immutables": ("3.14",)}
PYTORCH_CPU = "https://download.pytorch.org/whl/cpu"
COMMAND = "make lock"


def uv(*arguments: str | Path) -> str:
    """What uv says, run without any configuration of its own; SystemExit if it fails."""
    path = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    if not Path(path).is_file():
        sys.exit("requirements/lock.py needs uv: pip install uv, or make lock")
    env = {k: v for k, v in os.environ.items() if not k.startswith("UV_") or k == "UV_CACHE_DIR"}
    command = [path, "--no-config", "--quiet", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr.strip()}")
    return done.stdout


def in_parallel(work: Callable[[str], None], items: Iterable[str]) -> None:
    """`work` on each of `items`; it waits for the network."""
    with ThreadPoolExecutor(4) as pool:
        failed = [f.exception() for f in [pool.submit(work, item) for item in items]]
    for error in filter(None, failed):
        raise error


def pins(text: str) -> dict[str, str]:
    """Version by package; a lock has one of each for all Pythons."""
    found = re.findall(r"^([a-z0-9-]+)==([^\s;]+)", text, re.MULTILINE)
    names = [name for name, _ in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        sys.exit(f"more than one version of {', '.join(twice)}: give pyproject.toml a bound")
    return dict(found)


def cuda_build(names: dict[str, str]) -> list[str]:
    """What a machine without a GPU does not need; Triton is for `dev`, whose tests compile."""
    return [n for n in names if n == "torch" or n.startswith(("nvidia-c", "nvidia-n", "cuda-"))]


def compile_locks(folder: Path, upgrade: bool) -> None:
    """Write all files below `folder`, which holds those of before."""
    everything = folder / "all.in"  # one resolution, of which the locks are parts
    common = ["--universal", "--generate-hashes", "--python-version", PYTHONS[0]]
    common += ["--fork-strategy", "fewest", "--no-header", "--no-emit-index-url", "--no-annotate"]
    before = [path.read_text() for path in map(folder.joinpath, LOCK_FILES) if path.is_file()]
    everything.write_text("" if upgrade else "\n".join(before))
    uv("pip", "compile", *common, "--all-extras", "pyproject.toml", "-o", everything)
    chosen = pins(everything.read_text())
    chosen.pop("nvidia-ml-py")
    cuda = cuda_build(chosen)

    def part(name: str) -> None:
        wanted, path = LOCKS[name], folder / f"{name}.txt"
        without = [] if name in WITH_CUDA else [f"--no-emit-package={n}" for n in cuda]
        if without and "gpu" not in wanted:
            without.append("--no-emit-package=triton")
        path.unlink(missing_ok=True)
        lock: list[str | Path] = [
            "-c",
            everything,
            *common,
            *(f"--extra={e}" for e in wanted),
            *without,
        ]
        uv("pip", "compile", *lock, "pyproject.toml", "-o", path)
        less = " without PyTorch" if without and "torch" in wanted else ""
        title = f"# acrobat[{','.join(wanted)}]{less}: {COMMAND}\n"
        path.write_text(title + path.read_text())

    in_parallel(part, LOCKS)
    for name in GROUPS:
        compile_group(folder / f"{name}.txt", name, common, upgrade)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (folder / "build.in").write_text("\n".join(project["build-system"]["requires"]))
    build: list[str | Path] = [
        "-c",
        everything,
        *common,
        folder / "build.in",
        "-o",
        folder / "build.txt",
    ]
    uv("pip", "compile", *build)
    (folder / "build.in").unlink()
    everything.unlink()
    (folder / "torch-cpu.txt").write_text(
        f"# PyTorch without CUDA, of which bench.txt has the dependencies: {COMMAND}\n"
        f"--extra-index-url {PYTORCH_CPU}\ntorch=={chosen['torch']}+cpu\n"
    )


def compile_group(path: Path, name: str, common: list[str], upgrade: bool) -> None:
    """The lock of a dependency group; what is in `path` stays as it is, unless `upgrade`."""
    if upgrade:
        path.unlink(missing_ok=True)
    uv("pip", "compile", *common, "--group", f"pyproject.toml:{name}", "-o", path)
    path.write_text(f"# The dependency group {name}: {COMMAND}\n" + path.read_text())


def environment(folder: Path, project: bool) -> str:
    """An environment for conda: compiler and Python from conda-forge, packages as pinned from
    PyPI, and the `project` in the same folder as the file."""
    listed = pins((folder / "bench.txt").read_text())
    lines = [f"      - {name}=={version}" for name, version in listed.items()]
    return "\n".join(
        [
            f"# Of requirements/bench.txt and torch-cpu.txt, for conda: {COMMAND}",
            "name: acrobat",
            "channels: [conda-forge]",
            "dependencies:",
            f"  - python={PYTHONS[0]}",
            "  - gxx_linux-64",
            "  - make",
            "  - cmake",
            "  - ninja",
            "  - pip",
            "  - pip:",
            *lines,
            f"      - --extra-index-url {PYTORCH_CPU}",
            "      - " + (folder / "torch-cpu.txt").read_text().splitlines()[-1],
            *(["      - --editable ."] if project else []),
            "",
        ]
    )


def check(folder: Path) -> None:
    """SystemExit if what is committed is not what would be written, hashes aside: a release may get
    wheels for other machines later, and the lock is none the worse."""

    def chosen(path: Path) -> str:
        return re.sub(r" \\\n +--hash=\S+", "", path.read_text())

    for path in [*sorted(folder.glob("*.txt")), folder / "env.yml"]:
        committed = (ROOT if path.name == "env.yml" else FOLDER) / path.name
        if not committed.is_file() or chosen(committed) != chosen(path):
            sys.exit(
                f"{committed.relative_to(ROOT)} is not what pyproject.toml asks for: {COMMAND}"
            )


def check_pythons(scratch: Path) -> None:
    """Every supported Python finds wheels for all that is locked, and all extras resolve freely."""

    def resolve(python: str) -> None:
        sdists = [name for name, which in SDISTS.items() if python in which]
        only = ["--only-binary=:all:", *(f"--no-binary={name}" for name in sdists)]
        target = ["--python-version", python, "--python-platform", PLATFORM, *only]
        free, locked = scratch / f"free-{python}.txt", scratch / f"locked-{python}.txt"
        uv("pip", "compile", *target, "--all-extras", "pyproject.toml", "-o", free)
        locks = [FOLDER / f"{name}.txt" for name in LOCKS]
        uv("pip", "compile", *target, "--no-deps", *locks, "-o", locked)
        for name in GROUPS:
            own = scratch / f"{name}-{python}.txt"
            uv("pip", "compile", *target, "--no-deps", FOLDER / f"{name}.txt", "-o", own)
        print(f"Python {python}: all extras resolve, all that is locked has wheels", flush=True)

    in_parallel(resolve, PYTHONS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if outdated")
    parser.add_argument("--upgrade", action="store_true", help="take the newest releases")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text) if args.check else FOLDER
        if args.check:
            for path in FOLDER.glob("*.txt"):
                shutil.copy(path, folder)
        compile_locks(folder, args.upgrade)
        for name, project in ENVIRONMENTS.items():
            path = (folder if args.check else ROOT) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(environment(folder, project))
        if args.check:
            check(folder)
            check_pythons(Path(text))


if __name__ == "__main__":
    main()
