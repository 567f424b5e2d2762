package history

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
)

func sample(name string) map[string]any {
	return map[string]any{
		"apiVersion": "example.com/v1", "kind": "Database",
		"metadata": map[string]any{
			"name": name, "namespace": "default", "uid": "00000000-0000-0000-0000-000000000001", "generation": int64(1),
			"creationTimestamp": "2026-11-21T00:00:00Z", "labels": map[string]any{"app": "db"},
		},
		"spec":   map[string]any{"size": int64(3), "engine": "postgres", "version": "17"},
		"status": map[string]any{"phase": "Ready"},
	}
}

// BenchmarkPut creates objects in a history that has 10,000 of them.
func BenchmarkPut(b *testing.B) {
	for _, order := range []string{"sorted", "random"} {
		b.Run(order, func(b *testing.B) {
			h := New(10_000)
			object := sample("x")
			keys := make([]Key, 10_000)
			for i, n := range rand.New(rand.NewPCG(1, 2)).Perm(len(keys)) {
				if order == "sorted" {
					n = i
				}
				keys[i] = database("default", fmt.Sprintf("d%06d", n))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%len(keys) == 0 {
					h = New(10_000)
				}
				h.Put(keys[i%len(keys)], object)
			}
		})
	}
}

func BenchmarkList(b *testing.B) {
	h := New(0)
	for i := range 10_000 {
		h.Put(database("default", fmt.Sprintf("d%06d", i)), sample("x"))
	}
	b.ReportAllocs()
	for b.Loop() {
		if states, err := h.List(databases, "", 0); len(states) != 10_000 || err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	object := sample("x")
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := appendJSON(nil, object); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(object); err != nil {
				b.Fatal(err)
			}
		}
	})
}
