// Package input holds the data that load has read, before any decision: packages with their
// types and markers, and CRDs. It is data.
//
//	package.go     Package, Type, External
//	manifest.go    Manifest: a CRD
//	schema.go      JSONSchema: the schema of a CRD
//	exclusions.go  Exclusions: the packages and types that the user leaves out
package input
