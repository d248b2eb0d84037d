# Needs python3 (3.11 or newer, with venv and pip) and make. Everything else goes into .venv.

PYTHON ?= python3
# Number of test processes: one more than cores, because many tests wait for a browser, a cluster or
# another program.
WORKERS ?= $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")
# More arguments for pytest, for example: make test PYTEST_ARGS="-k certificate -x"
PYTEST_ARGS ?=
# More arguments for the demo, for example: make demo DEMO_ARGS=--json
DEMO_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.DEFAULT_GOAL := help
# Two installs into one environment at the same time would break it.
.NOTPARALLEL:
.DELETE_ON_ERROR:

.PHONY: help demo studio paper test heavy bench coverage held-out mutants sampling-error peers lint types layers schemas docs dist clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.demo ## Run the main job on the Adult data (installs only what it needs)
	$(BIN)/pufferfish demo $(DEMO_ARGS)

studio: $(VENV)/.studio ## Open the studio in the browser, with the built-in tables
	$(BIN)/pufferfish studio

paper: $(VENV)/.demo ## Regenerate the paper's figures and tables into paper/
	$(BIN)/python -m examples.paper --out paper --force

# There is a process for each core: further threads would only wait for each other.
test: export OPENBLAS_NUM_THREADS = 1
test: export OMP_NUM_THREADS = 1
# Tests start many short programs: each would compile the library anew.
test: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/.dev ## Run the tests
	$(BIN)/python -m pytest -m "not heavy" -n $(WORKERS) --dist loadgroup $(PYTEST_ARGS)

heavy: $(VENV)/.dev ## Run the few tests that take minutes: a cluster that fails in rare ways, all trials of the formulas
	$(BIN)/python -m pytest -m heavy $(PYTEST_ARGS)

bench: $(VENV)/.bench ## Run the benchmarks (installs their peers)
	$(BIN)/python -m benchmarks

coverage: $(VENV)/.dev ## Measure how often the intervals of denoise cover (takes minutes)
	$(BIN)/python -m benchmarks.coverage

held-out: $(VENV)/.dev ## Measure what promises become on rows that were not used (takes an hour)
	$(BIN)/python -m benchmarks.held_out

mutants: $(VENV)/.dev ## Count the small faults that the tests notice (takes an hour or more)
	$(BIN)/python -m benchmarks.mutants

sampling-error: $(VENV)/.dev ## Measure whether promises with a sampling error hold for the population (takes an hour)
	$(BIN)/python -m benchmarks.sampling_error --keep docs/figures/sampling-error.csv

peers: $(VENV)/.bench ## Audit the noise of other libraries (installs them)
	$(BIN)/python -m benchmarks.peers

lint: $(VENV)/.dev ## Check style and formatting
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check

types: $(VENV)/.dev ## Check the types
	$(BIN)/python -m mypy

layers: $(VENV)/.dev ## Check that modules import only what stands below them
	$(BIN)/lint-imports

schemas: $(VENV)/.dev ## Write the JSON schemas of documents again, from their shapes
	$(BIN)/python -m pufferfish.schemas

docs: $(VENV)/.docs ## Build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --site-dir site

dist: $(VENV)/.dist ## Build wheel and sdist into dist/, and test both in fresh environments
	rm -rf dist build
	$(BIN)/python -m build --outdir dist .
	rm -rf build
	$(BIN)/python -m tests.installed dist

clean: ## Remove the environment and everything that was built
	rm -rf $(VENV) build dist site src/*.egg-info pufferfish-demo paper
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

# Each stamp is renewed when pyproject.toml changes.
$(VENV)/.created:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.demo: pyproject.toml $(VENV)/.created
	$(PIP) --editable '.[cli,report]'
	@touch $@

$(VENV)/.studio: pyproject.toml $(VENV)/.created
	$(PIP) --editable '.[studio]'
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.created
	$(PIP) --editable '.[dev]'
	@touch $@

$(VENV)/.bench: pyproject.toml $(VENV)/.created
	$(PIP) --editable '.[dev,bench]'
	@touch $@

$(VENV)/.docs: pyproject.toml $(VENV)/.created
	$(PIP) --editable '.[docs]'
	@touch $@

$(VENV)/.dist: pyproject.toml $(VENV)/.created
	$(PIP) build
	@touch $@
