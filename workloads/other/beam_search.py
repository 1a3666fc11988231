"""Translation by beam search with attention: Luong, Pham, Manning, "Effective Approaches to
Attention-based Neural Machine Translation", EMNLP 2015 (general score), with vanilla RNNs.

An RNN reads the source. A hypothesis has a state h, the words written so far and the sum of their
log-probabilities; a hypothesis that has not ended takes a step

    a = softmax(S (h W_q)) over the source's states S     h' = tanh([target word, h, a S] W + b)

and offers its two likeliest next words. Of all offers and the hypotheses that have ended, the two
best continue; the search ends when both have ended (word 0), or at the instance's limit.

Our choices: a beam of two; embeddings as wide as the hidden state; a word reward; the limit is
between the source's length and twice that; source lengths are those of XNLI's hypotheses. The
result is the best hypothesis: its words, and its last state.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..api import OTHER, Workload
from ..data.lengths import HYPOTHESIS, SHORTEST
from ..data.source import TreeSource
from ..init import Weights

SOURCE_WORDS, TARGET_WORDS = 10_000, 500
# The reward that each word adds, without which the shortest sentences win (He et al., AAAI 2016).
REWARD = 1.4
# The target words that mark the end and the beginning of a sentence.
END, BEGIN = 0, 1


@ab.data
class Sentence:
    words: list[int]
    limit: int


@ab.data
class Hypothesis:
    state: Float32[Tensor, "H"]
    score: float
    words: list[int]


@ab.params
class Translator:
    source: Float32[Tensor, "V H"]
    w_read: Float32[Tensor, "2H H"]
    b_read: Float32[Tensor, "H"]
    target: Float32[Tensor, "T H"]
    w_query: Float32[Tensor, "H H"]
    w_write: Float32[Tensor, "3H H"]
    b_write: Float32[Tensor, "H"]
    w_out: Float32[Tensor, "H T"]
    b_out: Float32[Tensor, "T"]


@ab.model
def extend(
    p: Translator, source: Float32[Tensor, "S H"], hypothesis: Hypothesis
) -> list[Hypothesis]:
    """The hypothesis with each of its two likeliest next words, or unchanged if it has ended."""
    if hypothesis.words[-1] == END:
        return [hypothesis]
    h = hypothesis.state
    context = ops.softmax(source @ (h @ p.w_query)) @ source
    x = ops.concat(p.target[hypothesis.words[-1]], h, context)
    h = ops.tanh(ops.linear(x, p.w_write, p.b_write))
    chances = ops.log_softmax(ops.linear(h, p.w_out, p.b_out))
    first = ops.argmax(chances)
    rest = chances - 1000.0 * ops.one_hot(first, p.b_out.shape[0])
    second = ops.argmax(rest)
    score = hypothesis.score + REWARD
    return [
        Hypothesis(h, score + ops.item(ops.max(chances)), [*hypothesis.words, first]),
        Hypothesis(h, score + ops.item(ops.max(rest)), [*hypothesis.words, second]),
    ]


@ab.model
def search(p: Translator, sentence: Sentence) -> tuple[list[int], Float32[Tensor, "H"]]:
    h = ops.zeros(p.b_read.shape[0])
    states: list[Float32[Tensor, "H"]] = []
    for word in sentence.words:
        h = ops.tanh(ops.linear(ops.concat(p.source[word], h), p.w_read, p.b_read))
        states.append(h)
    source = ops.stack(states)
    beam = [Hypothesis(h, 0.0, [BEGIN])]
    for _ in range(sentence.limit):
        offered: list[Hypothesis] = []
        for found in [extend(p, source, hypothesis) for hypothesis in beam]:
            offered += found
        # The two best; of equal ones, the earlier first.
        best, next_best = 0, 1
        if offered[1].score > offered[0].score:
            best, next_best = 1, 0
        for i in range(2, len(offered)):
            if offered[i].score > offered[best].score:
                next_best = best
                best = i
            elif offered[i].score > offered[next_best].score:
                next_best = i
        beam = [offered[best], offered[next_best]]
        if beam[0].words[-1] == END and beam[1].words[-1] == END:
            break
    return beam[0].words, beam[0].state


SIZES = {"tiny": {"H": 32}, "small": {"H": 256}, "large": {"H": 512}}


def make_params(size: str, seed: int, source: TreeSource) -> Translator:
    """Seeded weights of `size`; END's bias makes about a third end before their limit."""
    h = SIZES[size]["H"]
    draw = Weights(seed, 23)
    b_out = draw.normal(0.1, TARGET_WORDS)
    b_out[END] += 3
    return Translator(
        source=draw.normal(0.5, SOURCE_WORDS, h),
        w_read=draw.uniform(2 * h, 2 * h, h),
        b_read=draw.uniform(2 * h, h),
        target=draw.normal(1.0, TARGET_WORDS, h),
        w_query=draw.normal(1 / h**0.5, h, h),
        w_write=4 * draw.uniform(3 * h, 3 * h, h),
        b_write=draw.uniform(3 * h, h),
        w_out=draw.normal(4 / h**0.5, h, TARGET_WORDS),
        b_out=b_out,
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Sentence]:
    """`batch` source sentences and the maximum lengths of their translations."""
    rng = np.random.default_rng([seed, batch, 23])

    def sentence() -> Sentence:
        length = max(SHORTEST, round(float(rng.gamma(*HYPOTHESIS))))
        words: list[int] = rng.integers(0, SOURCE_WORDS, length).tolist()
        return Sentence(words, int(rng.integers(length, 2 * length + 1)))

    return [sentence() for _ in range(batch)]


WORKLOAD = Workload(
    name="beam_search",
    order=23,
    label="Beam search",
    narrow_label="Beam\nsearch",
    title="Translation by beam search with attention, XNLI hypothesis lengths",
    control_flow="tensor-dependent choice among hypotheses, and end",
    decides=True,
    study=OTHER,
    sizes=SIZES,
    model=search,
    make_params=make_params,
    make_instances=make_instances,
)
