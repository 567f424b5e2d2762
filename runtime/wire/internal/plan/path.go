package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/internal/spelling"
	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
)

// CheckPath returns an error if values of a struct type do not have the field to which path leads. The error names the nearest
// one. Of an untyped object, only the metadata is known.
func CheckPath(t reflect.Type, path fieldmask.Path) error {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[runtime.Unstructured]()) {
		if path[0].Name != "metadata" {
			return nil
		}
		t = reflect.TypeFor[metav1.PartialObjectMetadata]()
	}
	root := t
	for i, step := range path {
		t = itemOf(t)
		before, wrong := path[:i], path[:i+1]
		switch {
		case t.Kind() == reflect.Interface:
			return nil
		case i > 0 && decodesItself(t):
			return fmt.Errorf("%s cannot be followed into %s, because the Go type %v decodes itself; write %s", path, before, t, before)
		case t.Kind() == reflect.Map && !step.IsKey:
			key := strings.TrimPrefix(path.String(), before.String()+".") // which may have dots
			return fmt.Errorf("%s is a key of the map %s; write %s[%s]", key, before, before, key)
		case t.Kind() == reflect.Map && (t.Key().Kind() != reflect.String || decodesItself(t.Key())):
			return fmt.Errorf("%s cannot be followed into %s, because its Go type is %v; write %s", path, before, t, before)
		case t.Kind() == reflect.Map:
			t = t.Elem()
			continue
		case t.Kind() != reflect.Struct:
			return fmt.Errorf("%s has no fields, because its Go type is %v; write %s", before, t, before)
		case step.IsKey && strings.Trim(step.Name, "0123456789:") == "":
			return fmt.Errorf("%s is no map, because its Go type is %v; a path is for all items of a list: leave [%s] out", before, t, step.Name)
		case step.IsKey:
			return fmt.Errorf("%s is no map, because its Go type is %v; write %s.%s", before, t, before, step.Name)
		}
		f := slices.IndexFunc(fieldsOf(t), func(f Field) bool { return f.Name == step.Name })
		if f < 0 {
			return fmt.Errorf("%s is unknown, because the Go type %v has no field %s; %s", wrong, t, step.Name, suggest(root, t, path, i))
		}
		t = fieldsOf(t)[f].Type
	}
	return nil
}

// itemOf returns the type behind pointers and of the items of lists. It returns t if that is a list of itself.
func itemOf(t reflect.Type) reflect.Type {
	item := t
	for range maxLists {
		isList := (item.Kind() == reflect.Slice || item.Kind() == reflect.Array) && item.Elem().Kind() != reflect.Uint8 && !decodesItself(item)
		if !isList && item.Kind() != reflect.Pointer {
			return item
		}
		item = item.Elem()
	}
	return t
}

// maxLists is how many lists and pointers are looked through.
const maxLists = 16

// decodesItself reports whether a method says how values of t are decoded.
func decodesItself(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	return pointer.Implements(unmarshaler) || pointer.Implements(textUnmarshaler)
}

// suggest returns what to write instead of path, whose step i names no field of t. root is the type of the object.
func suggest(root, t reflect.Type, path fieldmask.Path, i int) string {
	var names []string
	for _, f := range fieldsOf(t) {
		names = append(names, f.Name)
	}
	near := slices.Clone(path)
	if near[i].Name = spelling.Nearest(path[i].Name, names); near[i].Name != "" {
		if CheckPath(root, near) != nil {
			near = near[:i+1]
		}
		return "did you mean " + near.String() + "?"
	}
	if found := find(itemOf(t), path[:i], path[len(path)-1].Name); found != nil {
		return "did you mean " + found.String() + "?"
	}
	if found := find(root, nil, path[len(path)-1].Name); found != nil {
		return "did you mean " + found.String() + "?"
	}
	return "use one of " + strings.Join(names, ", ")
}

// find returns the shortest path to a field of that name in t, to which before leads, or nil.
func find(t reflect.Type, before fieldmask.Path, name string) fieldmask.Path {
	type place struct {
		t  reflect.Type
		at fieldmask.Path
	}
	seen := map[reflect.Type]bool{t: true}
	for open := []place{{t, before}}; len(open) > 0; open = open[1:] {
		for _, f := range fieldsOf(open[0].t) {
			at := append(slices.Clip(open[0].at), fieldmask.Step{Name: f.Name})
			if f.Name == name {
				return at
			}
			if inner := itemOf(f.Type); inner.Kind() == reflect.Struct && !decodesItself(inner) && !seen[inner] {
				seen[inner] = true
				open = append(open, place{inner, at})
			}
		}
	}
	return nil
}
