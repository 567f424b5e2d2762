#!/usr/bin/env bash
# Tests the runtime, the coordinator, generated code and the adapters for client-go with the versions of Kubernetes that are its arguments. The first one has to be that of go.mod, the lowest: it is tested with the lowest
# version of Go too.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

lowest=$(go list -m -f '{{.Version}}' k8s.io/apimachinery)
if [ "${1:-}" != "$lowest" ]; then
	echo "go.mod requires k8s.io/apimachinery $lowest, so the first version has to be that, not ${1:-missing}" >&2
	exit 1
fi
go=$(sed -n 's/^go //p' go.mod)
# The lowest Go that can run the tests: with Go 1.25.0 they would hang now and then: see golang.org/issue/75134.
toolchain=go1.25.9
# The newest version needs a newer Go than that of .go-version. Of the libraries that it names, one cannot be had.
newest=v0.38. newestToolchain=go1.27.4
kubeOpenAPI=k8s.io/kube-openapi@v0.0.0-20261014044854-ca3452a79603

# The version of controller-runtime for each minor version of Kubernetes.
declare -A controllerRuntime=([v0.34]=v0.22.4 [v0.35]=v0.23.0 [v0.36]=v0.24.0 [v0.37]=v0.25.2)

# available reports whether the toolchain $1 can be used.
available() {
	GOTOOLCHAIN=$1 go version >/dev/null 2>&1 && return
	echo "test-matrix: $1 is skipped, because it is neither installed nor can it be downloaded"
	[ -z "${STRICT:-}" ] || exit 1
	return 1
}

# replace_missing lets the go.mod $1 use another version of the library that the version $2 of Kubernetes names in vain.
replace_missing() {
	if [[ $2 == "$newest"* ]]; then
		go mod edit -replace=k8s.io/kube-openapi="$kubeOpenAPI" "$1"
	fi
}

# require makes the go.mod $1 require the version $2 of the libraries of Kubernetes that it has.
require() {
	local requirements used
	requirements=$(sed -nE 's,^(require |\t)(k8s.io/(api|apimachinery|client-go)) .*,\2@'"$2,p" "$1")
	# A go.mod that requires newer versions has indirect requirements of these. Tidy finds the older ones.
	sed -i '/\/\/ indirect$/d' "$1"
	go mod edit -go="$go" "$1"
	for requirement in $requirements; do
		go mod edit -require="$requirement" "$1"
	done
	if grep -q 'sigs.k8s.io/controller-runtime ' "$1"; then
		go mod edit -require="sigs.k8s.io/controller-runtime@${controllerRuntime[${2%.*}]}" "$1"
	fi
	replace_missing "$1" "$2"
	go mod tidy -modfile="$1"
	used=$(go list -modfile="$1" -m -f '{{.Version}}' k8s.io/apimachinery)
	# A patch release of controller-runtime may require one of Kubernetes.
	if [ "${used%.*}" != "${2%.*}" ] || { [ "$used" != "$2" ] && ! grep -q 'sigs.k8s.io/controller-runtime ' "$1"; }; then
		echo "a requirement in $1 needs k8s.io/apimachinery $used, not $2" >&2
		exit 1
	fi
}

# try runs go test in the module $1 with the version $2 and a copy of its go.mod.
try() (
	module=$1 version=$2
	shift 2
	echo "test-matrix: $module, Kubernetes $version, $(go version | cut -d' ' -f3)"
	mod=$PWD/build/matrix/$version/$module/go.mod
	mkdir -p "$(dirname -- "$mod")"
	cp "$module/go.mod" "$module/go.sum" "$(dirname -- "$mod")"
	cd "$module"
	require "$mod" "$version"
	go test -modfile="$mod" -vet=off -timeout=60m "$@"
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

# raises fails if a module that uses the version $1 of client-go needs another version of anything in its go.mod
# when it adds the runtime.
raises() (
	root=$PWD folder=$PWD/build/matrix/$1/user
	echo "test-matrix: a module with client-go $1 adds the runtime"
	rm -rf "$folder"
	mkdir -p "$folder"
	cd "$folder"
	printf 'module example.com/user\n\ngo %s\n\nrequire k8s.io/client-go %s\n' "$go" "$1" >go.mod
	replace_missing go.mod "$1"
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

for version in "$@"; do
	if [[ $version == "$newest"* ]]; then
		toolchain=$newestToolchain
		available "$toolchain" || continue
	elif [ "$toolchain" != local ]; then
		available "$toolchain" || toolchain=local
	fi
	export GOTOOLCHAIN=$toolchain
	try . "$version" ./runtime/... ./apitest/...
	raises "$version"
	try shard "$version" -short ./...
	generated "$version"
	try adapters/clientgo "$version" -short ./...
	if [ -n "${controllerRuntime[${version%.*}]:-}" ]; then # the next one has none yet
		try adapters/controllerruntime "$version" -short .
	fi
	toolchain=local
done
