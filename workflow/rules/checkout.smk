import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

# The checkout, which contains the packages that all rules run.
ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
# A job in a container may get only the workflow's files, as on Kubernetes: the image contains the
# rest, and this variable says where. Elsewhere it is not set.
IMAGE = os.environ.get("ACROBAT_CHECKOUT")
if not (ROOT / "harness").is_dir() and IMAGE:
    ROOT = Path(IMAGE)
if not (ROOT / "harness").is_dir():
    raise WorkflowError(
        f"{ROOT}: the workflow measures a checkout, with its harness and baselines, and this is "
        f"none; clone the repository and name its workflow/Snakefile"
    )
sys.path.insert(0, str(ROOT))
