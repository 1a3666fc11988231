"""Reader for the Stanford Sentiment Treebank (Socher et al., EMNLP 2013), PTB brackets.

    (3 (2 It) (4 (4 (2 's) (4 lovely)) (2 .)))        one tree per line

Labels are skipped. A node with one child stands for that child; a node with more than two is
split to the left: (a b c) becomes ((a b) c). Word ids count from 0 by first appearance in
train.txt; a word that train.txt does not have gets the id behind the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .tree import FlatTree


class TreebankError(ValueError):
    """A line that is no tree; the message names file, line, column and what was expected."""


@dataclass(frozen=True, slots=True)
class Treebank:
    """Trees of one split; `vocabulary` is the number of word ids, the unknown word included."""

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


def parse_tree(line: str, ids: dict[str, int], grow: bool, where: str) -> FlatTree:
    """One tree. `ids` maps words to ids and grows by new words if `grow`. Iterative."""
    left: list[int] = []
    right: list[int] = []
    word: list[int] = []

    def add(l: int, r: int, w: int) -> int:  # noqa: E741
        left.append(l)
        right.append(r)
        word.append(w)
        return len(left) - 1

    def fail(column: int, message: str) -> TreebankError:
        return TreebankError(f"{where}:{column + 1}: {message}")

    open_nodes: list[list[int]] = []
    root: int | None = None
    i, end = 0, len(line.rstrip())
    while i < end:
        c = line[i]
        if c.isspace():
            i += 1
        elif root is not None:
            raise fail(i, f"expected the end of the line after the tree, found {line[i:i + 12]!r}")
        elif c == "(":
            open_nodes.append([])
            i = _skip_label(line, i + 1, end)
        elif c == ")":
            if not open_nodes:
                raise fail(i, "found ')' without its '('")
            children = open_nodes.pop()
            if not children:
                raise fail(i, "expected a word or a subtree before ')'")
            node = children[0]
            for other in children[1:]:
                node = add(node, other, -1)
            i += 1
            if open_nodes:
                open_nodes[-1].append(node)
            else:
                root = node
        else:
            start = i
            while i < end and line[i] not in "()" and not line[i].isspace():
                i += 1
            if not open_nodes:
                raise fail(start, f"expected '(', found {line[start:i]!r}")
            token = line[start:i]
            if grow:
                ids.setdefault(token, len(ids))
            open_nodes[-1].append(add(-1, -1, ids.get(token, len(ids))))
    if root is None:
        raise fail(end, f"expected ')': {len(open_nodes)} brackets are still open")
    return FlatTree(*(np.array(a, np.int32) for a in (left, right, word)))


def _skip_label(line: str, i: int, end: int) -> int:
    while i < end and line[i] not in "()" and not line[i].isspace():
        i += 1
    return i
