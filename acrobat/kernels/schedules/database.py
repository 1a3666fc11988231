"""A file of schedules for one kind of machine."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..printers.cpu.schedule import TEMPLATE_VERSION
from ..printers.cpu.target import CpuTarget
from .entry import Entry

_KEY = re.compile(r"[0-9a-f]{24}")


@dataclass(frozen=True, slots=True)
class Database:
    """Entries by kernel key. `refused`: sentences about what could not be read."""

    machine: str
    entries: Mapping[str, Entry]
    refused: tuple[str, ...] = ()

    def merged(self, found: Iterable[Entry]) -> Database:
        """This database with the entries that a search has found, which replace those of the same
        kernels. If the schedule is unchanged, measurements of other numbers of rows are kept."""
        entries = dict(self.entries)
        for new in found:
            old = entries.get(new.kernel)
            measured = {m.rows: m for m in new.measured}
            if old is not None and old.schedule == new.schedule:
                measured = {m.rows: m for m in old.measured} | measured
            kept = tuple(measured[rows] for rows in sorted(measured))
            entries[new.kernel] = Entry(new.kernel, new.about, new.schedule, kept)
        return Database(self.machine, entries)

    def text(self) -> str:
        """The contents of the file: JSON, sorted, one kernel per line."""
        head = {"machine": self.machine, "template": TEMPLATE_VERSION}
        lines = [
            f"{json.dumps(key)}: {json.dumps(entry.to_json(), sort_keys=True)}"
            for key, entry in sorted(self.entries.items())
        ]
        body = ",\n".join(lines)
        return f'{json.dumps(head)[:-1]}, "kernels": {{\n{body}\n}}}}\n'

    @classmethod
    def parse(cls, text: str | bytes, machine: str) -> Database:
        """Parse a file of schedules for `machine`. This never fails: entries that are damaged, and
        files for another machine or version of the template, are rejected (`refused`)."""
        try:
            record = _file(json.loads(text), machine)
        except (ValueError, RecursionError) as error:
            return cls(machine, {}, (str(error),))
        entries: dict[str, Entry] = {}
        refused: list[str] = []
        for key, value in record.items():
            try:
                if not _KEY.fullmatch(key):
                    raise ValueError("it is no key of a kernel")
                entries[key] = Entry.from_json(key, value)
            except ValueError as error:
                refused.append(f"kernel {key[:24]!r}: {error}")
        return cls(machine, entries, tuple(refused))


def _file(record: Any, machine: str) -> Mapping[str, Any]:
    if not isinstance(record, dict) or not isinstance(record.get("kernels"), dict):
        raise ValueError("it is not an object with kernels")
    if record.get("machine") != machine:
        raise ValueError(f"it is for {record.get('machine')!r:.100}, not for {machine!r}")
    if record.get("template") != TEMPLATE_VERSION:
        version = f"{record.get('template')!r:.20}"
        raise ValueError(f"it is for version {version} of the template, not {TEMPLATE_VERSION}")
    kernels: dict[str, Any] = record["kernels"]
    return kernels


def machine_of(target: CpuTarget) -> str:
    """The kind of machine that schedules are for: the CPU model, and the registers that kernels
    use."""
    model = " ".join(f"{target.model} {target.design}".split())
    return f"{model}, {target.registers} registers of {target.lanes} floats"


def file_name(target: CpuTarget) -> str:
    """The name of a machine's file."""
    slug = re.sub(r"[^a-z0-9]+", "-", machine_of(target).lower()).strip("-")
    return f"{slug[:120]}.json"
