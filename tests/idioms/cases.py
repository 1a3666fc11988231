"""What people write without thinking: short models, each under the name of its idiom.

A file of this folder is one subject. `== name` begins an idiom: source behind `setting.txt` with a
model `f` and its `INSTANCES` (and `WEIGHTS`, if those of the setting do not do). An idiom that the
language refuses says so with `-- refused AC002`, followed by the message that it gets, and below
`-- instead` stands what the message tells the author to write: a model `f` again, which compiles.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
SETTING = (FOLDER / "setting.txt").read_text()
_IDIOM = re.compile(
    r"(?P<source>.*?)"
    r"(?:^-- refused (?P<code>AC\d+)\n(?P<message>.*?)^-- instead\n(?P<remedy>.*))?\Z",
    re.S | re.M,
)


@dataclass(frozen=True, slots=True)
class Idiom:
    """`code` and `message` are what the compiler says to `source` if it refuses it, `remedy` is the
    source of what to write instead; None if it is accepted."""

    subject: str
    name: str
    source: str
    code: str | None
    message: str | None
    remedy: str | None

    @property
    def accepted(self) -> bool:
        """Whether it is part of the language."""
        return self.code is None


def read_idioms() -> list[Idiom]:
    """All idioms, in the order of the files; ValueError if a name stands twice."""
    found: list[Idiom] = []
    for path in sorted(FOLDER.glob("*.txt")):
        if path.name != "setting.txt":
            found += _read(path)
    names = [i.name for i in found]
    twice = {n for n in names if names.count(n) > 1}
    if twice:
        raise ValueError(f"more than one idiom is called {', '.join(sorted(twice))}")
    return found


def _read(path: Path) -> list[Idiom]:
    _, *parts = re.split(r"^== (.*)\n", path.read_text(), flags=re.M)
    idioms = []
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        match = _IDIOM.match(text)
        assert match is not None
        found = match.groupdict()
        idioms.append(Idiom(path.stem, name.strip(), **found))
    return idioms
