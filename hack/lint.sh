#!/usr/bin/env bash
# Checks the code of the modules that are its arguments, the scripts, the Makefile and the pages.
# What is skipped fails if STRICT is set.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

unformatted=$(git ls-files -z -co --exclude-standard '*.go' | xargs -0 gofmt -l)
if [ -n "$unformatted" ]; then
	printf 'not gofmt-clean, run gofmt -w:\n%s\n' "$unformatted"
	exit 1
fi

if command -v shellcheck >/dev/null; then
	echo "lint scripts"
	git ls-files -z -co --exclude-standard '*.sh' .ci/run | xargs -0 shellcheck
	# The list of packages that make test passes to go test has to be split.
	sed -n 's/^\([a-z0-9-]*\):.*## .*/\1/p' Makefile | while read -r target; do
		make -n --no-print-directory "$target" </dev/null | shellcheck --shell=sh --exclude=SC2046 -
	done
else
	echo "lint scripts: skipped, because shellcheck is not installed"
	[ -z "${STRICT:-}" ] || exit 1
fi

# With GOGC the compiler and the checks take a fifth less processor time, for more memory.
export GOGC=400
echo "lint pages"
go -C hack/tools build -o "$PWD/build/bin/pages" ./pages
build/bin/pages
staticcheck=$PWD/build/bin/staticcheck
actionlint=$PWD/build/bin/actionlint
go -C hack/tools build -o "$staticcheck" honnef.co/go/tools/cmd/staticcheck
go -C hack/tools build -o "$actionlint" github.com/rhysd/actionlint/cmd/actionlint
echo "lint workflows"
"$actionlint" -no-color .github/workflows/*.yml
for module in "$@"; do
	echo "lint $module"
	(cd "$module" && go mod tidy -diff && go vet ./... && "$staticcheck" ./...)
done
