# Two commands do everything: `make reproduce` and `make test`. Both set up .venv on first use.

# Without PYTHON an environment that is there is kept, with it made anew for another Python.
PYTHON ?=
VENV ?= .venv
# auto, cpu, cuda or none: the build of PyTorch (requirements/install.py).
TORCH ?= auto
CONFIG ?= config/quick.yaml
# DyNet's native build goes on beside the installation; DYNET= leaves it to the first measurement.
DYNET ?= --dynet
# Of the tests that are marked so: none, all or a share (tests/selection.py).
EXHAUSTIVE ?= none
# Of `make gpu`, which takes PYTHON as it is: such a machine may have no network.
GPU_OUT ?= build/gpu
MINUTES ?= 30
SET_UP := $(or $(PYTHON),python3) requirements/install.py --venv $(VENV) --torch $(TORCH) \
	$(if $(PYTHON),--recreate)
# An environment of another Python is out of date.
PYTHON_HAS := $(if $(PYTHON),$(shell $(PYTHON) -c 'import sys; print(*sys.version_info[:2])'))
VENV_HAS := $(if $(PYTHON),$(shell $(VENV)/bin/python -c 'import sys; print(*sys.version_info[:2])' \
	2>&1))
ifneq ($(PYTHON_HAS),$(VENV_HAS))
ANEW := anew
endif
BIN := $(VENV)/bin
SOURCES := $(shell find acrobat/runtime tests/runtime tests/aarch64 -name '*.h' -o -name '*.cc') \
	$(wildcard baselines/dynet/cpp/* baselines/cortex/cpp/cortex/*)

.PHONY: reproduce paper smoke figure-F8 gpu test test-all test-triton lint lint-ruff lint-format lint-types \
	lint-imports lint-workflow lint-cpp lock check-lock slurm setup anew clean

reproduce: $(VENV)/.bench
	$(BIN)/snakemake --cores all --configfile $(CONFIG) --quiet rules
	$(BIN)/acrobat report --config $(CONFIG) --print

paper:
	$(MAKE) reproduce CONFIG=config/paper.yaml

smoke:
	$(MAKE) reproduce CONFIG=config/smoke.yaml

# One table or figure, with all of the configuration that has it: make figure-F3, make table-T7.
figure-% table-%: $(VENV)/.bench
	config=$$($(BIN)/python -m plots.configuration $*) && $(MAKE) reproduce CONFIG=$$config && \
	    ls -1 results/$$(basename $$config .yaml)/*/$*_*

# Not of rows: trains to the end. SST names the treebank's folder, ARGUMENTS what else harness.curves
# takes, such as --trees 2000 --epochs 3.
SST ?=
ARGUMENTS ?=
figure-F8: $(VENV)/.bench
	-$(BIN)/python -m baselines.dynet.build
	$(BIN)/python -m harness.curves $(if $(SST),--sst $(SST)) $(ARGUMENTS)
	$(BIN)/python -m plots.curves results/sentiment

gpu:
	$(or $(PYTHON),python3) -m harness.gpu --out $(GPU_OUT) --minutes $(MINUTES)

# A representative of everything. `test-all` has every combination, EXHAUSTIVE=1/4 a share of them.
# Many tests start processes that import the sources: their bytecode is kept, whatever the environment
# says.
test: $(VENV)/.dev
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n auto --dist worksteal --exhaustive $(EXHAUSTIVE)

test-all:
	$(MAKE) test EXHAUSTIVE=all

# The other end of the range of Triton than the one that is locked.
test-triton: $(VENV)/.dev
	$(BIN)/python -m venv build/triton
	echo "$(abspath $(VENV))/lib/python$$($(BIN)/python -c \
	    'import sys; print("%d.%d" % sys.version_info[:2])')/site-packages" \
	    > $$(echo build/triton/lib/python3*/site-packages)/dev.pth
	build/triton/bin/python -m pip install --quiet --no-deps "triton==3.6.*"
	build/triton/bin/python -m pytest -n auto $(wildcard tests/kernels/test_cuda_*.py)

# Each check by itself is a hook of .pre-commit-config.yaml, too.
lint: lint-ruff lint-format lint-types lint-imports lint-workflow lint-cpp

lint-ruff: $(VENV)/.dev
	$(BIN)/ruff check .

lint-format: $(VENV)/.dev
	$(BIN)/ruff format --check .

lint-types: $(VENV)/.dev
	$(BIN)/mypy

lint-imports: $(VENV)/.dev
	$(BIN)/lint-imports --no-cache

lint-workflow: $(VENV)/.dev
	$(BIN)/snakefmt --check workflow
	$(BIN)/snakemake --lint

lint-cpp: $(VENV)/.dev
	$(BIN)/clang-format --dry-run -Werror $(SOURCES)

# The pipeline on a real Slurm of this one machine; as root, with Debian's slurm-wlm and munge.
slurm: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --no-deps $$(grep -oE \
	    '^(snakemake-executor-plugin-slurm(-jobstep)?|throttler)==[^ ]+' requirements/cloud.txt)
	PYTHON=$(BIN)/python tests/workflow/slurm/run.sh

setup: $(VENV)/.dev

$(VENV)/.bench: pyproject.toml requirements/bench.txt requirements/install.py $(ANEW)
	$(SET_UP) bench $(DYNET)
	touch $@

$(VENV)/.dev: pyproject.toml requirements/dev.txt requirements/install.py $(ANEW)
	$(SET_UP) dev
	touch $(VENV)/.bench $@

lock: $(VENV)/.dev
	$(BIN)/python requirements/lock.py

# As with nothing but PyPI: uv reads none of pip's settings.
check-lock: $(VENV)/.dev
	$(BIN)/python requirements/lock.py --check

clean:
	find results -mindepth 1 -maxdepth 1 ! -name reference -exec rm -rf {} +
