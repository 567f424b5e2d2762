// Package builtin serves kinds of k8s.io/api with the storage code of Kubernetes: Namespaces, Events, Leases,
// and further kinds that a caller names.
//
//	requests ──▶ handlers of k8s.io/apiserver ──▶ resource ──▶ generic registry ──▶ etcd
//	                                                │
//	                                      strategy: what a kind does on create and update
//
// The Go types of k8s.io/api are registered as their own internal versions, so nothing is converted. The
// exception is Event: its versions in the core group and in events.k8s.io are two views of the same stored
// objects, as in Kubernetes.
//
// What it leaves out: validation beyond metadata, and subresources other than status. That code is in
// k8s.io/kubernetes, which is not made to be imported. So is the code of defaults: those of common kinds are written
// here again.
package builtin
