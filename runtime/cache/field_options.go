package cache

import (
	"fmt"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/wire"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// WithFields keeps only some fields of objects, besides what identifies an object: its kind, and in the metadata name, namespace,
// uid, resourceVersion, generation, deletionTimestamp, finalizers and ownerReferences. Nothing is allocated for other fields, and a packed
// object does not have their text:
//
//	cache.WithOptionsFor[*corev1.Node](cache.WithFields("metadata.labels", "spec.providerID", "status.conditions"))
//
// A path has the names of fields in JSON, with dots between them, and the key of a map in brackets:
// metadata.annotations[example.com/owner]. It leads through the items of lists: spec.containers.image is the image of each
// container. A map of which no key is left is left out itself.
//
// Listers select by the labels that are left. Index functions and transforms see no other fields.
//
// It is a mistake if the Go type of a kind does not have a field. Of *unstructured.Unstructured only the fields of the metadata are
// known. A path in the options of a factory is for all of its kinds.
func WithFields(paths ...string) SharedInformerOption {
	paths = slices.Clone(paths)
	return optionOf(func(o *options) {
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
	})
}

// WithoutFields leaves fields of objects out, besides those of other such options, and also if WithFields keeps them. It reads
// paths as WithFields:
//
//	cache.WithoutFields("metadata.managedFields", "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]")
func WithoutFields(paths ...string) SharedInformerOption {
	paths = slices.Clone(paths)
	return optionOf(func(o *options) {
		for _, path := range paths {
			if err := (&wire.Options{WithoutFields: []string{path}}).CheckFields(nil); err != nil {
				o.mistake("WithoutFields", "%w", err)
				continue
			}
			o.without = append(slices.Clip(o.without), path)
		}
	})
}

// WithUpdateGuard sets whose transport refuses the writes of this program that would delete fields which WithFields or WithoutFields
// leaves out: an update of an object of the cache would, because it lacks them. The clients that write have to be made of a
// rest.Config with the transport:
//
//	own := &writes.Observer{}
//	config.Wrap(own.Transport)
//	client := versioned.NewForConfigOrDie(config)
//	factory := informers.NewSharedInformerFactory(client, 0, cache.WithUpdateGuard(own),
//		cache.WithOptionsFor[*v1.Foo](cache.WithFields("spec.color", "status")))
//
// writes.Observer.Guard says which requests are refused. WithReadYourWrites sets the guard too. It is a mistake to leave fields out
// without one, but for metadata.managedFields, which a server keeps, and for *metav1.PartialObjectMetadata, which no client updates.
//
// Without a transport, as in a fake clientset of NewSimpleClientset, the option has no effect. No guard can tell what an object lacks if
// the program sends a server-side apply of it: that removes the fields which the program owns and the object lacks.
func WithUpdateGuard(own *writes.Observer) SharedInformerOption {
	return optionOf(func(o *options) {
		o.once("WithUpdateGuard")
		if own == nil {
			o.mistake("WithUpdateGuard", "the Observer is nil; pass the one whose Transport the rest.Config of the clients has, or use WithoutUpdateGuard")
			return
		}
		setting(func(s *settings) { s.UpdateGuard, s.WithoutUpdateGuard = own, false })(o)
	})
}

// WithoutUpdateGuard lets informers leave fields out although no guard refuses an update of such an object. It is for programs that
// never update objects of the cache.
func WithoutUpdateGuard() SharedInformerOption {
	return optionOf(func(o *options) {
		o.once("WithUpdateGuard")
		setting(func(s *settings) { s.UpdateGuard, s.WithoutUpdateGuard = nil, true })(o)
	})
}

// guardOf returns whose transports refuse writes of objects that lack fields, or nil.
func (c *config) guardOf() *writes.Observer {
	if c.UpdateGuard == nil && !c.WithoutUpdateGuard && c.ReadYourWrites != nil {
		return c.ReadYourWrites.Observer
	}
	return c.UpdateGuard
}

// guardFields lets the guard refuse writes that would delete fields which are left out. It returns the mistake of an informer
// that leaves fields out without a guard. No write of the metadata of an object, or to a fake, is guarded. scope is one of the scopes,
// with its source.
func (c *config) guardFields(own *options, server fmt.Stringer, scope *config) error {
	left := writes.LeftOut{Resource: c.Resource.GroupResource(), Only: c.Decode.Fields, Without: c.Decode.WithoutFields}
	object := c.objectType()
	if left.IsSafe() || scope.fake || object == reflect.TypeFor[*metav1.PartialObjectMetadata]() {
		return nil
	}
	if object != nil && object.Kind() == reflect.Pointer {
		left.Object, _ = reflect.Zero(object).Interface().(runtime.Object)
	}
	switch guard := c.guardOf(); {
	case c.WithoutUpdateGuard:
		return nil
	case guard == nil:
		return optionError("WithFields", own.object, "an update of an object of the cache would delete the fields that it lacks (%s), and nothing refuses it; call config.Wrap(own.Transport) for a *writes.Observer before the clients are made from config, and pass cache.WithUpdateGuard(own), or pass cache.WithoutUpdateGuard() if the program never updates such objects", &left)
	case server == nil && scope.Open == nil:
		return nil // a fake without a transport
	case !guard.Attached():
		return optionError("WithUpdateGuard", own.object, "no client has the transport of the Observer, so no update is refused; call config.Wrap(own.Transport) before the clients are made from config")
	case server == nil:
		return optionError("WithUpdateGuard", own.object, "the Kind of %s has no Server, so its updates are not known; set it to the base URL of the client, or pass cache.WithoutUpdateGuard()", c.Resource.GroupResource())
	default:
		return guard.Guard(server.String(), left)
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
			mistakes = append(mistakes, optionError(option, own.object, "%w; the option is for all kinds of the factory: pass cache.WithOptionsFor[T](cache.%s(…)) for each kind T that has the field", err, option))
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
