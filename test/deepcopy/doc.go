// Package deepcopy holds the deep copies that informer-gen writes against those of deepcopy-gen and
// controller-gen, for all of k8s.io/api and for three published CRD projects:
//
//	module ─ copy without zz_generated.deepcopy.go ─ informer-gen --deepcopy ─┬─ the same functions?
//	                                                                          └─ go test ./behavior
//
// The tests in package behavior fill every kind with random values, and check that a copy is equal and
// shares no memory. They pass with the code of the other generators, and they have to pass with ours. A
// module file that replaces the published modules by the copies selects ours.
package deepcopy
