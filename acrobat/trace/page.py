"""A trace as a page: the picture, which highlights everything that belongs to the batch under the
pointer, and a table of the static blocks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .picture import Picture

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; margin: 1.5em; color: #222; }}
table {{ border-collapse: collapse; margin: 1em 0; }}
td, th {{ padding: .2em .8em; text-align: left; border-bottom: 1px solid #ddd; }}
td.number {{ text-align: right; }}
#picture {{ overflow-x: auto; }}
.chosen [data-batch] {{ opacity: .15; }}
.chosen .here[data-batch] {{ opacity: 1; }}
#said {{ white-space: pre-line; min-height: 5.5em; font-family: monospace; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p id="said">Point at a batch.</p>
<div id="picture">
{picture}</div>
<table>
<tr><th>static block</th><th>source</th><th></th><th>nodes</th><th>batches</th>
<th>of one node</th></tr>
{rows}
</table>
<script>
const picture = document.getElementById("picture"), said = document.getElementById("said");
picture.addEventListener("mouseover", (event) => {{
  const batch = event.target.dataset.batch;
  for (const mark of picture.querySelectorAll(".here")) mark.classList.remove("here");
  picture.classList.toggle("chosen", batch !== undefined);
  if (batch === undefined) return;
  for (const mark of picture.querySelectorAll(`[data-batch="${{batch}}"]`)) {{
    mark.classList.add("here");
  }}
  said.textContent = event.target.querySelector("title").textContent;
}});
</script>
</body>
</html>
"""


def page(
    title: str, picture: Picture, blocks: Sequence[tuple[str, str, str, int, int, int]]
) -> str:
    """Return the page, which needs no other file. `blocks`: for each static block its name, place,
    source line, and numbers of nodes, of batches and of batches of one node."""
    rows = "\n".join(
        "<tr>"
        + "".join(f"<td>{escape(str(cell))}</td>" for cell in row[:2])
        + f"<td><code>{escape(row[2])}</code></td>"
        + "".join(f'<td class="number">{cell}</td>' for cell in row[3:])
        + "</tr>"
        for row in blocks
    )
    return _PAGE.format(title=escape(title), picture=picture.svg(), rows=rows)
