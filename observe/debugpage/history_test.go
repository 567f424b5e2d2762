package debugpage

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/observe"
)

// looker looks at informers at chosen times.
type looker struct {
	history history
	report  observe.Report
}

// look returns the spark of the first informer after a time, in which it had events.
func (l *looker) look(after time.Duration, events uint64) *spark {
	l.report.Time = l.report.Time.Add(after)
	l.report.Informers[0].Events.Updated += events
	return l.history.look(&l.report)[l.report.Informers[0].ID]
}

func newLooker(informers int) *looker {
	l := &looker{}
	for n := range informers {
		l.report.Informers = append(l.report.Informers, observe.Informer{ID: fmt.Sprint("i", n)})
	}
	return l
}

func TestHistory(t *testing.T) {
	l := newLooker(1)
	for _, step := range []struct {
		after      time.Duration
		events     uint64
		text, path string
	}{
		{10 * time.Second, 100, "100 events in the last 10s, at most 10/s", "M0 24L0.0 1.0L96.0 1.0L96 24Z"},
		{30 * time.Second, 30, "130 events in the last 40s, at most 10/s", "M0 24L0.0 1.0L24.0 1.0L24.0 21.7L96.0 21.7L96 24Z"},
		// No one looked for an hour: what is known of the last ten minutes is the average.
		{time.Hour, 3600, "600 events in the last 10m, at most 1/s", "M0 24L0.0 1.0L96.0 1.0L96 24Z"},
		{time.Minute, 0, "540 events in the last 10m, at most 1/s", "M0 24L0.0 1.0L86.4 1.0L86.4 24.0L96.0 24.0L96 24Z"},
	} {
		if l.history.of == nil && l.look(0, 0) != nil {
			t.Error("the first look has a history")
		}
		if s := l.look(step.after, step.events); s.Text() != step.text || s.Path != step.path {
			t.Errorf("%s %+v, want %+v", s.Text(), s, step)
		}
	}
	// A look that another one has overtaken changes nothing.
	samples := len(l.history.of["i0"])
	l.report.Informers[0].Events.Updated -= 5
	if l.look(-time.Second, 0); len(l.history.of["i0"]) != samples {
		t.Error("the history went back")
	}
}

// TestHistoryIsBounded looks often, and at informers that come and go.
func TestHistoryIsBounded(t *testing.T) {
	l := newLooker(1)
	for range 3000 {
		l.look(time.Second, 1)
	}
	const most = int(span/minInterval) + 2
	samples := l.history.of["i0"]
	if n := len(samples); n > most || n < most-5 || cap(samples) > 4*most {
		t.Errorf("there are %d samples, of %d", n, most)
	}
	if s := l.look(0, 0); s.Text() != "600 events in the last 10m, at most 1/s" {
		t.Error(s.Text())
	}
	l.report.Informers = newLooker(maxHistories + 100).report.Informers[1:]
	if l.look(time.Minute, 1); len(l.history.of) != maxHistories {
		t.Errorf("%d histories", len(l.history.of))
	}
	l.report.Informers = l.report.Informers[:1]
	if l.look(time.Minute, 1); len(l.history.of) != 1 {
		t.Errorf("%d histories of 1 informer", len(l.history.of))
	}
}

// TestHistoryOfOneThatChanges looks at an informer that gets other namespaces, after another one has ended.
func TestHistoryOfOneThatChanges(t *testing.T) {
	first, second := pods(), pods()
	first.ID, second.ID = 7, 8
	all := source{first, second}
	h := New(&all)
	before := h.reader.Read().Informers[1].ID
	all = all[1:]
	all[0].Namespaces, all[0].Object = []string{"a"}, "*v1.Pod, *metav1.PartialObjectMetadata"
	if after := h.reader.Read().Informers[0].ID; after != before {
		t.Errorf("the ID was %s, and is %s", before, after)
	}
}

// thousand returns 1,000 informers of which each tenth fails.
func thousand() source {
	var all source
	for i := range 1000 {
		s := pods()
		if i%10 == 0 {
			s = secrets()
		}
		s.Resource = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: fmt.Sprintf("kinds%d", i)}
		s.Status.Objects = i
		all = append(all, s)
	}
	return all
}

// TestThousandInformers bounds the size of the page and what it allocates.
func TestThousandInformers(t *testing.T) {
	h := New(thousand())
	for form, limits := range map[string]struct{ bytes, allocations int }{
		"html": {6 << 20, 920_000}, "text": {400 << 10, 120_000}, "json": {3 << 20, 120_000},
	} {
		page := body(t, h, "/?format="+form)
		if len(page) > limits.bytes {
			t.Errorf("%s: %d bytes, want at most %d", form, len(page), limits.bytes)
		}
		n := testing.AllocsPerRun(1, func() { body(t, h, "/?format="+form) })
		if n > float64(limits.allocations) {
			t.Errorf("%s: %.0f allocations, want at most %d", form, n, limits.allocations)
		}
		t.Logf("%s: %d bytes, %.0f allocations", form, len(page), n)
	}
	var report observe.Report
	if err := json.Unmarshal([]byte(body(t, h, "/?format=json&q=kinds99")), &report); err != nil || len(report.Informers) != 11 {
		t.Errorf("%d informers, %v", len(report.Informers), err)
	}
}

func BenchmarkThousandInformers(b *testing.B) { benchmark(b, New(thousand())) }

func BenchmarkThousandScopes(b *testing.B) { benchmark(b, New(source{tenants(1000)})) }

func benchmark(b *testing.B, h *Handler) {
	for _, f := range []form{formHTML, formText, formJSON} {
		b.Run(string(f), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.renders <- struct{}{}
				if _, err := h.render(f, &view{sort: columns[0]}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
