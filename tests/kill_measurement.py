"""Kill a measurement at random moments and go on: `python -m tests.kill_measurement --times 50`.

A small measurement by the whole pipeline is killed (signal 9) again and again: Snakemake alone, the
measuring process alone, or all processes. The same command then goes on. At the end every row must
be there once, each that was complete at some kill unchanged, and no process left. Exit code: 1 if
anything is otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.guard import marked

ROOT = Path(__file__).parents[1]
NAME = "killed"
CONFIG: dict[str, Any] = {
    "name": NAME,
    "device": "cpu",
    "seed": 0,
    "samples": 3,
    "min_seconds": 0,
    "timeout_s": 300,
    "tolerance": 1e-4,
    "sst_dir": "generated",
    "systems": {"dynet": ["wheel-autobatch1", "wheel-autobatch3"], "torch_eager": []},
    "measure": [{"workload": "treelstm", "sizes": ["tiny"], "batches": [2, 3], "threads": [1]}],
}
VICTIMS = ("snakemake", "bench", "all")
# What a process may take to end after its parent.
PATIENCE_S = 1.0


@dataclass
class Measurement:
    """One measurement in a folder of its own, and what was seen of its rows."""

    folder: Path
    config: dict[str, Any]
    targets: tuple[str, ...] = ()
    token: str = field(default_factory=lambda: uuid.uuid4().hex)
    # By device, cell, system and variant: the text of a row that was complete once.
    seen: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def start(self) -> subprocess.Popen[bytes]:
        """Snakemake, always by the same command."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / "config.json"
        path.write_text(json.dumps(self.config))
        # Sessions of tests have modules of their own.
        env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTEST_ADDOPTS")}
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *self.targets]
        where = ["--snakefile", ROOT / "workflow" / "Snakefile", "--directory", self.folder]
        with (self.folder / "said.txt").open("ab") as said:
            return subprocess.Popen(
                [*command, *map(str, where), "--configfile", str(path)],
                stdout=said,
                stderr=said,
                env={**env, "KILLED_MEASUREMENT": self.token},
            )

    def processes(self) -> list[int]:
        """All that are there now."""
        return marked("KILLED_MEASUREMENT", self.token)

    def kill(self, snakemake: subprocess.Popen[bytes], victim: str, rng: random.Random) -> None:
        """Kill, and wait for what must end by itself."""
        pids = [snakemake.pid]
        if victim == "bench":
            pids = [p for p in self.processes() if b"acrobat.cli\0bench" in command_line(p)]
            pids = pids or [snakemake.pid]
        elif victim == "all":
            pids = self.processes()
            rng.shuffle(pids)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        snakemake.wait(60)  # Of a job that was killed it says so, and ends.
        end = time.monotonic() + PATIENCE_S
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.02)
        if left:
            self.faults.append(f"{victim} killed: {len(left)} processes were left")
            for pid in left:
                self.faults.append(f"    {command_line(pid).replace(bytes(1), b' ')[:150]!r}")

    def look(self) -> int:
        """Note the rows that are there; returns how many were measured, or found, differently."""
        results = self.folder / "results" / NAME
        for path in sorted(results.rglob("*.json")):
            key = str(Path(*path.relative_to(results).parts[1:]))
            text = path.read_text()
            try:
                status = json.loads(text)["status"]
            except (ValueError, KeyError):
                self.faults.append(f"{path} is half a row")
                continue
            if status != "ok":
                self.faults.append(f"{key}: {json.loads(text)['reason']}")
            if self.seen.setdefault(key, text) != text:
                self.faults.append(f"{key} was complete, and measured again")
                self.seen[key] = text
        return len(self.seen)

    def end(self) -> None:
        """Go on to the end; every row must be there once, and nothing else."""
        snakemake = self.start()
        try:
            code = snakemake.wait(600)
        finally:
            snakemake.kill()
        self.look()
        raw = self.folder / "results" / NAME / "raw"
        found = sorted(str(p.relative_to(raw)) for p in raw.rglob("*.json"))
        if code or found != self.expected():
            said = (self.folder / "said.txt").read_text()[-2000:]
            self.faults.append(f"exit code {code}, rows {found}, instead of {self.expected()}")
            self.faults.append(said)
        if (raw.parent / "unfinished").exists():
            self.faults.append("something unfinished is left")

    def expected(self) -> list[str]:
        """The rows of the configuration."""
        systems = self.config["systems"]
        pairs = [(s, v) for s, variants in systems.items() for v in variants or ["full"]]
        (entry,) = self.config["measure"]
        cells = [f"cpu/treelstm/tiny/bs{batch}.t1" for batch in entry["batches"]]
        return sorted(f"{cell}/{s}/{v}.json" for cell in cells for s, v in pairs)


def command_line(pid: int) -> bytes:
    """Its arguments; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def kill_often(
    measurement: Measurement, times: int, longest_s: float, rng: random.Random
) -> tuple[int, bool]:
    """Kill up to `times` times; returns how often, and whether the measurement has ended since."""
    for done in range(times):
        snakemake = measurement.start()
        try:
            snakemake.wait(rng.uniform(0.0, longest_s))
        except subprocess.TimeoutExpired:
            victim = rng.choice(VICTIMS)
            measurement.kill(snakemake, victim, rng)
            rows = measurement.look()
            print(f"    {victim} killed, {rows} rows were complete", flush=True)
        else:
            return done, True
    return times, False


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=20.0, help="seconds before a kill")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    left, rows, faults, measurements = args.times, 0, [], 0
    with tempfile.TemporaryDirectory(prefix="killed-") as folder:
        while left:
            measurement = Measurement(Path(folder, str(measurements)), CONFIG)
            killed, _ = kill_often(measurement, left, args.longest, rng)
            measurement.end()
            left, measurements = left - killed, measurements + 1
            rows += len(measurement.seen)
            faults += measurement.faults
            print(f"{args.times - left} kills, {measurements} measurements ended", flush=True)
    print(f"{args.times} kills, {rows} rows of {measurements} measurements, {len(faults)} faults")
    print("\n".join(faults))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
