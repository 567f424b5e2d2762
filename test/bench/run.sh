#!/usr/bin/env bash
# Measures sections of the benchmark, and compares the results with the floors:
#
#   test/bench/run.sh [--quick] [--write] [SECTION…]
#
# The sections are generator, memory, packing, attacks, http and recovery, which are measured if none is named, kube, shards, manager and
# writes, which need a kube-apiserver, and fleet, which needs 20 GB of memory. Results are in build/bench/SECTION.txt. --quick measures one round with fewer objects.
# --write also writes the table of each section to test/bench/tables.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
command="test/bench/run.sh $*"
quick="" write="" partial="" sections=()
for arg; do
  case $arg in
  --quick) quick=yes partial=--partial ;;
  --write) write=yes ;;
  generator | memory | packing | attacks | http | recovery | kube | shards | manager | writes | fleet) sections+=("$arg") ;;
  *) echo "run.sh: there is no section $arg" >&2 && exit 2 ;;
  esac
done
case "${sections[*]}" in
"") floors=bench sections=(generator memory packing attacks http recovery) ;;
kube | shards | manager | writes | fleet) floors=${sections[0]} ;;
*kube* | *shards* | *manager* | *writes* | *fleet*) echo "run.sh: a section with processes of its own is measured alone" >&2 && exit 2 ;;
*) floors=bench partial=--partial ;;
esac
rounds=3 outages=1000 real=45s
if [ "$quick" ]; then
  rounds=1 outages=50 real=10s write="" # one round is not worth keeping
fi
results=../build/bench
mkdir -p "$results"
go build -o ../build/bin/bench ./bench
go build -o ../build/bin/floors ./bench/floors

# micro ROUNDS PACKAGE FLAG… runs the benchmarks of a package several times.
micro() {
  for ((round = 0; round < $1; round++)); do
    go test -run='^$' -vet=off -timeout=0 "./bench/$2" "${@:3}"
  done
}

# measure SECTION prints the results.
measure() {
  case $1${quick:+-quick} in
  generator) micro 1 generator -bench=. -benchtime=1x -count=$rounds ;;
  generator-quick) micro 1 generator -bench='Generate.*/(crd|path)|Compile|Binary' -benchtime=1x ;;
  memory) micro $rounds memory -bench=. -objects=10000,100000 && micro 1 memory -bench=. -objects=1000000 ;;
  memory-quick) micro 1 memory -bench=. -benchtime=500ms ;;
  packing) micro $rounds packing -bench=. -objects=100000 ;;
  packing-quick) micro 1 packing -bench='/(pods|custom.*)/' -benchtime=300ms -objects=10000 ;;
  attacks) micro $rounds attacks -bench=. -benchtime=1x ;;
  attacks-quick) micro 1 attacks -bench=. -benchtime=1x -size=300000 ;;
  recovery*)
    go test -count=1 -vet=off -run='^TestRecovery$' ./hostile -timeout=0 -recoveries=$outages -recovery-over-tcp=$real -recovery-figures="$PWD/$results/outages" >&2
    cat "$results/outages" ;;
  http) ../build/bin/bench http --objects=10000,100000 --rounds=$rounds ;;
  http-quick) ../build/bin/bench http --objects=10000 ;;
  kube) # two processors need about a minute for 15 seconds of updates
    ../build/bin/bench kube --objects=20000 --rounds=5 --seconds=15
    ../build/bin/bench kube --objects=100000 --rounds=$rounds --seconds=5 ;;
  kube-quick) ../build/bin/bench kube --objects=20000 ;;
  shards) ../build/bin/bench shards --objects=100000 --rounds=$rounds --seconds=5 ;;
  shards-quick) ../build/bin/bench shards --objects=10000 --seconds=2 ;;
  manager) ../build/bin/bench manager --objects=20000,100000 --rounds=$rounds --rate=100 --seconds=20 ;;
  manager-quick) ../build/bin/bench manager --objects=5000 --rate=100 ;;
  writes) ../build/bin/bench writes --objects=200 --rounds=$rounds ;;
  writes-quick) ../build/bin/bench writes --objects=200 ;;
  fleet) ../build/bin/bench fleet --objects=100000 --minutes="${MINUTES:-60}" ;;
  fleet-quick) ../build/bin/bench fleet --objects=5000 --minutes=0.2 ;;
  esac
  case $1 in
  manager) (cd ../adapters/controllerruntime && go test -run='^$' -vet=off -bench=Reads -count=$rounds .) ;;
  esac
}

files=()
for section in "${sections[@]}"; do
  file=$results/$section.txt
  files+=("$file")
  {
    echo "date: $(date -u +%F)"
    echo "go: $(go env GOVERSION)"
    echo "command: $command"
    measure "$section"
  } >"$file"
  if grep -q '^next: left out' "$file"; then # with the floors of its rows
    partial=--partial
  fi
  if [ "$write" ]; then
    plot=()
    [ "$section" != packing ] || plot=(--plot=../docs/first-sync.svg)
    [ "$section" != fleet ] || plot=(--plot=../docs/fleet.svg --section=fleet)
    ../build/bin/floors --partial --check=false --floors="bench/floors/$floors.json" --out="bench/tables/$section.txt" "${plot[@]}" "$file" >/dev/null
    [ "$section" != fleet ] || cp "$file" bench/tables/fleet.txt # most rows have no peer
  fi
done
../build/bin/floors $partial --floors="bench/floors/$floors.json" "${files[@]}"
