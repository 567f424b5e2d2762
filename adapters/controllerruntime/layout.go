package crcache

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// layout is how objects of a Go type are copied to callers.
type layout struct {
	// pointer is the type of an object, such as *corev1.Pod.
	pointer reflect.Type
	// items is the index of the field Items in a list; nil if it has another form.
	items []int
	// slice is the type of that field: []T or []*T.
	slice    reflect.Type
	pointers bool
	// copyInto is the method DeepCopyInto of the type, as a function of two pointers. Without
	// that method it is the zero Value.
	copyInto reflect.Value
}

// layoutOf returns the layout of the type of object. out is the object or the list of a caller.
func layoutOf(object, out runtime.Object, isList bool) layout {
	l := layout{pointer: reflect.TypeOf(object)}
	// An embedded type may have a method of that name for itself.
	if method, ok := l.pointer.MethodByName("DeepCopyInto"); ok && method.Type.NumIn() == 2 && method.Type.In(1) == l.pointer && method.Type.NumOut() == 0 {
		l.copyInto = method.Func
	}
	if !isList {
		return l
	}
	list := reflect.TypeOf(out)
	if list.Kind() != reflect.Pointer || list.Elem().Kind() != reflect.Struct {
		return l
	}
	field, ok := list.Elem().FieldByName("Items")
	if !ok || field.Type.Kind() != reflect.Slice {
		return l
	}
	switch field.Type.Elem() {
	case l.pointer:
		l.items, l.slice, l.pointers = field.Index, field.Type, true
	case l.pointer.Elem():
		l.items, l.slice = field.Index, field.Type
	}
	return l
}

// set copies a stored object to *out, deeply unless share is set.
func (l *layout) set(out client.Object, stored cache.Object, share bool) error {
	target := reflect.ValueOf(out)
	if t := reflect.TypeOf(stored); t != target.Type() {
		return fmt.Errorf("cache had type %s, but %s was asked for", t, target.Type())
	}
	target.Elem().SetZero() // a DeepCopyInto that is written by hand may expect that
	l.copyTo(target.Elem(), stored, share)
	return nil
}

// copyTo copies a stored object to a struct, deeply unless share is set.
func (l *layout) copyTo(target reflect.Value, stored cache.Object, share bool) {
	switch {
	case share:
		target.Set(reflect.ValueOf(stored).Elem())
	case l.copyInto.IsValid():
		l.copyInto.Call([]reflect.Value{reflect.ValueOf(stored), target.Addr()})
	default:
		target.Set(reflect.ValueOf(stored.DeepCopyObject()).Elem())
	}
}

// fill sets the items of a list.
func (i *informer) fill(out client.ObjectList, t *goType, objs []cache.Object, share bool) error {
	switch list := out.(type) {
	case *unstructured.UnstructuredList:
		i.fillUntyped(list, objs, share)
		return nil
	case *metav1.PartialObjectMetadataList:
		i.fillMetadata(list, objs, share)
		return nil
	}
	if t == nil || t.items == nil {
		return i.fillOther(out, t, objs, share)
	}
	items := reflect.MakeSlice(t.slice, len(objs), len(objs))
	for n, obj := range objs {
		target := items.Index(n)
		if t.pointers {
			target.Set(reflect.New(t.pointer.Elem()))
			target = target.Elem()
		}
		share := share || i.entry.plan.sharesIn(obj.GetNamespace())
		t.copyTo(target, obj, share || i.entry.packed)
		if !share {
			target.Addr().Interface().(runtime.Object).GetObjectKind().SetGroupVersionKind(i.entry.gvk)
		}
	}
	reflect.ValueOf(out).Elem().FieldByIndex(t.items).Set(items)
	return nil
}

func (i *informer) fillUntyped(list *unstructured.UnstructuredList, objs []cache.Object, share bool) {
	list.Items = make([]unstructured.Unstructured, len(objs))
	for n, obj := range objs {
		stored := obj.(*unstructured.Unstructured)
		o := &list.Items[n]
		if o.Object = stored.Object; !share && !i.entry.plan.sharesIn(stored.GetNamespace()) {
			if !i.entry.packed {
				o.Object = runtime.DeepCopyJSON(stored.Object)
			}
			o.SetGroupVersionKind(i.entry.gvk)
		}
	}
}

func (i *informer) fillMetadata(list *metav1.PartialObjectMetadataList, objs []cache.Object, share bool) {
	list.Items = make([]metav1.PartialObjectMetadata, len(objs))
	for n, obj := range objs {
		shared := metadataOf(obj, i.entry.gvk)
		if list.Items[n] = *shared; !share && !i.entry.packed && !i.entry.plan.sharesIn(shared.Namespace) {
			shared.DeepCopyInto(&list.Items[n])
		}
	}
}

// fillOther sets the items of a list whose Go type is unusual.
func (i *informer) fillOther(out client.ObjectList, t *goType, objs []cache.Object, share bool) error {
	if t == nil {
		return fmt.Errorf("cannot list %s into a %T; use a *unstructured.UnstructuredList", i.entry.resource, out)
	}
	all := make([]runtime.Object, len(objs))
	for n, obj := range objs {
		all[n] = obj
		if !share && !i.entry.plan.sharesIn(obj.GetNamespace()) {
			if !i.entry.packed {
				all[n] = obj.DeepCopyObject()
			}
			all[n].GetObjectKind().SetGroupVersionKind(i.entry.gvk)
		}
	}
	return meta.SetList(out, all)
}
