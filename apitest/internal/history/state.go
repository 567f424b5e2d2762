package history

import (
	"maps"
	"strconv"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Key names an object. Namespace is empty for a cluster-scoped resource.
type Key struct {
	schema.GroupResource
	Namespace, Name string
}

// Path returns the key in etcd after the resource: namespace/name, or name. Lists are in the order
// of paths, in which a-b/x comes before a/x.
func (k Key) Path() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}

// State is an object at one version. It never changes, and neither does Object.
type State struct {
	Key
	// Version is the resourceVersion, which Object has too.
	Version uint64
	// Object is in the version of the API in which it was written.
	Object map[string]any
	// APIVersion is the apiVersion of Object. A list of many objects is faster if it looks at no maps.
	APIVersion string

	// before is the state that this one replaced, or nil if that is no longer kept. The lock of the
	// History guards it.
	before *State
	// deleted marks the last state of a deleted object.
	deleted bool
	json    atomic.Pointer[[]byte]
}

// At returns the state with another version, as the events of a watch with a selector have it for
// an object that no longer matches.
func (s *State) At(version uint64) *State {
	return &State{Key: s.Key, Version: version, Object: withVersion(s.Object, version), APIVersion: s.APIVersion}
}

// JSON returns the object as JSON, without a newline at its end. The caller must not change it. It
// is encoded once, and JSON is safe for concurrent use.
func (s *State) JSON() ([]byte, error) {
	if encoded := s.json.Load(); encoded != nil {
		return *encoded, nil
	}
	encoded, err := appendJSON(nil, s.Object)
	if err != nil {
		return nil, err
	}
	s.json.Store(&encoded)
	return encoded, nil
}

// at returns the newest of s and the states before it that is not newer than version, or nil if the
// object did not exist then.
func (s *State) at(version uint64) *State {
	for s != nil && s.Version > version {
		s = s.before
	}
	if s == nil || s.deleted {
		return nil
	}
	return s
}

// withVersion returns a copy of object with a resourceVersion. It copies only the maps that it
// changes.
func withVersion(object map[string]any, version uint64) map[string]any {
	next := maps.Clone(object)
	if next == nil {
		next = map[string]any{}
	}
	metadata, _ := object["metadata"].(map[string]any)
	if metadata = maps.Clone(metadata); metadata == nil {
		metadata = map[string]any{}
	}
	metadata["resourceVersion"] = strconv.FormatUint(version, 10)
	next["metadata"] = metadata
	return next
}
