#!/usr/bin/env bash
# Runs each fuzz test of the repository for a time, such as 30s.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
time=$1
git grep -o '^func Fuzz[A-Za-z0-9_]*' -- '*_test.go' | while IFS=: read -r file func; do
	package=$(dirname "$file") name=${func#func }
	echo "fuzz $package $name"
	(cd "$package" && go test -run='^$' -fuzz="^$name\$" -fuzztime="$time" -fuzzminimizetime=10x . </dev/null)
done
