// Package input holds the data before any decision: the options of a run, and packages with their
// types and markers, and CRDs, as load has read them. It is data.
//
//	run.go         Run: one description of a run, for all stages
//	exclusions.go  Exclusions: the packages and types that the user leaves out
//	package.go     Package, Type, External
//	types.go       Types: the Go types that kinds consist of
//	clientset.go   Clientset: a clientset that exists
//	library.go     Library: the client-go of the user's module
//	manifest.go    Manifest: a CRD
//	schema.go      JSONSchema: the schema of a CRD
package input
