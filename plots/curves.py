"""Figure F8: accuracy of the sentiment model by epoch and by elapsed training time.

python -m plots.curves results/sentiment     # from its curves/*.json, which harness.curves writes

The curves by epoch coincide if all systems compute the same steps; the remarks below the table say
how far they are apart.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import baselines

from . import style
from .cells import digits
from .floats import write_figures
from .write import write_table

CODE = "F8_sentiment"
_HEIGHT = 2.2


@dataclass(frozen=True, slots=True)
class Curve:
    """A system's training: for each epoch the seconds, the mean loss per tree, and the accuracies
    on the development trees; `start` are the accuracies before the first epoch."""

    system: str
    threads: int
    machine: str
    data: str
    trees: int
    start: tuple[float, float]
    seconds: tuple[float, ...]
    losses: tuple[float, ...]
    roots: tuple[float, ...]
    nodes: tuple[float, ...]

    @property
    def best(self) -> tuple[int, float]:
        """The epoch with the best accuracy of roots, counted from 1, and that accuracy."""
        best = max(self.roots)
        return self.roots.index(best) + 1, best


def read_curves(folder: Path) -> tuple[list[Curve], list[str]]:
    """The curves in `folder`/curves, in the order of systems, and why others are missing.
    FileNotFoundError if there are none; a ValueError names a file that is not a curve."""
    found: dict[str, Curve] = {}
    lacking: list[str] = []
    for path in sorted((folder / "curves").glob("*.json")):
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            if values["epochs"]:
                found[values["system"]] = _curve(values)
            if values["status"] != "ok":
                lacking.append(f"{values['system']}: {values['status']}, {values['reason']}.")
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: no curve: {type(error).__name__}: {error}") from error
    if not found:
        raise FileNotFoundError(f"{folder / 'curves'}: no curves; python -m harness.curves first")
    return [found[name] for name in style.in_order(set(found))], lacking


def _curve(values: dict[str, Any]) -> Curve:
    epochs = values["epochs"]

    def column(name: str) -> tuple[float, ...]:
        return tuple(float(epoch[name]) for epoch in epochs)

    return Curve(
        system=values["system"],
        threads=values["threads"],
        machine=values["device_name"],
        data=values["data"],
        trees=values["trees"],
        start=(values["before"]["roots"], values["before"]["nodes"]),
        seconds=column("seconds"),
        losses=column("loss"),
        roots=column("roots"),
        nodes=column("nodes"),
    )


def curves_table(curves: Sequence[Curve]) -> pd.DataFrame:
    """A line per epoch, with the elapsed seconds of training, the mean loss per tree, and the
    fraction of development trees whose root is right, for each system."""
    lines = []
    for n in range(max(len(curve.seconds) for curve in curves)):
        line: dict[str, object] = {"epoch": n + 1}
        for curve in curves:
            title = baselines.record(curve.system).title
            there = n < len(curve.seconds)
            line[f"{title} s"] = digits(sum(curve.seconds[: n + 1])) if there else "-"
            line[f"{title} loss"] = f"{curve.losses[n]:.4f}" if there else "-"
            line[f"{title} accuracy"] = f"{curve.roots[n]:.4f}" if there else "-"
        lines.append(line)
    return pd.DataFrame(lines)


def remarks(curves: Sequence[Curve]) -> list[str]:
    """The best accuracies, the time of each system's epochs relative to acrobat's, and the distance
    of its curves by epoch from acrobat's."""
    lines = []
    ours = next((curve for curve in curves if curve.system == "acrobat"), None)
    for curve in curves:
        title = baselines.record(curve.system).prose
        epoch, best = curve.best
        text = f"{title}: best accuracy {best:.4f} after epoch {epoch}"
        if ours is not None and curve is not ours:
            both = min(len(curve.seconds), len(ours.seconds))
            ratio = sum(curve.seconds[:both]) / sum(ours.seconds[:both])
            loss = max(abs(a - b) / b for a, b in zip(curve.losses, ours.losses, strict=False))
            roots = max(abs(a - b) for a, b in zip(curve.roots, ours.roots, strict=False))
            text += (
                f"; {digits(ratio)} times acrobat's time; losses by epoch up to {loss:.1e} "
                f"(relative), accuracies up to {roots:.4f} from acrobat's"
            )
        lines.append(f"{text}.")
    return lines


def curves_figure(curves: Sequence[Curve]) -> Figure:
    """Two panels: accuracy of the roots by epoch, and by elapsed seconds of training."""
    style.apply()
    figure = Figure(figsize=(style.PAGE, _HEIGHT))
    left, right = figure.subplots(1, 2, sharey=True)
    for curve in curves:
        heights = [curve.start[0], *curve.roots]
        left.plot(range(len(heights)), heights, **style.line(curve.system))
        seconds = [0.0, *accumulate(curve.seconds)]
        right.plot(seconds, heights, **style.line(curve.system))
    _axes(left, "epoch")
    left.set_ylabel("accuracy, trees for development")
    _axes(right, "seconds of training")
    handles = [
        Line2D([], [], **style.line(c.system), label=baselines.record(c.system).label)
        for c in curves
    ]
    style.legend(figure, handles, f"{curves[0].machine}, {curves[0].threads} threads")
    return figure


def _axes(axes: Axes, label: str) -> None:
    axes.set_xlabel(label)
    axes.set_xlim(left=0)


def caption(curves: Sequence[Curve]) -> str:
    """The caption of the figure and its table."""
    first = curves[0]
    data = "the Stanford Sentiment Treebank" if first.data.startswith("sst") else "generated trees"
    return (
        f"Sentiment with TreeLSTM on {data} ({first.trees} trees), five classes at every node: "
        f"accuracy of the roots of the trees for development, which is not timed. All systems "
        f"begin with the same weights and take the same steps."
    )


def write(folder: Path) -> list[Path]:
    """Write F8 and its table below `folder`; return the files."""
    curves, lacking = read_curves(folder)
    about = caption(curves)
    below = [*remarks(curves), *lacking]
    table = write_table(curves_table(curves), folder / "tables" / CODE, f"F8. {about}", below)
    return [*table, *write_figures([curves_figure(curves)], folder / "figures" / CODE, about)]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m plots.curves")
    parser.add_argument("folder", type=Path, help="of a configuration's results")
    given = parser.parse_args()
    try:
        for path in write(given.folder):
            if path.suffix == ".md":
                print(path.read_text(encoding="utf-8"))
            print(path)
    except (FileNotFoundError, ValueError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
