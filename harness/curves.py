"""Train the sentiment model with every system, and write the results of each epoch (F8):

    python -m harness.curves --config config/sentiment.yaml [--sst FOLDER] [--trees N] [--epochs N]

Each system runs in its own process. The systems take turns, one epoch at a time in random order, so
that disturbances of the machine affect all of them. Only training is timed. Files go to
OUT/curves/<system>.json (default: results/<configuration>).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import baselines

from . import host
from .cell import cores
from .config_file import ConfigError, read_config
from .config_shape import SCHEMA, check_shape
from .environment import device_name, git_sha, source_hash, versions
from .files import only_one, write_whole
from .tied import end_orderly, run_token
from .worker_process import WorkerFailure, WorkerProcess

CURVES_SCHEMA = SCHEMA.with_name("sentiment.schema.yaml")
# Seconds to prepare the data, weights and programs for all trees.
_BEGIN_S = 1800.0


def load(path: Path, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The validated configuration in `path` with `changes` applied; ConfigError names the file."""
    config = read_config(path)
    try:
        if not isinstance(config, dict):
            raise ConfigError("the configuration: no mapping of keys to values")
        config = {"name": path.stem, **config, **changes}
        check_shape(config, schema=CURVES_SCHEMA)
        for system in config["systems"]:
            if system not in baselines.names():
                raise ConfigError(
                    f"systems: {system!r} does not exist; there is {', '.join(baselines.names())}"
                )
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error
    return config


class Curve:
    """A system that trains: its process while it is alive, and its results so far."""

    def __init__(self, config: Mapping[str, Any], system: str, variant: str) -> None:
        threads = cores() if config["threads"] == "all" else config["threads"]
        self.timeout_s = config["timeout_s"]
        self.epochs: list[dict[str, Any]] = []
        self.about: dict[str, Any] = {
            "system": system,
            "variant": variant,
            "status": "ok",
            "reason": "",
            "threads": threads,
            "config": dict(config),
            "device_name": device_name(),
            "host": host.describe(host.load_now()),
            "git_sha": git_sha(),
            "source_hash": source_hash(system),
            "versions": versions(),
        }
        self.process: WorkerProcess | None = None
        process = WorkerProcess(threads, baselines.record(system).python)
        request = {**config, "threads": threads, "system": system, "variant": variant}
        try:
            answer = process.ask({"command": "begin training", **request}, _BEGIN_S)
            self.about |= {key: answer[key] for key in ("data", "trees", "dev_trees")}
            self.about["before"] = {key: answer[key] for key in ("roots", "nodes")}
            self.process = process
        except WorkerFailure as failure:
            process.close()
            self.about |= {"status": failure.status, "reason": failure.reason}

    def run(self, epoch: int) -> str:
        """Train for one more epoch; return a line about its outcome."""
        if self.process is None:
            return ""
        try:
            answer = self.process.ask({"command": "epoch", "epoch": epoch}, self.timeout_s)
        except WorkerFailure as failure:
            self.close()
            self.about |= {"status": failure.status, "reason": failure.reason}
            return f"{self.about['system']}: {failure.status}, {failure.reason}"
        self.epochs.append(answer)
        return (
            f"epoch {epoch}, {self.about['system']}: {answer['seconds']:.1f} s, loss "
            f"{answer['loss']:.4f}, accuracy {answer['roots']:.4f} of the trees, "
            f"{answer['nodes']:.4f} of the nodes"
        )

    def write(self, folder: Path) -> None:
        """Write the results so far to a file in `folder`."""
        text = json.dumps({**self.about, "epochs": self.epochs}, indent=1)
        write_whole(folder / f"{self.about['system']}.json", text + "\n")

    def close(self) -> None:
        """End the process."""
        if self.process:
            self.process.close()
            self.process = None


def run(config: Mapping[str, Any], folder: Path, say: Callable[[str], object]) -> int:
    """Train with all systems, and write their files; return how many failed."""
    curves: list[Curve] = []
    order = random.Random(config["seed"])
    try:
        for system, variant in config["systems"].items():
            curves.append(Curve(config, system, variant))
            about = curves[-1].about
            if about["status"] != "ok":
                say(f"{system}: {about['status']}, {about['reason']}")
            curves[-1].write(folder)
        for epoch in range(1, config["epochs"] + 1):
            for curve in order.sample(curves, len(curves)):
                if line := curve.run(epoch):
                    say(line)
                    curve.write(folder)
    finally:
        for curve in curves:
            curve.close()
    return sum(curve.about["status"] != "ok" for curve in curves)


def main(arguments: Sequence[str]) -> int:
    """The command line; 1 if a system failed, 2 if the configuration is wrong."""
    parser = argparse.ArgumentParser(prog="python -m harness.curves")
    parser.add_argument("--config", type=Path, default=Path("config/sentiment.yaml"))
    parser.add_argument("--sst", help="the treebank's folder, or 'generated'")
    parser.add_argument("--trees", type=int, help="at most so many to train with")
    parser.add_argument("--dev-trees", type=int, help="at most so many to judge by")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--size", help="tiny, small or large")
    parser.add_argument("--out", type=Path, help="default: results/<configuration>")
    given = parser.parse_args(arguments)
    named = {
        "sst_dir": given.sst,
        "trees": given.trees,
        "dev_trees": given.dev_trees,
        "epochs": given.epochs,
        "size": given.size,
    }
    try:
        config = load(given.config, {k: v for k, v in named.items() if v is not None})
    except ConfigError as error:
        print(f"harness.curves: {error}", file=sys.stderr)
        return 2
    out = given.out or Path("results") / config["name"]
    end_orderly()
    run_token()
    with only_one(out, "curves"):
        failed = run(config, out / "curves", lambda line: print(line, flush=True))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
