// Package manifest reads CustomResourceDefinitions in YAML or JSON.
//
//	manifest.go  Read: files and folders to CRDs
//	schema.go    the schema of a version
//	parse.go     YAML and JSON to nodes with positions
//	node.go      the values in a node
package manifest
