"""Losses of the workloads: their instances, labels, and accuracy."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import workloads
from acrobat.lang.params import weights
from harness.step_reference import loss_reference
from workloads import losses
from workloads.data.source import TreeSource
from workloads.data.sst import parse_tree
from workloads.losses.sentiment_accuracy import accuracy
from workloads.losses.treelstm import (
    Leaf,
    Node,
    build_labelled,
    judge,
    labelled_trees,
    labels_of,
    post_order,
)

SOURCE = TreeSource(None)
# Here an instance says what the workload would decide from tensors.
GIVEN = ("berxit", "drnn")


@pytest.mark.parametrize("name", losses.names())
def test_instances_and_weights_are_the_workloads_own(name: str) -> None:
    loss, workload = losses.get(name), workloads.get(name)
    instances = loss.make_instances("tiny", 4, 3, SOURCE)
    if name not in GIVEN:
        assert [loss.bare(i) for i in instances] == workload.make_instances("tiny", 4, 3, SOURCE)
    params = loss.make_params("tiny", 3, SOURCE)
    ours, theirs = weights(loss.inner(params)), weights(workload.make_params("tiny", 3, SOURCE))
    assert list(ours) == list(theirs)
    assert all(np.array_equal(ours[path], theirs[path]) for path in theirs)
    assert {*weights(params)} >= {*loss.output}
    assert all(loss.rows(instance) >= 0 for instance in instances)


def test_the_workload_decides_what_is_given() -> None:
    """Without the loss: trees grow as they are given, and no sequence leaves early."""
    loss, workload = losses.get("drnn"), workloads.get("drnn")
    params = loss.make_params("tiny", 0, SOURCE)
    for task in loss.make_instances("tiny", 8, 0, SOURCE):
        assert _shape(workload.model(params, loss.bare(task))) == _shape(task.tree)
    loss, workload = losses.get("berxit"), workloads.get("berxit")
    params = loss.make_params("tiny", 0, SOURCE)
    for given in loss.make_instances("tiny", 2, 0, SOURCE):
        assert workload.model(params, loss.bare(given))[-1] == len(given.exits)


def _shape(tree: object) -> object:
    """What has a child and a sibling where."""
    if not hasattr(tree, "child"):
        return None
    return _shape(tree.child), _shape(tree.sibling)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", losses.names())
def test_the_reference_is_the_models_loss(name: str) -> None:
    loss = losses.get(name)
    params = loss.make_params("tiny", 0, SOURCE)
    instances = loss.make_instances("tiny", 2, 0, SOURCE)
    found, gradients = loss_reference(loss, params, instances)
    want = [float(loss.model(params, instance)) for instance in instances]
    np.testing.assert_allclose(found, want, rtol=1e-5)
    assert {*gradients} == {*weights(params)}
    # Downhill: a small step against the gradient lowers the sum of the losses by its square.
    square = sum(float((g**2).sum()) for g in gradients.values())
    for path, w in weights(params).items():
        w -= (1e-3 / square * gradients[path]).astype(np.float32)
    after = sum(float(loss.model(params, instance)) for instance in instances)
    assert after - sum(want) == pytest.approx(-1e-3, rel=0.1)


def test_no_loss() -> None:
    with pytest.raises(ValueError) as error:
        losses.get("sonnet")
    assert str(error.value) == (f"sonnet has no loss; there is one of {', '.join(losses.names())}")


@pytest.mark.parametrize(
    ("line", "labels"),
    [
        ("(2 a)", [2]),
        ("(3 (2 a) (4 b))", [2, 4, 3]),
        ("(3 (1 (2 a)) (4 b))", [2, 4, 3]),  # unary: the word's own
        ("(3 (0 a) (1 b) (2 c))", [0, 1, 3, 2, 3]),  # ternary: ((a b) c)
        ("(3 (0 a) (1 (2 b) (4 c)))", [0, 2, 4, 1, 3]),
        ("(NP (0 a) (123456 b))", [0, -1, -1]),
    ],
)
def test_labels_of_the_treebank(line: str, labels: list[int]) -> None:
    tree = parse_tree(line, {}, True, "train.txt:7")
    assert tree.label is not None and tree.label.tolist() == labels


def test_a_label_that_is_no_class() -> None:
    tree = parse_tree("(3 (2 a) (5 b))", {}, True, "train.txt:7")
    with pytest.raises(ValueError) as error:
        labels_of(tree, 2)
    assert str(error.value) == "a node of the treebank has the label 5; sentiment has 0 to 4"


def test_labels_of_generated_trees() -> None:
    """Of words by their numbers; nodes have the mean, negations the contrary."""
    tree = parse_tree("(3 (2 a) (2 (2 b) (2 c)))", {"x": 0}, True, "")
    bare = dataclasses.replace(tree, label=None)
    found = labels_of(bare, 10)
    values = [2.0 * (word * 7919 % 10) / 9 - 1 for word in (1, 2, 3)]
    limits = (-0.5, -0.15, 0.15, 0.5)
    low = (values[1] + values[2]) / 2
    want = np.searchsorted(limits, [*values, low, (values[0] + low) / 2])
    assert found.tolist() == want.tolist()
    negation = dataclasses.replace(bare, word=np.where(bare.word == 1, 8, bare.word))
    assert labels_of(negation, 10)[-1] == np.searchsorted(limits, -low)


def test_splits_differ_and_have_all_classes(tmp_path: Path) -> None:
    train, dev = (labelled_trees(SOURCE, split, 40, 0) for split in ("train", "dev"))
    assert train != dev and train == labelled_trees(SOURCE, "train", 40, 0)
    classes = {node.label for tree in train for node in post_order(tree)}
    assert classes == {0, 1, 2, 3, 4}
    (tmp_path / "train.txt").write_text("(3 (2 a) (4 b))\n(1 a)\n(2 b)\n")
    (tmp_path / "dev.txt").write_text("(0 (1 b) (2 unseen))\n")
    bank = TreeSource(tmp_path)
    assert labelled_trees(bank, "train", 2, 0) == [Node(Leaf(0, 2), Leaf(1, 4), 3), Leaf(0, 1)]
    assert labelled_trees(bank, "dev", 9, 0) == [Node(Leaf(1, 1), Leaf(2, 2), 0)]


def test_accuracy_is_of_the_models_logits() -> None:
    params = losses.get("treelstm").make_params("tiny", 0, SOURCE)
    trees = labelled_trees(SOURCE, "dev", 12, 1)
    nodes = [node for tree in trees for node in post_order(tree)]
    right = {}
    for node in nodes:
        h, _, _ = judge(params, node)
        right[id(node)] = int((h @ params.w_out + params.b_out).argmax()) == node.label
    found = accuracy(weights(params), trees)
    assert found.roots == pytest.approx(np.mean([right[id(tree)] for tree in trees]))
    assert found.nodes == pytest.approx(np.mean([right[id(node)] for node in nodes]))


def test_post_order_is_that_of_flat_trees() -> None:
    flat = SOURCE.sample(1, 5, 100)[0]
    nodes = post_order(build_labelled(flat, 100))
    words = [node.word if isinstance(node, Leaf) else -1 for node in nodes]
    assert words == flat.word.tolist()
