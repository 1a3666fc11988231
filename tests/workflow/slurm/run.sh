#!/usr/bin/env bash
# The pipeline on a real Slurm of one machine: `make slurm`. Starts munged, slurmctld and slurmd as
# root, runs four cells through workflow/profiles/slurm, looks at rows and jobs, stops all again.
set -euo pipefail
cd "$(dirname "$0")/../../.."
PYTHON=${PYTHON:-.venv/bin/python}

if [ "$(id -u)" != 0 ]; then
    echo "tests/workflow/slurm/run.sh: starting Slurm's daemons takes root; run it in a container" >&2
    exit 2
fi
if ! type slurmctld slurmd munged sbatch >/dev/null 2>&1; then
    echo "tests/workflow/slurm/run.sh: Slurm is missing: apt-get install slurm-wlm munge" >&2
    exit 2
fi
if ! "$PYTHON" -c "import snakemake_executor_plugin_slurm" 2>/dev/null; then
    echo "tests/workflow/slurm/run.sh: pip install snakemake-executor-plugin-slurm" >&2
    exit 2
fi
# A job's step finds its configuration there alone. One of this script's, left by a run that was
# killed, whose controller no longer answers is in nobody's way.
CONF=/etc/slurm/slurm.conf
if grep -qs "filled in by .*run.sh" "$CONF" && ! timeout 20 scontrol ping 2>/dev/null | grep -q "is UP"; then
    rm "$CONF"
fi
if [ -e "$CONF" ]; then
    echo "tests/workflow/slurm/run.sh: there is a Slurm here already: $CONF" >&2
    exit 2
fi

FOLDER=$(mktemp -d)
stop() {
    for name in slurmd slurmctld munged; do
        if [ -f "$FOLDER/$name.pid" ]; then
            pid=$(cat "$FOLDER/$name.pid")
            kill "$pid" 2>/dev/null || true
            while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
        fi
    done
    rm -rf "$FOLDER" "$CONF"
}
trap 'code=$?; [ $code = 0 ] || tail -n 20 $(find "$FOLDER" -name "*.log"); stop; exit $code' EXIT

mkdir -p "$(dirname "$CONF")" "$FOLDER/state" "$FOLDER/spool" "$FOLDER/run"
sed -e "s|FOLDER|$FOLDER|; s|HOST|$(hostname -s)|" \
    -e "s|^NODE|$(slurmd -C | sed "1s/RealMemory=.*/RealMemory=32000/; q")|" tests/workflow/slurm/slurm.conf >"$CONF"
mungekey --create --keyfile "$FOLDER/munge.key"
munged --force --key-file "$FOLDER/munge.key" --socket "$FOLDER/munge.socket" \
    --pid-file "$FOLDER/munged.pid" --log-file "$FOLDER/munged.log" \
    --seed-file "$FOLDER/munge.seed"
slurmctld -i
slurmd
for _ in $(seq 30); do
    [ "$(sinfo --noheader --format %T 2>/dev/null)" = idle ] && break
    sleep 1
done
sinfo

measure() {
    "$PYTHON" -m snakemake --snakefile workflow/Snakefile --directory "$FOLDER/run" \
        --configfile tests/workflow/slurm/cells.yaml "$@"
}
measure --workflow-profile workflow/profiles/slurm --slurm-status-command squeue \
    --slurm-init-seconds-before-status-checks 5 --quiet rules
# What was measured there need not be measured here.
said=$(measure --dry-run 2>&1)
grep -q "Nothing to be done" <<<"$said" || { echo "$said" && exit 1; }
PYTHONPATH=. "$PYTHON" tests/workflow/slurm/check.py "$FOLDER/run/results/slurm" "$FOLDER/jobs.txt"
