// Command operators runs the tests of published operators twice: as they are, and with this project. No line of a project is changed by
// hand.
//
// Operators that use the generators of code-generator get the output of informer-gen with --informers=client-go in place of their
// clientsets, listers and informers:
//
//	module cache ─▶ before/ ─▶ go test ─┐
//	            └─▶ after/  ─▶ informer-gen ─▶ go mod tidy, go build, go test ─▶ a row for each project
//
// Operators that have a manager of controller-runtime get the option NewCache: crcache.New in their tests. These tests use envtest,
// which is told to use a test server in place of a cluster. Each package of tests has a server of its own:
//
//	module cache ─▶ source/ ─▶ go test -c ──────────▶ before/*.test ─┐
//	                      └─▶ NewCache, go test -c ─▶ after/*.test ──┴─▶ a test server for each ─▶ a row for each project
//
// The projects stay in build/operators, and nothing of them is in this repository.
package main
