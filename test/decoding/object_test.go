package decoding

import (
	"bytes"
	"fmt"
	"math/rand"
	"reflect"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/resource"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
)

const droppedAnnotation = "example.com/dropped"

var apimachinery = jsonserializer.NewSerializerWithOptions(
	jsonserializer.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, jsonserializer.SerializerOptions{})

// filled returns an object of a kind, filled at random. It has three finalizers.
func (k kind) filled(source rand.Source) runtime.Object {
	obj := k.new()
	if u, ok := obj.(*unstructured.Unstructured); ok {
		u.Object = untypedObject(rand.New(source))
		return obj
	}
	fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, fillers), source, scheme.Codecs).
		NilChance(.3).NumElements(0, 3).MaxDepth(12).Fill(obj)
	if hasNoMeta(obj) {
		return obj
	}
	meta := obj.(metav1.Object)
	meta.SetFinalizers(finalizers)
	if annotations := meta.GetAnnotations(); annotations != nil {
		annotations[droppedAnnotation] = "dropped"
	}
	if gvks, _, err := scheme.Scheme.ObjectKinds(obj); err == nil {
		obj.GetObjectKind().SetGroupVersionKind(gvks[0])
	}
	return obj
}

// fillers fill what otherwise would be too regular.
func fillers(serializer.CodecFactory) []any {
	return []any{
		func(s *string, c randfill.Continue) { *s = randomText(c.Rand) },
		func(q *resource.Quantity, c randfill.Continue) {
			units := []string{"", "m", "k", "Mi", "e3", "Ei", "u"}
			*q = resource.MustParse(fmt.Sprintf("%d%s", c.Int63n(10000)-5000, units[c.Intn(len(units))]))
		},
		func(j *apiextensionsv1.JSON, c randfill.Continue) { j.Raw = []byte(`{"a":[1,"b"]}`) },
		func(m *metav1.ManagedFieldsEntry, c randfill.Continue) {
			c.FillNoCustom(m)
			m.FieldsV1 = metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{".":{},"f:a\\nb":{}}},"k:{\"a\":1}":{}}`)
		},
	}
}

// randomText is plain most of the time, as it is in API objects.
func randomText(r *rand.Rand) string {
	alphabet := "abcdefghijklmnopqrstuvwxyz0123456789-./"
	if r.Intn(4) == 0 {
		alphabet = "ab \"\\/\b\n\t<>&\x00\x7f\u00e9\u2028\u4e16\ufffd\U0001f600"
	}
	letters := []rune(alphabet)
	text := make([]rune, r.Intn(20))
	for i := range text {
		text[i] = letters[r.Intn(len(letters))]
	}
	return string(text)
}

func untypedObject(r *rand.Rand) map[string]any {
	return map[string]any{
		"apiVersion": "example.com/v1", "kind": "Thing",
		"metadata": map[string]any{
			"name":          randomText(r),
			"annotations":   map[string]any{droppedAnnotation: "dropped", "kept": randomText(r)},
			"managedFields": untyped(r, 3),
			"finalizers":    []any{"a", "b", "c"},
		},
		"items": untyped(r, 3),
		"spec":  untyped(r, 6),
	}
}

func untyped(r *rand.Rand, depth int) any {
	switch kind := r.Intn(8); {
	case kind < 2 && depth > 0:
		m := map[string]any{}
		for range r.Intn(12) {
			m[randomText(r)] = untyped(r, depth-1)
		}
		return m
	case kind < 4 && depth > 0:
		l := []any{}
		for range r.Intn(6) {
			l = append(l, untyped(r, depth-1))
		}
		return l
	case kind == 4:
		return r.Int63() - r.Int63()
	case kind == 5:
		return r.NormFloat64()
	case kind == 6:
		return []any{nil, true, false}[r.Intn(3)]
	}
	return randomText(r)
}

var finalizers = []string{"a", "b", "c"}

// decodedFast says whether an object is of the fast path. Its slices have the
// capacity that they need, while those of a library that appends have more.
func decodedFast(obj runtime.Object) bool {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		found, _, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "finalizers")
		return cap(found.([]any)) == len(finalizers)
	}
	return hasNoMeta(obj) || cap(obj.(metav1.Object).GetFinalizers()) == len(finalizers)
}

func (k kind) encoded(t *testing.T, obj runtime.Object) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := apimachinery.Encode(obj, &text); err != nil {
		t.Fatalf("%v: %v", k, err)
	}
	return text.Bytes()
}

// TestObjects decodes filled objects of all kinds, and encodes them again.
func TestObjects(t *testing.T) {
	rounds := 15
	if testing.Short() {
		rounds = 4
	}
	for _, k := range kinds {
		t.Run(k.String(), func(t *testing.T) {
			t.Parallel()
			for seed := range rounds {
				text := k.encoded(t, k.filled(rand.NewSource(int64(seed))))
				if difference := k.difference(bytes.Clone(text)); difference != "" {
					t.Fatalf("seed %d: %s", seed, difference)
				}
				got, err := k.ours(text)
				if err != nil {
					t.Fatal(err)
				}
				if !decodedFast(got) {
					t.Errorf("seed %d: the fast path has given up", seed)
				}
				want, _, err := apimachinery.Decode(text, nil, k.new())
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("seed %d: not what the serializer decodes: %v", seed, err)
				}
				if again, want := k.encoded(t, got), k.encoded(t, want); !bytes.Equal(again, want) {
					t.Errorf("seed %d: encoded again\n%s\nwant\n%s", seed, again, want)
				}
			}
		})
	}
}

// TestLeftOut compares what Options leave out with taking it out of an object.
func TestLeftOut(t *testing.T) {
	for _, k := range kinds {
		for seed := range 3 {
			text := k.encoded(t, k.filled(rand.NewSource(int64(seed))))
			want, err := k.theirs(text)
			if err != nil {
				t.Fatal(err)
			}
			leaveOut(want)
			got, err := k.ourLimited(text)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v: got %s, %v\nwant %s", k, shown(got), err, shown(want))
			} else if !decodedFast(got) {
				t.Errorf("%v: the fast path has given up", k)
			}
		}
	}
}
