// Package history keeps the objects of a server, with their versions and the events that led to
// them. It knows no HTTP, checks nothing and is not safe for concurrent use.
package history

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// Key names an object. Namespace is empty for a cluster-scoped resource.
type Key struct {
	schema.GroupResource
	Namespace, Name string
}

// State is an object at one version. It never changes, and neither does Object.
type State struct {
	Key
	// Version is the resourceVersion, which Object has too.
	Version uint64
	// Object is in the version of the API in which it was written.
	Object map[string]any
}

// Event is a change of one object. Its version is that of State, also for watch.Deleted, where
// State is the last one with the version of the deletion.
type Event struct {
	Type  watch.EventType // Added, Modified or Deleted
	State *State
	// Before is the state before the change, or nil for watch.Added.
	Before *State
}
