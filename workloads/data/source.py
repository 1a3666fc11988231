"""The trees that a run uses: the real treebank if it can be found, otherwise generated ones.

Tried in this order: the folder given in the configuration (`sst_dir`), the environment variable
ACROBAT_SST_DIR, `../shared/data/sst` beside the checkout, the generator. A requested folder that
does not exist is an error, never a silent fallback.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .generator import generate_tree
from .sst import Treebank, read_sst
from .tree import FlatTree

ENVIRONMENT = "ACROBAT_SST_DIR"
BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data" / "sst"


@dataclass(frozen=True, slots=True)
class TreeSource:
    """A source of trees; `folder` is the treebank's, or None for generated trees."""

    folder: Path | None

    @property
    def label(self) -> str:
        """The label of the data in a row: "sst:train" or "generated"."""
        return "sst:train" if self.folder else "generated"

    def vocabulary(self, generated: int) -> int:
        """The number of word ids in use: the treebank's, or `generated` for the generator."""
        return _treebank(self.folder).vocabulary if self.folder else generated

    def sample(self, count: int, seed: int, generated_vocabulary: int) -> list[FlatTree]:
        """`count` trees, the same on every machine for the same seed; drawn without replacement
        while the treebank lasts."""
        rng = np.random.default_rng([seed, count])
        if self.folder is None:
            return [generate_tree(rng, generated_vocabulary) for _ in range(count)]
        trees = _treebank(self.folder).trees
        rounds = -(-count // len(trees))
        order = np.concatenate([rng.permutation(len(trees)) for _ in range(rounds)])[:count]
        return [trees[i] for i in order]


def find_source(sst_dir: str | Path | None = None) -> TreeSource:
    """The source of this run; `sst_dir` is the configuration's; "generated" forces generation."""
    if sst_dir == "generated":
        return TreeSource(None)
    for given, name in ((sst_dir, "sst_dir"), (os.environ.get(ENVIRONMENT), ENVIRONMENT)):
        if given:
            folder = Path(given)
            if not (folder / "train.txt").is_file():
                raise FileNotFoundError(
                    f"{name}={str(given)!r}: there is no train.txt in that folder; give the folder "
                    f"of the Stanford Sentiment Treebank's bracketed trees, or 'generated'"
                )
            return TreeSource(folder)
    return TreeSource(BESIDE if (BESIDE / "train.txt").is_file() else None)


@functools.lru_cache(maxsize=2)
def _treebank(folder: Path) -> Treebank:
    return read_sst(folder)
