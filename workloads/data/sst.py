"""Reader for the Stanford Sentiment Treebank (Socher et al., EMNLP 2013), PTB brackets.

    (3 (2 It) (4 (4 (2 's) (4 lovely)) (2 .)))        one tree per line

A node with one child is replaced by that child, which keeps its own label; a node with more than
two is split to the left: (a b c) becomes ((a b) c), both with its label. Word ids count from 0 by
first appearance in train.txt; a word that train.txt lacks gets the id after the last.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .tree import FlatTree


class TreebankError(ValueError):
    """A line that is not a tree; the message names file, line, column and what was expected."""


@dataclass(frozen=True, slots=True)
class Treebank:
    """The trees of one split; `vocabulary` is the number of word ids, unknown word included."""

    trees: tuple[FlatTree, ...]
    vocabulary: int


def read_sst(folder: Path, split: str = "train") -> Treebank:
    """The trees of `folder/<split>.txt` with the vocabulary of `folder/train.txt`."""
    ids: dict[str, int] = {}
    train = _read(folder / "train.txt", ids, grow=True)
    trees = train if split == "train" else _read(folder / f"{split}.txt", ids, grow=False)
    return Treebank(tuple(trees), len(ids) + 1)


def _read(path: Path, ids: dict[str, int], grow: bool) -> list[FlatTree]:
    if not path.is_file():
        raise FileNotFoundError(
            f"{path}: no such file; the treebank's folder must hold train.txt (and dev.txt, "
            f"test.txt), one bracketed tree per line"
        )
    with path.open(encoding="utf-8") as lines:
        return [
            parse_tree(line, ids, grow, f"{path}:{number}")
            for number, line in enumerate(lines, 1)
            if line.strip()
        ]


# Only these characters separate tokens: the treebank has words that contain a no-break space.
_SPACE = " \t\r\n"
_NODE = re.compile(r"[ \t]*\(")
_TOKEN = re.compile(r"[ \t]*([()]|[^() \t\r\n]+|$)")
_NOTHING = -1


def parse_tree(line: str, ids: dict[str, int], grow: bool, where: str) -> FlatTree:
    """Parse one tree, iteratively. `ids` maps words to ids and gains new words if `grow` is set.

    `where` is the "file:line" that a TreebankError starts with.
    """
    line = line.rstrip(_SPACE)
    nodes: list[tuple[int, int, int, int]] = []
    at = 0

    def add(left: int, right: int, word: int, label: int) -> int:
        nodes.append((left, right, word, label))
        return len(nodes) - 1

    def take(expected: str, *allowed: str) -> str:
        """The next token, which must be one of `allowed`, or a word if there are none."""
        nonlocal at
        match = _TOKEN.match(line, at)
        token = match[1] if match else line[at]
        if token not in allowed if allowed else token in ("", "(", ")"):
            column = match.start(1) if match else at
            found = repr(token) if token else "the end of the line"
            raise TreebankError(f"{where}:{column + 1}: expected {expected}, found {found}")
        assert match is not None
        at = match.end()
        return token

    # For each open node: the position of the tree of its children so far, and its label.
    held: list[int] = []
    labels: list[int] = []
    while True:
        bracket = take("'(' or ')'", "(", ")") if held else take("'('", "(")
        if bracket == "(":
            label = _number(take("a label"))
            if _NODE.match(line, at):
                held.append(_NOTHING)
                labels.append(label)
                continue
            word = take("a word or '('")
            take("')' after the word", ")")
            if grow:
                ids.setdefault(word, len(ids))
            child = add(-1, -1, ids.get(word, len(ids)), label)
        else:
            child = held.pop()
            labels.pop()
        if not held:
            break
        held[-1] = child if held[-1] == _NOTHING else add(held[-1], child, -1, labels[-1])
    take("the end of the line", "")
    return FlatTree(*np.array(nodes, np.int32).T.copy())


def _number(label: str) -> int:
    """The label as a number if it is a small one, otherwise -1."""
    return int(label) if label.isdecimal() and len(label) < 6 else -1
