# Targets for development, see CONTRIBUTING.md. `make help` lists them.

GO      ?= go
BIN     := bin/blq
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
export GO
export CGO_ENABLED ?= 0
export SYSTEMS

UPLOADS ?= 100

.PHONY: help demo build test race e2e ui-check screenshots faults check ci golden bench bench-service attack-service storm tokens generate image compose release clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "%-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## build, and show blq on real failing builds
	@BLQ=$(CURDIR)/$(BIN) sh script/demo.sh

build: ## build bin/blq and bin/blqd
	@VERSION=$(VERSION) sh script/compile.sh blq $(BIN)
	@VERSION=$(VERSION) sh script/compile.sh blqd $(BIN)d

test: ## run all tests except e2e and faults; installs what they need
	@sh script/test.sh

race: ## run the tests that start goroutines under the race detector
	@sh script/test.sh race

e2e: ## stock MCP clients against the real server, and workflows in act; installs both into bin
	@sh script/e2e.sh
	@sh script/e2e-actions.sh

ui-check: ## check the pages in a real browser; prints a figure for each check
	@sh script/ui.sh

screenshots: ## take the pictures of pages in docs again
	@sh script/ui.sh screenshots

faults: ## disturb uploads with every fault, with real processes; UPLOADS=1000 takes longer
	@sh script/test.sh faults -timeout 2h -uploads=$(UPLOADS)

check: ## format, modules, lint, manifests, generated files, and builds for all systems; SYSTEMS=linux/amd64 for one
	@sh script/check.sh

ci: check test race faults e2e ## every stage of CI, one after the other; takes half an hour
	@sh script/ui.sh ci
	@$(MAKE) demo

golden: ## capture the goldens of the parser again from the real tools
	$(GO) run ./script/golden -install -all
	$(GO) test ./ingest/parse/formats -run TestGoldens -update
	git diff --stat -- ingest/parse/formats/testdata

bench: build ## measure parsing, wrapping and the store against common tools
	@BLQ=$(CURDIR)/$(BIN) sh script/bench.sh

bench-service: build ## measure the hosted service; FLAGS='-small 1000000 -large 10000000' takes half an hour
	$(GO) run ./script/bench-service -blqd $(BIN)d -blq $(BIN) $(FLAGS)

attack-service: build ## measure how attacks on the service slow down another tenant; FLAGS='-events 1000000 -log-mb 2000'
	$(GO) run ./script/attack-service -blqd $(BIN)d $(FLAGS)

storm: ## send 10,000 deliveries of GitHub to replicas that are killed, out of order and repeated, on both engines
	BLQ_DELIVERIES=10000 $(GO) test ./internal/deliveries -run TestAStorm -count 1 -timeout 60m -v

tokens: build ## measure how much agents have to read; LOGS names folders of captured logs
	@BLQ=$(CURDIR)/$(BIN) $(GO) run ./script/tokens $(LOGS)

generate: build ## write the generated parts of docs/formats.md, mcp.md and tools.md
	@sh script/generate.sh write

image: ## build the images blq, blq-job, blqd and blq-toolbox; starts a Docker engine if none answers
	@sh script/docker.sh sh script/image.sh

compose: ## test deploy/compose with local images: two replicas, one of which is killed
	@sh script/docker.sh sh script/compose.sh

release: ## write the files of a release, VERSION=v1.2.3, into dist/
	@sh script/release.sh

clean: ## remove what was built
	rm -rf bin
