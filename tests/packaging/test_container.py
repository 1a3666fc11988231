"""The image of the Dockerfile, as far as it can be looked at without an engine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import acrobat

ROOT = Path(acrobat.__file__).resolve().parents[1]


@pytest.mark.slow
@pytest.mark.parametrize("there", [True, False])
def test_a_job_with_the_workflow_alone(tmp_path: Path, there: bool) -> None:
    """As Snakemake brings it to a pod: the packages are those of the image."""
    shutil.copytree(ROOT / "workflow", tmp_path / "workflow")
    shutil.copy(ROOT / "config" / "smoke.yaml", tmp_path)
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--cores", "1", "--quiet", "rules"]
    env = os.environ | ({"ACROBAT_CHECKOUT": str(ROOT)} if there else {})
    done = subprocess.run(
        [*command, "--configfile", "smoke.yaml"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
    )
    assert (done.returncode == 0) == there, done.stderr
    assert ("the workflow measures a checkout" in done.stdout + done.stderr) != there


def test_steps_and_folders_agree() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert "WORKDIR /opt/acrobat\n" in text and "ACROBAT_CHECKOUT=/opt/acrobat\n" in text
    assert "sh requirements/container.sh /opt/acrobat/.venv &&" in text
    subprocess.run(["sh", "-n", ROOT / "requirements" / "container.sh"], check=True)
