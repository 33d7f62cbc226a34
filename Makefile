# Every target sets up what it needs: a virtual environment in the checkout, dependencies from wheels only.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install -qq --only-binary :all:
STAMP  := $(VENV)/.installed
JOBS   ?= 2

.PHONY: help demo test test-heavy test-all lint bench docs browser clean
.DEFAULT_GOAL := help

help:
	@echo "make demo        a three-link arm from its parts to its motor torques, with proof and a report (out/report.html)"
	@echo "make test        the tests that need only the core and the oracles (Pinocchio, MuJoCo): minutes"
	@echo "make test-heavy  what \`make test\` leaves out: heavy extras (CAD, CasADi, JAX), a clean install, long arms"
	@echo "make test-all    both"
	@echo "make lint        ruff and pyright"
	@echo "make bench       speed beside other programs; writes bench/results.json"
	@echo "make docs        the manual, into site/"
	@echo "make browser     Chromium and Playwright for the tests of pages, where they can be installed"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; sys.exit(sys.version_info < (3, 11) and f"steiner needs Python 3.11 or newer, {sys.executable} is {v}; try: make PYTHON=python3.12 ...")'
	@echo "setting up $(VENV) (once, a few minutes) ..."
	@$(PYTHON) -m venv $(VENV)

$(STAMP)-core: pyproject.toml | $(BIN)/python
	@$(PIP) -e ".[report]"
	@$(PIP) pin 2>/dev/null || echo "no Pinocchio wheel for this machine: the demo runs without its proof"
	@touch $@

$(STAMP)-test: pyproject.toml | $(BIN)/python
	@$(PIP) -e ".[report,oracles,dev]"
	@touch $@ $(STAMP)-core

$(STAMP)-all: $(STAMP)-test
	@for extra in mesh cad data motion casadi jax mujoco; do \
		$(PIP) -e ".[$$extra]" 2>/dev/null || echo "extra '$$extra' has no wheel for this machine: its tests will be skipped"; \
	done
	@touch $@

demo: $(STAMP)-core
	@$(BIN)/python examples/desk_arm.py

test: $(STAMP)-test
	$(BIN)/python -m pytest -n $(JOBS)

test-heavy: $(STAMP)-all
	$(BIN)/python -m pytest -n $(JOBS) -m heavy

test-all: test test-heavy

lint: $(STAMP)-test
	$(BIN)/ruff check .
	$(BIN)/pyright --pythonpath $(BIN)/python

# Debian's own Chromium; where there is none, tests of pages skip and say so.
browser: $(STAMP)-test
	@$(PIP) -e ".[browser]" 2>/dev/null || echo "no Playwright for this machine: tests of pages will be skipped"
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-lmodern >/dev/null 2>&1; } || \
	echo "no Chromium here: tests of pages will be skipped"

bench: $(STAMP)-test
	$(BIN)/python -m bench

docs: $(STAMP)-test
	@$(BIN)/python -m tools.manual
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet --site-dir site
	@echo "open site/index.html"

clean:
	rm -rf site dist build out .pytest_cache .ruff_cache
