# Tokenarium: `make run` serves, `make test` tests, `make bench` measures.

HOST ?= 127.0.0.1
PORT ?= 8000
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
UV := $(BIN)/python -m uv pip install --quiet --python $(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help run test nightly check unit browser pictures soak-short chaos soak bench bench-corpus fuzz conformance screenshot lock vendor wheel
# Python may write bytecode, also where a build environment forbids it: the tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: .venv/run ## Serve on http://127.0.0.1:8000 (PORT=…, HOST=…)
	@HOST=$(HOST) PORT=$(PORT) $(BIN)/python -m tokenarium serve

# A test is ended after the `timeout` in pyproject.toml; what then goes on, in a library that heeds no signal, ends with
# its process after these seconds.
LAST := $(if $(filter nightly,$(TIER)),4000,420)
# Schemathesis is loaded where its tests run.
PYTEST := $(BIN)/python -m pytest $(if $(filter nightly,$(TIER)),-p schemathesis.pytest.plugin) -o faulthandler_timeout=$(LAST) -o faulthandler_exit_on_timeout=true
# Two processes, each of which loads vocabularies for itself; tests of a file stay together and share their
# fixtures; the files that took longest in the last run come first (see tests/conftest.py). Tests of the browser have a
# run of their own: Playwright keeps an event loop running in its process, and other tests call asyncio.run().
PROCESSES ?= 2
PARALLEL := --numprocesses $(PROCESSES) --dist loadfile --no-loadscope-reorder

test: check unit browser ## What must hold before a commit: lint, types, all tests, in minutes

nightly: check .venv/nightly ## The same with long repetition and what only a release needs, then five minutes of soak, and chaos
	@command -v caddy || sh .ci/install caddy
	TIER=nightly $(MAKE) unit browser BROWSER=.venv/chromium
	$(MAKE) soak MINUTES=5
	$(MAKE) chaos

check: .venv/test ## Lint and types only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

unit: .venv/test ## All tests but those of the browser (TIER=nightly: also those that only a release needs)
	$(PYTEST) $(PARALLEL) --ignore=tests/browser

# Debian's headless shell is the same Chromium without windows, which takes half the time.
BROWSER ?= .venv/headless
browser: .venv/test $(BROWSER) ## The tests of the pages in a real Chromium
	CHROMIUM="$$(cat $(BROWSER))" $(PYTEST) $(PARALLEL) tests/browser

pictures: .venv/test .venv/headless ## Take the pictures again that tests of the pages compare with
	TAKE_PICTURES=1 CHROMIUM="$$(cat .venv/headless)" $(BIN)/python -m pytest tests/browser/test_views.py -k picture

KILLS ?= 600
chaos: .venv/test ## Kill a worker a second for a minute, then KILLS of them every 100 ms, under load (KILLS=600)
	$(BIN)/python -m benchmarks.chaos
	KILLS=$(KILLS) $(BIN)/python -m pytest --timeout 900 tests/whole/test_serving.py -k killed

MINUTES ?= 10
soak: .venv/test ## Ten times more clients than the server admits, of every kind (MINUTES=10)
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES)

soak-short: .venv/test ## Twenty seconds of the soak; times, memory and differing answers are shown, not judged
	$(BIN)/python -m benchmarks.soak --minutes 0.33 --warm 5 --lenient

bench: .venv/test .venv/chromium ## Measure, as ratios inside one run
	@command -v wrk >/dev/null || sh .ci/install wrk || echo "wrk cannot be installed: the server is not measured under load."
	CHROMIUM="$$(cat .venv/chromium)" $(BIN)/python -m benchmarks

SIZE ?= 200
bench-corpus: .venv/test ## Measure counts and estimates over SIZE megabytes of text, as ratios (SIZE=200)
	$(BIN)/python -m benchmarks.corpus --size $(SIZE)

screenshot: .venv/test .venv/chromium ## Take the README's pictures again
	CHROMIUM="$$(cat .venv/chromium)" $(BIN)/python -m benchmarks.screenshot

fuzz: .venv/test ## Read N mutants of tokenizer files, shared among the formats, in limited processes (N=1000000)
	$(BIN)/python -m tests.fuzz --n $$(( $(N) / 9 ))

N ?= 1000000
conformance: .venv/test ## Compare the engines on N generated texts a tokenizer (N=1000000, RESUME=--resume)
	$(BIN)/python -m tokenarium conformance --n $(N) --record $(RESUME)
	$(BIN)/python -m tests.rwkv_library --n $(N)

COMPILE := $(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
  --no-annotate
lock: .venv/run ## Pin the newest versions that pyproject.toml allows
	$(COMPILE) --extra server --extra mcp --extra transformers pyproject.toml -o requirements.lock
	$(COMPILE) --extra all --extra test -c requirements.lock pyproject.toml -o requirements-test.lock
	printf 'lm-eval\nopenapi-python-client\n' | $(COMPILE) --no-deps - -o requirements-clients.lock
	printf 'setuptools\nuv\n' | $(COMPILE) - -o requirements-uv.lock
	echo xllamacpp | $(COMPILE) --no-deps - -o requirements-nightly.lock

wheel: .venv/run ## Build dist/tokenarium-….whl, for pip, pipx and uvx
	rm -rf build dist
	$(BIN)/python -m uv build --quiet --wheel --no-build-isolation --python $(BIN)/python
	@rm -rf build; ls dist/*.whl

vendor: .venv/run ## Rebuild tokenizers_store from its packages
	$(BIN)/python -m tokenarium vendor

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version)'
	$(PYTHON) -m venv .venv || { rm -rf .venv; sh .ci/install python3-venv && $(PYTHON) -m venv .venv; }

# Setuptools builds the package. uv installs the same pinned and hashed packages as pip in a tenth of the time. It reads
# no pip settings: where it cannot reach its index (a mirror set for pip only, for example), pip installs them.
.venv/uv: requirements-uv.lock | .venv/bin/python
	$(PIP) --require-hashes -r requirements-uv.lock
	@touch $@

.venv/run: requirements.lock pyproject.toml | .venv/uv
	$(UV) --require-hashes -r requirements.lock || $(PIP) --require-hashes -r requirements.lock
	$(UV) --no-deps --no-build-isolation --editable . || $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# lm-eval needs a hundred packages, the part of it that is tested only three; openapi-python-client needs another typer
# than transformers, for its command only. Both are installed without what they need; the tests name the rest.
.venv/test: requirements-test.lock requirements-clients.lock | .venv/run
	$(UV) --require-hashes -r requirements-test.lock || $(PIP) --require-hashes -r requirements-test.lock
	$(UV) --no-deps --require-hashes -r requirements-clients.lock || \
	  $(PIP) --no-deps --require-hashes -r requirements-clients.lock
	@touch $@

# llama.cpp's own library, which only nightly tests ask.
.venv/nightly: requirements-nightly.lock | .venv/test
	$(UV) --no-deps --require-hashes -r $< || $(PIP) --no-deps --require-hashes -r $<
	@touch $@

.venv/chromium: | .venv/test
	@sh tests/browser/find_chromium.sh $(BIN)/python > $@.new && mv $@.new $@

.venv/headless: | .venv/test
	@sh tests/browser/find_chromium.sh $(BIN)/python chromium-headless-shell > $@.new && mv $@.new $@
