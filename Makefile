# Every target sets up what it needs: a virtual environment in .venv with the pinned versions.
# The set-up is repeated only when pyproject.toml, constraints.txt or the place of this folder changes.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
SLOWEST := --durations=10 --durations-min=5

# A copied .venv still points at the folder it was made for, so the folder is part of the key.
KEY := $(shell { cat pyproject.toml constraints.txt; pwd; } | cksum | tr ' ' '-')
READY := $(VENV)/ready-$(KEY)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-slow check format bench clean

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

demo: $(READY)-core  ## make a stand-in for a built-in table, in ./demo
	$(PY) -m understudy demo

test: $(READY)-test  ## run every fast test and every doctest
	$(PY) -m pytest -n 2 --dist worksteal $(SLOWEST)

test-slow: $(READY)-test  ## run the tests that take minutes
	$(PY) -m pytest -n 2 --dist worksteal -m slow --timeout 1800 $(SLOWEST)

check: $(READY)-check  ## format, lint, types, import contracts, then the tests
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	$(PY) -m pytest -n 2 --dist worksteal $(SLOWEST)

format: $(READY)-check  ## put the code in its one layout
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

bench: $(READY)-test  ## run every benchmark; each prints its ratios
	@set -e; for file in benchmarks/[!_]*.py; do echo "== $$file"; $(PY) "$$file"; done

clean:  ## remove the virtual environment and all caches
	rm -rf $(VENV) demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# What each set-up installs: the core alone, the core and the test extra, or everything `make check` needs.
$(READY)-core: SPEC := .
$(READY)-test: SPEC := .[test]
$(READY)-check: SPEC := .[check]

$(READY)-%:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "understudy needs Python 3.11 or newer; try: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@test "$$(cat $(VENV)/made-for 2>/dev/null)" = "$(CURDIR)" && $(PY) -c '' 2>/dev/null || { \
	  echo "making $(VENV) ..." && $(PYTHON) -m venv --clear $(VENV) && echo "$(CURDIR)" > $(VENV)/made-for; }
	@echo "installing $(SPEC) with the versions in constraints.txt ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '$(SPEC)'
	@touch $@
