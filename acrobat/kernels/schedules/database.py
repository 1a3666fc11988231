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
    """Entries by the key of their kernel. `refused`: what could not be read, in sentences."""

    machine: str
    entries: Mapping[str, Entry]
    refused: tuple[str, ...] = ()

    def merged(self, found: Iterable[Entry]) -> Database:
        """With what a search has found in place of what is there of the same kernels. Where the
        schedule is the same, what was measured of other numbers of rows stays."""
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
        """The file: JSON, one kernel to a line, sorted."""
        head = {"machine": self.machine, "template": TEMPLATE_VERSION}
        lines = [
            f"{json.dumps(key)}: {json.dumps(entry.to_json(), sort_keys=True)}"
            for key, entry in sorted(self.entries.items())
        ]
        body = ",\n".join(lines)
        return f'{json.dumps(head)[:-1]}, "kernels": {{\n{body}\n}}}}\n'

    @classmethod
    def parse(cls, text: str | bytes, machine: str) -> Database:
        """What a file says of `machine`. It never fails: what is damaged, of another machine or
        for another version of the template is refused."""
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
    """The kind of machine that schedules are for: the CPU's model, and the registers that kernels
    use of it."""
    model = " ".join(f"{target.model} {target.design}".split())
    return f"{model}, {target.registers} registers of {target.lanes} floats"


def file_name(target: CpuTarget) -> str:
    """What the file of a machine is called."""
    slug = re.sub(r"[^a-z0-9]+", "-", machine_of(target).lower()).strip("-")
    return f"{slug[:120]}.json"
