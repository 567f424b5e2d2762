package protobuf

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// pathsOf returns paths to fields of a type.
func pathsOf(t reflect.Type, before fieldmask.Path, depth int) (found []fieldmask.Path) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 {
		t = t.Elem()
	}
	if depth == 0 {
		return nil
	}
	add := func(step fieldmask.Step, inner reflect.Type) {
		path := append(slices.Clone(before), step)
		found = append(append(found, path), pathsOf(inner, path, depth-1)...)
	}
	switch t.Kind() {
	case reflect.Map:
		for _, key := range []string{"a", "keep", "", "n", "other"} {
			add(fieldmask.Step{Name: key, IsKey: true}, t.Elem())
		}
	case reflect.Struct:
		members, _ := plan.FieldsOf(t)
		for _, f := range members {
			add(fieldmask.Step{Name: f.Name}, f.Type)
		}
	}
	return found
}

// checkMask decodes parts of a message in all ways, and compares them with the whole object without the rest.
func checkMask(t *testing.T, of reflect.Type, message []byte, mask *fieldmask.Mask) {
	t.Helper()
	want := reflect.New(of).Interface()
	if err := Unmarshal(message, want.(unmarshaler)); err != nil {
		return // the rest may be what is wrong
	}
	p := For(of, of, mask)
	p.trim.Trim(want)
	if got, err := p.Unmarshal(message); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v by %s: unmarshaled\n%+v, %v\nwant\n%+v", of, mask, got, err, want)
	}
	got, ok := p.Decode(message, 1)
	if wrong := checked(p, message, ok); wrong != "" {
		t.Errorf("%v by %s: %s", of, mask, wrong)
	}
	if !ok {
		return
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v by %s: decoded\n%+v\nwant\n%+v", of, mask, got, want)
	}
	rest, ok := p.Cut(message, mask)
	if again, isDecoded := For(of, of, nil).Decode(rest, 0); !ok || !isDecoded || !reflect.DeepEqual(again, want) {
		t.Errorf("%v by %s: cut to %q\n%+v, %t\nwant\n%+v", of, mask, rest, again, isDecoded, want)
	}
}

// masked are the samples whose fields have names in JSON.
func masked() []generated {
	return slices.DeleteFunc(slices.Clone(samples), func(sample generated) bool {
		_, decodesItself := sample.(json.Unmarshaler)
		return decodesItself
	})
}

// TestMasks decodes parts of all samples, for each path alone and for some together.
func TestMasks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, sample := range masked() {
		of, message := reflect.TypeOf(sample).Elem(), marshaled(t, sample)
		paths := slices.DeleteFunc(pathsOf(of, nil, 4), func(path fieldmask.Path) bool { return plan.CheckPath(of, path) != nil })
		some := func() (some []fieldmask.Path) {
			for range 1 + r.IntN(4) {
				some = append(some, paths[r.IntN(len(paths))])
			}
			return some
		}
		for i := range len(paths) + 100 {
			only, without := []fieldmask.Path{paths[i%len(paths)]}, []fieldmask.Path(nil)
			if i >= len(paths) {
				only, without = some(), some()
			}
			for _, paths := range [][2][]fieldmask.Path{{only, nil}, {nil, only}, {only, without}} {
				if mask, err := fieldmask.New(paths[0], paths[1]); err == nil {
					checkMask(t, of, message, mask)
				}
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

// FuzzMaskedMessages decodes parts of any message.
func FuzzMaskedMessages(f *testing.F) {
	all := masked()
	for i, sample := range all {
		f.Add(uint8(i), uint8(i), marshaled(f, sample))
	}
	f.Fuzz(func(t *testing.T, kind, seed uint8, message []byte) {
		of, r := reflect.TypeOf(all[int(kind)%len(all)]).Elem(), rand.New(rand.NewPCG(uint64(kind), uint64(seed%16))) // plans are never freed
		paths := pathsOf(of, nil, 4)
		some := func(n int) (some []fieldmask.Path) {
			for range n {
				if path := paths[r.IntN(len(paths))]; plan.CheckPath(of, path) == nil {
					some = append(some, path)
				}
			}
			return some
		}
		if mask, err := fieldmask.New(some(r.IntN(2)*4), some(r.IntN(4))); err == nil && mask != nil {
			checkMask(t, of, message, mask)
		}
	})
}
