# One target a line in `make help`: what follows ## is its text.

# The modules of the repository, the product first. test/kube is not among them, because
# its dependencies take minutes to compile. make test-kube checks it.
MODULES := . testdata kubernetes apiextensions adapters/clientgo adapters/controllerruntime observe/metrics shard vet examples/operator examples/manager testserver test test/kubebuilder hack/tools
# Those that users require: their dependencies are those of users, and lint compares their exported API with that of the last tag.
USER_MODULES := . kubernetes apiextensions adapters/clientgo adapters/controllerruntime observe/metrics shard testserver vet
# The versions of k8s.io/apimachinery, api and client-go for test-matrix: the lowest, one of each minor version, and the newest
# pre-release. --newest stands for the newest ones of the module proxy.
KUBERNETES ?= v0.34.0 v0.35.0 v0.36.0 v0.37.2 v0.38.0-beta.0
FUZZTIME ?= 30s
HUNT ?= 1h
SOAK ?= 30m
# A package has this long on the slowest machine: the deadlines in tests follow progress.
TIMEOUT ?= 60m

# The runtime is tested with -race. With it in GOFLAGS, the go commands that tests run use it too. All other code is
# checked, and in `make test` also run, without it, so that each dependency outside of the runtime is compiled once:
# a generator has little that runs side by side, and `make test-all` runs it with -race. Vet is a part of lint alone: that
# of go test would read all dependencies again.
RACE := GOFLAGS="$$GOFLAGS -race"
TEST := go test -vet=off -timeout=$(TIMEOUT)
# All informers of these tests have packed objects.
PACKED := INFORMER_TEST_PACKED=1 $(TEST)
# The golden tests take four times as long with the race detector, so only what they compile and run has it. The tests
# of the tool run the same generator with it in test-all, for each case of testdata/errors.
GOLDEN := $(RACE) $(TEST) -race=false ./generator
OTHERS  = $(RACE) $(TEST) $$(go list ./... | grep -v '/generator$$')
# Packages whose tests are longer without -short.
longer = $$(git grep -l 'testing\.Short' -- $(1) | xargs -n1 dirname | sort -u | sed 's,^,./,')
# The compiler takes a fifth less processor time without garbage collection, for more memory.
COMPILE := GOGC=off GOMEMLIMIT=1GiB go list -export -deps -test -f ''

# ARGS=--real is the choice of another command of test/cmd, with a whole API server, and no option of it.
REAL := $(if $(filter --real,$(ARGS)),-real)
OPTIONS = $(subst --real,,$(ARGS))
# How long the first build of a command takes on two processors. Without garbage collection below 1 GiB, the compiler takes a tenth less
# processor time.
FIRST = $(if $(filter %-real %-shards,$(1)),4 minutes,a minute)
define build
@echo "Building $(1): about $(FIRST) the first time, and seconds after that"
@start=$$(date +%s) && GOGC=off GOMEMLIMIT=1GiB go -C test build -ldflags=-w -o ../build/bin/$(1) ./cmd/$(1) && echo "Built $(1) in $$(($$(date +%s) - start)) s"
endef

# Recipes have no absolute paths: the shell would split one that has a space. They take VERSION, which is the
# name of a tag in the workflow of a release, from the environment: make would run a $(shell …) in it.
.DEFAULT_GOAL := help
.PHONY: help demo demo-shards test test-server test-all test-unit test-platforms test-matrix test-golden test-example test-builtin test-crds test-clientgo test-crcache test-metrics test-coordinator test-observability test-e2e test-apply test-kube test-shards test-vet vet-wild test-wild test-operators apiserver generate verify bench bench-quick bench-kube bench-manager bench-writes bench-shards bench-fleet test-tools lint security licenses release-check release-dry-run release-binaries fuzz hunt soak clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## Run a controller on generated code with an API server in memory, and print its typed events and the address of its page (ARGS=--stay to go on until Ctrl-C, ARGS=--real for a whole API server and the example operator)
	$(call build,demo$(REAL))
	@build/bin/demo$(REAL) --repo=. $(OPTIONS)

