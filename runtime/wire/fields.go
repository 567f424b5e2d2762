package wire

import (
	"errors"
	"reflect"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// CheckFields returns an error for each path in Fields and WithoutFields that is wrong for objects of a type, such as
// reflect.TypeFor[*v1.Foo](). It names the nearest field that there is. WithoutFields may have any field of the metadata, also if
// the type has only some of them.
func (o *Options) CheckFields(object reflect.Type) error {
	_, err := fieldmask.Read(o.Fields, o.WithoutFields)
	errs := []error{err}
	if object == nil || isInterface(object) {
		return err
	}
	check := func(paths []string, isKnown func(path fieldmask.Path) bool) {
		for _, text := range paths {
			if path, err := fieldmask.Parse(text); err == nil && !isKnown(path) {
				errs = append(errs, plan.CheckPath(object.Elem(), path))
			}
		}
	}
	check(o.Fields, func(fieldmask.Path) bool { return false })
	check(o.WithoutFields, func(path fieldmask.Path) bool {
		return plan.CheckPath(reflect.TypeFor[metav1.PartialObjectMetadata](), path) == nil
	})
	return errors.Join(errs...)
}

// maskOf returns the mask of options, which CheckFields has checked.
func maskOf(options *Options) *fieldmask.Mask {
	mask, err := fieldmask.Read(options.Fields, options.WithoutFields)
	if err != nil {
		panic("wire: " + err.Error())
	}
	return mask
}

// Unread begins the texts of Options.MarkFields.
const Unread = "left out by WithFields: "

// marks returns the function of Options.MarkFields, or nil. It writes to the object.
func marks(mask *fieldmask.Mask) func(obj Object) {
	if mask == nil {
		return nil
	}
	return func(obj Object) {
		if untyped, is := obj.(runtime.Unstructured); is {
			plan.MarkUntyped(untyped.UnstructuredContent(), mask, Unread)
			return
		}
		plan.Mark(obj, mask, Unread)
	}
}

// Trimmer returns a function that removes from an object the fields that options leave out, or nil if
// they leave out nothing. It is for objects that a client, and not a Decoder, has decoded.
// The function writes to the object, so the caller has to own it. It may be called from
// several goroutines.
func Trimmer(options *Options) func(obj Object) {
	mask := maskOf(options)
	if mask == nil {
		return nil
	}
	var mark func(obj Object)
	if options.MarkFields {
		mark = marks(mask)
	}
	var last atomic.Pointer[trimmer] // nearly always all objects have one type
	return func(obj Object) {
		if _, isUntyped := obj.(runtime.Unstructured); isUntyped && mark != nil {
			mark(obj)
			return
		}
		t := last.Load()
		if of := reflect.TypeOf(obj).Elem(); t == nil || t.of != of {
			t = &trimmer{of, plan.For(of, mask)}
			last.Store(t)
		}
		if t.plan.Trim(obj); mark != nil {
			mark(obj)
		}
	}
}

// trimmer trims objects of one type.
type trimmer struct {
	of   reflect.Type
	plan *plan.Plan
}
