# The commands of this project, the same for a person and for CI. `make` alone lists them.
# Needed: Node 20.19 or newer, Go 1.26 or newer, git.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup hooks engine build generate format check test conformance demo bench live sdks dist release pictures clean node

SOURCES := $(shell find provider sdk emulator cli tools/build -type f -not -path "emulator/tests/*" -not -path "emulator/dist/*" -not -path "emulator/node_modules/*")

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

node:
	@command -v node >/dev/null || { echo "This project needs Node 20.19 or newer, and there is no node on PATH." >&2; exit 1; }
	@node bin/needed-node.cjs

setup: node ## install the packages of package-lock.json, where they are not there yet, and the commit hook
	@node tools/setup.mjs

hooks: node ## turn on the commit hook, which formats and lints what is staged
	@node tools/hooks.mjs

engine: setup ## find the Pulumi engine, or build the pinned one once (minutes) into the user's cache folder
	@node tools/engine/install.mjs

build: emulator/dist/cli.cjs emulator/dist/emulator.d.mts ## build dist/ and emulator/dist/, where the sources have changed

# The last file that is written stands for them all.
emulator/dist/cli.cjs: $(SOURCES) schema.json rolldown.config.mjs package.json package-lock.json | setup
	@node_modules/.bin/rolldown -c --logLevel warn >/dev/null

emulator/dist/emulator.d.mts: $(SOURCES) tsconfig.json tsconfig.build.json package-lock.json | setup
	@node tools/build/declarations.mjs

generate: setup $(if $(PLANS),engine build) ## write the files that are generated from the models; PLANS=1: and record the review's plans on the real engine
	@$(if $(PLANS),PGCOMPUTE_RECORD=1 node_modules/.bin/vitest run --project cli tests/cli/review-engine.test.ts tests/cli/drift.test.ts)
	@node_modules/.bin/tsx tools/generate.ts

format: setup ## format every file, and mend what lint can mend
	@node_modules/.bin/biome check --write .

check: build ## format, lint, types, import rules, workflows, packages, freshness of generated files, unit tests
	@node tools/verify.mjs check

test: engine build ## every check and every suite; what CI runs
	@node tools/verify.mjs test

conformance: engine build ## hold the model of the engine against the engine: 500 random sequences, or RUNS=n; RECORDS=folder goes on where it was left
	@PGCOMPUTE_RUNS=$(or $(RUNS),500) PGCOMPUTE_SEED=$(or $(PGCOMPUTE_SEED),101) PGCOMPUTE_RECORDS=$(abspath $(RECORDS)) node_modules/.bin/vitest run --project engine tests/engine/conformance

demo: engine build ## the whole life of an endpoint on the real engine, against the emulator
	@node_modules/.bin/tsx tools/demo/main.ts

bench: engine build ## measure time, calls, state and memory: SIZES="1 100", QUICK=1 for two minutes, PARTS="start fleets"
	@node_modules/.bin/tsx tests/bench/main.ts $(if $(QUICK),quick) $(SIZES) $(PARTS)

live: engine build ## on a real account, by hand only: two endpoints' life, and where the emulator differs
	@node_modules/.bin/tsx tools/live/main.ts

sdks: setup ## generate the SDKs for Go, Python and Java, and compile each; needs Go, Python and Maven
	@node tools/sdks/main.mjs

dist: setup ## build everything again and pack it into out/; PLUGIN_URL=... says where the engine finds the plugin
	@npm run --silent build
	@node tools/pack/main.mjs

release: setup ## raise the version to VERSION=X.Y.Z, date the changelog, commit and tag; docs/releasing.md has the rest
	@node tools/release/main.mjs

pictures: engine build ## take the pictures of docs/pictures again: the real engine's work in a real browser
	@node_modules/.bin/tsx tools/pictures/main.ts

clean: ## remove what can be made again, but not node_modules and not the engine
	rm -rf dist emulator/dist out .cache
