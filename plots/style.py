"""One style for all figures: print size, colours that survive colour blindness and grey scale."""

from __future__ import annotations

from matplotlib import rcParams

# Okabe and Ito's palette; one colour per system everywhere.
COLOURS = {
    "dynet": "#D55E00",
    "cortex": "#CC79A7",
    "torch_eager": "#999999",
    "torch_batched": "#0072B2",
    "torch_compile": "#56B4E9",
    "floor": "#009E73",
    "acrobat": "#000000",
}
LABELS = {
    "dynet": "DyNet (best strategy)",
    "cortex": "Cortex-like (best schedule)",
    "torch_eager": "PyTorch eager",
    "torch_batched": "PyTorch, batched by an expert",
    "torch_compile": "the expert's PyTorch, compiled",
    "floor": "floor (contractions alone)",
}


def apply() -> None:
    """Set matplotlib's defaults."""
    rcParams.update(
        {
            "font.size": 8,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
            "axes.grid": True,
            "axes.grid.axis": "y",
            "grid.linewidth": 0.4,
            "grid.color": "#cccccc",
            "legend.frameon": False,
            "svg.hashsalt": "acrobat",
            "figure.constrained_layout.use": True,
        }
    )
