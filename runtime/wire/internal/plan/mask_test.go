package plan

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// randomPath returns a path that values of a type may have, or nil.
func randomPath(r *rand.Rand, t reflect.Type) (path fieldmask.Path) {
	for len(path) == 0 || r.IntN(3) > 0 {
		t = itemOf(t)
		if len(path) > 0 && decodesItself(t) {
			return path
		}
		switch t.Kind() {
		case reflect.Interface:
			path = append(path, fieldmask.Step{Name: []string{"a", "b", "1"}[r.IntN(3)], IsKey: r.IntN(2) == 0})
		case reflect.Map:
			if t.Key().Kind() != reflect.String || decodesItself(t.Key()) {
				return path
			}
			path = append(path, fieldmask.Step{Name: []string{"a", "b", "1", "é"}[r.IntN(4)], IsKey: true})
			t = t.Elem()
		case reflect.Struct:
			members := fieldsOf(t)
			if len(members) == 0 {
				return path
			}
			f := members[r.IntN(len(members))]
			path, t = append(path, fieldmask.Step{Name: f.Name}), f.Type
		default:
			return path
		}
	}
	return path
}

// randomMask returns what is kept of values of a type.
func randomMask(t *testing.T, r *rand.Rand, typ reflect.Type) *fieldmask.Mask {
	from := typ
	if typ == untypedObject {
		from = reflect.TypeFor[map[string]any]()
	}
	paths := func(n int) (all []fieldmask.Path) {
		for range n {
			path := randomPath(r, from)
			if path == nil {
				continue
			}
			path[0].IsKey = false
			if err := CheckPath(typ, path); err != nil {
				t.Errorf("%v: %v", typ, err)
			}
			if read, err := fieldmask.Parse(path.String()); err != nil || !reflect.DeepEqual(read, path) {
				t.Errorf("%s is read as %s, %v", path, read, err)
			}
			all = append(all, path)
		}
		return all
	}
	only := r.IntN(2) * r.IntN(5)
	mask, err := fieldmask.New(paths(only), paths(r.IntN(4)))
	if err != nil {
		return nil // a field has the name of one that always stays
	}
	return mask
}

var untypedObject = reflect.TypeFor[unstructured.Unstructured]()

// maskCase returns a type and a text of it: sometimes an untyped object.
func maskCase(typeSeed, textSeed uint64) (reflect.Type, []byte) {
	typ, text := randomCase(typeSeed, textSeed)
	if typeSeed%4 == 0 && len(text) > 2 {
		return untypedObject, append([]byte(`{"kind":"K",`), bytes.TrimLeft(text, "{ ")...)
	}
	return typ, text
}

// isOdd reports whether a value of t has fields that Trim does not know, or an embedded pointer, which is nil if its fields are not
// in the text. No API has such types.
func isOdd(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return isOdd(t.Elem(), seen)
	case reflect.Struct:
	default:
		return false
	}
	if _, regular := FieldsOf(t); !regular {
		return true
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && f.Type.Kind() == reflect.Pointer || isOdd(f.Type, seen) {
			return true
		}
	}
	return false
}

// checkMask decodes a part of a text in all ways, and compares it with the whole object without the rest. It reports whether the
// plan did not give up.
func checkMask(t *testing.T, typ reflect.Type, text []byte, mask *fieldmask.Mask) (decoded bool) {
	t.Helper()
	want := reflect.New(typ)
	if Unmarshal(text, want.Interface()) != nil {
		return false // the rest may be what is wrong
	}
	p := For(typ, mask)
	if p.root == nil && decodesItself(typ) {
		return false
	}
	p.Trim(want.Interface())
	if rest, ok := p.Cut(text, mask); ok && !isOdd(typ, map[reflect.Type]bool{}) {
		got := reflect.New(typ)
		if err := Unmarshal(rest, got.Interface()); err != nil {
			t.Errorf("%v: %s\nis cut by %s to\n%s: %v", typ, text, mask, rest, err)
		}
		if p.Trim(got.Interface()); !reflect.DeepEqual(got.Interface(), want.Interface()) {
			t.Errorf("%v: %s\nis cut by %s to\n%s, which is\n%+v\nwant\n%+v", typ, text, mask, rest, got.Elem(), want.Elem())
		}
	}
	got, frame, s := reflect.New(typ), bytes.Clone(text), takeScratch()
	end := p.decode(s, frame, memory.SlotOf(got))
	s.release()
	checkChecked(t, p, text, end != gaveUp && SkipSpace(text, end) == len(text))
	if end == gaveUp || SkipSpace(text, end) < len(text) {
		return false
	}
	for i := range frame {
		frame[i] = 'x' // nothing of the object is part of it
	}
	if !reflect.DeepEqual(got.Interface(), want.Interface()) {
		t.Errorf("%v: %s\ndecoded by %s\n%+v\nwant\n%+v", typ, text, mask, got.Elem(), want.Elem())
	}
	return true
}

