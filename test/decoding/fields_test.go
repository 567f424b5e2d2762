package decoding

import (
	"encoding/json"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// fieldPath leads to a field. The steps of keys of maps begin with a bracket.
type fieldPath []string

func (p fieldPath) String() string {
	text := ""
	for _, step := range p {
		if strings.HasPrefix(step, "[") {
			text += step + "]"
		} else {
			text += "." + step
		}
	}
	return strings.TrimPrefix(text, ".")
}

// isBefore reports whether p is the beginning of other, or equal.
func (p fieldPath) isBefore(other fieldPath) bool {
	return len(p) <= len(other) && slices.EqualFunc(p, other[:len(p)], func(a, b string) bool { return strings.TrimPrefix(a, "[") == strings.TrimPrefix(b, "[") })
}

// alwaysKept are the fields that identify an object.
var alwaysKept = []fieldPath{
	{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}, {"metadata", "uid"}, {"metadata", "resourceVersion"},
	{"metadata", "generation"}, {"metadata", "deletionTimestamp"}, {"metadata", "finalizers"}, {"metadata", "ownerReferences"},
}

// selection is what wire.Options say of fields, evaluated in the simplest way.
type selection struct{ only, without []fieldPath }

// keeps reports whether anything at a path is kept.
func (s *selection) keeps(at fieldPath) bool {
	leavesOut := func(path fieldPath) bool {
		return slices.ContainsFunc(s.without, func(out fieldPath) bool { return out.isBefore(path) })
	}
	meets := func(path fieldPath) bool { return path.isBefore(at) || at.isBefore(path) }
	return slices.ContainsFunc(alwaysKept, meets) ||
		!leavesOut(at) && (len(s.only) == 0 || slices.ContainsFunc(s.only, func(path fieldPath) bool { return meets(path) && !leavesOut(path) }))
}

// isMap reports whether a path leads to a map of which some keys are named.
func (s *selection) isMap(at fieldPath) bool {
	return slices.ContainsFunc(append(slices.Clone(s.only), s.without...), func(path fieldPath) bool {
		return len(path) > len(at) && at.isBefore(path) && strings.HasPrefix(path[len(at)], "[")
	})
}

// prune removes what is left out of a value. It reports whether nothing is left of a map.
func (s *selection) prune(value any, at fieldPath) (isGone bool) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			s.prune(item, at)
		}
	case map[string]any:
		before := len(value)
		for name, inner := range value {
			if below := append(slices.Clip(at), name); !s.keeps(below) || s.prune(inner, below) {
				delete(value, name)
			}
		}
		return before > 0 && len(value) == 0 && s.isMap(at)
	}
	return false
}

// plainKey reports whether a path may have a name as its step.
func plainKey(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9') })
}

// randomPath returns a path into a value that CheckFields accepts for a type, or nil.
func randomPath(r *rand.Rand, of reflect.Type, value any) (path fieldPath) {
	for {
		for {
			list, is := value.([]any)
			if !is || len(list) == 0 {
				break
			}
			value = list[r.Intn(len(list))]
		}
		object, _ := value.(map[string]any)
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(object)), func(name string) bool { return !plainKey(name) })
		if len(names) == 0 || len(path) > 0 && r.Intn(3) == 0 {
			return path
		}
		name := names[r.Intn(len(names))]
		next := append(slices.Clip(path), name)
		check := wire.Options{WithoutFields: []string{next.String()}}
		if check.CheckFields(of) != nil {
			next[len(next)-1] = "[" + name
			if check.WithoutFields[0] = next.String(); check.CheckFields(of) != nil {
				return path
			}
		}
		path, value = next, object[name]
	}
}

// TestRandomFields decodes parts of objects of all kinds, from JSON and protobuf, and compares them with whole objects, of whose
// texts other code has removed the rest.
func TestRandomFields(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for _, k := range kinds {
		if hasNoMeta(k.new()) {
			continue // its text has no metadata
		}
		t.Run(k.String(), func(t *testing.T) {
			t.Parallel()
			for seed := range rounds {
				k.checkFields(t, rand.New(rand.NewSource(int64(seed))))
			}
		})
	}
}

func (k kind) checkFields(t *testing.T, r *rand.Rand) {
	t.Helper()
	of, untyped := reflect.PointerTo(k.typ), map[string]any{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(k.encoded(t, k.filled(r)), &untyped); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(untyped) // the order of names is that of pruned
	if err != nil {
		t.Fatal(err)
	}
	whole, err := k.theirs(text)
	if err != nil {
		t.Fatal(err)
	}
	some := func(n int) (paths []fieldPath, texts []string) {
		for range n {
			if path := randomPath(r, of, any(untyped)); path != nil {
				paths, texts = append(paths, path), append(texts, path.String())
			}
		}
		return paths, texts
	}
	var s selection
	options := wire.Options{ReadOnly: true}
	s.only, options.Fields = some(r.Intn(2) * r.Intn(6))
	s.without, options.WithoutFields = some(r.Intn(5))
	if options.CheckFields(of) != nil {
		return // one of them always stays
	}
	s.prune(untyped, nil)
	pruned, err := json.Marshal(untyped)
	if err != nil {
		t.Fatal(err)
	}
	want, err := k.theirs(pruned)
	if err != nil {
		t.Fatal(err)
	}
	check := func(how string, of reflect.Type, text []byte, want runtime.Object) {
		t.Helper()
		for range 2 { // the second one shares parts
			got, err := wire.NewDecoder(of, options, nil).Decode(text)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, only %q, without %q:\n%s, %v\nwant\n%s", how, options.Fields, options.WithoutFields, shown(got), err, shown(want))
			}
		}
		marking := options
		marking.MarkFields = true
		got, err := wire.NewDecoder(of, marking, nil).Decode(text)
		if err != nil {
			t.Fatalf("%s, with marks: %v", how, err)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Fatalf("%s, only %q, without %q: an object with marks has no text: %v", how, options.Fields, options.WithoutFields, err)
		}
		if trim := wire.Trimmer(&options); trim != nil {
			trim(got)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s, only %q, without %q: besides the marks, there is\n%s\nwant\n%s", how, options.Fields, options.WithoutFields, shown(got), shown(want))
		}
	}
	check("JSON", of, text, want)
	if _, is := whole.(*unstructured.Unstructured); !is {
		free := &unstructured.Unstructured{}
		if err := free.UnmarshalJSON(pruned); err == nil {
			check("untyped", reflect.TypeOf(free), text, free)
		}
	}
	inMetadata := slices.DeleteFunc(slices.Concat(options.Fields, options.WithoutFields), func(path string) bool { return strings.HasPrefix(path, "metadata") })
	if len(inMetadata) == 0 && len(options.Fields) > 0 {
		partial := &metav1.PartialObjectMetadata{}
		if err := json.Unmarshal(pruned, partial); err != nil {
			t.Fatal(err)
		}
		check("metadata", reflect.TypeOf(partial), text, partial)
	}
	if !k.hasProtobuf() {
		return
	}
	// What a message cannot have, such as an empty map, neither side has.
	if whole, err = k.theirMessage(k.message(t, whole)); err != nil {
		t.Fatal(err)
	}
	if want, err = k.theirMessage(k.message(t, want)); err != nil {
		t.Fatal(err)
	}
	options.Protobuf = whole
	check("protobuf", of, wrapped(k.message(t, whole)), want)
}
