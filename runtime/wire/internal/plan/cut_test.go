package plan

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var partial = reflect.TypeFor[metav1.PartialObjectMetadata]()

// TestCut has texts, and what is left of them without managed fields and the annotations "a" and "b".
func TestCut(t *testing.T) {
	mask := omitted(true, []string{"a", "b"})
	for text, want := range map[string]string{
		`{"metadata":{"name":"x"}}`: ``,
		`{"metadata":{"managedFields":[{"a":[1]}],"name":"x"},"spec":{"a":1}}`:   `{"metadata":{"name":"x"},"spec":{"a":1}}`,
		`{ "spec" : 1.0 , "metadata" : { "managedFields" : null } }`:             `{"spec":1.0,"metadata":{}}`,
		`{"metadata":{"annotations":{"a":"1","c":"\u00e9","b":"2"}}}`:            `{"metadata":{"annotations":{"c":"\u00e9"}}}`,
		`{"metadata":{"annotations":{"\u0061":"1"},"managed\u0046ields":[]}}`:    `{"metadata":{}}`,
		`{"metadata":{"annotations":{"A":"1"},"ManagedFields":[]}}`:              ``,
		`{"metadata":{"annotations":{"a":"1"}},"metadata":{"managedFields":[]}}`: `{"metadata":{},"metadata":{}}`,
		`{"metadata":[{"managedFields":[]}, {"name": "x"} ]}`:                    `{"metadata":[{},{"name":"x"}]}`,
		`{"metadata":null,"managedFields":[]}`:                                   ``,
		`{"metadata":{"annotations":{"a":"1"}`:                                   ``, // it is cut off
		`{"metadata":[{"managedFields":[]}`:                                      ``,
		`[]`:                                                                     ``,
		``:                                                                       ``,
	} {
		if want == "" {
			want = text
		}
		if got, _ := For(partial, mask).Cut([]byte(text), mask); string(got) != want {
			t.Errorf("%s is cut to %s, want %s", text, got, want)
		}
	}
}

// FuzzCut decodes a text, and what Cut leaves of it.
func FuzzCut(f *testing.F) {
	for _, text := range []string{
		`{"kind":"A","metadata":{"name":"x","managedFields":[{"manager":"m"}],"annotations":{"a":"1","c":"2"}}}`,
		`{"metadata":{"annotations":{"a":null},"annotations":{"c":"1"}},"metadata":{"name":"y"}}`, `{"metadata":{"annotations":null}}`,
	} {
		f.Add(text, true, "a")
	}
	f.Fuzz(func(t *testing.T, text string, managedFields bool, key string) {
		mask := omitted(managedFields, []string{key})
		p := For(partial, mask)
		whole, err := p.Unmarshal([]byte(text))
		if err != nil {
			return
		}
		rest, ok := p.Cut([]byte(text), mask)
		if !ok {
			return
		}
		if got, err := p.Unmarshal(rest); err != nil || !reflect.DeepEqual(got, whole) {
			t.Errorf("%s is cut to %s, which is %+v, %v, want %+v", text, rest, got, err, whole)
		}
	})
}
