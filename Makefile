# Every target makes the virtual environment it needs; nothing has to be set up first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
# Real treebanks for tests and benchmarks; tests that need them skip with a reason without.
export TREEGAUGE_UD ?= $(abspath ../shared/ud)
# Python compiles a module when it is first used and keeps the result; pip would compile all of
# them, which takes longer. Without the kept results, every process would compile all it imports.
export PIP_COMPILE := 0
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test core audit fuzz soak slurm lint bench calibrate replicate release docs clean

# A change of kernels compiles them again.
KERNELS := setup.py $(wildcard src/treegauge/kernels/*.p[xy][xd])

$(VENV)/core: pyproject.toml constraints.txt $(KERNELS)
	$(PYTHON) -m venv $(VENV)
	$(PIP) -c constraints.txt -e .
	touch $@

# One installation for both, because each builds the package.
$(VENV)/dev: pyproject.toml constraints.txt $(KERNELS)
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) -c constraints.txt --group dev -e .
	touch $(VENV)/core $@

# The scorer of 2018 as published is in no package of its own; of this one nothing else is used.
$(VENV)/bench: $(VENV)/dev
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) -c constraints.txt --group bench -e .
	$(BIN)/pip download --quiet --disable-pip-version-check --no-deps -d $(VENV)/peers trankit==1.1.2
	touch $@

$(VENV)/docs: $(VENV)/core
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) -c constraints.txt --group docs -e .
	touch $@

demo: $(VENV)/core
	$(BIN)/treegauge demo --out demo

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/python -m tools.docs.prose
	$(BIN)/mypy
	$(BIN)/pyright

# Types are checked on one processor while the tests run; what they are found to be comes last.
test: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/python -m tools.docs.prose
	@$(BIN)/mypy > $(VENV)/mypy.txt 2>&1 & checked=$$!; \
	$(BIN)/pytest -q -n auto --dist worksteal; failed=$$?; \
	wait $$checked || failed=$$?; cat $(VENV)/mypy.txt; exit $$failed

# The tests that need nothing but what users install: no torch, no parser library, no browser.
core: $(VENV)/core
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) -c constraints.txt --group core
	$(BIN)/pytest -q -n auto --dist worksteal tests src --ignore-glob="*parsing/neural*" --ignore-glob="*test_replications*"

# New random examples of the tests, then the next inputs of every fuzzer, then a minute of each guided by
# coverage where Atheris has a wheel; FUZZ sets the number of inputs. Writes docs/reliability.md.
FUZZ ?= 20000
fuzz: $(VENV)/dev
	$(BIN)/pytest -q -n auto --dist worksteal --hypothesis-profile=fuzz \
		$$(grep -rl "from hypothesis import" tests --include="test_*.py")
	$(BIN)/python -m tools.fuzz --inputs $(FUZZ)
	if $(PIP) -c constraints.txt --group fuzz -e .; \
		then $(BIN)/python -m tools.fuzz --guided 60; \
		else echo "no coverage-guided run: Atheris has no wheel for this platform"; fi
	$(BIN)/python -m tools.fuzz.faults
	$(BIN)/python -m tools.fuzz.reliability

# Licences and known vulnerabilities of the dependencies; fails if no index can be asked. The program has an
# environment of its own, so that what it needs is not audited in place of what treegauge needs.
$(VENV)/audit: constraints.txt
	$(PYTHON) -m venv $@
	$@/bin/pip install --quiet --disable-pip-version-check -c constraints.txt pip-audit
	touch $@

audit: $(VENV)/core $(VENV)/audit
	$(PIP) packaging
	$(BIN)/python -m tools.docs.audit $(VENV)/audit/bin/pip-audit

# Heavy loads, an hour of one core and 10 GB through a pipe. Writes docs/reliability.md.
soak: $(VENV)/dev
	$(BIN)/python -m tools.bench.soak
	$(BIN)/python -m tools.fuzz.reliability

# A plan through a Slurm cluster of one node, started here as root; says why where that cannot be.
slurm: $(VENV)/dev
	$(BIN)/pytest -v -rs -p no:xdist tests/experiments/test_slurm.py

# Writes docs/scaling.md, docs/benchmarks.md, and how long the first pages take.
bench: $(VENV)/bench
	$(BIN)/python -m tools.bench.scaling --write
	$(BIN)/python -m tools.bench --write
	$(BIN)/python -m tools.bench.reader_paths --write

# Checks every interval, test and verdict in full and writes docs/calibration.md.
calibrate: $(VENV)/dev
	$(BIN)/python -m tools.calibrate; failed=$$?; $(BIN)/python -m tools.calibrate --write; exit $$failed

# Makes the tables of the replications again and puts them into the docs.
replicate: $(VENV)/dev
	$(BIN)/python -m studies

# Everything that must hold before a tag: versions, docs, wheel and source distribution in fresh environments.
release: $(VENV)/dev $(VENV)/docs
	$(PIP) -c constraints.txt --group release
	$(BIN)/python -m tools.release --dry-run

docs: $(VENV)/docs
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) build src/treegauge/kernels/*.so site demo .mypy_cache .ruff_cache .pytest_cache
