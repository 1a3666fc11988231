"""The configuration of a run: read, validated against config/schema, expanded into cells."""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import baselines
import workloads
from acrobat.errors import OptionError
from acrobat.options import Options
from baselines.acrobat import read_variant
from baselines.api import FORWARD, Training
from workloads import losses

from .cell import Cell, cores
from .config_file import ConfigError, read_config
from .config_shape import check_shape, short
from .narrowing import CHOOSES, narrowed

# The product of a few lists soon takes longer than anybody can wait.
MOST_CELLS = 10_000


def load_config(path: Path) -> dict[str, Any]:
    """The validated configuration in `path`, named after the file unless it has a `name`. A
    ConfigError names the file."""
    config = read_config(path)
    try:
        validate(config)
        return {"name": name_of(config, path), **config}
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def name_of(config: Mapping[str, Any], path: Path | None) -> str:
    """The name of the folder for the configuration's results: its `name`, or else the file's."""
    if path is None and "name" not in config:
        raise ConfigError("the configuration has no `name`, the folder of its results")
    if "name" in config or path is None:
        return str(config["name"])
    try:
        check_shape({"name": path.stem}, required=False)
    except ConfigError as error:
        raise ConfigError(f"{error}: the file gives no other name to its results") from error
    return path.stem


def validate(config: Any) -> None:
    """Raise ConfigError for the first mistake found."""
    check_shape(config)
    trains = _trains(config)
    for i, entry in enumerate(config["measure"]):
        known = workloads.get(entry["workload"]).sizes if entry["workload"] in workloads.ALL else {}
        for name, allowed in (("workload", workloads.ALL), ("sizes", tuple(known))):
            given = entry[name] if isinstance(entry[name], list) else [entry[name]]
            for value in given:
                _one_of(f"measure[{i}].{name}", value, allowed)
        if trains and entry["workload"] not in losses.names():
            raise ConfigError(
                f"measure[{i}].workload: {short(entry['workload'])} has no loss to train with; "
                f"there is one of {', '.join(losses.names())}"
            )
        if not trains and "optimiser" in entry:
            raise ConfigError(
                f"measure[{i}].optimiser: there is none without `mode: train`; leave it out"
            )
        for name in entry.get("systems", ()):
            _one_of(f"measure[{i}].systems", name, tuple(config["systems"]))
        if config["device"] == "cuda" and entry["threads"] != [1]:
            raise ConfigError(f"measure[{i}].threads: rows of a GPU have one thread, write [1]")
    for name in config["systems"]:
        _one_of("systems", name, baselines.names())
    for i, name in enumerate(config.get("ladder", ())):
        _one_of(f"ladder[{i}]", name, Options.ladder())
    for system, variants in config["systems"].items():
        for variant in variants:
            if not (trains and system == "acrobat" and variant == FORWARD):
                check_variant(f"systems.{system}", system, variant)
    for i, entry in enumerate(config["measure"]):
        for name, only in entry.get("variants", {}).items():
            _one_of(f"measure[{i}].variants", name, tuple(entry.get("systems", config["systems"])))
            for variant in only:
                there = tuple(v for s, v in _systems(config) if s == name)
                _one_of(f"measure[{i}].variants.{name}", variant, there)
    lists = (map(len, (e["sizes"], e["batches"], e["threads"])) for e in config["measure"])
    if (count := sum(map(math.prod, lists))) > MOST_CELLS:
        raise ConfigError(f"measure: {count} cells; at most {MOST_CELLS}")


def _trains(config: Mapping[str, Any]) -> bool:
    """Whether runs are training steps; ConfigError for a missing or superfluous key."""
    if config.get("mode", "inference") == "inference":
        if "rate" in config:
            raise ConfigError("rate: there is no learning rate without `mode: train`; leave it out")
        return False
    if "rate" not in config:
        raise ConfigError("mode: training needs the learning rate, such as `rate: 0.01`")
    if config["device"] != "cpu":
        raise ConfigError("device: gradients are computed on a CPU; write `device: cpu`")
    if "ladder" in config:
        raise ConfigError("ladder: the ladder is one of inference; name variants of acrobat")
    return True


