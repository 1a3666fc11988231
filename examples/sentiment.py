"""Trains 5-class sentiment on the Stanford Sentiment Treebank: TreeLSTM (Tai, Socher, Manning 2015)
with a label at every node of a tree.

    python examples/sentiment.py                          generated trees
    python examples/sentiment.py --sst FOLDER             FOLDER has train.txt and dev.txt
    python examples/sentiment.py --checkpoint run.pt      goes on where run.pt stops

PyTorch has the optimiser, Adagrad; embeddings begin at random.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

import acrobat as ab
from acrobat import Float32, Tensor, ops

CLASSES = 5


@ab.data
class Leaf:
    word: int
    label: int


@ab.data
class Node:
    left: "Leaf | Node"
    right: "Leaf | Node"
    label: int


Tree = Leaf | Node


@ab.params
class Weights:
    emb: Float32[Tensor, "V E"]
    w_leaf: Float32[Tensor, "E 3H"]
    b_leaf: Float32[Tensor, "3H"]
    w: Float32[Tensor, "2H 5H"]
    b: Float32[Tensor, "5H"]
    w_out: Float32[Tensor, "H C"]
    b_out: Float32[Tensor, "C"]


State = tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]


@ab.model
def cell(p: Weights, l: State, r: State) -> State:  # noqa: E741
    i, o, u, f_l, f_r = ops.split(ops.linear(ops.concat(l[0], r[0]), p.w, p.b), 5)
    c = ops.sigmoid(i) * ops.tanh(u) + ops.sigmoid(f_l) * l[1] + ops.sigmoid(f_r) * r[1]
    return ops.sigmoid(o) * ops.tanh(c), c


@ab.model
def encode(
    p: Weights, tree: Leaf | Node
) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"], Float32[Tensor, "C"], Float32[Tensor, ""]]:
    """h and c of a node, its logits, and the loss of all nodes below it and its own."""
    match tree:
        case Leaf(word):
            i, o, u = ops.split(ops.linear(p.emb[word], p.w_leaf, p.b_leaf), 3)
            c = ops.sigmoid(i) * ops.tanh(u)
            h = ops.sigmoid(o) * ops.tanh(c)
            logits = ops.linear(h, p.w_out, p.b_out)
            return h, c, logits, ops.cross_entropy(logits, tree.label)
        case Node(left, right):
            h_l, c_l, _, loss_l = encode(p, left)
            h_r, c_r, _, loss_r = encode(p, right)
            h, c = cell(p, (h_l, c_l), (h_r, c_r))
            logits = ops.linear(h, p.w_out, p.b_out)
            loss = ops.cross_entropy(logits, tree.label)
            return h, c, logits, loss + loss_l + loss_r


@ab.model
def judge(p: Weights, tree: Leaf | Node) -> tuple[Float32[Tensor, "C"], Float32[Tensor, ""]]:
    """The logits of the root, and the loss of all nodes."""
    _, _, logits, loss = encode(p, tree)
    return logits, loss


def make_weights(vocabulary: int, width: int, seed: int) -> Weights:
    """Embeddings are normal, everything else is uniform in +-1/sqrt(fan-in)."""
    rng = np.random.default_rng(seed)

    def uniform(*shape: int) -> np.ndarray:
        return np.asarray(rng.uniform(-1, 1, shape) / np.sqrt(shape[0]))

    return Weights(
        emb=rng.normal(size=(vocabulary, width)) / 4,
        w_leaf=uniform(width, 3 * width),
        b_leaf=np.zeros(3 * width),
        w=uniform(2 * width, 5 * width),
        b=np.zeros(5 * width),
        w_out=uniform(width, CLASSES),
        b_out=np.zeros(CLASSES),
    )


def read_trees(path: Path, ids: dict[str, int], grow: bool) -> list[Tree]:
    """The trees of a file, a line each: `(3 (2 It) (4 (2 's) (4 good)))`. Words that training has
    not seen share the id behind the last."""
    return [_parse(line, ids, grow) for line in path.read_text(encoding="utf-8").splitlines()]


def _parse(line: str, ids: dict[str, int], grow: bool) -> Tree:
    stack: list[list[Any]] = [[]]
    for part in re.findall(r"[()]|[^() ]+", line):
        if part == "(":
            stack.append([])
        elif part == ")":
            label, *parts = stack.pop()
            if isinstance(parts[0], str):
                if grow:
                    ids.setdefault(parts[0], len(ids))
                stack[-1].append(Leaf(ids.get(parts[0], len(ids)), int(label)))
            else:
                left, right = parts
                stack[-1].append(Node(left, right, int(label)))
        else:
            stack[-1].append(part)
    return stack[0][0]  # type: ignore[no-any-return]


def generated_trees(count: int, vocabulary: int, seed: int) -> list[Tree]:
    """Trees in which some words turn what follows them into its contrary: a word's sentiment is its
    number, a node's the mean of its children's."""
    rng = np.random.default_rng(seed)

    def grow(words: int) -> tuple[Tree, float]:
        if words == 1:
            word = int(rng.integers(vocabulary))
            value = 2.0 * word / (vocabulary - 1) - 1.0
            return Leaf(word, _label(value)), value
        left, a = grow(first := int(rng.integers(1, words)))
        right, b = grow(words - first)
        value = -b if isinstance(left, Leaf) and left.word % 8 == 0 else (a + b) / 2
        return Node(left, right, _label(value)), value

    return [grow(int(rng.integers(3, 20)))[0] for _ in range(count)]


def _label(value: float) -> int:
    return int(np.searchsorted([-0.5, -0.15, 0.15, 0.5], value))


def batches(trees: Sequence[Tree], size: int) -> Iterator[list[Tree]]:
    """The trees, so many at once."""
    for first in range(0, len(trees), size):
        yield list(trees[first : first + size])


def accuracy(module: ab.torch.Module, trees: Sequence[Tree], size: int) -> float:
    """The part of the trees whose root gets its label."""
    right = 0
    with torch.no_grad():
        for some in batches(trees, size):
            for tree, (logits, _) in zip(some, module(some), strict=True):
                right += int(logits.argmax()) == tree.label
    return right / len(trees)


def main() -> None:
    """Trains, and says the accuracy on the trees for development after each epoch."""
    parser = argparse.ArgumentParser(description="Trains 5-class sentiment with TreeLSTM.")
    parser.add_argument("--sst", type=Path, help="the folder of the treebank")
    parser.add_argument("--trees", type=int, default=2000, help="how many to generate")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checkpoint", type=Path, help="written after each epoch; read if there")
    args = parser.parse_args()
    torch.sparse.check_sparse_tensor_invariants.disable()  # or Adagrad warns that nobody said so
    if args.sst:
        ids: dict[str, int] = {}
        train = read_trees(args.sst / "train.txt", ids, grow=True)
        dev = read_trees(args.sst / "dev.txt", ids, grow=False)
        vocabulary = len(ids) + 1
    else:
        vocabulary = 200
        train = generated_trees(args.trees, vocabulary, seed=1)
        dev = generated_trees(max(args.trees // 8, 1), vocabulary, seed=2)
    module = ab.torch.Module(judge, make_weights(vocabulary, args.width, args.seed), sparse=True)
    optimiser = torch.optim.Adagrad(module.parameters(), lr=args.rate)
    epoch = 0
    if args.checkpoint and args.checkpoint.exists():
        state = torch.load(args.checkpoint, weights_only=True)
        module.load_state_dict(state["module"])
        optimiser.load_state_dict(state["optimiser"])
        epoch = state["epoch"]
    while epoch < args.epochs:
        epoch += 1
        order = np.random.default_rng([args.seed, epoch]).permutation(len(train))
        total, start = 0.0, time.monotonic()

        bar = tqdm(total=len(train), desc=f"epoch {epoch}", unit="trees", disable=None, leave=False)
        for some in batches([train[i] for i in order], args.batch):
            optimiser.zero_grad()
            loss = torch.stack([value for _, value in module(some)]).mean()
            loss.backward()
            optimiser.step()
            total += loss.item() * len(some)
            bar.update(len(some))
        bar.close()
        took = time.monotonic() - start
        print(
            f"epoch {epoch}: loss {total / len(train):.4f}, "
            f"dev accuracy {accuracy(module, dev, 64):.4f}, {took:.1f} s",
            flush=True,
        )
        if args.checkpoint:
            torch.save(
                {
                    "module": module.state_dict(),
                    "optimiser": optimiser.state_dict(),
                    "epoch": epoch,
                },
                args.checkpoint,
            )


if __name__ == "__main__":
    main()
