"""Memoised facts about nodes and everything nested in them.

A pass asks about a statement, then about those in its branches, then about those in their branches:
a chain of `elif` is as deep as it is long, and would be traversed again from every level.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Node = TypeVar("Node")
Fact = TypeVar("Fact")


class OncePerNode(Generic[Node, Fact]):
    """`find`, called once per object. Nodes are told apart by identity: comparing them would take
    as long as traversing them. It keeps the nodes alive, so it lives no longer than a pass."""

    def __init__(self, find: Callable[[Node], Fact]) -> None:
        self._find = find
        self._known: dict[int, tuple[Node, Fact]] = {}

    def __call__(self, node: Node) -> Fact:
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = node, self._find(node)
        return known[1]
