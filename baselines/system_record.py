"""The record of a system: everything that must be known about it besides its implementation.

`RECORD` stands beside the implementation. The registry finds it there; the harness, the report, the
pipeline and `acrobat doctor` read it, so that a new system takes one file and the lines of a
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

# The same pattern as in config/schema, which must allow the names.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.,=+-]{0,239}")


@dataclass(frozen=True, slots=True)
class Look:
    """How figures draw a system. Colours are Okabe and Ito's, distinguishable by the colour-blind;
    a `hatch` distinguishes bars whose colours are similar in grey, a `marker` curves."""

    colour: str
    marker: str
    hatch: str = ""


@dataclass(frozen=True, slots=True)
class Build:
    """The native build before a system is measured: `python -m module --jobs N`, on a GPU with
    `--cuda ARCH`. Variants whose names begin with `variants` need it; if it fails, their rows say
    so."""

    module: str
    variants: str
    # The devices for which the build is useful.
    devices: tuple[str, ...] = ("cpu", "cuda")

    def serves(self, variant: str) -> bool:
        """Whether a variant needs the build."""
        return variant.startswith(self.variants)


@dataclass(frozen=True, slots=True)
class SystemRecord:
    """One measured system."""

    name: str
    # The class that each worker process instantiates and prepares for a variant.
    implementation: type[System]
    # The position among the systems in messages, legends, bars and columns.
    order: int
    # The variants measured unless a configuration names others; the first is checked by default.
    variants: tuple[str, ...]
    # The system's name in legends, in column headings, and in sentences.
    label: str
    title: str
    prose: str
    look: Look
    # The class that trains (`baselines.api.Trainer`) as "module:Class"; "" if the system cannot.
    trainer: str = ""
    # The label in the legend on a GPU, if it differs.
    label_on_gpu: str = ""
    # Systems of one family are compared with acrobat in the same table (`plots.shown`).
    family: str = ""
    # What the system calls its variants, for headings.
    variants_are: str = "variant"
    # Measured by `acrobat bench` without --systems.
    default: bool = False
    # A limit, not a contender: it has no outputs to check, and its slowest variant is the limit.
    is_limit: bool = False
    # Builds a graph for each mini-batch, and reports the activities of a run separately.
    builds_graphs: bool = False
    # The devices on which the system chooses among alternatives by timing them in `prepare` or in
    # its first run, while nothing else may run.
    chooses_by_timing: tuple[str, ...] = ()
    # The seconds that starting and preparing a process takes on two cores with empty caches.
    prepare_s: float = 5.0
    # The seconds for which a variant searches before it is measured; None if no variant does.
    search_s: Callable[[str], float] | None = None
    # The permitted error of a variant that computes or stores in fewer bits, even if the
    # configuration allows less; 0 for float32. Such a variant is never the system's headline.
    tolerance: Callable[[str], float] | None = None
    # Built from parts of our own compiler: its rows also depend on the sources of `acrobat`.
    uses_acrobat: bool = False
    # The systems and other packages whose code it runs: its rows also depend on their sources.
    built_on: tuple[str, ...] = ()
    # The packages whose versions are recorded in the rows of each device.
    packages: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    needs: tuple[Needs, ...] = ()
    build: Build | None = None
    # The environment whose Python runs its worker processes; None for that of the harness.
    environment: Environment | None = None

    def is_timing(self, variant: str, device: str) -> bool:
        """Whether nothing else may run while a variant is prepared and warmed up."""
        searches = self.search_s is not None and self.search_s(variant) > 0
        return searches or device in self.chooses_by_timing

    def rounds(self, variant: str) -> float:
        """The tolerance of a variant that computes or stores in fewer bits; 0 for float32."""
        return self.tolerance(variant) if self.tolerance else 0.0

    @property
    def python(self) -> str:
        """The interpreter that runs its worker processes."""
        return str(self.environment.python) if self.environment else sys.executable

    def problem(self) -> str | None:
        """Why the record cannot be used; None if it can. Names of systems and variants become file
        names and words of a command line."""
        for what, name in (("name", self.name), *(("variant", v) for v in self.variants)):
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                return f"the {what} {name!r} does not match {_NAME.pattern!r}"
        texts = (self.label, self.title, self.prose, self.look.colour, self.look.marker)
        if not self.variants or not all(isinstance(text, str) for text in texts):
            return f"the record of {self.name!r} has no variants, or labels that are no texts"
        return None