def check_variant(path: str, system: str, variant: str) -> None:
    """Raise ConfigError if an existing system has no such variant; `path` is its place in the
    configuration."""
    known = baselines.all_variants(system)
    if known:
        _one_of(path, variant, known)
        return
    try:
        read_variant(variant)
    except OptionError as error:
        raise ConfigError(f"{path}: {short(variant)}: {error}") from error


def rungs(ladder: Sequence[str]) -> tuple[str, ...]:
    """The variants of acrobat on an ablation ladder: all options off, then one more on per rung."""
    variants = ["off", *("off+" + ",".join(ladder[:n]) for n in range(1, len(ladder) + 1))]
    if set(ladder) == set(Options.ladder()):
        variants[-1] = "full"
    return tuple(variants)


def _one_of(path: str, value: str, allowed: tuple[str, ...]) -> None:
    if value in allowed:
        return
    near = difflib.get_close_matches(str(value)[:100], allowed, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ConfigError(
        f"{path}: {short(value)} does not exist; there is {', '.join(allowed)}.{hint}"
    )


def cells(config: Mapping[str, Any]) -> list[Cell]:
    """The cells of a configuration, in the order in which they run, or only those that it selects
    (narrowing.py). ConfigError if a cell occurs twice, since its rows would be written twice."""
    systems = _systems(config)
    found: dict[tuple[str, str, int, str, str], Cell] = {}
    trains = _trains(config)
    for i, entry in enumerate(config["measure"]):
        chosen = entry.get("systems", config["systems"])
        only = entry.get("variants", {})
        optimiser = entry.get("optimiser", "sgd")
        points = itertools.product(entry["sizes"], entry["batches"], map(str, entry["threads"]))
        for size, batch, label in points:
            key = (entry["workload"], size, batch, label, optimiser)
            if key in found:
                raise ConfigError(
                    f"measure[{i}]: {key[0]}, {size}, batch {batch}, threads {label} is there "
                    f"already; name all its systems in one place"
                )
            found[key] = Cell(
                workload=entry["workload"],
                size=size,
                batch=batch,
                threads=cores() if label == "all" else int(label),
                device=config["device"],
                seed=config["seed"],
                sst_dir=config.get("sst_dir"),
                systems=tuple(
                    (s, v) for s, v in systems if s in chosen and (s not in only or v in only[s])
                ),
                min_samples=config["samples"],
                min_seconds=config["min_seconds"],
                max_seconds=config.get("max_seconds", float("inf")),
                noisy_seconds=config.get("noisy_seconds", 0.0),
                timeout_s=config["timeout_s"],
                tolerance=config["tolerance"],
                # On a GPU no idle CPU threads spin during the timing, so no pause is needed.
                pause_s=0.05 if config["device"] == "cpu" else 0.0,
                label=label,
                training=Training(config["rate"], optimiser) if trains else None,
            )
    return narrowed(config, list(found.values()))


def _systems(config: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The systems of a configuration with all their variants."""
    ladder = rungs(config["ladder"]) if "ladder" in config else ()
    return tuple(
        (system, variant)
        for system, variants in config["systems"].items()
        for variant in (
            dict.fromkeys((*ladder, *variants))
            if ladder and system == "acrobat"
            else variants or baselines.variants(system)
        )
    )


def alone(config: Mapping[str, Any], cell: Cell) -> dict[str, Any]:
    """The configuration of one of its cells: only the keys on which the cell depends."""
    whole = ("name", "ladder", "systems", "measure", *CHOOSES)
    own = {k: v for k, v in config.items() if k not in whole}
    systems: dict[str, list[str]] = {}
    for system, variant in cell.systems:
        systems.setdefault(system, []).append(variant)
    entry = {
        "workload": cell.workload,
        "sizes": [cell.size],
        "batches": [cell.batch],
        "threads": ["all" if cell.label == "all" else cell.threads],
    }
    if cell.training and cell.training.optimiser != "sgd":
        entry["optimiser"] = cell.training.optimiser
    return {**own, "systems": systems, "measure": [entry]}
