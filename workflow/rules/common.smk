import json
import os
import shlex
import shutil
from pathlib import Path

from snakemake.settings.types import DeploymentMethod

import baselines
from harness.bench import cell_folder, key_of
from harness.cell import Cell
from harness.config import alone, cells, name_of, validate
from harness.config_file import ConfigError, read_config
from harness.environment import files_hash, source_hash
from harness.estimate import estimate_s, takes
from harness.pipeline_state import take_over
from harness.progress import Progress
from harness.published import forget_failed_build, reopen
from harness.unfinished import UNFINISHED
from plots.shown import about

try:
    validate(dict(config))
    CELLS = {key_of(cell): cell for cell in cells(config)}
    # As for `acrobat bench --config`, a configuration without a name is named after its file.
    FILES = [Path(path) for path in workflow.config_settings.configfiles]
    # Snakemake has read the files, but does not notice duplicate keys, for instance. If this
    # workflow is a module of another one, that workflow's files are not checked.
    for path in FILES if not workflow.modifier.is_module else ():
        read_config(path)
    NAME = name_of(config, FILES[-1] if FILES else None)
except ConfigError as error:
    raise WorkflowError(f"the configuration is wrong: {error}") from None
DEVICE = config["device"]
OUT = f"results/{NAME}"
# Take over from a killed run. HELD stays open, since it is the lock; a dry run must not hold it.
if workflow.is_main_process:
    PLACES = {key: cell_folder(cell, Path()) for key, cell in CELLS.items()}
    HELD = take_over(Path(OUT), PLACES.values())
    if HELD:
        for tried in Path(OUT).glob("*.tried"):
            forget_failed_build(tried)
        for key, cell in CELLS.items():
            for fault in reopen(cell, PLACES[key], Path(OUT), not workflow.dryrun):
                print(f"{fault}; to be measured again", file=sys.stderr)
        if workflow.dryrun:
            HELD.close()
# The interpreter is the environment's if Snakemake activates one for each job, else Snakemake's
# own. A change of the interpreter or of the checkout's place is no reason to measure again: a
# parameter that could depend on the output is not recorded (`tied`).
CONDA = DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
PYTHON = "python" if CONDA else shlex.quote(sys.executable)
PYTHON = f'PYTHONPATH={shlex.quote(str(ROOT))}"${{PYTHONPATH:+:$PYTHONPATH}}" {PYTHON}'


def tied(wildcards, output):
    """The command that runs a Python module which ends with this process, however that is
    killed."""
    return f"{PYTHON} -m harness.tied {os.getpid()}"


def whole_machine(wildcards) -> int:
    """The number of cores that a job takes: all, so that nothing else runs during the timing. On
    another machine, whose cores are not known here, one: the job has the node to itself
    (profiles/slurm)."""
    try:
        return workflow.cores
    except WorkflowError:
        return 1


def cell_of(wildcards) -> Cell:
    """The cell whose rows a job writes."""
    key = "{workload}/{size}/bs{batch}.t{threads}{mode}".format(**wildcards)
    if key not in CELLS or wildcards.device != DEVICE:
        raise WorkflowError(
            f"{wildcards.device}/{key} is not in the configuration {NAME}; there is "
            f"{DEVICE}/{f', {DEVICE}/'.join(CELLS)}"
        )
    return CELLS[key]


def settings(wildcards) -> str:
    """The configuration of the job's cell alone, as JSON: the requested settings."""
    return json.dumps(alone(config, cell_of(wildcards)), sort_keys=True)


def sources(wildcards) -> dict[str, str]:
    """A hash of the sources of each of the cell's systems, which identifies what is measured."""
    return {system: source_hash(system) for system, _ in cell_of(wildcards).systems}


def native_builds(wildcards) -> list[str]:
    """The native builds to be tried before the cell is measured; if one failed, the rows say so."""
    builds = {
        system: baselines.record(system).build
        for system, _ in cell_of(wildcards).systems
    }
    return [
        f"{OUT}/{system}.tried"
        for system, build in builds.items()
        if build
        and DEVICE in build.devices
        and any(build.serves(v) for s, v in cell_of(wildcards).systems if s == system)
    ]


def build_command(wildcards) -> str:
    """The module that builds a system natively, and its arguments."""
    build = baselines.record(wildcards.system).build
    arch = f' --cuda "$({PYTHON} -m harness.gpu.arch)"' if DEVICE == "cuda" else ""
    return f"{build.module}{arch}"


def minutes(wildcards) -> int:
    """A time limit for a scheduler: several times the cell's estimated time."""
    return 15 + round(5 * estimate_s(cell_of(wildcards)) / 60)


def raw_folder(wildcards, output) -> str:
    """The configuration's folder, derived from a cell's: above raw/device/workload/size/cell."""
    return str(Path(output.rows).parents[4])


def folder_of_tables(wildcards, output) -> str:
    return str(Path(output.tables).parent)


def all_rows() -> list[str]:
    """The folders of the rows of all cells of the configuration."""
    return [str(cell_folder(cell, Path(OUT) / "raw")) for cell in CELLS.values()]
