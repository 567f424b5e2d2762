package plan

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// sharing has all parts that are shared, and one that is private.
type sharing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Data map[string]string `json:"data"`
}

// written is an object whose managedFields, labels and data are these.
func written(fields, labels, data string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Sharing","metadata":{"labels":{"a":%q},"managedFields":[{"manager":"m","fieldsV1":{"f:%s":{}}}]},"data":{"secret":%q}}`, labels, fields, data)
}

// decodeTwo decodes two texts with one scratch.
func decodeTwo[T any](t *testing.T, first, second string, sharers ...memory.Sharer) (one, other *T) {
	t.Helper()
	s := &scratch{}
	objects := []*T{new(T), new(T)}
	for i, text := range []string{first, second} {
		s.sharer = sharers[i]
		if For(reflect.TypeFor[T](), nil).decode(s, []byte(text), memory.SlotOf(reflect.ValueOf(objects[i]))) == gaveUp {
			t.Fatalf("%s: gave up", text)
		}
	}
	return objects[0], objects[1]
}

func isSame(a, b any) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}

func TestPartsAreShared(t *testing.T) {
	long := strings.Repeat("x", memory.SharedBytes)
	for _, test := range []struct {
		name          string
		first, second string
		sharers       []memory.Sharer
		fields        bool
	}{
		{"equal objects", written("a", "l", "d"), written("a", "l", "d"), []memory.Sharer{1, 1}, true},
		{"objects that someone writes to", written("a", "l", "d"), written("a", "l", "d"), []memory.Sharer{0, 0}, false},
		{"objects of two informers", written("a", "l", "d"), written("a", "l", "d"), []memory.Sharer{1, 2}, false},
		{"other labels", written("a", "l", "d"), written("a", "k", "d"), []memory.Sharer{1, 1}, true},
		{"other fields", written("a", "l", "d"), written("b", "l", "d"), []memory.Sharer{1, 1}, false},
		{"long texts", written(long, long, "d"), written(long, long, "d"), []memory.Sharer{1, 1}, false},
	} {
		one, other := decodeTwo[sharing](t, test.first, test.second, test.sharers...)
		if got := isSame(one.ManagedFields[0].FieldsV1, other.ManagedFields[0].FieldsV1); got != test.fields {
			t.Errorf("%s: fieldsV1 is shared: %t", test.name, got)
		}
		if isSame(one.Labels, other.Labels) || isSame(one.Data, other.Data) {
			t.Errorf("%s: labels or data are shared", test.name)
		}
		first, second := decodeTwo[unstructured.Unstructured](t, test.first, test.second, test.sharers...)
		if got := isSame(untypedFieldsOf(first), untypedFieldsOf(second)); got != test.fields {
			t.Errorf("%s: unstructured fieldsV1 is shared: %t", test.name, got)
		}
		for i, text := range []string{test.first, test.second} {
			want := &sharing{}
			if err := Unmarshal([]byte(text), want); err != nil {
				t.Fatal(err)
			}
			if got := []*sharing{one, other}[i]; !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v instead of %+v", test.name, got, want)
			}
		}
	}
}

func untypedFieldsOf(u *unstructured.Unstructured) map[string]any {
	entries := u.Object["metadata"].(map[string]any)["managedFields"].([]any)
	return entries[0].(map[string]any)["fieldsV1"].(map[string]any)
}

// TestSharedPartsKeepMistakes decodes parts that are no objects.
func TestSharedPartsKeepMistakes(t *testing.T) {
	for _, part := range []string{`null`, `[]`, `"a"`, `1`, `{"a"}`, `{`} {
		text := `{"kind":"Sharing","metadata":{"managedFields":[{"fieldsV1":` + part + `}]}}`
		fast[sharing](t, text, nil)
		fast[unstructured.Unstructured](t, text, nil)
	}
}
