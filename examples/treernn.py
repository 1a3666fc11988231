import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Leaf:
    word: int


@ab.data
class Node:
    left: "Leaf | Node"
    right: "Leaf | Node"


@ab.params
class Weights:
    emb: Float32[Tensor, "V H"]
    w: Float32[Tensor, "2H H"]
    b: Float32[Tensor, "H"]


@ab.model
def encode(p: Weights, tree: Leaf | Node) -> Float32[Tensor, "H"]:
    match tree:
        case Leaf(word):
            return p.emb[word]
        case Node(left, right):
            children = ops.concat(encode(p, left), encode(p, right))
            return ops.tanh(ops.linear(children, p.w, p.b))


rng = np.random.default_rng(0)
weights = Weights(emb=rng.normal(size=(9, 4)), w=rng.normal(size=(8, 4)), b=np.zeros(4))
trees = [Node(Leaf(1), Leaf(2)), Node(Node(Leaf(3), Leaf(4)), Leaf(5))]
fast = ab.compile(encode, weights)  # control flow to C++, tensor operations to batched kernels
for tree, result in zip(trees, fast(trees), strict=True):  # a list in, a list of results out
    print(result.round(3), abs(result - encode(weights, tree)).max() < 1e-6)
