#!/usr/bin/env bash
# Compares the exported API of the modules that are its arguments with that of their last tags, of the last tag of the
# root module, or of the branch main. Then it compares the code that the generator writes with that of the last
# release. A change that can break users needs a line in CHANGELOG.md. With --no-breaks first, no line allows it, as for
# a patch version. What cannot be compared is skipped with a message, and fails if STRICT is set.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

flags=()
if [ "${1:-}" = --no-breaks ]; then
	flags=(--no-breaks)
	shift
fi
status=0
skip() {
	echo "lint api $1: skipped, $2"
	[ -z "${STRICT:-}" ] || status=1
}
if ! git rev-parse --quiet --verify HEAD >/dev/null 2>&1; then
	skip "$*" "because this is no git repository with commits"
	exit "$status"
fi
main=main
if git rev-parse --quiet --verify "origin/main^{commit}" >/dev/null; then
	main=origin/main
fi

# The earlier versions are in a folder for each run. No git worktree is registered, so a
# killed run leaves nothing in .git.
mkdir -p build
scratch=$(mktemp -d "$PWD/build/api.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
modules=$(git ls-files -co --exclude-standard '*go.mod' | sed 's,/*go.mod$,,')

# find_base sets commit to that with which the module $1 is compared, and name to what users call it. It fails and
# sets why if there is none.
find_base() {
	local base tags="$1/v[0-9]*"
	if base=$(git describe --tags --abbrev=0 --match "${tags#./}" HEAD 2>/dev/null) ||
		base=$(git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD 2>/dev/null); then
		name=$base
	elif [ "$(git rev-parse --is-shallow-repository)" = true ]; then
		# The merge base can be HEAD here, and the tags can be missing.
		why="because this shallow clone has no tag that HEAD descends from; to compare it: git fetch --unshallow --tags"
		return 1
	elif base=$(git merge-base HEAD "$main" 2>/dev/null); then
		name="the merge base with $main"
		if [ "$base" = "$(git rev-parse HEAD)" ] && git rev-parse --quiet --verify HEAD^1 >/dev/null; then
			base=HEAD^1 name="the commit before HEAD, which is on $main"
		fi
	else
		why="because there is no tag of a version, and no merge base with $main"
		return 1
	fi
	commit=$(git rev-parse "$base^{commit}")
}

# changed prints the files of the module $1 that differ from the commit $2 and can change its API.
# Files of the modules below it are theirs.
changed() {
	local paths=("$1") other prefix=$1/
	[ "$1" != . ] || prefix=
	for other in $modules; do
		case $other in
		"$1") ;;
		"$prefix"*) paths+=(":(exclude)$other") ;;
		esac
	done
	{
		git diff --name-only "$2" -- "${paths[@]}"
		git ls-files -o --exclude-standard -- "${paths[@]}"
	} | grep -E '(\.go|(^|/)go\.mod)$' | grep -vE '_test\.go$|(^|/)testdata/' || true
}

# compare compares the module $1 in the folder $3 with that in the folder $2.
compare() {
	if [ ! -x "$scratch/tool" ]; then
		go -C hack/tools build -race=false -o "$scratch/tool" ./api
	fi
	(cd "$3" && "$scratch/tool" --base="$2" "${flags[@]}" "$1") || status=1
}

removed=
if find_base .; then
	for module in $(git show "$commit:Makefile" 2>/dev/null | sed -n 's/^USER_MODULES := //p'); do
		[ -e "$module/go.mod" ] || removed+=" $module"
	done
fi
for module in "$@" $removed; do
	if ! find_base "$module"; then
		skip "$module" "$why"
		continue
	fi
	if [ -z "$(changed "$module" "$commit")" ]; then
		echo "lint api $module: no Go file has changed since $name"
		continue
	fi
	if ! git cat-file -e "$commit:./$module/go.mod" 2>/dev/null; then
		echo "lint api $module: the module is new since $name"
		continue
	fi
	echo "lint api $module: compare with $name"
	if [ ! -d "$scratch/$commit" ]; then
		GIT_INDEX_FILE=$scratch/index git read-tree "$commit"
		GIT_INDEX_FILE=$scratch/index git checkout-index -a --prefix="$scratch/$commit/"
	fi
	compare "$module" "$scratch/$commit" .
done

# The types of a release stay the same, so each difference comes from the generator. The golden code of testdata would
# also change with its types.
released=testdata/released
last=$(find "$released" -mindepth 1 -maxdepth 1 -name 'v*' -printf '%f\n' | sed 's/-/~/' | sort -V | tail -n 1 | sed 's/~/-/')
for version in old new; do
	mkdir -p "$scratch/$version/$released"
	cp "$released/go.mod" "$released/go.sum" "$scratch/$version/$released"
	cp -R "$released/$last" "$scratch/$version/$released/$last"
	go mod edit -replace=github.com/typedinformers/informer-gen="$PWD" "$scratch/$version/$released/go.mod"
done
cp CHANGELOG.md "$scratch/new"
if find_base .; then
	git show "$commit:CHANGELOG.md" >"$scratch/old/CHANGELOG.md" 2>/dev/null || true
fi
go build -race=false -o "$scratch/informer-gen" ./cmd/informer-gen
header=$PWD/hack/boilerplate.go.txt
# The flags are those of hack/snapshot.sh.
if ! (cd "$scratch/new/$released" && "$scratch/informer-gen" --output-dir="$last/generated" --deepcopy --register --with-applyconfig \
	--go-header-file="$header" "./$last/shop/...") >"$scratch/log" 2>&1; then
	cat "$scratch/log"
	status=1
elif diff -r "$scratch/old/$released" "$scratch/new/$released" >/dev/null; then
	echo "lint api: generated code is that of $released/$last"
else
	echo "lint api: compare generated code with $released/$last"
	compare "$released" "$scratch/old" "$scratch/new"
fi
exit "$status"
