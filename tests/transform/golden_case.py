"""A golden case of one pass: reading its file, running the pass, and writing the texts."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

import acrobat as ab
from acrobat.driver.records import Context, Pass, Product
from acrobat.driver.show import text_of
from acrobat.lang.hints import resolve_class_hints
from acrobat.lang.model import Model
from acrobat.lang.params import is_params
from acrobat.pipeline import PIPELINE

PASSES = {p.name: p for stage in PIPELINE for p in stage.passes}
SAME = "(the same module)\n"
_PARTS = re.compile(r"^--- (model|before|after) ---\n", re.MULTILINE)
_VARIABLE = re.compile(r"\b([A-Za-z_]\w*)\.(\d+)\b")


@dataclass(frozen=True)
class Case:
    """One file: which pass under which options, the model, and the texts."""

    step: Pass
    options: ab.Options
    training: bool
    sizes: dict[str, int]
    head: str
    model: str
    before: str
    after: str

    def text(self) -> str:
        """The file."""
        parts = (("model", self.model), ("before", self.before), ("after", self.after))
        return self.head + "".join(f"--- {name} ---\n{text}" for name, text in parts)


def read_case(text: str) -> Case:
    """The case in a file; what it does not have yet is empty."""
    head, *rest = _PARTS.split(text)
    parts = dict(zip(rest[::2], rest[1::2], strict=True))
    fields = dict(re.findall(r"^(pass|options|sizes|training): (.*)$", head, re.MULTILINE))
    options = dict(item.split("=") for item in fields.get("options", "").split())
    sizes = {k: int(v) for k, v in (item.split("=") for item in fields["sizes"].split())}
    return Case(
        PASSES[fields["pass"]],
        ab.Options.parse(options),
        fields.get("training") == "yes",
        sizes,
        head,
        parts["model"],
        parts.get("before", ""),
        parts.get("after", ""),
    )


def run_case(case: Case, load_model: Callable[[str], ModuleType]) -> Case:
    """`case` with the texts that the pass gives now."""
    module = load_model(case.model)
    entry = [v for v in vars(module).values() if isinstance(v, Model)][-1]
    weights = [v for v in vars(module).values() if is_params(v)][-1]
    context = Context(case.options, _zeros(weights, case.sizes), case.training)
    product: Any = entry
    for stage in PIPELINE:
        for step in stage.passes:
            if step is case.step:
                return _texts(case, product, context)
            if step.when(case.options):
                product = step.function(product, *step.extra(context))
    raise AssertionError("every pass is in the pipeline")


def _texts(case: Case, before: Product, context: Context) -> Case:
    names: dict[str, str] = {}
    first = _named(text_of(before), names)
    try:
        after = case.step.function(before, *case.step.extra(context))
    except ab.ModelError as error:
        text = re.sub(r'File "[^"]*"', 'File "model.py"', error.render())
        return dataclasses.replace(case, before=first, after=text + "\n")
    if after is before:
        return dataclasses.replace(case, before=first, after=SAME)
    text = text_of(after)
    # The numbers themselves are what the last pass is for.
    second = text if case.step.name == "batched" else _named(text, names)
    return dataclasses.replace(case, before=first, after=second)


def _named(text: str, names: dict[str, str]) -> str:
    """`text` with variables told apart by `h`, `h_2`, ... in the order in which they occur, for
    their numbers depend on what was compiled before. `names` are those given so far."""
    taken = set(names.values())

    def name(match: re.Match[str]) -> str:
        if match[0] not in names:
            plain, n = match[1], 1
            while (new := plain if n == 1 else f"{plain}_{n}") in taken:
                n += 1
            names[match[0]] = new
            taken.add(new)
        return names[match[0]]

    return _VARIABLE.sub(name, text)


def _zeros(weights: Any, sizes: dict[str, int]) -> Any:
    fields = {}
    for name, hint in resolve_class_hints(weights).items():
        if is_params(hint):
            fields[name] = _zeros(hint, sizes)
        else:
            shape = [d.bind(sizes).known for d in hint.dims]
            fields[name] = np.zeros(shape, np.float32)
    return weights(**fields)
