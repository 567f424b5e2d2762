package apitest

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	_ "gopkg.in/evanphx/json-patch.v4"
)

// What follows is owned by others and leaves this file when it is there.

// F: what faults do to watches; watch.go calls both with s.mu held. After a change of what they return, call
// s.history.Wake().

// visible returns the version up to which watches of a kind show writes, and when that changes without a call of
// Wake; the zero time is never.
func (s *Server) visible(kind *Kind) (version uint64, again time.Time) {
	return s.history.Version(), time.Time{}
}

// cuts counts how often the watches of a kind were cut. A watch that began at another count ends like a broken
// connection.
func (s *Server) cuts(kind *Kind) uint64 { return 0 }

// C: patch.go; manage sets managedFields of obj; old is nil for a create
func (s *Server) patch(r *request) (*reply, error) { return nil, fmt.Errorf("patch") }
func (s *Server) manage(r *request, old map[string]any, obj *unstructured.Unstructured, manager string) error {
	return nil
}

// keepTimes gives obj the managedFields of old if they differ in times only.
func (s *Server) keepTimes(obj *unstructured.Unstructured, old map[string]any) {}

// F: namespace.go, builtin.go, discovery, table
func (s *Server) admitNamespace(r *request, obj *unstructured.Unstructured) error { return nil }
