"""End-to-end coreference resolution (Lee et al. 2017): all spans up to a width, with attention over
their words; the best ones by mention score; antecedents among them; and the clusters that follow."""

from __future__ import annotations

from collections import Counter, defaultdict

import acrobat as ab
from acrobat import Float32, Tensor, ops

MAX_WIDTH = 3
RATIO = 0.6
ANTECEDENTS = 4
BINS = [1, 2, 3, 5, 8]


@ab.params
class FFNN:
    w1: Float32[Tensor, "I M"]
    b1: Float32[Tensor, "M"]
    w2: Float32[Tensor, "M"]


@ab.params
class Coref:
    embed: Float32[Tensor, "V E"]
    forward: Float32[Tensor, "E+H H"]
    backward: Float32[Tensor, "E+H H"]
    attend: Float32[Tensor, "2H"]
    width: Float32[Tensor, "W F"]
    distance: Float32[Tensor, "B F"]
    speaker: dict[bool, Float32[Tensor, "F"]]
    mention: FFNN
    pair: FFNN


@ab.data
class Document:
    sentences: list[list[int]]
    speakers: list[int]


@ab.data
class Span:
    start: int
    end: int
    sentence: int


def ffnn(p: FFNN, *parts):
    x = ops.concat(*parts)
    return ops.relu(x @ p.w1 + p.b1) @ p.w2


def bucket(n):
    return sum(n > b for b in BINS)


@ab.model
def contextual(p: Coref, sentence):
    h = ops.zeros(p.forward.shape[1])
    left = []
    for w in sentence:
        h = ops.tanh(ops.concat(p.embed[w], h) @ p.forward)
        left.append(h)
    h = ops.zeros_like(h)
    right = []
    for w in sentence[::-1]:
        h = ops.tanh(ops.concat(p.embed[w], h) @ p.backward)
        right.insert(0, h)
    return [ops.concat(a, b) for a, b in zip(left, right)]


@ab.model
def represent(p: Coref, span: Span, states, words):
    xs = ops.stack(states[span.start : span.end + 1])
    alpha = ops.softmax(xs @ p.attend)
    head = alpha @ ops.stack([p.embed[w] for w in words[span.start : span.end + 1]])
    return ops.concat(states[span.start], states[span.end], head, p.width[span.end - span.start])


@ab.model
def resolve(p: Coref, doc: Document):
    states, words, spans = [], [], []
    for k, sentence in enumerate(doc.sentences):
        offset = len(words)
        states += contextual(p, sentence)
        words += sentence
        for i in range(len(sentence)):
            for j in range(i, min(i + MAX_WIDTH, len(sentence))):
                spans.append(Span(offset + i, offset + j, k))
    vectors = {(s.start, s.end): represent(p, s, states, words) for s in spans}
    scores = {key: float(ffnn(p.mention, v)) for key, v in vectors.items()}
    spans.sort(key=lambda s: scores[s.start, s.end], reverse=True)
    kept = spans[: int(RATIO * len(words)) + 1]
    kept = sorted(kept, key=lambda s: (s.start, s.end))

    cluster_of: dict[int, int] = {}
    clusters = defaultdict(list)
    mentions = Counter()
    log_likelihood = 0.0
    for i, span in enumerate(kept):
        g_i = vectors[span.start, span.end]
        candidates = list(range(max(0, i - ANTECEDENTS), i))
        pair_scores = [ops.zeros(())]
        for j in candidates:
            other = kept[j]
            g_j = vectors[other.start, other.end]
            same = doc.speakers[span.sentence] == doc.speakers[other.sentence]
            phi = ops.concat(p.distance[bucket(i - j)], p.speaker[same])
            s = ffnn(p.pair, g_i, g_j, g_i * g_j, phi)
            pair_scores.append(s + scores[span.start, span.end] + scores[other.start, other.end])
        probabilities = ops.softmax(ops.stack(pair_scores))
        best = int(ops.argmax(probabilities))
        log_likelihood += ops.log(probabilities[best])
        if best > 0:
            j = candidates[best - 1]
            if j not in cluster_of:
                cluster_of[j] = len(clusters)
                clusters[cluster_of[j]].append((kept[j].start, kept[j].end))
            cluster_of[i] = cluster_of[j]
            clusters[cluster_of[i]].append((span.start, span.end))
        mentions[span.sentence] += 1
    largest = max(clusters.values(), key=len) if clusters else []
    return log_likelihood, largest, [mentions[k] for k in range(len(doc.sentences))]
