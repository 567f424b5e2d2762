#!/usr/bin/env bash
# Prints the sizes of the programs in testdata/size, in MB: with go build, and without the
# symbol table and DWARF. Its arguments are names of programs; without any it builds all.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
root="$(cd .. && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# A module of its own, because this one does not need what the informers of client-go import.
cp -R testdata/size/. go.sum "$work"
{
	sed -e 's|^module .*|module example.com/size|' -e "s|=> \.\./|=> $root|" go.mod
	echo "require github.com/typedinformers/informer-gen/kubernetes v0.0.0"
	echo "replace github.com/typedinformers/informer-gen/kubernetes => $root/kubernetes"
} >"$work/go.mod"
go -C "$work" mod tidy
[ $# -gt 0 ] || set -- clientset kind factory clientgo-informer clientgo-factory
printf '%-18s %8s %8s\n' program plain -s-w
for program in "$@"; do
	go -C "$work" build -o plain "./$program"
	go -C "$work" build -ldflags='-s -w' -o stripped "./$program"
	wc -c "$work/plain" "$work/stripped" | awk -v name="$program" 'NR<3 {size[NR]=$1/1e6} END {printf "%-18s %8.1f %8.1f\n", name, size[1], size[2]}'
done
