"""BiLSTM-CRF tagger (Lample et al. 2016): the best sequence of tags by Viterbi, with back pointers."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops

TAGS = ["O", "B-PER", "I-PER", "B-LOC"]
START = len(TAGS)


@ab.data
class Word:
    form: int
    chars: list[int]


@ab.params
class LSTM:
    w: Float32[Tensor, "I 4H"]
    u: Float32[Tensor, "H 4H"]
    b: Float32[Tensor, "4H"]


@ab.params
class Tagger:
    words: Float32[Tensor, "V D"]
    chars: Float32[Tensor, "C E"]
    char_forward: LSTM
    char_backward: LSTM
    forward: LSTM
    backward: LSTM
    out: Float32[Tensor, "12 4"]
    transitions: Float32[Tensor, "5 4"]


@ab.model
def lstm(cell: LSTM, xs):
    n = cell.u.shape[0]
    h, c, hs = ops.zeros(n), ops.zeros(n), []
    for x in xs:
        i, f, o, g = ops.split(x @ cell.w + h @ cell.u + cell.b, 4)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        hs.append(h)
    return hs


@ab.model
def tag(p: Tagger, sentence: list[Word]) -> tuple[list[str], float]:
    inputs = []
    for word in sentence:
        chars = [p.chars[c] for c in word.chars]
        f = lstm(p.char_forward, chars)[-1]
        b = lstm(p.char_backward, chars[::-1])[-1]
        inputs.append(ops.concat([p.words[word.form], f, b]))
    fw = lstm(p.forward, inputs)
    bw = lstm(p.backward, inputs[::-1])[::-1]
    emissions = [ops.concat(a, b) @ p.out for a, b in zip(fw, bw)]
    scores = [float(p.transitions[START, k]) for k in range(len(TAGS))]
    back: list[list[int]] = []
    for t, e in enumerate(emissions):
        if t == 0:
            scores = [s + float(e[k]) for k, s in enumerate(scores)]
            continue
        new, pointers = [], []
        for k in range(len(TAGS)):
            candidates = [scores[j] + float(p.transitions[j, k]) for j in range(len(TAGS))]
            best = candidates.index(max(candidates))
            new.append(candidates[best] + float(e[k]))
            pointers.append(best)
        scores = new
        back.append(pointers)
    best = scores.index(max(scores))
    path = [best]
    for pointers in reversed(back):
        best = pointers[best]
        path.insert(0, best)
    return [TAGS[k] for k in path], max(scores)
