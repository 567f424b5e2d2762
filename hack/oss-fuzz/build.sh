#!/usr/bin/env bash
# Builds the fuzz targets of targets.txt in the image of the Dockerfile next to it, which has the command
# compile_native_go_fuzzer_v2. A line of targets.txt has the folder of a module, a package in it and a function.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
cd ..
while read -r module package function; do
	(
		cd "$module"
		path=$(go list "$package")
		name=${path#github.com/typedinformers/informer-gen/}
		name=${name//\//_}_$function
		compile_native_go_fuzzer_v2 "$path" "$function" "$name"
		# The command also succeeds if it has built nothing.
		if [ ! -e "$OUT/$name" ]; then
			echo "$function of $path: no fuzz target was built" >&2
			exit 1
		fi
	) </dev/null
done <hack/oss-fuzz/targets.txt
