"""Prepare the work of a GPU machine's first minutes in advance: `python -m harness.gpu.pack`.

The pack contains the machine code of the workloads' kernels in both modes, compiled here with
Triton and without a GPU; the outputs of plain Python for the mini-batches that are checked and
measured first, those of tables T3 to T5 (harness.references); and the archives that DyNet is built
from. On the GPU machine, in the project's folder,

    python3 -m harness.gpu --pack pack.tar.gz --out build/gpu --minutes 9

uses the pack. It fits one architecture, the same sources and the same Triton: whatever differs is
compiled or computed there, as without a pack.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import acrobat as ab
import workloads
from acrobat.kernels.printers.cuda.build import build_cuda_kernels
from acrobat.kernels.printers.cuda.tile import Precision
from acrobat.pipeline import run_pipeline
from harness import check
from harness.beforehand import problem_of
from harness.cell import Cell
from harness.config import cells, load_config
from harness.environment import ROOT
from harness.references import VARIABLE, reference
from harness.worker import make_problem
from workloads.data.source import find_source

# The precisions among the variants of config/gpu.yaml.
_OF_KERNELS: tuple[Precision, ...] = ("fp32", "tf32x3")

MOST_BYTES = 45 << 20
_CACHE, _PACKAGES, _REFERENCES = "cache", "packages", "references"
# The environment variable that names each folder.
VARIABLES = {_CACHE: "ACROBAT_CACHE", _PACKAGES: "ACROBAT_PACKAGES", _REFERENCES: VARIABLE}
# The configuration for a GPU, and the batch sizes of tables T3 to T5.
_CONFIG, _BATCHES = ROOT / "config" / "gpu.yaml", (8, 64)


def make_pack(
    path: Path,
    arch: int,
    names: Sequence[str] = workloads.NAMES,
    sizes: Sequence[str] = ("small",),
    packages: Path | None = None,
    mini_batches: Sequence[Cell] = (),
) -> int:
    """Write the archive, with plain Python's outputs for `mini_batches`; return its size in bytes.
    ValueError, with nothing written, if it exceeds `MOST_BYTES`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        whole = Path(folder) / "whole.tar.gz"
        with _folder(_CACHE, Path(folder)):
            for name in names:
                for size in sizes:
                    _compile(name, size, arch)
        with _folder(_REFERENCES, Path(folder)):
            for cell in mini_batches:
                _compute(cell)
        with tarfile.open(whole, "w:gz") as tar:
            for made in (_CACHE, _REFERENCES):
                tar.add(Path(folder) / made, arcname=made)
            if packages is not None:
                tar.add(packages, arcname=_PACKAGES)
        size_of = whole.stat().st_size
        if size_of > MOST_BYTES:
            raise ValueError(
                f"{path}: the archive would have {size_of >> 20} MiB, {MOST_BYTES >> 20} are the "
                "most; leave workloads or sizes out"
            )
        whole.replace(path)
    return size_of


def use_pack(path: Path, folder: Path) -> dict[str, str]:
    """Unpack an archive below `folder`, which is not the machine's own cache; return the
    environment variables through which steps find its contents."""
    with tarfile.open(path) as tar:
        # Debian 12's Python 3.11.2 has no extraction filters.
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(folder)  # noqa: S202, made by make_pack
    # The modes in the archive may let others write; here only the user may use the folder.
    for found in (folder, *(p for p in folder.rglob("*") if p.is_dir())):
        found.chmod(0o700)
    there = {name: folder / name for name in VARIABLES}
    return {VARIABLES[name]: str(p) for name, p in there.items() if p.is_dir()}


def _compile(name: str, size: str, arch: int) -> None:
    made = workloads.get(name)
    model: Any = made.model
    params = made.make_params(size, 0, find_source())
    specs = [k for p in run_pipeline(model, params, ab.Options()).plans for k in p.kernels]
    for precision, persistent in itertools.product(_OF_KERNELS, (False, True)):
        build_cuda_kernels(specs, arch, precision, persistent)


def first_mini_batches(names: Sequence[str] = workloads.NAMES) -> list[Cell]:
    """The mini-batches of the checks and of tables T3 to T5, in both sizes."""
    checks = [
        Cell(name, "tiny", batch, 1, "cuda", 0, check.DATA, ())
        for name in names
        for batch in check.BATCHES
    ]
    shown = [c for c in cells(load_config(_CONFIG)) if c.workload in names and c.batch in _BATCHES]
    return checks + shown


def _compute(cell: Cell) -> None:
    """Compute plain Python's outputs into the folder that the environment names."""
    problem, data = make_problem(problem_of(cell), "full")
    begin, worked = time.perf_counter(), time.process_time()
    reference(cell.workload, problem)
    took, worked = time.perf_counter() - begin, time.process_time() - worked
    what = f"{cell.workload} {cell.size} bs{cell.batch} ({data})"
    print(f"plain Python: {what}: {took:.1f} s, {worked:.1f} s of CPU time", flush=True)


@contextmanager
def _folder(name: str, above: Path) -> Iterator[None]:
    """Create a folder, which the environment names within the context."""
    folder, variable = above / name, VARIABLES[name]
    folder.mkdir(mode=0o700)
    before = os.environ.get(variable)
    os.environ[variable] = str(folder)
    try:
        yield
    finally:
        del os.environ[variable]
        if before is not None:
            os.environ[variable] = before


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 1 if the archive would be too large."""
    parser = argparse.ArgumentParser(prog="harness.gpu.pack", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--out", type=Path, required=True, help="a tar.gz file")
    parser.add_argument("--arch", type=int, default=90, help="90 is sm_90 (default)")
    parser.add_argument("--workloads", nargs="+", choices=workloads.ALL, default=workloads.NAMES)
    parser.add_argument("--sizes", nargs="+", default=["small"])
    parser.add_argument("--packages", type=Path, help="the folder with DyNet's archives")
    parser.add_argument("--no-references", action="store_true", help="plain Python computes there")
    args = parser.parse_args(argv)
    mini_batches = [] if args.no_references else first_mini_batches(args.workloads)
    try:
        size = make_pack(
            args.out, args.arch, args.workloads, args.sizes, args.packages, mini_batches
        )
    except ValueError as error:
        print(f"harness.gpu.pack: {error}", file=sys.stderr)
        return 1
    print(f"{args.out}: {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
