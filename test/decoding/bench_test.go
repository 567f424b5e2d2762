package decoding

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"testing"

	jsonx "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "sigs.k8s.io/json"

	operatorv1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

func databaseTextOf(i int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"data.example.com/v1","kind":"Database","metadata":{"creationTimestamp":"2024-05-17T09:26:41Z","generation":1,`+
		`"managedFields":[{"apiVersion":"data.example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},"f:className":{},"f:replicas":{},"f:storageGi":{}}},"manager":"kubectl-create","operation":"Update","time":"2024-05-17T09:26:41Z"}],`+
		`"name":"db-%05d","namespace":"team-%d","resourceVersion":"184%05d","uid":"3f6c1b5e-9a7d-4c2e-8f10-0000000%05d"},`+
		`"spec":{"className":"postgres-%d","replicas":3,"storageGi":20},"status":{"phase":"Ready"}}`, i, i%40, i, i, i%5)
}

// texts are those of many objects, which repeat themselves as much as they do in a
// cluster.
func texts(textOf func(i int) []byte) (texts [][]byte) {
	for i := range 5000 {
		texts = append(texts, textOf(i))
	}
	return texts
}

func benchmark[T any](b *testing.B, texts [][]byte, decode func(text []byte) (*T, error)) {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	b.SetBytes(int64(size / len(texts)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := decode(texts[i%len(texts)]); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkAll[T any, P interface {
	*T
	wire.Object
}](b *testing.B, texts [][]byte) {
	ours, limited := wire.NewDecoder(reflect.TypeFor[P](), wire.Options{}, nil), wire.NewDecoder(reflect.TypeFor[P](), wire.Options{WithoutFields: []string{"metadata.managedFields"}}, nil)
	b.Run("wire", func(b *testing.B) {
		benchmark(b, texts, func(text []byte) (*T, error) {
			obj, err := ours.Decode(text)
			return typed[P](obj), err
		})
	})
	b.Run("checked", func(b *testing.B) { // with GOMAXPROCS=1, the difference is the cost of the check
		check := &wire.Check{OneIn: 100, Compare: func(c wire.Compared) {
			if c.Err != nil || !reflect.DeepEqual(c.Got, c.Want) {
				b.Error("the decoders differ")
			}
		}}
		checked := wire.NewDecoder(reflect.TypeFor[P](), wire.Options{Check: check}, nil)
		benchmark(b, texts, func(text []byte) (*T, error) {
			obj, err := checked.Decode(text)
			return typed[P](obj), err
		})
		check.Close()
	})
	b.Run("wire without managedFields", func(b *testing.B) {
		benchmark(b, texts, func(text []byte) (*T, error) {
			obj, err := limited.Decode(text)
			return typed[P](obj), err
		})
	})
	b.Run("apimachinery", func(b *testing.B) {
		benchmark(b, texts, func(text []byte) (*T, error) {
			obj := new(T)
			return obj, kjson.UnmarshalCaseSensitivePreserveInts(text, obj)
		})
	})
	b.Run("encoding-json", func(b *testing.B) {
		benchmark(b, texts, func(text []byte) (*T, error) {
			obj := new(T)
			return obj, json.Unmarshal(text, obj)
		})
	})
	semantics := jsonx.JoinOptions(jsonv1.DefaultOptionsV1(), jsonx.MatchCaseInsensitiveNames(false))
	b.Run("go-json-experiment", func(b *testing.B) {
		benchmark(b, texts, func(text []byte) (*T, error) {
			obj := new(T)
			return obj, jsonx.Unmarshal(text, obj, semantics)
		})
	})
}

// typed returns an object as its type, nil for nil.
func typed[P wire.Object](obj wire.Object) P {
	typed, _ := obj.(P)
	return typed
}

func BenchmarkPod(b *testing.B)      { benchmarkAll[corev1.Pod](b, texts(podTextOf)) }
func BenchmarkDatabase(b *testing.B) { benchmarkAll[operatorv1.Database](b, texts(databaseTextOf)) }
func BenchmarkUnstructured(b *testing.B) {
	benchmarkAll[unstructured.Unstructured](b, texts(podTextOf))
}

// TestHeap reports what decoded objects take.
func TestHeap(t *testing.T) {
	if os.Getenv("HEAP") == "" {
		t.Skip("no test, but a figure; set HEAP=1")
	}
	heap[corev1.Pod](t, texts(podTextOf))
	heap[operatorv1.Database](t, texts(databaseTextOf))
	heap[unstructured.Unstructured](t, texts(podTextOf))
}

func heap[T any, P interface {
	*T
	wire.Object
}](t *testing.T, texts [][]byte) {
	decoder := wire.NewDecoder(reflect.TypeFor[P](), wire.Options{}, nil)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	objects := make([]P, len(texts))
	for i, text := range texts {
		obj, err := decoder.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		objects[i] = obj.(P)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%T: %d bytes of heap each, %d allocated", objects[0], (after.HeapAlloc-before.HeapAlloc)/uint64(len(texts)), (after.TotalAlloc-before.TotalAlloc)/uint64(len(texts)))
	runtime.KeepAlive(objects)
}
