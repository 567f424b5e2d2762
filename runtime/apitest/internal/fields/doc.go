// Package fields computes metadata.managedFields, applies configurations on the server, and applies
// JSON, merge and strategic merge patches. It knows no HTTP and no storage, and works on objects as
// decoded JSON, which it never changes.
//
//	           live object   new object or configuration
//	                  \         /
//	New(Config) ──▶ Manager ── Update: compare the objects field by field, and move the fields
//	                  │                that differ to the manager of the request
//	                  └─────── Apply:  merge the configuration into the object
//
// What the results have to be is defined by k8s.io/apimachinery/pkg/util/managedfields. Apply calls
// its FieldManager, and so does Update in the cases that are rare. In the others, Update gets the
// same result by a shorter way: it works on the encoded sets of fields and copies only what
// changes. The tests compare it with the FieldManager.
package fields
