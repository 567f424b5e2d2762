package apitest

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	_ "gopkg.in/evanphx/json-patch.v4"
)

// What follows is owned by others and leaves this file when it is there.

// A: list.go, watch.go
func (s *Server) list(r *request) (*reply, error) { return nil, fmt.Errorf("list") }
func (s *Server) watch(ctx context.Context, r *request) (*reply, error) {
	return nil, fmt.Errorf("watch")
}
func (s *Server) deleteCollection(r *request) (*reply, error) { return nil, fmt.Errorf("dc") }
func (s *Server) checkMinimum(version string) error           { return nil } // get with a version of the future

// C: patch.go; manage sets managedFields of obj; old is nil for a create
func (s *Server) patch(r *request) (*reply, error) { return nil, fmt.Errorf("patch") }
func (s *Server) manage(r *request, old map[string]any, obj *unstructured.Unstructured, manager string) error {
	return nil
}

// keepTimes gives obj the managedFields of old if they differ in times only.
func (s *Server) keepTimes(obj *unstructured.Unstructured, old map[string]any) {}

// F: namespace.go, builtin.go, discovery, table
func (s *Server) admitNamespace(r *request, obj *unstructured.Unstructured) error { return nil }