demo-shards: ## Run processes of the example operator that share their work; add, kill, pause and stop one, and print how many objects each has, in a minute (ARGS="--objects=2000")
	$(call build,demo-shards)
	@build/bin/demo-shards --repo=. $(ARGS)

test: ## Run the tests of the runtime with -race, of the in-memory API server and of the generator, and type the commands of README.md, in 8 CPU minutes the first time
	$(RACE) $(COMPILE) ./runtime/...
	$(RACE) $(TEST) -short ./runtime/...
	$(COMPILE) ./apitest/... ./observe/... ./generator/... ./internal/...
	$(TEST) -short ./apitest/... ./observe/... ./generator/... ./internal/...
	cd hack/tools && $(TEST) -short -run='^TestTyping$$' ./pages

test-server: ## Run what CI checks besides `make test`: lint the root module, run its other and longer tests, and run its informers against a real API server
	hack/lint.sh .
	$(TEST) ./cmd/... $(call longer,'generator/internal/*_test.go')
	$(RACE) $(TEST) ./apitest/... ./observe/... $(call longer,'runtime/*_test.go')
	cd test && $(COMPILE) ./conformance ./e2e
	cd test && $(TEST) -skip='^TestChurn$$' ./conformance ./e2e

test-all: lint ## Run all checks and tests of all modules, before a release and after a change of what several modules use: 75 CPU minutes the first time, and 45 minutes on two processors
	$(OTHERS)
	$(GOLDEN)
	hack/test-386.sh -timeout=$(TIMEOUT)
	$(MAKE) test-example test-builtin test-crds test-clientgo test-packed test-crcache test-metrics test-coordinator test-vet test-tools test-e2e

test-unit: ## Run the quick tests of the root module, and those of the runtime as a 32-bit program too, in less than a minute
	$(OTHERS) -short
	$(GOLDEN) -short
	hack/test-386.sh -timeout=$(TIMEOUT)

test-platforms: ## Build and vet the root module and its tests for Linux, macOS, Windows and FreeBSD, and other modules for Windows; needs minutes the first time, and runs nothing
	set -e; export CGO_ENABLED=0 GOOS GOARCH; for platform in windows/amd64 darwin/arm64 linux/arm64 linux/386 freebsd/amd64 windows/arm64; do \
		GOOS=$${platform%/*} GOARCH=$${platform#*/}; go build ./...; go vet ./...; done
	set -e; export CGO_ENABLED=0 GOOS=windows GOARCH=amd64; for module in adapters/clientgo observe/metrics; do (cd $$module; go build ./...; go vet ./...); done

test-matrix: ## Run the tests of the runtime, generated code, the coordinator and the adapters, and two programs, with the lowest versions of Kubernetes and Go, with newer ones, and with methods that no version has yet, in 50 CPU minutes the first time, and 25 after that (KUBERNETES="v0.34.0 v0.37.2", KUBERNETES=--newest)
	@hack/test-matrix.sh $(KUBERNETES)
	cd test && $(TEST) ./later -run='^TestProgramsRunWithAMethodMore$$' -programs

test-golden: ## Run the slow tests of the generator, and vet, compile and test what it generates
	$(GOLDEN)

test-example: ## Run the tests of the examples
	cd examples/operator && $(TEST) -race ./...
	cd examples/manager && $(TEST) -race ./...

test-builtin: ## Run the tests of the informers of built-in kinds
	cd kubernetes && $(TEST) -race ./informers/externalversions

test-crds: ## Run the tests of the CRDs of the in-memory API server
	cd apiextensions && $(RACE) $(TEST) ./...

test-clientgo: ## Run the tests of the adapters for client-go, and client-go's own tests over them, in 2 minutes
	cd adapters/clientgo && $(RACE) $(TEST) ./...

test-packed: ## Run the tests of the contracts with packed objects in all informers, in 2 minutes
	$(PACKED) -skip='^ExampleWithMutationDetector$$' ./runtime/cache ./observe/healthz
	cd test && $(PACKED) ./conformance ./hostile ./scopes
	cd adapters/clientgo && $(PACKED) -skip='^(TestAllocationsOfReads|TestBothFaces|TestOtherTypes|TestUpstream)$$' .

