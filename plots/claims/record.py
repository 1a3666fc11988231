"""The claims of config/paper_claims.yaml: their text, their criteria, and their measures."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.config_file import ConfigError, read_config
from harness.intervals import Interval

CLAIMS = Path(__file__).resolve().parents[2] / "config" / "paper_claims.yaml"
SCHEMA = CLAIMS.parent / "schema" / "claims.schema.yaml"
_CONDITION = re.compile(r"(>=|<=) (\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Condition:
    """A bound on one of a measure's numbers: `mean >= 1`."""

    number: str
    at_least: bool
    bound: float

    def met_by(self, found: Interval) -> bool | None:
        """Whether the whole interval meets the bound; None if the bound lies inside it. A number
        without an interval is compared itself."""
        low, high = (found.low, found.high) if found.known else (found.value, found.value)
        inside, outside = (low, high) if self.at_least else (-high, -low)
        bound = self.bound if self.at_least else -self.bound
        if inside >= bound:
            return True
        return False if outside < bound else None

    def __str__(self) -> str:
        return f"{self.number} {'>=' if self.at_least else '<='} {self.bound:g}"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim. `said` is the place in the paper, in short; `question` marks a question that the
    paper leaves open, as opposed to a claim. `measure` names a function of `plots.claims.measures`,
    `given` are its arguments. `command` measures the necessary rows in about `minutes`, on a
    machine with `needs`; None: no configuration measures them yet."""

    code: str
    text: str
    said: str
    device: str
    measure: str
    given: Mapping[str, Any]
    reproduced_if: tuple[Condition, ...]
    partly_if: tuple[Condition, ...]
    shown: tuple[str, ...]
    command: str | None
    minutes: int | None
    needs: str
    question: bool = field(default=False)

    @property
    def rule(self) -> str:
        """The condition under which the claim counts as reproduced, in words."""
        return " and ".join(map(str, self.reproduced_if))


@functools.cache
def read_claims(path: Path = CLAIMS) -> tuple[Claim, ...]:
    """All claims, in the order of the file. A ConfigError names the file and key of an invalid
    one."""
    import jsonschema
    import yaml

    values = read_config(path)
    validator = jsonschema.Draft202012Validator(yaml.safe_load(SCHEMA.read_text()))
    for error in validator.iter_errors(values):
        where = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path)
        raise ConfigError(f"{path}: {where.lstrip('.')}: {error.message}")
    found = tuple(_claim(value) for value in values["claims"])
    codes = [claim.code for claim in found]
    if twice := {c for c in codes if codes.count(c) > 1}:
        raise ConfigError(f"{path}: more than one claim is called {', '.join(sorted(twice))}")
    return found


def _claim(value: Mapping[str, Any]) -> Claim:
    measure, given = next(iter(value["measure"].items()))
    command = value.get("command")
    return Claim(
        code=value["code"],
        text=value["claim"],
        said=value["said"],
        device=value["device"],
        measure=measure,
        given=given or {},
        reproduced_if=_conditions(value["reproduced_if"]),
        partly_if=_conditions(value.get("partly_if", {})),
        shown=tuple(value.get("shown", ())),
        command=command,
        minutes=value.get("minutes"),
        needs=value["needs"],
        question=value.get("question", False),
    )


def _conditions(values: Mapping[str, str]) -> tuple[Condition, ...]:
    found = []
    for number, text in values.items():
        match = _CONDITION.fullmatch(text)
        assert match is not None, text  # the schema has the same pattern
        found.append(Condition(number, match[1] == ">=", float(match[2])))
    return tuple(found)
