"""The measured systems by name. Nothing heavy is imported before a system is used."""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path

from .api import System

# System -> the variants that are measured by default, the first one first.
VARIANTS: dict[str, tuple[str, ...]] = {
    "acrobat": ("full",),
    "dynet": ("autobatch1", "autobatch2", "autobatch3"),
    "cortex": ("full", "unroll", "refactor", "project"),
    "torch_eager": ("full",),
    "torch_batched": ("full",),
    "torch_compile": ("unfrozen",),
    "floor": ("full",),
}

_SOURCES = (".py", ".cc", ".h")

# System -> the systems whose code it runs.
_BUILT_ON = {"floor": ("torch_batched",), "torch_compile": ("torch_batched",)}

# Systems that choose among ways to run by timing them in `prepare`, on a GPU too.
CHOOSING = ("dynet",)

# Systems that are made of our own compiler's parts.
OURS = ("acrobat", "cortex")


def names() -> tuple[str, ...]:
    """All systems, `acrobat` first."""
    return tuple(VARIANTS)


def get(name: str) -> type[System]:
    """The `System` class of that name; ValueError lists what exists."""
    _check(name)
    system: type[System] = importlib.import_module(f"baselines.{name}").System
    return system


def variants(name: str) -> tuple[str, ...]:
    """The variants of a system that are measured unless others are asked for."""
    _check(name)
    return VARIANTS[name]


def all_variants(name: str) -> tuple[str, ...]:
    """All variants of a system; none if its variants are options, as acrobat's are."""
    return get(name).VARIANTS


def sources(name: str) -> list[Path]:
    """The files of `baselines/` that the system's figures depend on, sorted: its own file or
    folder, and every shared file."""
    _check(name)
    here = Path(__file__).resolve().parent
    shared = (p for p in here.glob("*.py") if p.stem not in VARIANTS)
    found = set(shared)
    for part in (name, *_BUILT_ON.get(name, ())):
        file = here / f"{part}.py"
        folder = (here / part).rglob("*")
        found.update([file] if file.is_file() else (p for p in folder if p.suffix in _SOURCES))
    return sorted(found)


def _check(name: str) -> None:
    if name not in VARIANTS:
        near = difflib.get_close_matches(name, VARIANTS, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"there is no system {name!r}; there is {', '.join(VARIANTS)}.{hint}")