test-crcache: ## Run the tests of the cache for controller-runtime, except for those with a kube-apiserver
	cd adapters/controllerruntime && $(RACE) $(TEST) ./...
	cd test/kubebuilder && $(TEST) ./...

test-metrics: ## Run the tests of the metrics of informers
	cd observe/metrics && $(RACE) $(TEST) ./...

test-coordinator: ## Run the tests of the coordinator of shards, with 10,000 random histories of its members, in 2 minutes
	cd shard && $(RACE) $(TEST) -skip=TestHistories ./... && $(TEST) -run=TestHistories ./internal/member

test-vet: ## Run the tests of informer-vet, and of its examples in docs/vet.md
	cd vet && $(TEST) ./...

test-tools: ## Run the tests of the commands in hack/tools, and type the commands of README.md and other pages in empty folders
	cd hack/tools && $(TEST) -race ./...

test-observability: ## Test the alerts with a real Prometheus, and the debug page in a headless Chromium, whose screenshots go to build/observe, in 2 minutes; needs the Debian packages prometheus and chromium
	cd test && $(TEST) ./observe/prometheus -prometheus=prometheus -promtool=promtool
	cd test && $(TEST) ./observe/page -chromium=chromium -images=../../../build/observe

test-e2e: ## Run the tests with the real API server, and compare the generated code with that of code-generator
	cd testserver && $(RACE) $(TEST) ./...
	cd test && $(RACE) $(TEST) ./...

test-apply: ## Call all functions of the apply configurations of k8s.io/api, and compare them with those of applyconfiguration-gen: 2 CPU minutes
	cd test && $(TEST) ./compare -run=TestKubernetes -all

test-kube: ## Check test/kube, and run the tests with a whole kube-apiserver, also those of controller-runtime over our cache: 15 CPU minutes the first time, 3 after that
	@hack/lint.sh test/kube
	@go -C test/kube build -o ../../build/bin/kube-server ./server
	cd test && $(TEST) ./kubetest -server=../../build/bin/kube-server

test-shards: ## Run processes of the example operator that share their work on a whole kube-apiserver, with kills, pauses and partitions, in 15 minutes; the first run also builds it (ARGS="-objects=20000 -members=5 -rounds=2 -rate=50" for the large size)
	@go -C test/kube build -o ../../build/bin/kube-server ./server
	cd test && $(TEST) -count=1 ./shards -server=../../build/bin/kube-server $(ARGS)

test-wild: ## Generate code for published API modules, and write test/wild/README.md, in about 20 minutes; the first run also downloads 1.7 GB in 20 minutes, and needs 7 GB of disk (ARGS="--only=REGEXP")
	@go -C test build -o ../build/bin/wild ./wild
	@build/bin/wild --repo=. --write $(ARGS)

vet-wild: ## Run informer-vet over published programs, and write vet/internal/wild/findings.txt, in an hour; the first run downloads 8 GB, with ARGS=--own-cache never more than 2 GB at once (ARGS="--only=REGEXP", --draw=30, --clones=FOLDER)
	@go -C vet build -o ../build/bin/vet-wild ./internal/wild
	@build/bin/vet-wild --repo=. $(ARGS)

test-operators: ## Migrate published operators by one command, or give them our cache, run their tests before and after, measure first syncs, and write the table of docs/migrating.md, in two hours or more; downloads 2 GB, and needs port 8080 (ARGS="--only=REGEXP", --skip-tests)
	@go -C test build -o ../build/bin/operators ./operators
	@build/bin/operators --repo=. $(ARGS)

apiserver: ## Run an API server in memory with CRDs until it is interrupted, for kubectl or any client (ARGS="--crds DIR", ARGS="--real --crds DIR --built-in apps/v1/Deployment" for a whole one)
	$(call build,apiserver$(REAL))
	@build/bin/apiserver$(REAL) $(OPTIONS)

generate: ## Write all generated files of the repository
	examples/operator/hack/update-codegen.sh
	kubernetes/hack/codegen.sh
	go test ./generator -run Golden -count=1 -update
	go -C test test ./migration -run Generated -count=1 -update
	cd test/apply && go generate .
	test/kubebuilder/hack/codegen.sh

