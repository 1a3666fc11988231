# Two commands do everything: `make reproduce` and `make test`. Both set up .venv on first use.

PYTHON ?= python3
CONFIG ?= config/quick.yaml
# Of `make gpu`, which takes PYTHON as it is: such a machine may have no network.
GPU_OUT ?= build/gpu
MINUTES ?= 30
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(wildcard acrobat/runtime/include/acrobat/*.h acrobat/runtime/include/acrobat/cuda/*.h \
	acrobat/runtime/src/*.cc acrobat/runtime/src/cuda/*.cc tests/runtime/cpu/*.cc \
	tests/runtime/cuda/*.cc tests/runtime/cuda/*.h \
	baselines/dynet/cpp/* baselines/cortex/cpp/cortex/*)

.PHONY: reproduce paper smoke gpu test lint slurm setup clean

reproduce: $(VENV)/.bench
	$(BIN)/snakemake --cores all --configfile $(CONFIG) --quiet rules
	$(BIN)/acrobat report --config $(CONFIG) --print

paper:
	$(MAKE) reproduce CONFIG=config/paper.yaml

smoke:
	$(MAKE) reproduce CONFIG=config/smoke.yaml

gpu:
	$(PYTHON) -m harness.gpu --out $(GPU_OUT) --minutes $(MINUTES)

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check workflow
	$(BIN)/snakemake --lint
	$(BIN)/clang-format --dry-run -Werror $(SOURCES)

# The pipeline on a real Slurm of this one machine; as root, with Debian's slurm-wlm and munge.
slurm: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet snakemake-executor-plugin-slurm==2.8.0
	PYTHON=$(BIN)/python tests/slurm/run.sh

setup: $(VENV)/.dev

$(VENV)/.venv:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.bench: $(VENV)/.venv pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[cpu,bench]"
	touch $@

$(VENV)/.dev: $(VENV)/.bench
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[cpu,gpu,bench,dev]"
	touch $@

clean:
	find results -mindepth 1 -maxdepth 1 ! -name reference -exec rm -rf {} +
