// Command operators runs the tests of published operators twice: as they are, and with their clientsets, listers and informers
// replaced by the output of informer-gen with --informers=client-go. No line of a project is changed.
//
//	module cache ─▶ before/ ─▶ go test ─┐
//	            └─▶ after/  ─▶ informer-gen ─▶ go mod tidy, go build, go test ─▶ a row for each project
//
// The projects stay in build/operators, and nothing of them is in this repository.
package main
