#!/usr/bin/env bash
# Generates the code in testdata/released/VERSION for the release VERSION, such as v0.2.0. Nothing
# generates it again: TestReleased compiles and runs it with the runtime of later versions. A release
# of a minor version fails without the folder.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
version=${1:?name the version, such as: hack/snapshot.sh v0.2.0}
released=testdata/released
if [ -e "$released/$version" ]; then
	echo "hack/snapshot.sh: $released/$version exists, and the code of a release never changes; use the next version" >&2
	exit 1
fi
last=$(find "$released" -mindepth 1 -maxdepth 1 -name 'v*' -printf '%f\n' | sed 's/-/~/' | sort -V | tail -n 1 | sed 's/~/-/')
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
go build -o "$scratch/informer-gen" ./cmd/informer-gen

# A failure leaves no folder that would look like a release.
trap 'rm -rf "$scratch" "$released/$version"' EXIT
# The types and the tests are those of the last release.
(cd "$released/$last" && git ls-files -co --exclude-standard | grep -v -e '^generated/' -e 'zz_generated') | while read -r file; do
	mkdir -p "$(dirname -- "$released/$version/$file")"
	sed "s,testdata/released/$last/,testdata/released/$version/,g" "$released/$last/$file" >"$released/$version/$file"
done
(
	cd "$released"
	"$scratch/informer-gen" --output-dir="$version/generated" --deepcopy --register --with-applyconfig \
		--go-header-file=../../hack/boilerplate.go.txt "./$version/shop/..."
	go mod tidy -diff
	go vet "./$version/..."
	go test -count=1 "./$version/..."
)
trap 'rm -rf "$scratch"' EXIT
du -sh "$released/$version"
echo "Commit $released/$version. Delete versions that are more than one minor version older: docs/compatibility.md promises no more."
