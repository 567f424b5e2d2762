// Command wild generates code for published API modules that this repository does
// not control, and compares it with the clientsets that their authors publish.
// make test-wild runs it.
//
//	rows_*.go     the table: module, version, packages, flags, and what may differ
//	workspace.go  one module on disk for each row, below build/wild
//	generate.go   runs of informer-gen: one with an empty build cache, three with a warm one
//	inspect.go    type checks of the output, and the comparison with package compare
//	run.go        a test of the workspace that uses each kind, with package exercise
//	results.json  what each row gave in its last run; results.txt shows it, and README.md counts it
//
// A row is independent of the others. If one fails, the others run, and the first
// message of the failure goes into the table. The command exits with 1 if a row gives
// something else than the table in rows_*.go expects.
package main
