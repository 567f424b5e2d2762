// Package fields computes metadata.managedFields, applies configurations on the server, and applies
// JSON, merge and strategic merge patches. It knows no HTTP and no storage, and works on objects as
// decoded JSON, which it never changes.
//
//	           live object   new object or configuration
//	                  \         /
//	New(Config) ──▶ Manager ── Update: move the fields that differ to the manager of the request
//	                  └─────── Apply:  merge the configuration into the object
//
// Both call a FieldManager of k8s.io/apimachinery/pkg/util/managedfields, by the schema of the kind, which comes from a
// TypeConverter or a Go type. A Manager keeps the objects as they are, and sets the times by the clock of the server.
package fields
