package wire

import (
	"fmt"
	"io"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

// BenchmarkWatch reads events that arrive in pieces of several sizes. A piece of 0
// bytes is one event: a server that flushes after each one.
func BenchmarkWatch(b *testing.B) {
	const events = 20_000
	var lines [][]byte
	for i := range 100 {
		lines = append(lines, fmt.Appendf(nil, "{\"type\":\"MODIFIED\",\"object\":%s}\n", workloadText(i)))
	}
	decoder := NewDecoder(reflect.TypeFor[*workloadObject](), Options{}, nil)
	for _, piece := range []int{0, 5_000, 16 << 10, 1 << 20} {
		b.Run(fmt.Sprint("pieces of ", piece), func(b *testing.B) {
			var size int64
			for b.Loop() {
				source := &lineReader{lines: lines, left: events, piece: piece}
				s := decoder.Watch(b.Context(), &body{Reader: source})
				read := 0
				var batch []Event
				for err := error(nil); err == nil; read += len(batch) {
					batch, err = s.Next(b.Context(), batch)
				}
				s.Stop()
				if read != events {
					b.Fatal(read)
				}
				size = source.read
			}
			b.SetBytes(size)
		})
	}
}

// workloadObject is a workload as a kind.
type workloadObject struct{ workload }

func (w *workloadObject) DeepCopyObject() runtime.Object { panic("no one copies it") }

// lineReader is a body of lines. Each piece ends with a line.
type lineReader struct {
	lines       [][]byte
	left, piece int
	pending     []byte
	read        int64
}

func (r *lineReader) Read(p []byte) (int, error) {
	if len(r.pending) == 0 && r.left == 0 {
		return 0, io.EOF
	}
	if len(r.pending) == 0 {
		r.pending = r.pending[:0]
		for first := true; r.left > 0 && (first || len(r.pending) < r.piece); first = false {
			r.pending = append(r.pending, r.lines[r.left%len(r.lines)]...)
			r.left--
		}
	}
	n := copy(p, r.pending)
	r.pending = r.pending[n:]
	r.read += int64(n)
	return n, nil
}

// BenchmarkKeep reads events of which all, or none, are left out.
func BenchmarkKeep(b *testing.B) {
	const events = 20_000
	var lines [][]byte
	for i := range 100 {
		lines = append(lines, fmt.Appendf(nil, "{\"type\":\"MODIFIED\",\"object\":%s}\n", workloadText(i)))
	}
	for name, keeps := range map[string]bool{"all": true, "none": false} {
		b.Run(name, func(b *testing.B) {
			decoder := NewDecoder(reflect.TypeFor[*workloadObject](), Options{Keep: func(Head) bool { return keeps }}, nil)
			b.ReportAllocs()
			for b.Loop() {
				s := decoder.Watch(b.Context(), &body{Reader: &lineReader{lines: lines, left: events, piece: 16 << 10}})
				read := 0
				var batch []Event
				for err := error(nil); err == nil; {
					batch, err = s.Next(b.Context(), batch)
					for i := range batch {
						read += int(batch[i].Dropped)
						if batch[i].Object != nil {
							read++
						}
					}
				}
				s.Stop()
				if read != events {
					b.Fatal(read)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
		})
	}
}
