"""The record of a system: everything that is known of it outside of its implementation.

`RECORD` stands beside the implementation. The registry finds it there; the harness, the report, the
pipeline and `acrobat doctor` read it, so that a new system is one file and the lines of a
configuration that measure it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .api import System
from .environment import Environment
from .needs import Needs

# As in config/schema, which has to allow it.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.,=+-]{0,239}")


@dataclass(frozen=True, slots=True)
class Look:
    """How figures draw a system. Colours are Okabe and Ito's, which survive colour blindness;
    a `hatch` tells bars apart whose colours are alike in grey, a `marker` curves."""

    colour: str
    marker: str
    hatch: str = ""


@dataclass(frozen=True, slots=True)
class Build:
    """What is built natively before a system is measured: `python -m module --jobs N`, on a GPU
    with `--cuda ARCH`. Variants that begin with `variants` need it; where it could not be built,
    their rows say so."""

    module: str
    variants: str
    # Where it is of use.
    devices: tuple[str, ...] = ("cpu", "cuda")

    def serves(self, variant: str) -> bool:
        """Whether a variant needs it."""
        return variant.startswith(self.variants)


@dataclass(frozen=True, slots=True)
class SystemRecord:
    """One measured system."""

    name: str
    # The class that each worker process starts with the variant's name.
    implementation: type[System]
    # The place among the systems, in messages, legends, bars and columns.
    order: int
    # What is measured unless a configuration names variants; the first is checked by default.
    variants: tuple[str, ...]
    # In legends; in the heading of a column; in a sentence.
    label: str
    title: str
    prose: str
    look: Look
    # The class that trains (`baselines.api.Trainer`), "module:Class"; "" if it does not.
    trainer: str = ""
    # The legend's label on a GPU, where that is another.
    label_on_gpu: str = ""
    # Systems of one family stand in one table beside acrobat (`plots.shown`).
    family: str = ""
    # What its variants are called in a heading.
    variants_are: str = "variant"
    # Measured by `acrobat bench` without --systems.
    default: bool = False
    # A limit, not a contender: it has no outputs to check, and of its variants the slowest holds.
    is_limit: bool = False
    # Builds a graph of a mini-batch as it comes, and tells the activities of a run apart.
    builds_graphs: bool = False
    # Chooses among ways to run by timing them in `prepare`: nothing else may run meanwhile.
    times_in_prepare: bool = False
    # Seconds on two cores in which a process is started and prepared, where nothing is cached.
    prepare_s: float = 5.0
    # Seconds for which a variant searches before it is measured; None: no variant does.
    search_s: Callable[[str], float] | None = None
    # By how much results of a variant may be off that rounds what others do not, however little the
    # configuration allows; 0 of those that compute in float32. It is never the system's headline.
    tolerance: Callable[[str], float] | None = None
    # Made of our own compiler's parts: its rows depend on the sources of `acrobat` too.
    uses_acrobat: bool = False
    # The systems and other packages whose code it runs: its rows depend on their sources too.
    built_on: tuple[str, ...] = ()
    # The packages whose versions belong into a device's rows.
    packages: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    needs: tuple[Needs, ...] = ()
    build: Build | None = None
    # Its own, whose Python its worker processes are started with; None: the harness's.
    environment: Environment | None = None

    def rounds(self, variant: str) -> float:
        """The tolerance of a variant in fewer bits; 0 for float32."""
        return self.tolerance(variant) if self.tolerance else 0.0

    @property
    def python(self) -> str:
        """The interpreter of its worker processes."""
        return str(self.environment.python) if self.environment else sys.executable

    def problem(self) -> str | None:
        """Why the record cannot be used; None if it can. Names and variants become those of
        files, and words of a command line."""
        for what, name in (("name", self.name), *(("variant", v) for v in self.variants)):
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                return f"the {what} {name!r} does not match {_NAME.pattern!r}"
        texts = (self.label, self.title, self.prose, self.look.colour, self.look.marker)
        if not self.variants or not all(isinstance(text, str) for text in texts):
            return f"the record of {self.name!r} has no variants, or labels that are no texts"
        return None
