.DEFAULT_GOAL := help
.SUFFIXES:

BIN := .venv/bin
INSTALLED := .venv/installed

PORT ?= 2024
DOCKERFILE ?= build/Dockerfile

export LANGGRAPH_CLI_NO_ANALYTICS := 1
export LANGGRAPH_NO_VERSION_CHECK := 1

# Set, it has every process compile all sources anew: half of the time of the unit tests.
unexport PYTHONDONTWRITEBYTECODE

# $(value) keeps a dollar sign in a value from being expanded, the quotes keep the shell from reading it.
quoted = '$(subst ','\'',$(value $(1)))'
option = $(if $(value $(1)),$(2) $(call quoted,$(1)))

##@ Use

.PHONY: chat
chat: $(INSTALLED) ## Talk in the terminal: THREAD= resumes a conversation, MODEL= and PERSONA= choose
	@$(BIN)/longhaul chat $(call option,THREAD,--thread) $(call option,MODEL,--model) $(call option,PERSONA,--persona) $(ARGS)

.PHONY: dev
dev: $(INSTALLED) ## Serve the graph to LangGraph Studio on PORT= (2024)
	@$(BIN)/longhaul check
	@$(BIN)/langgraph dev --no-browser --n-jobs-per-worker 10 --port $(call quoted,PORT)

.PHONY: migrate
migrate: $(INSTALLED) ## Bring the database's tables up to date
	@$(BIN)/longhaul migrate

.PHONY: transcript
transcript: $(INSTALLED) ## Show what was said in THREAD=, also what left the window; ARGS="--through 40 --count 20"
	@$(if $(value THREAD),,echo 'THREAD= names the conversation, as in: make transcript THREAD=chat-3f9a1c2e'; exit 2)
	@$(BIN)/longhaul transcript $(call option,THREAD,--thread) $(ARGS)

.PHONY: handover
handover: $(INSTALLED) ## List the conversations that wait for a person; THREAD= takes one
	@$(BIN)/longhaul handover $(call option,THREAD,--thread) $(ARGS)

.PHONY: memory
memory: $(INSTALLED) ## Show what THREAD= or USER_ID= has the bot remember; DO=export or DO=forget, ARGS=...
	@$(BIN)/longhaul memory $(if $(value DO),$(call quoted,DO),show) $(call option,THREAD,--thread) $(call option,USER_ID,--user) $(ARGS)

.PHONY: search
search: $(INSTALLED) ## Show what SAY="..." would bring back in THREAD=, and why
	@$(if $(and $(value THREAD),$(value SAY)),,echo 'as in: make search THREAD=chat-3f9a1c2e SAY="What was it called?"'; exit 2)
	@$(BIN)/longhaul search $(call quoted,SAY) $(call option,THREAD,--thread) $(ARGS)

.PHONY: reindex
reindex: $(INSTALLED) ## Make the vectors of old turns anew from the transcript, and check that each is found
	@$(BIN)/longhaul reindex $(ARGS)

.PHONY: review
review: $(INSTALLED) ## Show by week what the memory took in and missed; THREAD=, ARGS="--weeks 8 --csv -"
	@$(BIN)/longhaul review $(call option,THREAD,--thread) $(ARGS)

.PHONY: stats
stats: $(INSTALLED) ## Show by release what a thousand conversations cost and how often the bot was corrected; THREAD=, ARGS=--json
	@$(BIN)/longhaul stats $(call option,THREAD,--thread) $(ARGS)

.PHONY: rebuild
rebuild: $(INSTALLED) ## Make the summary of THREAD= anew from its transcript; without THREAD= all of them
	@$(BIN)/longhaul rebuild $(if $(THREAD),$(call option,THREAD,--thread),--all)

.PHONY: retention
retention: $(INSTALLED) ## Prune long threads and erase idle ones, as LONGHAUL_KEEP_TURNS and LONGHAUL_IDLE_DAYS say
	@$(BIN)/longhaul retention

