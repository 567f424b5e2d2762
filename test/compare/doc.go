// Package compare holds what informer-gen makes against what client-gen, lister-gen,
// informer-gen and applyconfiguration-gen of k8s.io/code-generator make of the same types:
//
//	          ┌─ theirs/ ─┐
//	types ────┤           ├─ Load ─▶ Trees ─ API ─▶ []Difference ─ Accepted ─▶ what is left fails
//	          └─ ours/   ─┘
//
// Code that was written for theirs has to compile with ours. So each exported
// name of theirs has to be in ours, as the same kind of thing and of the same
// type, where a package of their output counts as the package at the same place
// in ours. Ours may have more, except for methods of interfaces, which somebody
// else may have implemented, and for tagged fields, which are members of objects.
//
// It does not compare what the code does; the conformance tests do. Generating
// both sides is the work of package project.
//
// The tests compare with the version of Kubernetes in go.mod. For another one, run
//
//	go test ./compare -run='^(TestKubernetes|TestShop)$' -kubernetes=v0.36.0
//
// with a toolchain that compiles that version. It takes 45 seconds of processor time.
package compare
