package cache

import (
	"slices"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// WithoutFields leaves fields of objects out, besides those of other such options. Nothing is allocated for them, and a packed
// object does not have their text:
//
//	cache.WithoutFields("metadata.managedFields", "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]")
//
// A path has the names of fields in JSON, with dots between them, and the key of a map in brackets. It leads through the items of
// lists: spec.containers.env is the field of each container. A map of which no key is left is left out itself. What identifies an
// object always stays: its kind, and in the metadata name, namespace, uid, resourceVersion, deletionTimestamp, finalizers and
// ownerReferences. It is a mistake if the Go type of a kind does not have a field. Of *unstructured.Unstructured only the fields of the metadata are
// known. A path in the options of a factory is for all of its kinds.
func WithoutFields(paths ...string) SharedInformerOption {
	paths = slices.Clone(paths)
	return func(o *options) {
		for _, path := range paths {
			if err := (&wire.Options{WithoutFields: []string{path}}).CheckFields(nil); err != nil {
				o.mistake("WithoutFields", "%w", err)
				continue
			}
			o.without = append(slices.Clip(o.without), path)
		}
	}
}

// setFields sets which fields are decoded. It returns the mistakes in the options of a factory and in those of the kind.
func (c *config) setFields(of, own *options) (mistakes []error) {
	c.Decode.WithoutFields = append(slices.Clip(of.without), own.without...)
	for _, set := range []*options{of, own} {
		err := (&wire.Options{WithoutFields: set.without}).CheckFields(c.objectType())
		switch {
		case err == nil:
		case set == of:
			mistakes = append(mistakes, optionError("WithoutFields", own.object, "%w; the option is for all kinds of the factory: pass cache.For[T](cache.WithoutFields(…)) for each kind T that has the field", err))
		default:
			mistakes = append(mistakes, optionError("WithoutFields", own.object, "%w", err))
		}
	}
	return mistakes
}
