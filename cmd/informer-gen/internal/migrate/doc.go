// Package migrate moves a project from the generators of code-generator to informer-gen.
//
//	modules, scripts, makefiles, Go files ──read──▶ project: modules, calls of generators, mentions
//	project ──decide──▶ Plan: commands, edits, deletions, changes of go.mod, work that is left
//	Plan ──apply──▶ tree, or the tree as it was
//
// read and decide write nothing. Calls are read without running scripts, by package shell. A call that cannot be read is named in
// the plan, and stays.
package migrate
