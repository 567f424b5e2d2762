#!/usr/bin/env bash
# Tests the runtime, the coordinator, generated code, the adapters and programs of users with the versions of Kubernetes that
# are its arguments. The version of go.mod, the lowest, is tested with the lowest version of Go too. With --newest it tests
# the newest versions of the last two minor versions that the module proxy offers, pre-releases included.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

lowest=$(go list -m -f '{{.Version}}' k8s.io/apimachinery)
go=$(sed -n 's/^go //p' go.mod)
# The lowest version of the example operator, which uses the module kubernetes.
operator=$(go -C examples/operator list -m -f '{{.Version}}' k8s.io/client-go)
# The lowest Go that can run the tests: with Go 1.25.0 they would hang now and then: see golang.org/issue/75134.
lowestToolchain=go1.25.9

# The version of controller-runtime for each minor version of Kubernetes. For others it is the newest one.
declare -A controllerRuntime=([v0.34]=v0.22.4 [v0.35]=v0.23.0 [v0.36]=v0.24.0 [v0.37]=v0.25.2 [v0.38]=v0.25.2)

# Pre-releases of Kubernetes name versions that the module proxy lacks. These replace them, wherever they are named. Of
# k8s.io/ktesting, which only tests of Kubernetes import, an empty package is enough.
replacements=(
	sigs.k8s.io/structured-merge-diff/v7@v7.0.1=sigs.k8s.io/structured-merge-diff/v7@v7.0.0
	"k8s.io/ktesting@v0.38.0-beta.0=$PWD/build/matrix/ktesting"
)
mkdir -p build/matrix/ktesting
echo 'module k8s.io/ktesting' >build/matrix/ktesting/go.mod
echo 'package ktesting' >build/matrix/ktesting/ktesting.go

# newest prints the newest versions of the last two minor versions that all libraries have.
newest() {
	for library in apimachinery api client-go; do
		go list -m -versions -f '{{join .Versions "\n"}}' "k8s.io/$library"
	done | awk '/^v0\./ && ++offered[$0] == 3' | tac | awk -F. '!seen[$2]++ && ++minors <= 2' | tac
}

# minor prints the minor version of the version $1, such as v0.37.
minor() {
	cut -d. -f1,2 <<<"$1"
}

# older reports whether the version $1 is lower than the version $2. A pre-release is lower than its release.
older() {
	[ "$1" != "$2" ] && [ "$(printf '%s\n' "$1" "$2" | sed 's/-/~/' | sort -V | head -n 1 | sed 's/~/-/')" = "$1" ]
}

# toolchain_for prints the toolchain for the version $1: the local one, or the newest one if client-go needs a newer one.
toolchain_for() {
	if [ "$1" = "$lowest" ]; then
		echo "$lowestToolchain"
	elif GOTOOLCHAIN=local go mod download "k8s.io/client-go@$1" 2>/dev/null; then
		echo local
	else
		echo "go$(go list -m -f '{{.Version}}' go@latest)"
	fi
}

# available reports whether the toolchain $1 can be used.
available() {
	GOTOOLCHAIN=$1 go version >/dev/null 2>&1 && return
	echo "test-matrix: $1 is skipped, because it is neither installed nor can it be downloaded"
	[ -z "${STRICT:-}" ] || exit 1
	return 1
}

# require makes the go.mod $1 require the version $2 of the libraries of Kubernetes that it has.
require() {
	local requirements used controllers
	requirements=$(sed -nE 's,^(require |\t)(k8s.io/(api|apimachinery|client-go)) .*,\2@'"$2,p" "$1")
	# A go.mod that requires newer versions has indirect requirements of these. Tidy finds the older ones.
	sed -i '/\/\/ indirect$/d' "$1"
	go mod edit -go="$go" "${replacements[@]/#/-replace=}" "$1"
	for requirement in $requirements; do
		go mod edit -require="$requirement" "$1"
	done
	if grep -q 'sigs.k8s.io/controller-runtime ' "$1"; then
		controllers=${controllerRuntime[$(minor "$2")]:-$(go list -mod=mod -m -f '{{.Version}}' sigs.k8s.io/controller-runtime@latest)}
		go mod edit -require="sigs.k8s.io/controller-runtime@$controllers" "$1"
	fi
	go mod tidy -modfile="$1"
	used=$(go list -modfile="$1" -m -f '{{.Version}}' k8s.io/apimachinery)
	# A patch release of controller-runtime may require one of Kubernetes.
	if [ "$(minor "$used")" != "$(minor "$2")" ] || { [ "$used" != "$2" ] && ! grep -q 'sigs.k8s.io/controller-runtime ' "$1"; }; then
		echo "a requirement in $1 needs k8s.io/apimachinery $used, not $2" >&2
		exit 1
	fi
}

