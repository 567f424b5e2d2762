package plan

import (
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Omission is a tree of the members of an object that are left out. A name without a tree
// of its own is left out; the others lead there. Two kinds of objects need it: a plan
// never decodes these members, and Trim removes them from what others have decoded.
type Omission map[string]Omission

// Omit returns the omission of managed fields, if managedFields is set, and of annotations
// with these keys. It is nil if nothing is left out.
func Omit(managedFields bool, annotations []string) Omission {
	metadata := Omission{}
	if managedFields {
		metadata["managedFields"] = nil
	}
	if len(annotations) > 0 {
		keys := Omission{}
		for _, key := range annotations {
			keys[key] = nil
		}
		metadata["annotations"] = keys
	}
	if len(metadata) == 0 {
		return nil
	}
	return Omission{"metadata": metadata}
}

// cut is a field that is left out, or a map of which keys are left out.
type cut struct {
	// index leads to it, as that of reflect.StructField does.
	index []int
	// keys is nil for a field.
	keys Omission
}

// cutsOf returns what is left out of values of type t, to which index leads.
func cutsOf(t reflect.Type, omit Omission, index []int) (found []cut) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return []cut{{index, omit}}
	}
	members, _ := FieldsOf(t)
	for _, f := range members {
		at := slices.Concat(index, f.index)
		switch within, omitted := omit[f.Name]; {
		case omitted && within == nil:
			found = append(found, cut{index: at})
		case omitted:
			found = append(found, cutsOf(f.Type, within, at)...)
		}
	}
	return found
}

// Trim removes from obj, a pointer to a value of the plan's type, what the plan leaves out.
// It finds members by their names in JSON. If the type has no such member, Trim calls the
// methods of the object's metadata.
func (p *Plan) Trim(obj any) {
	if p.omit == nil {
		return
	}
	if untyped, ok := obj.(runtime.Unstructured); ok {
		p.omit.removeFrom(reflect.ValueOf(untyped.UnstructuredContent()))
		return
	}
	for _, c := range p.cuts {
		v, err := reflect.ValueOf(obj).Elem().FieldByIndexErr(c.index)
		switch {
		case err != nil: // a pointer on the way is nil
		case c.keys != nil:
			c.keys.removeFrom(v)
		case v.CanSet():
			v.SetZero()
		}
	}
	if meta, ok := obj.(metav1.Object); ok && len(p.cuts) == 0 {
		p.omit["metadata"].removeByMethods(meta)
	}
}

// removeByMethods removes members of the metadata from obj. An object whose methods panic
// does not have them.
func (o Omission) removeByMethods(obj metav1.Object) {
	defer func() { _ = recover() }()
	for key := range o["annotations"] {
		delete(obj.GetAnnotations(), key)
	}
	if _, omitted := o["managedFields"]; omitted {
		obj.SetManagedFields(nil)
	}
}

// removeFrom removes members from a map whose keys are strings, and from maps in it.
func (o Omission) removeFrom(v reflect.Value) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Map || v.IsNil() || v.Type().Key().Kind() != reflect.String {
		return
	}
	for name, within := range o {
		key := reflect.ValueOf(name).Convert(v.Type().Key())
		if within == nil {
			v.SetMapIndex(key, reflect.Value{})
		} else {
			within.removeFrom(v.MapIndex(key))
		}
	}
}
