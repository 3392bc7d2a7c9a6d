# `make run` is all a newcomer needs; `make help` lists the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MANAGE := $(BIN)/python manage.py
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest

# Where `make run` keeps its database; tests and checks have a folder of their own.
MEMORYHUB_DATA ?= $(CURDIR)/data
export MEMORYHUB_DATA
test shifted soak mutants hosts lint shots messages golden: export MEMORYHUB_DATA := $(CURDIR)/build/check
# Tests start the program a hundred times: let Python keep what it has compiled.
test shifted soak mutants hosts: export PYTHONDONTWRITEBYTECODE :=
# They write thousands of small files: in memory where it is large enough.
test shifted mutants: export TMPDIR := $(or $(shell .ci/scratch),$(TMPDIR))

.PHONY: help setup run open test shifted quality soak mutants hosts lint audit sbom format bench shots messages calendar golden

# list the targets
help:
	@awk '/^# /{text=substr($$0,3)} /^[a-z]+:/{sub(":.*",""); printf "make %-8s %s\n",$$0,text}' Makefile

# create .venv with pinned packages; install Chromium, axe-core, nginx and Caddy for tests
setup: $(VENV)/.dev-packages $(VENV)/.chromium $(VENV)/.axe $(VENV)/.proxies

# open the sample in the dashboard; WORKSPACE=~/my/workspace opens that folder instead, OPEN=no no browser
run: $(VENV)/.packages
	@$(MANAGE) add $(if $(WORKSPACE),"$(subst ~/,$(HOME)/,$(WORKSPACE))",--sample)
	@$(MANAGE) sync
	@echo "Ctrl-C ends it; memoryhub open, or make open, gives another link"
	@$(MANAGE) serve $(if $(filter no,$(OPEN)),--no-open)

# open what `make run` serves in a browser again, signed in
open: $(VENV)/.packages
	@$(MANAGE) open

# lint, check migrations and run every quick test
test: setup lint
	$(MANAGE) check --fail-level WARNING
	$(MANAGE) makemigrations --check --dry-run
	$(PYTEST) -n auto --dist worksteal

# a tenth of the tests, with the clock at another day; DAY=2027-03-28T00:59+00:00
shifted: setup
	MEMORYHUB_TEST_CLOCK=$(or $(DAY),2028-02-29T12:00+00:00) $(PYTEST) -n auto --dist worksteal --tenth

# precision and recall of the import on labelled workspaces; SHOW=decisions lists what is wrong
quality: $(VENV)/.packages
	$(BIN)/python -m tests.quality $(if $(SET),--set "$(SET)") $(if $(SHOW),--show "$(SHOW)")

# long runs: random edits, kills and restarts, many writers
soak: setup
	$(PYTEST) -m soak -n auto --dist worksteal

# break the product in small ways, which tests have to notice; AREA=sync SAMPLE=200 SEED=1
mutants: setup
	$(BIN)/python -m tests.mutation $(AREA) $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED)) $(if $(AGAIN),--again)

# tests against the published packages of the programs whose files we read
hosts: setup
	$(PYTEST) -m hosts

# check format, lint and types
lint: $(VENV)/.dev-packages
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# list known faults of the pinned packages, where the service that knows them is reached
audit: build/audit/.packages
	build/audit/bin/pip-audit --requirement requirements.txt --no-deps --disable-pip --progress-spinner off

# write build/sbom.json: the packages of a release, as CycloneDX
sbom: build/audit/.packages
	build/audit/bin/cyclonedx-py requirements requirements.txt --pyproject pyproject.toml \
		--output-reproducible --of JSON -o build/sbom.json

# rewrite the sources in the one format
format: $(VENV)/.dev-packages
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# measure against the floor of this machine; BENCH=--quick for the short form
bench: $(VENV)/.dev-packages
	$(BIN)/python -m bench.run $(BENCH)

# take screenshots of every page into shots/
shots: setup
	$(BIN)/python -m tests.browser.shots shots

# collect the texts of pages for translation, compile what is translated
messages: $(VENV)/.dev-packages
	$(BIN)/python -m tests.messages

# write the names of months and weekdays from CLDR anew
calendar: $(VENV)/.dev-packages
	$(BIN)/python -m tests.calendar_names

# write the golden files anew; read the diff before you commit it
golden: $(VENV)/.dev-packages
	MEMORYHUB_GOLDEN=write $(PYTEST) -k golden

$(VENV)/.packages: requirements.txt .ci/memoryhub
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "MemoryHub needs Python 3.11 or newer: make PYTHON=python3.11"; exit 1; }
	@echo "Installing (once, about 40 s)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) -r requirements.txt
	@sed 's|@CHECKOUT@|$(CURDIR)|g' .ci/memoryhub > $(BIN)/memoryhub
	@chmod +x $(BIN)/memoryhub
	@touch $@

$(VENV)/.dev-packages: requirements-dev.txt $(VENV)/.packages
	@echo "Installing what tests and linters need (once)"
	@$(PIP) -r requirements-dev.txt
	@touch $@

# Without a Chromium browser tests skip themselves, except in CI: nothing stops here.
$(VENV)/.chromium: .ci/chromium $(VENV)/.dev-packages
	@.ci/chromium
	@touch $@

$(VENV)/.proxies: .ci/proxies $(VENV)/.dev-packages
	@.ci/proxies
	@touch $@

# In an environment of their own: they depend on other versions than the hub.
build/audit/.packages: requirements-audit.txt $(VENV)/.packages
	@$(PYTHON) -m venv build/audit
	@build/audit/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-audit.txt
	@touch $@

$(VENV)/.axe: .ci/axe $(VENV)/.dev-packages
	@.ci/axe
	@touch $@
