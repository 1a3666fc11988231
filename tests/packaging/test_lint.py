"""`make lint` and the hooks of pre-commit are one list of checks."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_the_hooks_run_what_make_lint_runs() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    hooks = [hook for repository in config["repos"] for hook in repository["hooks"]]
    makefile = (ROOT / "Makefile").read_text()
    lint = re.search(r"^lint: (.+)$", makefile, re.MULTILINE)
    assert lint is not None
    assert [hook["entry"] for hook in hooks] == [f"make --silent {t}" for t in lint[1].split()]
    for target in lint[1].split():
        assert re.search(rf"^{target}: \$\(VENV\)/\.dev\n\t\S", makefile, re.MULTILINE), target


def test_a_hook_runs_for_every_kind_of_file_that_its_check_reads() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    hooks = {hook["id"]: re.compile(hook["files"]) for hook in config["repos"][0]["hooks"]}
    runs = {
        path: [name for name, files in hooks.items() if files.search(path)]
        for path in ("acrobat/pipeline.py", "workflow/Snakefile", "acrobat/runtime/src/memory.cc")
    }
    assert runs == {
        "acrobat/pipeline.py": ["ruff", "ruff-format", "mypy", "import-linter"],
        "workflow/Snakefile": ["snakemake"],
        "acrobat/runtime/src/memory.cc": ["clang-format"],
    }
