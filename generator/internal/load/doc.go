// Package load reads Go packages of API types and CRDs. It makes no decisions:
//
//	patterns ──golist──▶ files ──syntax──▶ declarations ──describe──▶ input.Package
//	                                                         └─ open questions ─▶ typecheck
//
//	loaded.go     Loaded: the packages and the CRDs of a run
//	list.go       the packages that patterns match
//	load.go       Load: the packages, the CRDs and client-go
//	output.go     code of the user in the output folder
//	questions.go  code that the patterns do not match: other packages, a clientset, the types that kinds consist of
//
// Each question about other code is answered when it is asked.
package load
