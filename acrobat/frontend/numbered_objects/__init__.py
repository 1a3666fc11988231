"""Objects of plain classes that are known by several names, and whose fields change, as numbers.

    class Node:                                 Node.kids, Node.visits = [], []
        def __init__(self):
            self.kids, self.visits = {}, 0      def new_Node():
                                                    Node.kids.append({})
        def visit(self):              ->            Node.visits.append(0)
            self.visits += 1                        return number(len(Node.kids) - 1)

    node = node.kids.setdefault(c, Node())      def Node_visit(self):
    node.visit()                                    Node.visits[self] += 1
    ...
                                                a = new_Node()
                                                node = Node.kids[node].setdefault(c, a)
                                                Node_visit(node)

Numbers may have any number of names, so nothing has to be known about these. A model that cannot
be compiled otherwise is written like this as a whole: one function, in which those that read or
make objects are local functions, which share the lists of fields. Numbers have a type of their own,
for which nothing is allowed that objects of a plain class do not do; so a mistake about the class
of an object is an error where types are inferred, and no wrong result."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from ...lang.diagnostics import ModelError
from ...lang.model import Model
from ..object_numbers import NUMBER
from ..source import Source
from .choice import chosen
from .inference import Inference
from .making import written
from .program import GivenUp, program_of


@dataclass(frozen=True, slots=True)
class Numbered:
    """A model with numbers for objects: its source, and the names of the lists of fields."""

    model: Model[..., Any]
    source: Source
    fields: frozenset[str]

    def is_readable(self, error: ModelError) -> bool:
        """Whether an error says nothing of what the author did not write."""
        texts = " ".join(f"{e.message} {e.hint}" for e in error.errors[:1])
        return not any(f in texts for f in (*self.fields, NUMBER, "a part", "a result"))


def with_numbered_objects(model: Model[..., Any], with_weights: bool = False) -> Numbered | None:
    """The model with numbers for objects; None if it has none, or they cannot be numbered.
    `with_weights`: also for objects that only need them because they have weights, which no list
    holds, and no name that may be None; None if there are no such objects."""
    try:
        program = program_of(model)
        look = Inference(program)
        look.run()
        layout = chosen(look, with_weights)
        if not layout.numbered:
            return None
        if with_weights and layout.numbered.keys() == chosen(look).numbered.keys():
            return None
        tree = written(layout)
    except GivenUp:
        return None
    new = model.with_told(model.told)
    names = {name: layout.numbered[cls] for cls, name in layout.hint_names.items()}
    new.see({**model.around(), **names})
    file, line, lines = program.source.file, program.source.line, program.source.lines
    fields = {layout.field_name(c, f) for c in layout.numbered for f in layout.fields_of(c)}
    source = Source(ast.fix_missing_locations(tree), file, line, lines)
    return Numbered(new, source, frozenset(fields))
