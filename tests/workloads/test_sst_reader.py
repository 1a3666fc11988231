"""The treebank reader: shapes, ids, exact errors, and the real data where it is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from workloads.data.source import find_source
from workloads.data.sst import TreebankError, parse_tree, read_sst
from workloads.data.tree import FlatTree


def parse(line: str, ids: dict[str, int] | None = None) -> FlatTree:
    return parse_tree(line, {} if ids is None else ids, True, "train.txt:7")


def show(tree: FlatTree, node: int = -1) -> str:
    node %= len(tree.left)
    if tree.left[node] < 0:
        return str(tree.word[node])
    return f"({show(tree, tree.left[node])} {show(tree, tree.right[node])})"


@pytest.mark.parametrize(
    ("line", "shape"),
    [
        ("(2 a)", "0"),
        ("(3 (2 a) (4 b))\n", "(0 1)"),
        ("(3 (2 (2 a)) (4 b))", "(0 1)"),  # unary
        ("(3 (2 a) (2 b) (2 a))", "((0 1) 0)"),  # ternary
        ("(3 (2 a) (2 b) (2 c) (2 d))", "(((0 1) 2) 3)"),
        ("(3 (2 a) (4 (2 b) (1 (2 c) (2 d))))", "(0 (1 (2 3)))"),
        ("  (3(2 a)\t(4  b) ) \r\n", "(0 1)"),
        ("(2 (2 8\u00a01\\/2) (2 8))", "(0 1)"),  # a no-break space is part of its word
    ],
)
def test_shape(line: str, shape: str) -> None:
    assert show(parse(line)) == shape


def test_children_come_before_parents() -> None:
    tree = parse("(3 (2 a) (2 (2 b) (2 c)) (2 d))")
    assert tree.left.tolist() == [-1, -1, -1, 1, 0, -1, 4]
    assert tree.right.tolist() == [-1, -1, -1, 2, 3, -1, 5]
    assert tree.word.tolist() == [0, 1, 2, -1, -1, 3, -1]
    assert tree.heights().tolist() == [0, 0, 0, 1, 2, 0, 3]
    assert tree.n_leaves == 4


def test_words_without_an_id_get_the_last() -> None:
    ids = {"a": 0, "b": 1}
    tree = parse_tree("(3 (2 b) (2 new))", ids, False, "dev.txt:1")
    assert tree.word.tolist() == [1, 2, -1]
    assert ids == {"a": 0, "b": 1}


def test_a_very_deep_tree_is_no_problem() -> None:
    depth = 50_000
    tree = parse("(3 (2 a) " * depth + "(2 b)" + ")" * depth)
    assert tree.n_leaves == depth + 1
    assert tree.heights()[-1] == depth


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("It is", "train.txt:7:1: expected '(', found 'It'"),
        ("(3 (2 It) (4 is)", "train.txt:7:17: expected '(' or ')', found the end of the line"),
        ("(3 (2 It) is)", "train.txt:7:11: expected '(' or ')', found 'is'"),
        ("(3 It is)", "train.txt:7:7: expected ')' after the word, found 'is'"),
        ("(3 It (2 is))", "train.txt:7:7: expected ')' after the word, found '('"),
        ("((2 It) (2 is))", "train.txt:7:2: expected a label, found '('"),
        ("(3 (2 It) ())", "train.txt:7:12: expected a label, found ')'"),
        ("(3 (2 It) (2))", "train.txt:7:13: expected a word or '(', found ')'"),
        ("(2 It) (2 is)", "train.txt:7:8: expected the end of the line, found '('"),
        ("(2 It))", "train.txt:7:7: expected the end of the line, found ')'"),
        (")", "train.txt:7:1: expected '(', found ')'"),
    ],
)
def test_error_names_place_and_expectation(line: str, message: str) -> None:
    with pytest.raises(TreebankError) as error:
        parse(line)
    assert str(error.value) == message


def test_files(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("(3 (2 a) (2 b))\n\n(2 c)\n", encoding="utf-8")
    (tmp_path / "dev.txt").write_text("(3 (2 c) (2 x))\n", encoding="utf-8")
    train, dev = read_sst(tmp_path), read_sst(tmp_path, "dev")
    assert [show(t) for t in train.trees] == ["(0 1)", "2"]
    assert [show(t) for t in dev.trees] == ["(2 3)"]
    assert train.vocabulary == dev.vocabulary == 4


def test_error_in_a_file_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_text("(2 a)\n\n(2 a\n", encoding="utf-8")
    with pytest.raises(TreebankError) as error:
        read_sst(tmp_path)
    assert str(error.value) == f"{path}:3:5: expected ')' after the word, found the end of the line"


def test_missing_file(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("(2 a)\n", encoding="utf-8")
    with pytest.raises(FileNotFoundError) as error:
        read_sst(tmp_path, "dev")
    assert str(error.value) == (
        f"{tmp_path / 'dev.txt'}: no such file; the treebank's folder must hold train.txt (and "
        f"dev.txt, test.txt), one bracketed tree per line"
    )


@pytest.fixture(scope="module")
def sst_folder() -> Path:
    folder = find_source().folder
    if folder is None:
        pytest.skip("the Stanford Sentiment Treebank is not at hand; set ACROBAT_SST_DIR")
    return folder


@pytest.mark.slow
def test_real_treebank(sst_folder: Path) -> None:
    """Counts published with the treebank: 8544 and 1101 trees."""
    train, dev = read_sst(sst_folder), read_sst(sst_folder, "dev")
    assert (len(train.trees), len(dev.trees)) == (8544, 1101)
    for bank in (train, dev):
        for tree in bank.trees:
            assert len(tree.left) == 2 * tree.n_leaves - 1
            assert tree.word.max() < bank.vocabulary
    # Counted apart from the reader: a leaf is a label, a space, a word without brackets, ')'.
    text = (sst_folder / "train.txt").read_text(encoding="utf-8")
    assert sum(t.n_leaves for t in train.trees) == sum(1 for part in text.split("(") if ")" in part)
    words = {part.split(")")[0].split(" ", 1)[1] for part in text.split("(") if ")" in part}
    assert train.vocabulary == len(words) + 1
