"""Models about text, as their authors write them: strings are split, searched, looked up in a
vocabulary, and put together. Hints of results and of helpers are left out."""

from __future__ import annotations

import string
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import acrobat as ab
from acrobat import Tensor, ops

CHARS = string.ascii_lowercase + string.digits + "-'."
CHAR2ID = {c: i + 1 for i, c in enumerate(CHARS)}
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
VOCAB = {
    w: i
    for i, w in enumerate(
        ["<unk>", "the", "cat", "sat", "on", "mat", "paris", "london"]
        + [f"word{i}" for i in range(400)]
    )
}
UNK = 0


@ab.params
class W:
    emb: Tensor["408", "H"]
    chars: Tensor["40", "H"]
    w: Tensor["H", "H"]
    u: Tensor["H", "H"]
    pos: Tensor["30", "H"]
    out: Tensor["H", "5"]
    trans: Tensor["5", "5"]
    b: Tensor["H"]
    score: Tensor["H", "1"]


def char_rnn(p, word):  # type: ignore[no-untyped-def]
    h = p.b
    for ch in word.lower():
        h = ops.tanh(h @ p.u + p.chars[CHAR2ID.get(ch, 0)])
    return h


def shape_feature(word: str) -> int:
    if word.isupper():
        return 1
    if word[0].isupper():
        return 2
    if word.isdigit():
        return 3
    if "-" in word:
        return 4
    return 0


@ab.model
def crf(p: W, words: list[str]) -> Any:
    """A tagger: characters, the shape of words, and Viterbi over its scores."""
    feats = []
    for i, w in enumerate(words):
        x = p.emb[VOCAB.get(w.lower(), UNK)] + char_rnn(p, w) + p.chars[shape_feature(w)]
        feats.append(ops.tanh(x @ p.w + p.pos[i]) @ p.out)
    score = feats[0]
    back = []
    for f in feats[1:]:
        best = [ops.argmax(score + p.trans[:, t]) for t in range(len(TAGS))]
        score = ops.stack([score[best[t]] + p.trans[best[t], t] + f[t] for t in range(len(TAGS))])
        back.append(best)
    tag = ops.argmax(score)
    path = [tag]
    for best in reversed(back):
        tag = best[tag]
        path.append(tag)
    return [TAGS[t] for t in path[::-1]], ops.max(score)


@ab.model
def pointer(p: W, source: str, steps: int) -> Any:
    """A decoder that copies words, and ends at a full stop or a length."""
    tokens = source.strip().split()
    enc = [
        ops.tanh(p.emb[VOCAB[t]] @ p.w + p.pos[i]) if t in VOCAB else char_rnn(p, t)
        for i, t in enumerate(tokens)
    ]
    memory = ops.stack(enc)
    h = p.b
    said = []
    for _ in range(steps):
        att = ops.softmax(memory @ h)
        k = ops.argmax(att)
        tok = tokens[k]
        if tok.startswith("word") or tok.endswith("s"):
            tok = tok.capitalize()
        said.append(tok)
        if tok == "." or len(" ".join(said)) > 40:
            break
        h = ops.tanh(h @ p.u + att @ memory)
    return " ".join(said), h


GRAMMAR = {"NP": ["DT NN", "NN"], "VP": ["VB NP", "VB"], "S": ["NP VP"]}
RULES = {}
for lhs, rhss in GRAMMAR.items():
    for rhs in rhss:
        RULES[rhs] = lhs


@dataclass
class Item:
    label: str
    h: Tensor["H"]
    score: float


@ab.model
def chart(p: W, tagged: list[tuple[str, str]]) -> Any:
    """Reductions by a grammar whose right sides are strings."""
    stack = []
    for word, tag in tagged:
        stack.append(Item(tag, p.emb[VOCAB.get(word, UNK)], 0.0))
        reduced = True
        while reduced:
            reduced = False
            for n in (2, 1):
                if len(stack) >= n:
                    key = " ".join(it.label for it in stack[-n:])
                    if key in RULES and RULES[key] != key:
                        h = p.b
                        for it in stack[-n:]:
                            h = ops.tanh(h @ p.w + it.h @ p.u)
                        s = sum(it.score for it in stack[-n:]) + float((h @ p.score)[0])
                        for _ in range(n):
                            stack.pop()
                        stack.append(Item(RULES[key], h, s))
                        reduced = True
                        break
    return "(" + " ".join(f"{it.label}:{len(it.label)}" for it in stack) + ")", stack[-1].h


@ab.model
def writer(p: W, start: int, limit: int) -> Any:
    """An expression with balanced brackets, as text."""
    text, h, depth = "", p.emb[start], 0
    while len(text) < limit:
        logits = h @ p.out
        k = int(ops.argmax(logits))
        if k == 0:
            text += "("
            depth += 1
        elif k == 1 and depth > 0:
            text += ")"
            depth -= 1
        else:
            text += f"x{k}"
        h = ops.tanh(h @ p.w + p.chars[k])
    return text + ")" * depth, text.count("("), h


@ab.model
def interpreter(p: W, program: str) -> Any:
    """A program in text, line by line, with registers by name."""
    regs = defaultdict(float)
    h = p.b
    for line in program.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        op, *args = line.split()
        if op == "set":
            regs[args[0]] = float(args[1])
        elif op == "add":
            regs[args[0]] += regs[args[1]]
        elif op == "emit":
            h = ops.tanh(h @ p.w + regs[args[0]] * p.emb[VOCAB.get(args[0], UNK)])
        else:
            raise ValueError(f"unknown op {op!r}")
    return h, ",".join(f"{k}={v:.1f}" for k, v in sorted(regs.items()))
