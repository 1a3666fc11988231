"""Which trees a run gets: the order of the places, no silent fallback, the same for a seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from workloads.data import source
from workloads.data.source import TreeSource, find_source
from workloads.data.tree import FlatTree


def make_treebank(folder: Path, count: int) -> Path:
    """A treebank whose tree number k is (k0 k1 ... kk): k + 1 leaves."""
    folder.mkdir()
    lines = ["(2 " + " ".join(f"(2 w{k}.{i})" for i in range(k + 1)) + ")" for k in range(count)]
    (folder / "train.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture
def nothing_around(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(source.ENVIRONMENT, raising=False)
    monkeypatch.setattr(source, "BESIDE", tmp_path / "nowhere")


@pytest.mark.usefixtures("nothing_around")
def test_order_of_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given, environment, beside = (
        make_treebank(tmp_path / name, 1) for name in ("given", "environment", "beside")
    )
    assert find_source() == TreeSource(None)
    monkeypatch.setattr(source, "BESIDE", beside)
    assert find_source() == TreeSource(beside)
    monkeypatch.setenv(source.ENVIRONMENT, str(environment))
    assert find_source() == TreeSource(environment)
    assert find_source(str(given)) == TreeSource(given)
    assert find_source("generated") == TreeSource(None)
    assert (find_source(given).label, find_source("generated").label) == ("sst:train", "generated")


@pytest.mark.usefixtures("nothing_around")
def test_a_folder_that_was_asked_for_must_exist(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    missing = str(tmp_path / "missing")
    expected = (
        f"{missing!r}: there is no train.txt in that folder; give the folder of the Stanford "
        f"Sentiment Treebank's bracketed trees, or 'generated'"
    )
    with pytest.raises(FileNotFoundError) as error:
        find_source(missing)
    assert str(error.value) == f"sst_dir={expected}"
    monkeypatch.setenv(source.ENVIRONMENT, missing)
    with pytest.raises(FileNotFoundError) as error:
        find_source()
    assert str(error.value) == f"ACROBAT_SST_DIR={expected}"


def arrays(trees: list[FlatTree]) -> list[list[int]]:
    return [[*t.left.tolist(), *t.right.tolist(), *t.word.tolist()] for t in trees]


@pytest.mark.parametrize("kind", ["generated", "treebank"])
def test_same_seed_same_batch(kind: str, tmp_path: Path) -> None:
    folder = make_treebank(tmp_path / "sst", 100) if kind == "treebank" else kind
    trees = find_source(folder)
    first = arrays(trees.sample(10, 3, 50))
    assert first == arrays(find_source(folder).sample(10, 3, 50))
    assert first != arrays(trees.sample(10, 4, 50))


def test_sampling_is_without_replacement(tmp_path: Path) -> None:
    trees = find_source(make_treebank(tmp_path / "sst", 20))
    assert sorted(t.n_leaves for t in trees.sample(20, 0, 0)) == list(range(1, 21))
    # More than there are: every tree as often as the others, give or take one.
    counts = np.bincount([t.n_leaves for t in trees.sample(50, 0, 0)], minlength=21)[1:]
    assert set(counts.tolist()) == {2, 3}


def test_batches_are_the_same_everywhere() -> None:
    """Pinned: a change of numpy or of the generator that moves them must be noticed."""
    leaves = [t.n_leaves for t in find_source("generated").sample(8, 0, 18_000)]
    assert leaves == [17, 12, 27, 24, 13, 7, 19, 20]


def test_vocabulary(tmp_path: Path) -> None:
    assert find_source("generated").vocabulary(123) == 123
    # 1 + 2 + 3 words, and one for the words that train.txt does not have.
    assert find_source(make_treebank(tmp_path / "sst", 3)).vocabulary(123) == 7