verify: ## Check that all generated files are up to date
	examples/operator/hack/verify-codegen.sh
	kubernetes/hack/codegen.sh --verify
	go test ./generator -run Golden -count=1
	go -C test test ./migration -run Generated -count=1
	go -C test test ./apply -run GeneratedFiles -count=1
	test/kubebuilder/hack/codegen.sh --verify

bench: ## Measure side by side with code-generator and client-go, in two hours (ARGS="memory", one of generator, memory, packing, attacks, http, recovery)
	@test/bench/run.sh --write $(ARGS)

bench-quick: ## Measure the same in some minutes, with fewer objects and one round; write only to build/bench
	@test/bench/run.sh --quick $(ARGS)

bench-kube: ## Measure informers of a whole kube-apiserver, in three and a half hours; the first run also builds it (ARGS="--quick" takes 7 minutes)
	@test/bench/run.sh --write kube $(ARGS)

bench-manager: ## Measure managers with controller-runtime's cache and with ours, in 80 minutes; the first run also builds the API server (ARGS="--quick" takes 4 minutes)
	@test/bench/run.sh --write manager $(ARGS)

bench-writes: ## Measure controllers that read what they have written, in 8 minutes; the first run also builds the API server (ARGS="--quick" takes 3 minutes)
	@test/bench/run.sh --write writes $(ARGS)

bench-shards: ## Measure informers of a shard of a kube-apiserver that knows shards or not, in 75 minutes; the first run also builds the API server (ARGS="--quick" takes 3 minutes)
	@test/bench/run.sh --write shards $(ARGS)

bench-fleet: ## Measure managers that cache 100,000 nodes and as many pods, in 5 hours, with 20 GB of memory (MINUTES=5 shortens it; ARGS="--quick" takes 2 minutes)
	@test/bench/run.sh --write fleet $(ARGS)

lint: ## Run gofmt, go vet, staticcheck and go mod tidy on every module, check the links and the code of all pages, compare the exported API with that of the last tag, and run shellcheck if it is installed
	@hack/lint.sh $(MODULES)
	@hack/api.sh $(USER_MODULES)

security: ## Search for known vulnerabilities in what users compile, and check the licenses of it, in some minutes (STRICT=1 fails without network)
	@hack/security.sh $(USER_MODULES)

licenses: ## Check only the licenses of what users compile, in a minute
	@hack/security.sh --licenses $(USER_MODULES)

release-check: ## Check the configuration of goreleaser; the first run compiles it, in 15 CPU minutes (STRICT=1 fails without network)
	@hack/goreleaser.sh check

release-dry-run: ## Make a release in build/release without publishing it, and use each module as its users will, in some minutes (VERSION=v0.1.0)
	@hack/release.sh $${VERSION:+"$$VERSION"}

release-binaries: ## For the workflow of a release: build the binaries of the tag VERSION, their SBOMs and checksums, and the notes
	@hack/release.sh --binaries $${VERSION:+"$$VERSION"}

fuzz: ## Run each fuzz test for FUZZTIME (30s); some minutes in total
	@git grep -o '^func Fuzz[A-Za-z0-9_]*' -- '*_test.go' | sed 's/:func / /' | while read -r file name; do echo "fuzz $$file $$name"; \
		(cd "$$(dirname "$$file")" && go test -run='^$$' -fuzz="^$$name$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=10x . </dev/null) || exit 1; done

hunt: ## Test informers with random faults of a server for HUNT (1h), on one processor
	cd test && go test -count=1 -timeout=0 -run=TestRandomPlays ./hostile -for=$(HUNT)

soak: ## Run five informers and a manager of 100,000 objects, with 2,000 writes a second, cuts and restarts, for SOAK (30m), on two processors with 4 GB, and write what grows to build/soak; it needs about 50 CPU minutes (ARGS="-seed=1", see -help)
	@go -C test build -o ../build/bin/soak ./soak
	@build/bin/soak -for=$(SOAK) $(ARGS)

clean: ## Remove the build folder
	rm -rf build
