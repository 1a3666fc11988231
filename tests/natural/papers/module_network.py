"""Neural module networks (Andreas et al. 2016): a question's layout says which modules are composed."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Layout:
    module: str
    word: str | None = None
    args: tuple["Layout", ...] = ()


@ab.data
class Question:
    layout: Layout
    regions: list[Float32[Tensor, "D"]]


VOCABULARY = {"<unk>": 0, "red": 1, "circle": 2, "above": 3, "left": 4}
ANSWERS = ("yes", "no")


@ab.params
class Modules:
    words: Float32[Tensor, "5 D"]
    find: Float32[Tensor, "D D"]
    move: Float32[Tensor, "D"]
    describe: Float32[Tensor, "D 2"]
    exists: Float32[Tensor, "2 2"]


@ab.model
def attend(
    p: Modules, layout: Layout, regions: list[Float32[Tensor, "D"]]
) -> list[Float32[Tensor, ""]]:
    word = p.words[VOCABULARY.get(layout.word or "<unk>", 0)]
    if layout.module == "find":
        return [ops.sigmoid(ops.dot(r @ p.find, word)) for r in regions]
    below = [attend(p, arg, regions) for arg in layout.args]
    if layout.module == "and":
        first, second = below
        return [ops.minimum(a, b) for a, b in zip(first, second)]
    elif layout.module == "not":
        return [1 - a for a in below[0]]
    elif layout.module == "move":
        shifted = below[0][1:] + below[0][:1]
        return [a * ops.sigmoid(ops.dot(word, p.move)) for a in shifted]
    raise ValueError(f"no module {layout.module!r}")


@ab.model
def answer(p: Modules, q: Question) -> tuple[str, Float32[Tensor, "2"]]:
    attention = attend(p, q.layout.args[0], q.regions)
    match q.layout:
        case Layout(module="exists"):
            most = ops.max(ops.stack(attention))
            least = ops.min(ops.stack(attention))
            logits = ops.stack([most, least]) @ p.exists
        case Layout("describe", word):
            pooled = sum(a * r for a, r in zip(attention, q.regions))
            if word is not None:
                pooled = pooled * p.words[VOCABULARY[word]]
            logits = pooled @ p.describe
        case _:
            raise ValueError("the root is exists or describe")
    return ANSWERS[ops.argmax(logits)], ops.softmax(logits)
