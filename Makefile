# Two commands do everything: `make run` tries it, `make test` proves it.
PYTHON ?= python3
VENV := .venv
COMMA := ,
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# The versions that the tests last passed with; where an index or a Python has them not, whatever pyproject.toml allows.
define install
$(PIP) --constraint requirements/versions.txt --editable '$(1)' && rm -f $(VENV)/.unlocked \
		|| { echo "these versions cannot all be had here: taking others"; touch $(VENV)/.unlocked; $(PIP) --editable '$(1)'; }
endef

.PHONY: run demo test check format docs bench bench-full soak fuzz clients system browser locked lock audit clean

run: $(VENV)/.installed ## install, then serve API, hub, MCP and worker on the embedded store until Ctrl-C
	@$(BIN)/hindbrain serve

demo: $(VENV)/.installed ## install, then tell the story on a throw-away store
	@$(BIN)/hindbrain demo
	@printf '\nYours to try, in this folder:\n'
	@printf '  %s/hindbrain add "Run make test before you push" --type convention\n' $(BIN)
	@printf '  %s/hindbrain recall "before pushing" --why\n' $(BIN)
	@printf '  %s/hindbrain --help\n' $(BIN)

test: $(VENV)/.installed-dev clients system browser ## the whole suite
	$(BIN)/python -m pytest

check: $(VENV)/.installed-dev clients system browser ## format, lint, types, generated docs, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python scripts/requirements.py --check
	$(BIN)/python scripts/reference.py --check
	$(BIN)/python scripts/routes.py --check
	$(BIN)/python scripts/reliability.py --check
	$(BIN)/python -m pytest

clients: $(VENV)/.installed-dev ## the real coding agents that tests run, once for all clones; without them those tests are skipped
	-@$(BIN)/python scripts/clients.py

system: $(VENV)/.installed-dev ## programs of the system that tests run; without them those tests are skipped
	-@$(BIN)/python scripts/system.py

browser: $(VENV)/.installed-dev ## the browser that tests of the hub run in; without one they are skipped
	-@$(BIN)/python scripts/browser.py

locked: $(VENV)/bin/python ## install exactly the files whose hashes requirements/lock.txt has, or nothing
	$(PIP) --require-hashes --requirement requirements/lock.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	@rm -f $(VENV)/.unlocked
	@touch $(VENV)/.installed $(VENV)/.installed-dev $(VENV)/.installed-bench

lock: $(VENV)/bin/python ## choose versions and hashes anew; asks the package index
	$(BIN)/python scripts/lock.py

audit: ## ask the database of known holes about everything in the lock; needs the network
	@test -x .peers/audit/bin/pip-audit || { $(PYTHON) -m venv .peers/audit \
		&& .peers/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit; }
	.peers/audit/bin/pip-audit --require-hashes --disable-pip --requirement requirements/lock.txt

format: $(VENV)/.installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/.installed-dev ## write the generated pages anew
	$(BIN)/python scripts/requirements.py
	$(BIN)/python scripts/reference.py
	$(BIN)/python scripts/routes.py
	$(BIN)/python scripts/reliability.py
	$(BIN)/python scripts/docs_refresh.py

FIGURES ?= figures.tsv# where full runs note how far they came; `scripts/reliability.py --take` reads it

soak: $(VENV)/.installed-dev clients system browser ## every promise of docs/reliability.md at full size: hours; then that page tells it
	HINDBRAIN_TIER=full HINDBRAIN_FIGURES=$(FIGURES) $(BIN)/python -m pytest -p no:randomly $$($(BIN)/python scripts/reliability.py --tests)
	$(BIN)/python scripts/reliability.py --take $(FIGURES)

fuzz: $(VENV)/.installed-dev ## every property and every route with many more examples: hours
	HINDBRAIN_TIER=full HINDBRAIN_FIGURES=$(FIGURES) $(BIN)/python -m pytest tests/property tests/e2e/test_http_openapi.py
	$(BIN)/python scripts/reliability.py --take $(FIGURES)

bench: $(VENV)/.installed-bench ## speed as ratios, and quality on ../shared/evals or EVAL_DATA where it is there
	$(BIN)/python -m bench

bench-full: $(VENV)/.installed-bench ## the same with the long sets, a million memories, and other stores, under .peers
	$(BIN)/python -m bench --full

$(VENV)/bin/python:
	@echo "creating $(VENV)"
	$(PYTHON) -m venv $(VENV)
	@$(PIP) --require-hashes --requirement requirements/pip.txt || echo "that pip cannot be had here: going on with this one"

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml requirements/versions.txt
	@echo "installing hindbrain into $(VENV)"
	$(call install,.[serve])
	@touch $@

$(VENV)/.installed-dev: $(VENV)/bin/python pyproject.toml requirements/versions.txt
	@echo "installing hindbrain and what its tests need into $(VENV)"
	$(call install,.[dev])
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: $(VENV)/.installed-dev
	@echo "installing what the benchmarks need into $(VENV)"
	$(call install,.[dev$(COMMA)bench])
	@touch $@

clean:
	rm -rf $(VENV) .peers build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
