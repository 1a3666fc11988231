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
    """`find`, called once per object. Nodes are told apart by identity: to compare them would take
    as long as to look through them. It lives as long as a pass: it keeps the nodes."""

    def __init__(self, find: Callable[[Node], Fact]) -> None:
        self._find = find
        self._known: dict[int, tuple[Node, Fact]] = {}

    def __call__(self, node: Node) -> Fact:
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = node, self._find(node)
        return known[1]
