package wire

import (
	"strings"
	"unsafe"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// unstructuredDecoder reads an object whose type nobody knows. Unlike those of
// other types it has to have a kind, as its own method demands, which does not find
// it beside an apiVersion that is none.
type unstructuredDecoder struct{ drop *dropped }

func (d unstructuredDecoder) decode(s *scratch, b []byte, at int, p unsafe.Pointer) int {
	var omit omission
	if !d.drop.nothing() {
		omit = d.drop.ofObject
	}
	m, end := s.object(b, at, omit)
	if end == gaveUp {
		return gaveUp
	}
	if kind, _ := m["kind"].(string); kind == "" {
		return gaveUp
	}
	if version, _ := m["apiVersion"].(string); strings.Count(version, "/") > 1 {
		return gaveUp
	}
	(*unstructured.Unstructured)(p).Object = m
	return end
}

func (d *dropped) ofObject(name []byte) (leaveOut bool, within omission) {
	if string(name) == "metadata" {
		return false, d.ofMetadata
	}
	return false, nil
}

func (d *dropped) ofMetadata(name []byte) (leaveOut bool, within omission) {
	switch string(name) {
	case "managedFields":
		return d.managedFields, nil
	case "annotations":
		return false, d.ofAnnotations
	}
	return false, nil
}

func (d *dropped) ofAnnotations(name []byte) (leaveOut bool, within omission) {
	return d.annotations[string(name)], nil
}
