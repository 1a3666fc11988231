"""`snakemake --report`, opened in a browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.bench import cell_folder
from harness.config import cells
from tests.workflow.conftest import ROOT, Project

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
COMMITTED = ROOT / "results" / "reference" / "epyc-zen5-2core-ablation"
# Opens each category and looks at its first entry; leaves what is then to be read in one place.
CLICKS = """
<script>
const pause = () => new Promise(r => setTimeout(r, 200));
const links = () => [...document.querySelectorAll("a, button")];
const press = text => links().filter(e => e.innerText.trim() === text).pop().click();
window.addEventListener("load", async () => {
  const seen = {};
  await pause();
  seen.start = document.body.innerText;
  for (const category of CATEGORIES) {
    press(category);
    await pause();
    document.querySelector("tbody tr a").click();
    await pause();
    const shown = [...document.querySelectorAll("img, iframe")].map(
      e => [/filename=([^;]*)/.exec(e.src)?.[1], e.naturalWidth ?? 0]);
    seen[category] = {text: document.body.innerText, shown: Object.fromEntries(shown)};
    press("Results");
    await pause();
  }
  const box = document.createElement("pre");
  box.id = "seen";
  box.textContent = JSON.stringify(seen);
  document.body.append(box);
});
</script></head>
"""


def browse(page: Path, tmp_path: Path) -> dict[str, Any]:
    """What is to be seen in each category of the report."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip(f"there is no browser: {', '.join(BROWSERS)}")
    text = page.read_text()
    assert "</head>" in text
    clicks = CLICKS.replace("CATEGORIES", json.dumps(["Figures", "Tables"]))
    clicked = tmp_path / "clicked.html"
    clicked.write_text(text.replace("</head>", clicks, 1))
    done = subprocess.run(
        [
            browser,
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-sync"),
            *("--disable-background-networking", "--disable-component-update"),
            f"--user-data-dir={tmp_path / 'profile'}",
            "--virtual-time-budget=20000",
            "--dump-dom",
            f"file://{clicked}",
        ],
        capture_output=True,
        text=True,
        timeout=1800,
        check=True,
    )
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, "the report's page could not be clicked through"
    seen: dict[str, Any] = json.loads(unescape(found[1]))
    return seen


@pytest.mark.slow
def test_the_report_of_a_run(project: Project, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    project.snakemake("--report", str(page))
    seen = browse(page, tmp_path)
    assert "F1 speedup" in seen["Figures"]["text"]
    assert seen["Figures"]["shown"]["F1_speedup.svg"] > 100  # its width, so it was drawn
    tables = re.findall(r"T\d \w+", seen["Tables"]["text"])
    assert {"T2 workloads", "T3 dynet", "T5 pytorch"} <= set(tables)
    assert "T1_systems.html" in seen["Tables"]["shown"]
    # The caption of the report, and of what is shown.
    assert "on the cells of the configuration small" in seen["start"]
    assert "Speed-up of ACRoBat over each opponent" in page.read_text()


@pytest.mark.slow
@pytest.mark.exhaustive
def test_the_report_of_the_ablation(project: Project, tmp_path: Path) -> None:
    """From committed rows, as if they had been measured here."""
    config = yaml.safe_load((ROOT / "config" / "ablation.yaml").read_text())
    config |= {"thread_counts": ["all"]}  # what was committed
    project.config = config
    raw = project.work / "results" / "ablation" / "raw"
    shutil.copytree(COMMITTED / "cpu", raw / "cpu")
    for cell in cells(config):
        for system, variant in cell.systems:
            # A rung of an option that there was not yet.
            target = cell_folder(cell, raw) / system / f"{variant}.json"
            if not target.exists():
                values = json.loads(target.with_name("off.json").read_text())
                target.write_text(json.dumps(values | {"variant": variant}))
    assert project.to_do() == {"report"}
    project.snakemake("--cores", "all")
    page = tmp_path / "report.html"
    project.snakemake("--report", str(page))
    seen = browse(page, tmp_path)
    assert "F2 ablation" in seen["Figures"]["text"]
    assert seen["Figures"]["shown"]["F2_ablation.svg"] > 100
    assert "F2 ablation" in seen["Tables"]["text"]
