package cache

import (
	"slices"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// WithFields keeps only some fields of objects, besides what identifies an object: its kind, and in the metadata name, namespace,
// uid, resourceVersion, deletionTimestamp, finalizers and ownerReferences. Nothing is allocated for other fields, and a packed
// object does not have their text:
//
//	cache.For[*corev1.Node](cache.WithFields("metadata.labels", "spec.providerID", "status.conditions"))
//
// A path has the names of fields in JSON, with dots between them, and the key of a map in brackets:
// metadata.annotations[example.com/owner]. It leads through the items of lists: spec.containers.image is the image of each
// container. A map of which no key is left is left out itself.
//
// It is a mistake if the Go type of a kind does not have a field. Of *unstructured.Unstructured only the fields of the metadata are
// known. A path in the options of a factory is for all of its kinds.
func WithFields(paths ...string) SharedInformerOption {
	paths = slices.Clone(paths)
	return func(o *options) {
		o.once("WithFields")
		if o.only = nil; len(paths) == 0 {
			o.mistake("WithFields", "there is no path; name the fields to keep, or remove the option")
		}
		for _, path := range paths {
			if err := (&wire.Options{Fields: []string{path}}).CheckFields(nil); err != nil {
				o.mistake("WithFields", "%w", err)
				continue
			}
			o.only = append(o.only, path)
		}
	}
}

// WithoutFields leaves fields of objects out, besides those of other such options, and also if WithFields keeps them. It reads
// paths as WithFields:
//
//	cache.WithoutFields("metadata.managedFields", "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]")
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
	c.Decode.Fields, c.Decode.WithoutFields = own.only, append(slices.Clip(of.without), own.without...)
	if own.only == nil {
		c.Decode.Fields = of.only
	}
	check := func(option string, set *options, paths wire.Options) {
		switch err := paths.CheckFields(c.objectType()); {
		case err == nil:
		case set == of:
			mistakes = append(mistakes, optionError(option, own.object, "%w; the option is for all kinds of the factory: pass cache.For[T](cache.%s(…)) for each kind T that has the field", err, option))
		default:
			mistakes = append(mistakes, optionError(option, own.object, "%w", err))
		}
	}
	for _, set := range []*options{of, own} {
		if set == own || own.only == nil {
			check("WithFields", set, wire.Options{Fields: set.only})
		}
		check("WithoutFields", set, wire.Options{WithoutFields: set.without})
	}
	return mistakes
}
