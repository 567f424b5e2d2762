// Command operators runs the tests of published operators twice: as they are, and with this project. No line of a project is
// changed by hand.
//
// Operators that use the generators of code-generator get the output of informer-gen with --informers=client-go in place of their
// clientsets, listers and informers. The first sync of an informer of both is measured:
//
//	module cache ─▶ before/ ─────────────────────────────────────▶ go test ─▶ first sync ─┐
//	            └─▶ after/  ─▶ informer-gen, go mod tidy, go build ─▶ go test ─▶ first sync ─┴─▶ a row for each project
//
// Operators that have a manager of controller-runtime get the option NewCache: crcache.New in their tests. These tests use envtest,
// which is told to use a test server in place of a cluster. Each package of tests has a server of its own:
//
//	module cache ─▶ source/ ─▶ go test -c ──────────▶ before/*.test ─┐
//	                      └─▶ NewCache, go test -c ─▶ after/*.test ──┴─▶ a test server for each ─▶ a row for each project
//
// The projects stay in build/operators, and nothing of them is in this repository.
//
//	main.go             one project: unpack, generate, compile, test, measure
//	projects.go         the projects with generated code: module, version, arguments of informer-gen, packages with tests, and a
//	                    kind for the first sync
//	result.go           what both sides gave: each test by name, and the row
//	first_sync.go       builds a program with the project's own factory, and runs three processes of each side by turns
//	first_sync.go.tmpl  that program
//	sync_server.go      lists and watches its objects
//	managed.go          the projects with a manager
//	suite.go, server.go their tests, with a test server for each package
//
// The command exits with 1 if a project does not compile, or if a test ends differently on the two sides.
package main
