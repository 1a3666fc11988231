"""A cache of plain Python's outputs, computed earlier and perhaps on another machine.

Plain Python takes minutes for the largest mini-batches. If ACROBAT_REFERENCES names a folder, the
outputs of a mini-batch are read from there if present, and otherwise computed and stored there. A
file records what it was computed from: the mini-batch, hashes of its weights, of its instances and
of the sources of models and operations; and a hash of the outputs themselves. If anything differs
or is damaged, the file is refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import sys
import uuid
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import workloads
from acrobat.lang.params import weights
from baselines.api import Problem
from workloads.results import flatten

from .environment import ROOT, files_hash

VARIABLE = "ACROBAT_REFERENCES"
# The sources that plain Python uses, besides the module of a workload from another distribution.
_SOURCES = ("workloads", "acrobat/lang", "acrobat/ir/ops")
# The only entry of a file that is not an output.
_ABOUT = "about"
_UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)


class RefusedReference(Exception):
    """A file exists but does not hold the outputs of this mini-batch; the message says why."""


def reference(workload: str, problem: Problem) -> tuple[dict[str, np.ndarray], str]:
    """Plain Python's outputs for an inference mini-batch of `workload`, in the form of `as_arrays`;
    and the reason why a stored file was refused, or ""."""
    made, folder = workloads.get(workload), os.environ.get(VARIABLE)
    refused = ""
    if folder:
        path, about = place(Path(folder), workload, problem), _about(workload, problem)
        try:
            return _read(path, about), ""
        except FileNotFoundError:
            pass
        except RefusedReference as why:
            refused = f"{why}; computing it again"
    found = as_arrays(made.reference(problem.params, problem.instances))
    if folder:
        with contextlib.suppress(OSError):  # the folder may be read-only
            _write(path, about, found)
    return found, refused


def place(folder: Path, workload: str, problem: Problem) -> Path:
    """The path of a mini-batch's file."""
    name = f"{workload}.{problem.size}.bs{problem.batch}.seed{problem.seed}.npz"
    return folder / name


def as_arrays(outputs: Sequence[Any]) -> dict[str, np.ndarray]:
    """Outputs as named arrays: array j of instance i is "i.j", the instance's structure is "i"."""
    arrays: dict[str, np.ndarray] = {}
    for i, out in enumerate(outputs):
        structure, found = flatten(out)
        arrays[str(i)] = np.array(structure)
        arrays |= {f"{i}.{j}": a for j, a in enumerate(found)}
    return arrays


def _about(workload: str, problem: Problem) -> dict[str, str]:
    """A description of everything that the outputs depend on."""
    made = workloads.get(workload)
    files = {p for folder in _SOURCES for p in (ROOT / folder).rglob("*.py")}
    files.add(Path(str(sys.modules[made.make_params.__module__].__file__)))
    structure, arrays = flatten(list(problem.instances))
    values = ((str(n), array) for n, array in enumerate(arrays))
    return {
        "mini-batch": f"{workload} {problem.size} {problem.batch} {problem.seed}",
        "weights": _hash(weights(problem.params).items()),
        "instances": _hash([("structure", np.array(structure)), *values]),
        "sources": files_hash(files),
    }


def _hash(arrays: Iterable[tuple[str, np.ndarray]]) -> str:
    digest = hashlib.sha256()
    for name, array in arrays:
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _read(path: Path, about: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Read the outputs from a file. FileNotFoundError if it does not exist, RefusedReference if it
    is unreadable, damaged or does not match `about`."""
    try:
        with np.load(io.BytesIO(path.read_bytes())) as file:
            found = {name: file[name] for name in file.files}
        said = json.loads(str(found.pop(_ABOUT)))
        outputs = said.pop("outputs")
    except FileNotFoundError:
        raise
    except _UNREADABLE as error:
        raise RefusedReference(f"{path} cannot be read: {error}") from None
    if other := [name for name in about if said.get(name) != about[name]]:
        raise RefusedReference(f"{path} was computed from other {' and '.join(other)}")
    if outputs != _hash(found.items()):
        raise RefusedReference(f"{path} does not hold the outputs that were written")
    return found


def _write(path: Path, about: Mapping[str, str], found: Mapping[str, np.ndarray]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    said = json.dumps({**about, "outputs": _hash(found.items())})
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with part.open("wb") as file:
            np.savez_compressed(file, **{_ABOUT: np.array(said), **found})  # type: ignore[arg-type]
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
