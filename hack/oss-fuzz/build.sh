#!/usr/bin/env bash
# Builds the fuzz targets of targets.txt with compile_native_go_fuzzer, in the image of the Dockerfile next to it.
# A line of targets.txt has the folder of a module, a package in it and a function.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
cd ..
while read -r module package function; do
	(
		cd "$module"
		# The compiled targets import it, in place of the package testing.
		go get github.com/AdamKorcz/go-118-fuzz-build/testing
		path=$(go list "$package")
		name=${path#github.com/typedinformers/informer-gen/}
		compile_native_go_fuzzer "$path" "$function" "${name//\//_}_$function"
	) </dev/null
done <hack/oss-fuzz/targets.txt
