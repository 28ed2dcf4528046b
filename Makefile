# Tokenarium: `make run` serves, `make test` proves, `make bench` measures.

HOST ?= 127.0.0.1
PORT ?= 8000
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help run test check unit laws contract minute browser property chaos soak bench conformance screenshot lock \
  vendor

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: .venv/run ## Serve on http://127.0.0.1:8000 (PORT=…, HOST=…)
	@HOST=$(HOST) PORT=$(PORT) $(BIN)/python -m app serve

test: check .venv/chromium ## Lint, types, unit, property, contract and browser tests, a minute of the soak
	@$(MAKE) -j 2 browser laws contract unit minute

check: .venv/test ## Lint and types only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

LAWS := tests/test_laws.py tests/lab/test_conformance.py tests/lab/steps/encode/test_replay.py
CONTRACT := tests/web/test_contract.py

unit: .venv/test ## Everything but the browser, the laws and the contract
	$(BIN)/python -m pytest --ignore=tests/browser $(LAWS:%=--ignore=%) --ignore=$(CONTRACT)

laws: .venv/test ## The laws over every tokenizer, and both engines on 20,000 texts each
	$(BIN)/python -m pytest $(LAWS)

contract: .venv/test ## What the API says of itself, with 500 cases an operation (CASES=500)
	$(BIN)/python -m pytest $(CONTRACT)

browser: .venv/test .venv/chromium ## The page in a real Chromium
	CHROMIUM="$$(cat .venv/chromium)" $(BIN)/python -m pytest tests/browser

property: .venv/test ## The laws again, with far more examples
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest tests/test_laws.py tests/lab/steps/encode/test_replay.py

KILLS ?= 600
chaos: .venv/test ## Kill a worker a second for a minute, then KILLS of them every 100 ms, while people ask (KILLS=600)
	$(BIN)/python -m benchmarks.chaos
	KILLS=$(KILLS) $(BIN)/python -m pytest tests/web/test_serving.py -k killed

MINUTES ?= 10
soak: .venv/test ## Ten times more clients than the server lets in, of every kind (MINUTES=10)
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES)

minute: .venv/test ## A minute of the soak; times, memory and differing answers are shown, not judged
	$(BIN)/python -m benchmarks.soak --minutes 1 --lenient

bench: .venv/test .venv/chromium ## Measure, as ratios inside one run
	CHROMIUM="$$(cat .venv/chromium)" $(BIN)/python -m benchmarks

screenshot: .venv/test .venv/chromium ## Take the README's pictures again
	CHROMIUM="$$(cat .venv/chromium)" $(BIN)/python -m benchmarks.screenshot

N ?= 1000000
conformance: .venv/run ## Compare the engines on N generated texts a tokenizer (N=1000000)
	$(BIN)/python -m app conformance --n $(N) --record

lock: .venv/test ## Pin the newest versions that pyproject.toml allows
	$(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  pyproject.toml -o requirements.lock
	$(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --extra test -c requirements.lock pyproject.toml -o requirements-test.lock

vendor: .venv/run ## Rebuild tokenizers_store from its packages
	$(BIN)/python -m app vendor

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version)'
	$(PYTHON) -m venv .venv || { rm -rf .venv; sh .ci/install python3-venv && $(PYTHON) -m venv .venv; }

.venv/run: requirements.lock | .venv/bin/python
	$(PIP) --require-hashes -r requirements.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/test: requirements-test.lock | .venv/run
	$(PIP) --require-hashes -r requirements-test.lock
	@touch $@

.venv/chromium: | .venv/test
	@sh tests/browser/find_chromium.sh $(BIN)/python > $@.new && mv $@.new $@
