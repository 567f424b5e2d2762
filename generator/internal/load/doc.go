// Package load reads Go packages of API types and CRDs. It makes no decisions:
//
//	patterns ──golist──▶ files ──syntax──▶ declarations ──describe──▶ input.Package
//	                                                         └─ open questions ─▶ typecheck
//
//	load.go       Load: the packages of a run, and its CRDs
//	list.go       the packages that patterns match
//	questions.go  code that the patterns do not match: other packages, a clientset, the types that kinds consist of
//
// Each question about other code is answered when it is asked.
package load
