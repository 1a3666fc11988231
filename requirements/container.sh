#!/bin/sh
# What the image of the Dockerfile is made of: container.sh VENV, run as root on Debian. TORCH is
# PyTorch's build. With DRY_RUN=1 nothing is installed: Debian's packages and the locks are looked up.
set -eu
cd "$(dirname "$0")/.."
venv=$1
packages="python3 python3-venv python3-dev g++ make git ca-certificates"

if [ "${DRY_RUN:-}" ]; then
    if command -v apt-get >/dev/null; then
        # shellcheck disable=SC2086
        apt-get install --simulate --quiet $packages >/dev/null
    fi
    PIP_DRY_RUN=1 "$venv/bin/python" requirements/install.py cloud --venv "$venv"
    exit
fi
apt-get update --quiet
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends $packages
# In an image the folder is of whoever copied it, and git refuses a folder of another user's.
git rev-parse 2>/dev/null || git config --system --add safe.directory "$PWD"
PIP_NO_CACHE_DIR=1 python3 requirements/install.py cloud --venv "$venv" --torch "${TORCH:-cpu}"
touch "$venv/.bench"
"$venv/bin/acrobat" doctor
