package memory

import (
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// BenchmarkReads measures one query after the other.
func BenchmarkReads(b *testing.B) {
	eachSide(b, func(b *testing.B, m *measurement) {
		r := m.start(b, channelSize, usual, 1)
		defer r.stop()
		m.check(b, r, usual)
		b.Run("Get", func(b *testing.B) { getParallel(b, r, m.work.oftenAsked()) })
		// With all objects in turn, none is in a processor's cache, and most of the time is spent on waiting for memory.
		b.Run("GetAllInTurn", func(b *testing.B) { getParallel(b, r, m.work.names) })
		asked := m.work.pods[len(m.work.pods)/2]
		namespace, node := asked.Namespace, asked.Spec.NodeName
		for _, query := range []struct {
			name    string
			belongs func(*corev1.Pod) bool
			read    func() (int, error)
		}{
			{"ListNamespace", func(pod *corev1.Pod) bool { return pod.Namespace == namespace }, func() (int, error) { return r.listNamespace(namespace) }},
			{"ListAll", func(*corev1.Pod) bool { return true }, r.listAll},
			{"ByIndex", func(pod *corev1.Pod) bool { return pod.Spec.NodeName == node }, func() (int, error) { return r.byNode(node) }},
		} {
			want := m.work.countIf(query.belongs)
			b.Run(query.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if got, err := query.read(); err != nil || got != want {
						b.Fatalf("%d objects instead of %d, %v", got, want, err)
					}
				}
			})
		}
	})
}

func getParallel(b *testing.B, r *running, names []cache.ObjectName) {
	b.ReportAllocs()
	var started atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		at := int(started.Add(1)) * len(names) / 3
		for pb.Next() {
			if at += stride; at >= len(names) {
				at %= len(names)
			}
			if err := r.get(names[at]); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