# try runs go test in the module $1 with the version $2 and a copy of its go.mod. Tests that need v0.38 are in testdata/v0.38.
try() (
	module=$1 version=$2 added=""
	shift 2
	echo "test-matrix: $module, Kubernetes $version, $(go version | cut -d' ' -f3)"
	build=$PWD/build/matrix/$version/$module
	mkdir -p "$build"
	cp "$module/go.mod" "$module/go.sum" "$build"
	cd "$module"
	require "$build/go.mod" "$version"
	for folder in testdata/v0.*; do
		if [ -d "$folder" ] && ! older "$(minor "$version")" "${folder#testdata/}"; then
			for file in "$folder"/*_test.go; do
				added+="${added:+, }\"$PWD/$(basename -- "$file")\": \"$PWD/$file\""
			done
		fi
	done
	echo "{\"Replace\": {$added}}" >"$build/overlay.json"
	go test -modfile="$build/go.mod" -overlay="$build/overlay.json" -vet=off -timeout=60m "$@"
)

# generated writes the golden code again, as the generator writes it for a module with the version $1 of
# client-go, and compiles and runs it. It works on a copy, because golden files are those of the newest version.
generated() (
	root=$PWD folder=$PWD/build/matrix/$1/golden
	echo "test-matrix: code that is generated for Kubernetes $1, $(go version | cut -d' ' -f3)"
	rm -rf "$folder"
	mkdir -p "$folder/generator" "$folder/hack"
	cp -R testdata "$folder/testdata"
	rm -rf "$folder/testdata/released"
	cp hack/boilerplate.go.txt "$folder/hack"
	GOTOOLCHAIN=local go test -c -vet=off -o "$folder/golden.test" ./generator
	cd "$folder/testdata"
	go mod edit -replace=github.com/typedinformers/informer-gen="$root"
	(cd dependency && require "$PWD/go.mod" "$1")
	require "$PWD/go.mod" "$1"
	(cd ../generator && ../golden.test -test.short -test.run='^TestGolden' -update)
	go test -vet=off -timeout=60m ./...
)

# compared compares generated code with that of code-generator of the version $1. The module test needs a newer Go than the
# lowest.
compared() (
	[ "$GOTOOLCHAIN" != "$lowestToolchain" ] || export GOTOOLCHAIN=local
	echo "test-matrix: generated code and code-generator $1, $(go version | cut -d' ' -f3)"
	cd test
	go test -vet=off -timeout=60m ./compare -run='^(TestKubernetes|TestShop)$' -kubernetes="$1"
)

# raises fails if a module that uses the version $1 of client-go needs another version of anything in its go.mod
# when it adds the runtime.
raises() (
	root=$PWD folder=$PWD/build/matrix/$1/user
	echo "test-matrix: a module with client-go $1 adds the runtime"
	rm -rf "$folder"
	mkdir -p "$folder"
	cd "$folder"
	printf 'module example.com/user\n\ngo %s\n\nrequire k8s.io/client-go %s\n' "$go" "$1" >go.mod
	go mod edit "${replacements[@]/#/-replace=}"
	printf 'package main\n\nimport _ "k8s.io/client-go/kubernetes"\n\nfunc main() {}\n' >main.go
	go mod tidy
	grep -E '^(go |require [^(]|[[:space:]])' go.mod | sed -E 's,^(require |[[:space:]]+)| // indirect$,,g' | sort >before
	printf 'package main\n\nimport _ "github.com/typedinformers/informer-gen/runtime/cache"\n' >informers.go
	go mod edit -replace=github.com/typedinformers/informer-gen="$root" -require=github.com/typedinformers/informer-gen@v0.0.0
	go mod tidy
	grep -E '^(go |require [^(]|[[:space:]])' go.mod | sed -E 's,^(require |[[:space:]]+)| // indirect$,,g' | sort >after
	if lost=$(comm -23 before after) && [ -n "$lost" ]; then
		printf 'its go.mod no longer has:\n%s\n' "$lost" >&2
		exit 1
	fi
	comm -13 before after
)

# programs runs two programs as users write them, in a module of their own with the version $1: an operator with the output of
# --informers=client-go, and a manager of controller-runtime. Both have to reconcile an object.
programs() (
	root=$PWD folder=$PWD/build/matrix/$1/programs
	echo "test-matrix: programs with Kubernetes $1, $(go version | cut -d' ' -f3)"
	rm -rf "$folder"
	mkdir -p "$folder/migration" "$folder/kubebuilder"
	cp -R test/migration/apis test/migration/clientgo test/migration/memory "$folder/migration"
	cp -R test/kubebuilder/api test/kubebuilder/internal test/kubebuilder/memory "$folder/kubebuilder"
	cp test/kubebuilder/go.mod "$folder"
	GOTOOLCHAIN=local go build -o build/matrix/informer-gen ./cmd/informer-gen
	cd "$folder"
	go mod edit -module=github.com/typedinformers/informer-gen/test
	for module in "" /adapters/clientgo /adapters/controllerruntime; do
		go mod edit -replace="github.com/typedinformers/informer-gen$module=$root$module"
	done
	require "$PWD/go.mod" "$1"
	rm -rf migration/clientgo/generated
	"$root/build/matrix/informer-gen" --informers=client-go --output-dir=migration/clientgo/generated ./migration/apis/...
	go mod tidy
	go run ./migration/memory
	go run ./kubebuilder/memory
)

if [ "${1:-}" = --newest ]; then
	mapfile -t versions <<<"$(newest)"
	set -- "${versions[@]:?the module proxy lists no versions of Kubernetes}"
fi
for version in "$@"; do
	GOTOOLCHAIN=$(toolchain_for "$version")
	export GOTOOLCHAIN
	available "$GOTOOLCHAIN" || continue
	try . "$version" -short ./runtime/... ./apitest/... ./observe/...
	raises "$version"
	programs "$version"
	try shard "$version" -short ./...
	generated "$version"
	compared "$version"
	try adapters/clientgo "$version" -short ./...
	try adapters/controllerruntime "$version" -short .
	if ! older "$version" "$operator"; then
		try examples/operator "$version" -skip='^(TestGeneratedCodeIsUpToDate|TestVerifyFindsWhatIsStale)$' ./...
	fi
done
