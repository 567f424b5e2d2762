#!/usr/bin/env bash
# Checks the modules that are its arguments: the licenses of all packages that they need, and with govulncheck
# whether they call code with a known vulnerability. Without the database of vulnerabilities that check is
# skipped, or fails if STRICT is set. GOVULNDB names another database. With --licenses first, only the licenses are
# checked.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
vulnerabilities=true
if [ "${1:-}" = --licenses ]; then
	vulnerabilities=false
	shift
fi
bin=$PWD/build/bin
go -C hack/tools build -o "$bin/licenses" ./licenses
"$bin/licenses" "$@"
$vulnerabilities || exit 0
go -C hack/tools build -o "$bin/govulncheck" golang.org/x/vuln/cmd/govulncheck
log=$(mktemp)
trap 'rm "$log"' EXIT
failed=0
for module in "$@"; do
	code=0
	"$bin/govulncheck" -C "$module" ${GOVULNDB:+-db="$GOVULNDB"} ./... >"$log" 2>&1 || code=$?
	if [ $code -ne 0 ] && [ $code -ne 3 ] && grep -q -e 'fetching vulnerabilities' -e 'vuln.go.dev' "$log"; then
		echo "govulncheck: skipped from $module on, because there is no database of vulnerabilities: $(tail -n 1 "$log"); set GOVULNDB to one, such as file:///srv/vulndb"
		[ -z "${STRICT:-}" ] || failed=1
		break # a vulnerability that was found before still fails
	fi
	if [ $code -ne 0 ]; then
		echo "govulncheck of $module failed:"
		cat "$log"
		failed=1
	else
		echo "govulncheck of $module: $(grep -m 1 -e 'No vulnerabilities' -e 'Your code is affected' "$log")"
	fi
done
exit $failed
