// Package contents compares what a cache has with what the API server lists, so that only caches with the same objects are
// compared.
package contents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// sample is about how many objects are compared as a whole.
const sample = 1000

// Compare fails unless both have the same names and versions, and the same fields in a sample. part returns the fields to
// compare. The kind is left out, because client-go's typed clients drop it.
func Compare(cached, listed iter.Seq[podserver.Object], part func(podserver.Object) any) error {
	want := map[string]podserver.Object{}
	for obj := range listed {
		want[nameOf(obj)] = obj
	}
	seen := map[string]bool{}
	for obj := range cached {
		name := nameOf(obj)
		other, ok := want[name]
		switch {
		case !ok:
			return fmt.Errorf("the cache has %s, and the server does not", name)
		case seen[name]:
			return fmt.Errorf("the cache has %s twice", name)
		case obj.GetResourceVersion() != other.GetResourceVersion():
			return fmt.Errorf("the cache has version %s of %s, and the server %s", obj.GetResourceVersion(), name, other.GetResourceVersion())
		}
		if len(seen)%max(len(want)/sample, 1) == 0 {
			if got, want := text(obj, part), text(other, part); !bytes.Equal(got, want) {
				return fmt.Errorf("the cache has %s, and the server %s", got, want)
			}
		}
		seen[name] = true
	}
	if len(seen) != len(want) || len(seen) == 0 {
		return fmt.Errorf("the cache has %d objects, and the server %d", len(seen), len(want))
	}
	return nil
}

func nameOf(obj podserver.Object) string { return obj.GetNamespace() + "/" + obj.GetName() }

func text(obj podserver.Object, part func(podserver.Object) any) []byte {
	obj = obj.DeepCopyObject().(podserver.Object)
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	text, err := json.Marshal(part(obj))
	if err != nil {
		return fmt.Append(nil, err)
	}
	return text
}

// Objects are those of a list, by their addresses.
func Objects[T any, P interface {
	*T
	podserver.Object
}](items []T) iter.Seq[podserver.Object] {
	return func(yield func(podserver.Object) bool) {
		for i := range items {
			if !yield(P(&items[i])) {
				return
			}
		}
	}
}
