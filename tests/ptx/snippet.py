"""A few lines of PTX, run by one block of threads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from .compiled import Program
from .execution import Report, Team
from .global_memory import Memory
from .registers import Frame
from .shared_memory import WARP
from .syntax import parse

_WIDTHS = {"p": "pred", "rs": "b16", "r": "b32", "rd": "b64"}


class Snippet:
    """`body` with registers %p0.., %rs0.., %r0.. and %rd0.. (16 of each), for `threads` threads.
    `arrays`: device memory by its address."""

    def __init__(
        self, body: str, threads: int = WARP, shared: int = 1024,
        arrays: Mapping[int, np.ndarray] | None = None,
    ) -> None:  # fmt: skip
        declared = "".join(f".reg .{kind} %{name}<16>;\n" for name, kind in _WIDTHS.items())
        text = f".visible .entry snippet(\n)\n.reqntid {threads}\n{{\n{declared}{body}\nret;\n}}\n"
        self.program = Program(parse(text))
        self.report = Report()
        self.arrays = dict(arrays or {})
        memory = Memory(self._find, self.report.problem, 1, threads // WARP)
        self.team = Team(self.program, [0], (1, 1), threads, shared, memory, self.report)
        self.compiled = self.program["snippet"]
        self.frame = Frame(self.compiled.layout, threads, self.team.special)
        self.team.frames["snippet"] = self.frame

    def _find(self, address: int) -> tuple[int, np.ndarray] | None:
        for begin, words in self.arrays.items():
            if begin <= address < begin + 4 * words.size:
                return begin, words
        return None

    def run(self, **registers: Any) -> Snippet:
        """Run it with values of registers, such as `r1=...`, of the type of their arrays."""
        for name, value in registers.items():
            array = np.asarray(value)
            self._row(name)[:] = array.view(self._row(name).dtype)
        with np.errstate(all="ignore"):
            for _ in self.team.run("snippet", []):
                pass
        return self

    def _row(self, name: str) -> np.ndarray:
        match = re.fullmatch(r"([a-z]+)\d+", name)
        assert match is not None
        slot = self.compiled.layout.slots[f"%{name}"]
        return self.frame.rows[_WIDTHS[match[1]]][slot.number]

    def register(self, name: str, kind: type = np.uint32) -> np.ndarray:
        """What a register of all threads holds."""
        row = self._row(name)
        return row.copy() if row.dtype == np.bool_ else row.view(kind).copy()
