#!/usr/bin/env bash
# Compares the exported API of the modules that are its arguments, and that of the code that the generator writes, with those
# of the last release. A change that can break users needs a line in CHANGELOG.md that names it. With --no-breaks first, no
# line allows it, as for a patch version. Before the first release there is nothing to compare.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

breaks=false
if [ "${1:-}" = --no-breaks ]; then
	breaks=true
	shift
fi
if ! tag=$(git describe --tags --abbrev=0 --match='v[0-9]*' 2>/dev/null); then
	if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
		echo "lint api: skipped, because this shallow clone has no tag; run: git fetch --unshallow --tags"
		exit "$([ -z "${STRICT:-}" ]; echo $?)"
	fi
	echo "lint api: there is no release to compare with"
	exit
fi
mkdir -p build
scratch=$(mktemp -d "$PWD/build/api.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
go -C hack/tools build -race=false -o "$scratch/apidiff" golang.org/x/exp/cmd/apidiff

# The files of the release are an overlay of the go command, which compiles only packages that differ. In a checkout in
# another folder it would compile all of them. It does not find the go.mod of a removed module in an overlay.
mapfile -t removed < <(git diff --no-renames --diff-filter=D --name-only "$tag" -- '*go.mod' | sed 's,^,:!,; s,go\.mod$,,')
changed=$({ git -c core.quotePath=false diff --no-renames --name-only "$tag" -- . "${removed[@]}" && git ls-files -o --exclude-standard; } | grep -v '_test\.go$' || true)
replacements=
while read -r file; do
	[ -n "$file" ] || continue
	old=
	if git cat-file -e "$tag:$file" 2>/dev/null; then
		old=$scratch/old/$file
		mkdir -p "$(dirname -- "$old")"
		git show "$tag:$file" >"$old"
	fi
	replacements+="${replacements:+,} \"$PWD/$file\": \"$old\""
done <<<"$changed"
echo "{\"Replace\": {$replacements}}" >"$scratch/overlay.json"
entries=$(git diff "$tag" -- CHANGELOG.md | grep '^+' || true)
status=0

# export_api writes the API of the module in the folder $1 to the file $2. The flag $3 of the go command may be empty.
export_api() {
	(cd "$1" && GOFLAGS="$(go env GOFLAGS) ${3:-}" "$scratch/apidiff" -m -w "$scratch/$2" "$(go list -m)")
}

# compare prints the incompatible changes of the module $1. It fails if CHANGELOG.md does not name one.
compare() {
	echo "lint api $1: compare with $tag"
	"$scratch/apidiff" -m -incompatible "$scratch/old.api" "$scratch/new.api" 2>"$scratch/log" >"$scratch/changes" || { cat "$scratch/log" && exit 1; }
	while read -r line; do
		# Of "- ./runtime/cache.(*Lister[T]).Get: removed" the name is cache.Lister.Get.
		name=$(sed -E 's/^- (package )?//; s/: .*//; s/, method set of.*//; s,[^ ]*/,,; s/\[[^]]*\]//g; s/[(*)]//g' <<<"$line")
		if ! $breaks && grep -qwF -e "$name" <<<"$entries"; then
			echo "lint api $1: CHANGELOG.md names $line"
		else
			echo "lint api $1: incompatible $line; undo it, or add to CHANGELOG.md, for a minor version: - \`$name\` …"
			status=1
		fi
	done < <(sed '/^$/d' "$scratch/changes")
}

for module in $(git show "$tag:Makefile" | sed -n 's/^USER_MODULES := //p'); do
	if [ ! -e "$module/go.mod" ] && { $breaks || ! grep -qwF -e "$module" <<<"$entries"; }; then
		echo "lint api $module: the module is removed; undo it, or add to CHANGELOG.md, for a minor version: - \`$module\` …"
		status=1
	fi
done
for module in "$@"; do
	own=$module/
	if ! git cat-file -e "$tag:./$module/go.mod" 2>/dev/null; then
		echo "lint api $module: the module is new since $tag"
	elif ! grep -qE "^${own#./}.*(\.go|go\.mod)$" <<<"$changed"; then
		echo "lint api $module: no Go file has changed since $tag"
	else
		export_api "$module" new.api
		export_api "$module" old.api "'-overlay=$scratch/overlay.json'"
		compare "$module"
	fi
done

# The types of a release stay the same, so each difference of their code comes from the generator.
last=$(find testdata/released -mindepth 1 -maxdepth 1 -name 'v*' -printf '%f\n' | sed 's/-/~/' | sort -V | tail -n 1 | sed 's/~/-/')
go build -race=false -o "$scratch/informer-gen" ./cmd/informer-gen
header=$PWD/hack/boilerplate.go.txt
cp -R testdata/released "$scratch"
go mod edit -replace="$(go list -m)=$PWD" "$scratch/released/go.mod"
# The flags are those of hack/snapshot.sh.
(cd "$scratch/released" && "$scratch/informer-gen" --output-dir="$last/generated" --deepcopy --register --with-applyconfig --go-header-file="$header" "./$last/shop/...") >"$scratch/log" 2>&1 ||
	{ cat "$scratch/log" && exit 1; }
if diff -r "testdata/released/$last" "$scratch/released/$last" >/dev/null; then
	echo "lint api: generated code is that of testdata/released/$last"
else
	export_api testdata/released old.api
	export_api "$scratch/released" new.api
	compare testdata/released
fi
exit $status
