"""`ACROBAT_DUMP=<folder>`: writes every stage of every compilation to a file, and its time.

    <folder>/encode/01_typed.txt
                    02_bind_dims.txt
                    ...
                    times.txt

A model that is compiled again gets a folder of its own (`encode_2`).
"""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path


class Dump:
    """The files of one compilation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._number = 0

    @classmethod
    def of(cls, model: str) -> Dump | None:
        """Return the dump of `model` if the environment asks for one, else None."""
        root = os.environ.get("ACROBAT_DUMP", "")
        if not root:
            return None
        # A local function's qualified name contains "<locals>".
        name = model.replace("<", "").replace(">", "")
        for number in count(1):
            folder = Path(root) / (name if number == 1 else f"{name}_{number}")
            try:
                folder.mkdir(parents=True)
            except FileExistsError:
                continue
            return cls(folder)
        return None

    def write(self, name: str, text: str, seconds: float, suffix: str = ".txt") -> None:
        """Add the text of one stage, which took `seconds`."""
        self._number += 1
        file = f"{self._number:02d}_{name}{suffix}"
        (self.folder / file).write_text(text)
        with (self.folder / "times.txt").open("a") as times:
            times.write(f"{seconds * 1e3:10.2f} ms  {file}\n")
