"""Names of functions and variables of random programs."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from ..hostile_names import NAMES, SHADOWED

# What the text of a program uses itself.
_TAKEN = """
ab np ops p P Tensor Optional Leaf Node Many Tree Chain Item H V NAN INF KERNELS CASES normal
neighbours WEIGHTS cell walk step dataclasses enum functools math Callable NamedTuple Kind Word
Phrase State Layer twice scaled both dense folded find any all map filter divmod round pow
isinstance property Act SCALE MOVES frozenset max set h k q r v y K C Note Relation WEIGHT str_of
dict str sorted e n itertools operator collections heapq iter next list len sum min range float
enumerate zip Slot TABLE a b c g i k slot
"""


def names(choose: random.Random) -> Iterator[str]:
    """Names that are all different; of some programs, every other one means something to C++."""
    hostile = choose.random() < 0.3
    taken = {*_TAKEN.split(), *SHADOWED}
    strange = [n for n in NAMES if n not in taken and not n.startswith("__") and n != "_"]
    choose.shuffle(strange)
    plain = ["cell", "walk", "step"]
    choose.shuffle(plain)
    yield plain[0]
    for i in itertools.count():
        if hostile and strange and choose.random() < 0.5:
            yield strange.pop()
        else:
            yield f"z{i}"