// TestRandomMasks decodes parts of many texts.
func TestRandomMasks(t *testing.T) {
	types, texts := uint64(400), uint64(25)
	if testing.Short() {
		types = 120
	}
	decoded, all := 0, 0
	for typeSeed := range types {
		for textSeed := range texts {
			typ, text := maskCase(typeSeed, textSeed)
			r := rand.New(rand.NewPCG(typeSeed, textSeed/4)) // a plan is never freed
			if mask := randomMask(t, r, typ); mask != nil {
				if all++; checkMask(t, typ, text, mask) {
					decoded++
				}
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d of %d texts were decoded by a plan", decoded, all)
	if decoded < all/10 {
		t.Errorf("only %d of %d texts were decoded by a plan", decoded, all)
	}
}

// FuzzMasks decodes parts of any text.
func FuzzMasks(f *testing.F) {
	for seed := range uint64(50) {
		_, text := maskCase(seed, seed)
		f.Add(uint16(seed), uint8(seed), text)
	}
	f.Fuzz(func(t *testing.T, typeSeed uint16, maskSeed uint8, text []byte) {
		typ, _ := maskCase(uint64(typeSeed%1024), 0) // types and plans are never freed
		if mask := randomMask(t, rand.New(rand.NewPCG(uint64(typeSeed), uint64(maskSeed%8))), typ); mask != nil {
			checkMask(t, typ, text, mask)
		}
	})
}

func TestCheckPath(t *testing.T) {
	typ := reflect.TypeFor[widget]()
	for text, want := range map[string]string{
		"spec.color":                          "",
		"spec.parts.name":                     "",
		"spec.needs[cpu]":                     "",
		"metadata.annotations[a.b/c]":         "",
		"spec.colour":                         "spec.colour is unknown, because the Go type plan.widgetSpec has no field colour; did you mean spec.color?",
		"color":                               "color is unknown, because the Go type plan.widget has no field color; did you mean spec.color?",
		"spec.needs.cpu":                      "cpu is a key of the map spec.needs; write spec.needs[cpu]",
		"metadata.labels.app.kubernetes.io/a": "app.kubernetes.io/a is a key of the map metadata.labels; write metadata.labels[app.kubernetes.io/a]",
		"spec.parts[0].name":                  "spec.parts is no map, because its Go type is plan.widgetPart; a path is for all items of a list: leave [0] out",
		"metadata[name]":                      "metadata is no map, because its Go type is v1.ObjectMeta; write metadata.name",
		"spec.color.red":                      "spec.color has no fields, because its Go type is string; write spec.color",
		"metadata.creationTimestamp.seconds":  "metadata.creationTimestamp.seconds cannot be followed into metadata.creationTimestamp, because the Go type v1.Time decodes itself; write metadata.creationTimestamp",
		"metadata.label.app":                  "metadata.label is unknown, because the Go type v1.ObjectMeta has no field label; did you mean metadata.labels?",
		"spec.kind":                           "spec.kind is unknown, because the Go type plan.widgetSpec has no field kind; did you mean kind?",
	} {
		path, err := fieldmask.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := CheckPath(typ, path); err != nil {
			got = fmt.Sprint(err)
		}
		if got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
