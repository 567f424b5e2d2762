package fields

import (
	"maps"
	"testing"
	"time"
)

// small is an object with 20 fields.
const small = `{"apiVersion": "example.com/v1", "kind": "Widget",
"metadata": {"name": "w", "namespace": "default", "labels": {"app": "x", "tier": "back"}, "annotations": {"note": "y"}},
"spec": {"engine": "pg", "version": "16", "replicas": 3, "storage": {"size": "10Gi", "class": "fast"}, "owner": "team",
"color": "red", "paused": false, "backup": {"schedule": "0 0 * * *", "keep": 3}, "zones": ["a", "b"],
"ports": [{"name": "http", "number": 80}]}}`

func BenchmarkCreate(b *testing.B) {
	for name, config := range map[string]Config{"deduced": {GVK: widgetKind}, "type": {GVK: widgetKind, Type: &Widget{}}} {
		b.Run(name, func(b *testing.B) {
			m, err := New(config)
			if err != nil {
				b.Fatal(err)
			}
			obj := object(b, small)
			now := time.Unix(0, 0)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Update(nil, obj, "test", now); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// updated returns a stored object, and one that changes a field of it.
func updated(b *testing.B, m *Manager) (live, obj map[string]any) {
	live, err := m.Update(nil, object(b, small), "test", time.Unix(0, 0))
	if err != nil {
		b.Fatal(err)
	}
	live["metadata"].(map[string]any)["uid"] = "u"
	obj = maps.Clone(live)
	obj["spec"] = maps.Clone(obj["spec"].(map[string]any))
	obj["spec"].(map[string]any)["replicas"] = int64(4)
	return live, obj
}

func BenchmarkUpdate(b *testing.B) {
	for name, config := range map[string]Config{"deduced": {GVK: widgetKind}, "type": {GVK: widgetKind, Type: &Widget{}}} {
		b.Run(name, func(b *testing.B) {
			m, err := New(config)
			if err != nil {
				b.Fatal(err)
			}
			live, obj := updated(b, m)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Update(live, obj, "other", time.Unix(10, 0)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkApply(b *testing.B) {
	m, err := New(Config{GVK: widgetKind, Type: &Widget{}})
	if err != nil {
		b.Fatal(err)
	}
	live, obj := updated(b, m)
	obj["metadata"] = maps.Clone(obj["metadata"].(map[string]any))
	delete(obj["metadata"].(map[string]any), "managedFields")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Apply(live, obj, "other", true, time.Unix(10, 0)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(Config{GVK: widgetKind, Type: &Widget{}}); err != nil {
			b.Fatal(err)
		}
	}
}
