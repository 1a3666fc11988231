"""The docs hold: what they name exists, and their links resolve."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("config/*.md")])
# Pages that name files of the checkout, all of which must exist.
MAPS = ("docs/architecture.md", "docs/glossary.md", "docs/design.md", "CONTRIBUTING.md")
# What the recipes of CONTRIBUTING.md add, which is not kept.
ADDED = {
    "acrobat/transform/flatten_concats.py",
    "baselines/torch_vmap.py",
    "baselines/torch_eager/gru.py",
    "plots/compiling.py",
    "tests/golden/passes/flatten_concats.txt",
    "tests/transform/test_flat_concats.py",
    "workloads/gru.py",
}
# What a path in backquotes begins with: names of code do not.
ROOTS = "acrobat|harness|plots|baselines|workloads|workflow|config|docs|tests|requirements|examples"


def prose(page: Path) -> str:
    """The text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def named_paths(text: str) -> list[str]:
    """Files and folders in backquotes, without patterns such as `bs<batch>`."""
    found = re.findall(rf"`((?:{ROOTS})/[\w./-]*)`", text)
    return sorted({path.rstrip("/") for path in found})


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def broken_links(page: Path) -> list[str]:
    """Links within the checkout that lead nowhere. What `table[key](x)` calls is none."""
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]+`", "`code`", prose(page))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", MAPS)
def test_files_and_folders_that_a_page_names_exist(page: str) -> None:
    paths = named_paths((ROOT / page).read_text())
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_what_a_recipe_changes_is_there() -> None:
    """Its lines are those of `git diff --stat`. What it adds lies in folders that are there."""
    recipes = (ROOT / "CONTRIBUTING.md").read_text()
    paths = set(re.findall(r"^    ([\w./-]+) +\| +\d+ \+", recipes, re.MULTILINE))
    assert paths > ADDED
    assert {path for path in paths if not (ROOT / path).exists()} == ADDED
    assert all((ROOT / path).parent.is_dir() for path in ADDED)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_within_the_checkout_resolve(page: Path) -> None:
    assert broken_links(page) == []


def test_a_link_or_a_name_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# One heading, here\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](other.md) [b](other.md#one-heading-here) [c](other.md#two) [d](gone.md) [e](#none) "
        "[f](https://example.org) `acrobat/gone.py` `acrobat/` `acrobat.gone`\n"
    )
    assert broken_links(page) == ["other.md#two", "gone.md", "#none"]
    assert named_paths(page.read_text()) == ["acrobat", "acrobat/gone.py"]


def test_the_picture_is_what_its_script_draws(tmp_path: Path) -> None:
    script = tmp_path / "architecture.py"
    script.write_text((ROOT / "docs/images/architecture.py").read_text())
    subprocess.run([sys.executable, script], check=True)
    drawn = (tmp_path / "architecture.svg").read_text()
    assert drawn == (ROOT / "docs/images/architecture.svg").read_text()
    folders = re.findall(r'<text class="path"[^>]*>((?:acrobat|runtime)/[^<]+)<', drawn)
    assert len(folders) > 10
    for folder in folders:
        path = folder if folder.startswith("acrobat/") else f"acrobat/{folder}"
        assert (ROOT / path).is_dir(), folder


def test_every_option_is_in_the_pages_that_explain_the_compiler() -> None:
    options = re.findall(
        r"^    (\w+): .* = _(?:option|number)\(", (ROOT / "acrobat/options.py").read_text(), re.M
    )
    pages = (ROOT / "docs/architecture.md").read_text() + (ROOT / "docs/design.md").read_text()
    assert len(options) > 10
    assert [name for name in options if f"`{name}" not in pages] == ["threads"]
