#!/usr/bin/env bash
# Checks what the packages of the modules that are its arguments import, directly or not: the licenses, on each system, and
# with govulncheck whether the modules call code with a known vulnerability. Without the database of vulnerabilities that
# check is skipped, or fails if STRICT is set. GOVULNDB names another database. With --licenses first, only the licenses are
# checked.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# These licenses only require notices. Another one, such as MPL-2.0, needs a decision: add --ignore for its module, with the
# reason, and no license for all.
allowed=Apache-2.0,BSD-2-Clause,BSD-3-Clause,ISC,MIT
vulnerabilities=true
if [ "${1:-}" = --licenses ]; then
	vulnerabilities=false
	shift
fi
bin=$PWD/build/bin failed=0
log=$(mktemp)
trap 'rm "$log"' EXIT
root=$(go list -m)
go -C hack/tools build -o "$bin/go-licenses" github.com/google/go-licenses/v2
for module in "$@"; do
	for system in linux darwin windows; do # some packages are compiled only for one
		if ! (cd "$module" && GOOS=$system "$bin/go-licenses" check ./... --ignore="$root" --allowed_licenses=$allowed) >"$log" 2>&1; then
			echo "licenses of $module on $system failed; replace the module that has another license than $allowed, or change hack/security.sh:"
			cat "$log"
			failed=1
		fi
	done
	echo "licenses of $module: checked"
done
$vulnerabilities || exit $failed
go -C hack/tools build -o "$bin/govulncheck" golang.org/x/vuln/cmd/govulncheck
for module in "$@"; do
	if "$bin/govulncheck" -C "$module" ${GOVULNDB:+-db="$GOVULNDB"} ./... >"$log" 2>&1; then
		echo "govulncheck of $module: no vulnerabilities"
	elif grep -q 'fetching vulnerabilities:' "$log"; then
		echo "govulncheck: skipped from $module on, because there is no database of vulnerabilities: $(tail -n 1 "$log"); set GOVULNDB to one, such as file:///srv/vulndb"
		[ -z "${STRICT:-}" ] || failed=1
		break # a vulnerability that was found before still fails
	else
		echo "govulncheck of $module failed:"
		cat "$log"
		failed=1
	fi
done
exit $failed
