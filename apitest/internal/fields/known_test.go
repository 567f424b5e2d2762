package fields

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"
)

type knownObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              *knownSpec `json:"spec,omitempty"`
	Plain             int
	Hidden            string `json:"-"`
	private           string //lint:ignore U1000 JSON does not have it
}

type knownSpec struct {
	Children []knownSpec           `json:"children,omitempty"`
	ByName   map[string]*knownSpec `json:"byName,omitempty"`
	Port     intstr.IntOrString    `json:"port,omitempty"`
	Time     *metav1.Time          `json:"time,omitempty"`
	Labels   map[string]string     `json:"labels,omitempty"`
	Any      any                   `json:"any,omitempty"`
	Matrix   [][]knownLeaf         `json:"matrix,omitempty"`
}

type knownLeaf struct {
	A, B string
}

// TestKnownAgreesWithDecoding adds and renames fields of an object by chance, and compares Known with a strict decoder.
func TestKnownAgreesWithDecoding(t *testing.T) {
	const whole = `{"apiVersion": "v1", "kind": "Object", "metadata": {"name": "a", "labels": {"x": "y"}, "ownerReferences": [{"name": "o", "uid": "u"}],
		"managedFields": [{"manager": "m", "fieldsV1": {"f:x": {}}}]}, "Plain": 3, "spec": {"port": "http", "time": "2026-01-01T00:00:00Z", "labels": {"q": "r"},
		"any": {"free": [1, {"b": 2}]}, "children": [{"port": 1}, {"children": [{"labels": {}}]}], "byName": {"one": {"port": 2}, "two": null}, "matrix": [[{"A": "1"}, {"B": "2"}]]}}`
	random := rand.New(rand.NewPCG(1, 2))
	known, unknown := 0, 0
	for range 2000 {
		var object map[string]any
		if err := json.Unmarshal([]byte(whole), &object); err != nil {
			t.Fatal(err)
		}
		if random.IntN(4) > 0 {
			disturb(random, object)
		}
		data, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		strict, err := kjson.UnmarshalStrict(data, &knownObject{})
		if err != nil {
			continue // a type error, which Known does not look for
		}
		got := Known(reflect.TypeFor[*knownObject](), object)
		if want := len(strict) == 0; got != want {
			t.Fatalf("Known is %t, and strict decoding says %v: %s", got, strict, data)
		}
		if got {
			known++
		} else {
			unknown++
		}
	}
	if known < 400 || unknown < 400 {
		t.Errorf("%d objects known, %d unknown", known, unknown)
	}
}

// disturb renames a field somewhere in a value, or adds one.
func disturb(random *rand.Rand, value any) {
	switch value := value.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(value))
		if len(names) == 0 || random.IntN(5) == 0 {
			value[[]string{"Hidden", "private", "other", "A"}[random.IntN(4)]] = "x"
			return
		}
		name := names[random.IntN(len(names))]
		if random.IntN(5) == 0 {
			value[name+"X"] = value[name]
			return
		}
		disturb(random, value[name])
	case []any:
		if len(value) > 0 {
			disturb(random, value[random.IntN(len(value))])
		}
	}
}
