"""Draw docs/images/architecture.svg: `python docs/images/architecture.py`.

The picture has a background of its own and two palettes, chosen by the reader's colour scheme.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

WIDTH, LEFT, BOX, GAP, TOP = 960, 24, 286, 27, 64
STYLE = """
  .page { fill: #ffffff } .band { fill: #f3f5f8 } .box { fill: #ffffff; stroke: #7b8794 }
  .title { fill: #16202b; font-weight: 600 } .text { fill: #36424f } .path { fill: #0b5cad }
  .idea { fill: #8a4b00 } .line { stroke: #55606c; fill: none } .head { fill: #55606c }
  @media (prefers-color-scheme: dark) {
    .page { fill: #11161c } .band { fill: #1a212a } .box { fill: #212a35; stroke: #64707d }
    .title { fill: #f0f3f6 } .text { fill: #c3ccd6 } .path { fill: #7db7f5 }
    .idea { fill: #e8ae66 } .line { stroke: #9aa5b1 } .head { fill: #9aa5b1 }
  }
  text { font: 13px "Helvetica Neue", Arial, sans-serif }
  .path { font: 12px Menlo, Consolas, "DejaVu Sans Mono", monospace }
  .title { font-size: 15px } .idea { font-style: italic; font-size: 12.5px }
"""
# A band: its name, then boxes of (title, what it is, folders, the paper's ideas).
Box = tuple[str, list[str], list[str], list[str]]
BANDS: list[tuple[str, list[Box]]] = [
    (
        "when the model is compiled: the program",
        [
            (
                "1  Front end",
                ["Python syntax tree -> typed IR;", "all errors at once, with carets"],
                ["acrobat/lang", "acrobat/frontend"],
                ["input language"],
            ),
            (
                "2  Typed passes",
                ["typed IR -> typed IR: shapes, inlining,", "concurrency, calling contexts"],
                ["acrobat/transform", "acrobat/analysis"],
                ["parameter reuse (taint analysis)", "instance parallelism"],
            ),
            (
                "3  Static blocks",
                ["typed IR -> batched IR: control flow", "around blocks; depths and phases"],
                ["acrobat/transform", "acrobat/ir"],
                ["grain-size coarsening, hoisting", "program phases, ghost operators"],
            ),
        ],
    ),
    (
        "when the model is compiled: the code",
        [
            (
                "4  Kernel specifications",
                ["each block -> contractions and", "expressions over rows and columns"],
                ["acrobat/kernels/lowering", "acrobat/kernels/specification"],
                ["kernel and horizontal fusion"],
            ),
            (
                "5  Kernels",
                ["TIR -> LLVM objects for the CPU,", "Triton -> cubins for NVIDIA GPUs"],
                ["acrobat/kernels/printers/cpu", "acrobat/kernels/printers/cuda"],
                ["gather fusion: operands are read", "in place, through offsets"],
            ),
            (
                "6  Control flow",
                ["batched IR -> C++ -> a shared library", "with kernels and run-time"],
                ["acrobat/aot"],
                ["ahead-of-time compilation", "inline depth: the code counts it"],
            ),
        ],
    ),
    (
        "for every mini-batch: the run-time (acrobat/runtime)",
        [
            (
                "7  Record",
                ["control flow of all instances runs;", "static blocks become graph nodes"],
                ["runtime/include/acrobat/graph", "runtime/include/acrobat/fibers"],
                ["lazy dataflow graph; fibers suspend", "at tensor-dependent decisions"],
            ),
            (
                "8  Schedule",
                ["counting sort of nodes into batches:", "one phase, depth and block each"],
                ["runtime/include/acrobat/schedule"],
                ["dynamic batching"],
            ),
            (
                "9  Execute",
                ["a batch is one call of each kernel,", "partitioned over worker threads"],
                ["runtime/include/acrobat/cpu", "runtime/include/acrobat/cuda"],
                ["batched kernels"],
            ),
        ],
    ),
]


def box(x: int, y: int, height: int, content: Box) -> list[str]:
    title, text, paths, ideas = content
    made = [f'<rect class="box" x="{x}" y="{y}" width="{BOX}" height="{height}" rx="6"/>']
    line = y + 24
    rows = [("title", title), *(("text", t) for t in text), *(("path", p) for p in paths)]
    for kind, words in [*rows, *(("idea", i) for i in ideas)]:
        made.append(f'<text class="{kind}" x="{x + 14}" y="{line}">{escape(words)}</text>')
        line += 20
    return made


def arrow(points: list[tuple[int, int]]) -> str:
    path = " L ".join(f"{x} {y}" for x, y in points)
    return f'<path class="line" d="M {path}" stroke-width="1.6" marker-end="url(#head)"/>'


def picture() -> str:
    height, step = 160, 224
    entry = LEFT + BOX // 2
    total = TOP + len(BANDS) * step - 8
    title = "A model's way from source to a batch"
    made = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {total}" role="img" '
        f'aria-label="{title}">',
        f"<title>{title}</title><style>{STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path class="head" d="M 0 0 L 8 4 L 0 8 z"/></marker>'
        "</defs>",
        f'<rect class="page" width="{WIDTH}" height="{total}"/>',
        f'<text class="title" x="{LEFT}" y="26">{title}</text>',
        f'<text class="path" x="{LEFT}" y="47">folders</text>'
        f'<text class="idea" x="{LEFT + 62}" y="47">ideas of the paper</text>',
    ]
    for band, (name, boxes) in enumerate(BANDS):
        y = TOP + band * step
        made.append(
            f'<rect class="band" x="12" y="{y}" width="{WIDTH - 24}" height="{step - 20}" rx="8"/>'
        )
        made.append(f'<text class="text" x="{entry + 18}" y="{y + 20}">{escape(name)}</text>')
        top = y + 32
        for column, content in enumerate(boxes):
            x = LEFT + column * (BOX + GAP)
            made += box(x, top, height, content)
            if column:
                made.append(arrow([(x - GAP, top + height // 2), (x - 2, top + height // 2)]))
        if band:  # from the end of the band above to the beginning of this one
            last, lane = entry + 2 * (BOX + GAP), y - 10
            made.append(arrow([(last, lane - 22), (last, lane), (entry, lane), (entry, top - 2)]))
    return "\n".join([*made, "</svg>", ""])


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture())
