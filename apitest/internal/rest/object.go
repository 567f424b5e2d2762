package rest

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// isDeleting reports whether an object has a deletionTimestamp.
func isDeleting(obj map[string]any) bool {
	metadata, _ := obj["metadata"].(map[string]any)
	return metadata["deletionTimestamp"] != nil
}

// noGrace reports whether an object with a deletionTimestamp may go at once.
func noGrace(obj map[string]any) bool {
	seconds := (&unstructured.Unstructured{Object: obj}).GetDeletionGracePeriodSeconds()
	return seconds == nil || *seconds == 0
}

func uidOf(obj map[string]any) string {
	metadata, _ := obj["metadata"].(map[string]any)
	uid, _ := metadata["uid"].(string)
	return uid
}
