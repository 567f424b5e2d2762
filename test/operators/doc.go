// Command operators runs the tests of published operators twice: as they are, and with this project. No line of a project is
// changed by hand.
//
// Operators that use the generators of code-generator are migrated by informer-gen migrate. The first sync of an informer of both is
// measured. The rows are written to docs/migrating.md:
//
//	module cache ─▶ before/ ────────────────────────▶ go test ─▶ first sync ─┐
//	            └─▶ after/  ─▶ informer-gen migrate ─▶ go test ─▶ first sync ─┴─▶ a row for each project
//
// Operators that have a manager of controller-runtime get the option NewCache: crcache.New by informer-gen migrate. Their tests use
// envtest, which is told to use a test server in place of a cluster. Each package of tests has a server of its own:
//
//	module cache ─▶ source/ ─▶ go test -c ─────────────────────────▶ before/*.test ─┐
//	                      └─▶ informer-gen migrate ─▶ go test -c ──▶ after/*.test ──┴─▶ a test server for each ─▶ a row for each project
//
// The projects stay in build/operators, and nothing of them is in this repository.
//
//	main.go             one project: unpack, migrate, test, measure
//	projects.go         the projects with generated code: module, version, output folder, packages with tests, and a kind for the
//	                    first sync
//	migration.go        one run of informer-gen migrate
//	result.go           what both sides gave: each test by name, and the row of the page
//	first_sync.go       builds a program with the project's own factory, and runs three processes of each side by turns
//	first_sync.go.tmpl  that program
//	sync_server.go      lists and watches its objects
//	managed.go          the projects with a manager
//	suite.go, server.go their tests, with a test server for each package
//
// The command exits with 1 if a project does not compile, or if a test ends differently on the two sides.
package main