.PHONY: dockerfile
dockerfile: $(INSTALLED) ## Write the Dockerfile of a LangGraph Server image to DOCKERFILE= (build/Dockerfile)
	@mkdir -p "$$(dirname $(call quoted,DOCKERFILE))"
	@$(BIN)/langgraph dockerfile $(call quoted,DOCKERFILE)

# Tests of one file share servers. In their own order the long ones come first, and short ones fill the end.
parallel = --dist loadfile --no-loadscope-reorder

##@ Develop

.PHONY: test
test: $(INSTALLED) ## Run every test; ARGS= goes to pytest, as -n0 for one process
	@$(BIN)/python -m pytest $(parallel) -n 4 $(ARGS)

.PHONY: test-unit
test-unit: $(INSTALLED) ## Run the tests that open no socket, ARGS= goes to pytest
	@$(BIN)/python -m pytest $(parallel) -n 2 tests/unit $(ARGS)

.PHONY: check
check: $(INSTALLED) ## Lint, check the format and the types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --num-workers 2

.PHONY: fmt
fmt: $(INSTALLED) ## Format the code and apply the linter's safe fixes
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

.PHONY: lock
lock: $(INSTALLED) ## Write requirements.lock anew from pyproject.toml, ARGS=--upgrade raises the versions in it
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --all-extras --generate-hashes \
		--no-emit-index-url --custom-compile-command 'make lock' $(ARGS) \
		--output-file requirements.lock pyproject.toml

.PHONY: evals
evals: $(INSTALLED) ## Check the memory against conversations that know their answers; exits 1 below a threshold
	@$(BIN)/evals check $(ARGS)

.PHONY: bench
bench: $(INSTALLED) ## Measure a long conversation beside what people would use instead, ARGS= as --turns 100
	@$(BIN)/python -m evals.bench --json build/bench.json --picture evals/bench/tokens.svg $(ARGS)

##@ Set up

.PHONY: install
install: $(INSTALLED) ## Make .venv from requirements.lock; every target that needs it does so by itself
	@:

.PHONY: clean
clean: ## Remove .venv, builds and caches; conversations (.longhaul) stay
	@rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache

.PHONY: help
help: ## Show this table of contents
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The environment names its own path, so it does not survive a move of the checkout.
ifneq ($(shell cat $(INSTALLED) 2>/dev/null),$(CURDIR))
.PHONY: $(INSTALLED)
endif

# uv installs in a fifth of pip's time, but knows of pip's settings only the index: where it fails, pip is asked.
$(INSTALLED): requirements.lock pyproject.toml
	@exec </dev/null >&2; set -e; \
	if [ "$$(cat $@ 2>/dev/null)" != "$(CURDIR)" ]; then \
		for python in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do \
			"$$python" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
				2>/dev/null && break; \
			python=; \
		done; \
		if [ -z "$$python" ]; then \
			echo 'longhaul needs Python 3.11, 3.12 or 3.13 with its venv module; none was found. PYTHON=/path/to/python names one.'; \
			exit 1; \
		fi; \
		echo "Setting up .venv with $$("$$python" --version); this takes a minute or two, once."; \
		"$$python" -m venv --clear .venv; \
	fi; \
	export VIRTUAL_ENV='$(CURDIR)/.venv' PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1; \
	awk '/^[^ #]/ { uv = /^uv==/ } uv' requirements.lock >.venv/uv.txt; \
	$(BIN)/python -m pip install --require-hashes --requirement .venv/uv.txt; \
	index=$$(PIP_QUIET=0 $(BIN)/python -m pip config get global.index-url 2>/dev/null || :); \
	index=$${UV_DEFAULT_INDEX:-$${PIP_INDEX_URL:-$$index}}; \
	$(BIN)/uv pip install --quiet --compile-bytecode $${index:+--default-index "$$index"} \
		--require-hashes --requirement requirements.lock || \
		$(BIN)/python -m pip install --require-hashes --requirement requirements.lock; \
	$(BIN)/python -m pip install --no-deps --no-build-isolation --editable .; \
	$(BIN)/python -m compileall -q app evals graph memory nodes prompts state; \
	printf %s '$(CURDIR)' >$@
