#!/usr/bin/env bash
# Releases the modules in USER_MODULES of the Makefile, with the version that is the argument, such as v0.1.0. It works in
# build/release/tree, a clone, and pushes nothing unless --push is the first argument. With --binaries, it only builds what
# the workflow attaches to the release of the tag at HEAD. docs/design/release.md has the reasons.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

fail() {
	echo "release: $1" >&2
	exit 1
}
mode=dry-run
case ${1:-} in --push | --binaries)
	mode=${1#--}
	shift
	;;
esac
version=${1:-}
if ! [[ $version =~ ^(v[01]\.[0-9]+)\.([0-9]+)(-(alpha|beta|rc)\.[0-9]+)?$ ]]; then
	fail "\"$version\" is not a version such as v0.1.0 or v0.2.0-rc.1; run: make release-dry-run VERSION=v0.1.0, or hack/release.sh --push v0.1.0"
fi
minor=${BASH_REMATCH[1]} patch=${BASH_REMATCH[2]} prerelease=${BASH_REMATCH[3]} number=${version#v}
root=$(go list -m)
repo=$PWD work=$PWD/build/release tree=$PWD/build/release/tree
mkdir -p build

# section prints the entries below the heading $1 of the changelog.
section() {
	awk -v heading="## [$1]" '/^## \[/ { on = index($0, heading) == 1; next } /^\[.*\]: / { on = 0 } on' CHANGELOG.md
}

# write_notes writes the notes of the release. The entries of a prerelease stay below Unreleased.
write_notes() {
	if [ -n "$prerelease" ]; then section Unreleased; else section "$number"; fi >"$work/notes.md"
	grep -q '^- ' "$work/notes.md" || fail "CHANGELOG.md has no entries for $version; only hack/release.sh makes tags"
}

if [ "$mode" = binaries ]; then
	mkdir -p "$work"
	write_notes
	STRICT=1 GORELEASER_CURRENT_TAG=$version exec hack/goreleaser.sh release --clean --skip=publish,announce --release-notes="$work/notes.md"
fi

# must_push reports what only stops a push. A dry run goes on, to try a branch, or a version that is not ready.
must_push() {
	[ "$mode" = dry-run ] || fail "$1"
	echo "note  --push would fail: $1"
}

[ -z "$(git status --porcelain)" ] || fail "the checkout has changes that a release would not contain; commit or remove them"
head=$(git rev-parse HEAD)
branch=$(git branch --show-current) target=main
[ "$branch" != "release-${minor#v}" ] || target=$branch
if [ "$branch" != "$target" ]; then
	must_push "the branch is \"$branch\"; release $version from main, or from release-${minor#v} if main has a later minor version"
elif ! git ls-remote origin "refs/heads/$target" 2>/dev/null | grep -q "^$head"; then
	must_push "$target of origin is not at $head; push or pull first"
fi
remote=$(git ls-remote --tags --refs origin 2>/dev/null) || must_push "the tags of origin cannot be read; check the remote with: git ls-remote origin"
# Versions in their order, in which a prerelease is before its release.
versions=$({ git tag --list && echo "$remote"; } | sed -n 's,^\(.*/\)*\(v[0-9]\),\2,p' | sed 's/-/~/' | sort -Vu | sed 's/~/-/')
[ "$target" = main ] || versions=$(grep "^$minor\." <<<"$versions" || true)
if grep -qFx -- "$version" <<<"$versions"; then
	fail "a tag of $version exists, and a published version must never change; choose a later one"
elif [ "$(printf '%s\n' "$versions" "$version" | sed 's/-/~/' | sort -V | tail -n 1)" != "${version/-/\~}" ]; then
	fail "there is a tag of $(tail -n 1 <<<"$versions"), which is later than $version; choose a later version, or make a branch release-${minor#v} of the last $minor version"
elif [ "$patch" != 0 ] && ! grep -qFx "$minor.0" <<<"$versions"; then
	fail "$version is a patch version, and there is no tag of $minor.0; the first version of it is $minor.0"
fi
section Unreleased | grep -q '^- ' || fail "CHANGELOG.md has no entries below [Unreleased]; write what $version has for its users"
if [ -z "$prerelease" ]; then
	if [ "$patch" = 0 ] && [ -z "$(git ls-files "testdata/released/$version")" ]; then
		must_push "testdata/released/$version, with which tests show that generated code works with later versions, is missing; run hack/snapshot.sh $version, and commit the folder"
	fi
	if lines=$(git grep -noE 'There is no release yet|[Uu]ntil there is a release|@v0\.0\.0([^-0-9A-Za-z]|$)' -- '*.md'); then
		must_push "these lines say that there is no release; replace each recipe with go get MODULE@$version:"$'\n'"$lines"
	fi
fi
[ "$patch" = 0 ] || STRICT=1 hack/api.sh --no-breaks || fail "$version is a patch version, which keeps the exported API; undo the break, or release a minor version"
echo "ok    the checkout, the changelog and the tags are right for $version"

rm -rf "$work"
git clone --quiet --no-checkout . "$tree"
cp "$(git rev-parse --git-common-dir)/config" "$tree/.git/config" # the identity, the remote and its credentials
cd "$tree"
git checkout --quiet --detach "$head"
[ "$mode" = dry-run ] || git push --quiet --dry-run --no-follow-tags origin "HEAD:refs/heads/$target" # before the proof takes its minutes
modules=$(sed -n 's/^USER_MODULES := //p' Makefile)
for module in $(git ls-files '*go.mod' | sed -E '/^(examples|hack|test|testdata)\//d; s,/?go\.mod$,,; s,^$,.,'); do
	[[ " $modules " = *" $module "* ]] || fail "USER_MODULES of the Makefile lacks $module; add it, so that it gets a tag"
done
# commit makes a commit in which each module requires the version $1 of its siblings, and tags it for each module.
commit() {
	git ls-files '*go.mod' | xargs sed -i -E "s,^((require )?[[:space:]]*$root(/[^ ]+)?) v[^ ]+,\1 $1,"
	git ls-files '*go.mod' | while read -r file; do
		(cd "$(dirname -- "$file")" && go mod tidy -diff) || fail "$file would not be tidy in the release commit; run go mod tidy"
	done
	git commit --quiet --all --allow-empty --message "release $1"
	for module in $modules; do
		path=$root/$module tag=$module/$1
		git tag --annotate --message "${path%/.} $1" "${tag#./}"
	done
}

# The module cache keeps what the proof downloads, so that has a version of which there is no release.
proof=$version-proof.$(date -u +%Y%m%dt%H%M%S)
[ -z "$prerelease" ] || proof=${proof/-proof/.proof}
commit "$proof"
# shellcheck disable=SC2086
go -C "$repo/hack/tools" test -count=1 -vet=off -timeout=60m -run='^TestUsers$' ./scripts -args -tree="$tree" -version="$proof" $modules
git reset --quiet --hard HEAD^
git tag --list "*$proof" | xargs git tag --delete >/dev/null
echo "ok    users of each module can require it, build all of its packages, and install its commands"

if [ -z "$prerelease" ]; then
	url=https://$root previous=$(sed -n 's/^## \[\([0-9][^]]*\)\].*/\1/p' CHANGELOG.md | head -n 1)
	since=$url/releases/tag/$version
	[ -z "$previous" ] || since=$url/compare/v$previous...$version
	sed -i -e "s/^## \[Unreleased\]$/&\n\n## [$number] - $(date -u +%F)/" -e "s,^\[Unreleased\]: .*,[Unreleased]: $url/compare/$version...HEAD\n[$number]: $since," CHANGELOG.md
fi
write_notes
commit "$version"
echo "ok    see the release commit and its tags with: git -C build/release/tree show"

if [ "$mode" = push ]; then export STRICT=1; fi
if ! TREE=$tree GORELEASER_CURRENT_TAG=$version "$repo/hack/goreleaser.sh" release --clean --skip=publish,announce,sbom --release-notes="$work/notes.md" >"$work/goreleaser.log" 2>&1; then
	cat "$work/goreleaser.log" >&2
	fail "goreleaser failed"
elif grep ': skipped, ' "$work/goreleaser.log"; then
	:
elif ! printed=$(env build/dist/informer-gen_"$(go env GOOS)_$(go env GOARCH)"*/informer-gen --version) || [[ $printed != "informer-gen $version (revision $(git rev-parse HEAD), "* ]]; then
	fail "the binary of the release prints \"$printed\", want the version $version and the revision of the release commit"
else
	echo "ok    goreleaser wrote $(find build/dist -name '*.tar.gz' -o -name '*.zip' | wc -l) archives; $printed"
fi

# The root module is first, because a proxy remembers for some time that a version is missing. It has a push of its own,
# because GitHub starts no workflow for a push of more than three tags.
first=(git push --atomic --no-follow-tags origin "HEAD:refs/heads/$target" "refs/tags/$version")
second=(git push --atomic --no-follow-tags origin)
for module in $modules; do
	[ "$module" = . ] || second+=("refs/tags/$module/$version")
done
if [ "$mode" = dry-run ]; then
	printf '\nThis was a dry run. With --push it would run, in build/release/tree:\n  %s\n  %s\n' "${first[*]}" "${second[*]}"
	exit
fi
"${first[@]}"
"${second[@]}" || fail "the root module is released, and the others are not; repeat in build/release/tree: ${second[*]}"
echo "ok    released $version; run git pull, and publish the draft on https://$root/releases when its workflow has finished"
