"""A Transformer decoder that continues a prompt until it writes the stop symbol, with its keys and
values in a cache that grows by a position per step: Vaswani et al., "Attention Is All You Need",
NeurIPS 2017, with two layers and pre-layer normalisation (Xiong et al., ICML 2020).

The next word is the argmax of the scores plus the instance's noise at that position. With Gumbel
noise this samples from their softmax (Maddison, Tarlow, Minka, NeurIPS 2014), with the same result
in every system.

Our choices: heads of 32 columns, feed-forward twice as wide as the state; at most 32 positions,
prompts of 1 to 8 words; the bias of the stop symbol 0 makes about one in 14 words a stop. The
result is the words, including the prompt, and the state after the last one.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..api import OTHER, Workload
from ..data.source import TreeSource
from ..init import Weights

VOCABULARY, HEAD, STOP = 200, 32, 0
POSITIONS, LONGEST_PROMPT = 32, 8


@ab.data
class Prompt:
    words: list[int]
    noise: Float32[Tensor, "P V"]


@ab.params
class Layer:
    g_1: Float32[Tensor, "32N"]
    b_1: Float32[Tensor, "32N"]
    w_qkv: Float32[Tensor, "32N 96N"]
    w_o: Float32[Tensor, "32N 32N"]
    g_2: Float32[Tensor, "32N"]
    b_2: Float32[Tensor, "32N"]
    w_up: Float32[Tensor, "32N 64N"]
    b_up: Float32[Tensor, "64N"]
    w_down: Float32[Tensor, "64N 32N"]
    b_down: Float32[Tensor, "32N"]


@ab.params
class Decoder:
    emb: Float32[Tensor, "V 32N"]
    positions: Float32[Tensor, "P 32N"]
    one: Layer
    two: Layer
    w_out: Float32[Tensor, "32N V"]
    b_out: Float32[Tensor, "V"]


@ab.model
def project(
    p: Layer, x: Float32[Tensor, "32N"]
) -> tuple[Float32[Tensor, "32N"], Float32[Tensor, "32N"], Float32[Tensor, "32N"]]:
    q, k, v = ops.split(ops.layer_norm(x, p.g_1, p.b_1) @ p.w_qkv, 3)
    return q, k, v


@ab.model
def attend(
    p: Layer,
    x: Float32[Tensor, "32N"],
    q: Float32[Tensor, "32N"],
    keys: list[Float32[Tensor, "32N"]],
    values: list[Float32[Tensor, "32N"]],
) -> Float32[Tensor, "32N"]:
    mixed = ops.attention(q, ops.stack(keys), ops.stack(values), x.shape[0] // HEAD)
    x = x + mixed @ p.w_o
    y = ops.layer_norm(x, p.g_2, p.b_2)
    return x + ops.linear(ops.relu(ops.linear(y, p.w_up, p.b_up)), p.w_down, p.b_down)


@ab.model
def write(p: Decoder, prompt: Prompt) -> tuple[list[int], Float32[Tensor, "32N"]]:
    keys_1: list[Float32[Tensor, "32N"]] = []
    values_1: list[Float32[Tensor, "32N"]] = []
    keys_2: list[Float32[Tensor, "32N"]] = []
    values_2: list[Float32[Tensor, "32N"]] = []
    words = [prompt.words[0]]
    x = p.positions[0]
    for at in range(POSITIONS):
        x = p.emb[words[at]] + p.positions[at]
        q, k, v = project(p.one, x)
        keys_1.append(k)
        values_1.append(v)
        x = attend(p.one, x, q, keys_1, values_1)
        q, k, v = project(p.two, x)
        keys_2.append(k)
        values_2.append(v)
        x = attend(p.two, x, q, keys_2, values_2)
        if at + 1 < len(prompt.words):
            words.append(prompt.words[at + 1])
        else:
            word = ops.argmax(ops.linear(x, p.w_out, p.b_out) + prompt.noise[at])
            words.append(word)
            if word == STOP:
                break
    return words, x


# H = 32 N for N heads.
SIZES = {"tiny": {"N": 1}, "small": {"N": 8}, "large": {"N": 16}}


def make_params(size: str, seed: int, source: TreeSource) -> Decoder:
    """Seeded weights of `size`."""
    h = HEAD * SIZES[size]["N"]
    draw = Weights(seed, 24)

    def layer() -> Layer:
        return Layer(
            g_1=1 + draw.normal(0.1, h),
            b_1=draw.normal(0.1, h),
            w_qkv=draw.uniform(h, h, 3 * h),
            w_o=draw.uniform(h, h, h),
            g_2=1 + draw.normal(0.1, h),
            b_2=draw.normal(0.1, h),
            w_up=draw.uniform(h, h, 2 * h),
            b_up=draw.uniform(h, 2 * h),
            w_down=draw.uniform(2 * h, 2 * h, h),
            b_down=draw.uniform(2 * h, h),
        )

    b_out = draw.normal(0.1, VOCABULARY)
    b_out[STOP] += 3
    return Decoder(
        emb=draw.normal(0.5, VOCABULARY, h),
        positions=draw.normal(0.2, POSITIONS, h),
        one=layer(),
        two=layer(),
        w_out=draw.normal(1 / h**0.5, h, VOCABULARY),
        b_out=b_out,
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Prompt]:
    """`batch` prompts without stop symbols, and noise."""
    rng = np.random.default_rng([seed, batch, 24])

    def prompt() -> Prompt:
        length = int(rng.integers(1, LONGEST_PROMPT + 1))
        words: list[int] = rng.integers(1, VOCABULARY, length).tolist()
        return Prompt(words, rng.gumbel(size=(POSITIONS, VOCABULARY)).astype(np.float32))

    return [prompt() for _ in range(batch)]


WORKLOAD = Workload(
    name="decoder",
    order=24,
    label="Decoder with cache",
    narrow_label="De-\ncoder",
    title="Transformer decoder with a growing cache and a stop symbol",
    control_flow="tensor-dependent end, a cache that grows",
    decides=True,
    study=OTHER,
    sizes=SIZES,
    model=write,
    make_params=make_params,
    make_instances=make_instances,
)
