package main

import (
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// done is what a client reports that did all that it should, of 1000 objects.
func done() sample {
	return sample{Client: report.Client{
		Sync: report.Phase{Adds: 1000}, Unchanged: report.Phase{Updates: 1}, Changed: report.Phase{Updates: 11}, Updates: report.Phase{Updates: 1000},
		State: "state", Contents: map[string]string{report.AllFields: "a", report.Unmanaged: "b", report.View: "c"},
		Requests: report.Requests{Streams: 3},
	}}
}

func TestCheck(t *testing.T) {
	ours := subject{report.Ours, report.Streaming, report.Changes, report.AllFields}
	theirs := subject{report.Theirs, report.Streaming, report.Changes, report.AllFields}
	for _, test := range []struct {
		name   string
		side   subject
		change func(*sample)
		want   string
	}{
		{"all well", ours, func(*sample) {}, ""},
		{"client-go tells of all", theirs, func(s *sample) { s.Unchanged.Updates, s.Changed.Updates = 1001, 1001 }, ""},
		{"misses an add", ours, func(s *sample) { s.Sync.Adds-- }, "sync: "},
		{"tells twice", ours, func(s *sample) { s.Updates.Updates++ }, "updates: "},
		{"tells of a delete", ours, func(s *sample) { s.Changed.Deletes++ }, "relist changed: "},
		{"lists instead", ours, func(s *sample) { s.Requests = report.Requests{Lists: 1, Streams: 2} }, "of its mode"},
		{"relists in a loop", ours, func(s *sample) { s.Requests.Streams++ }, "of its mode"},
		{"is in another state", ours, func(s *sample) { s.State = "stale" }, "stale"},
		{"has other objects", ours, func(s *sample) { s.Contents[report.View] = "x" }, "view fields"},
	} {
		b := informers{objects: 1000, samples: map[subject][]sample{ours: {done()}}}
		taken := done()
		test.change(&taken)
		err := b.check(test.side, &taken)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestRuntimeRows has a sample of every subject, and no row without both sides.
func TestRuntimeRows(t *testing.T) {
	b := informers{samples: map[subject][]sample{}}
	for _, s := range subjects {
		full := done()
		full.peak, full.HeapPerObject = 1, 1
		for _, phase := range []*report.Phase{&full.Sync, &full.Unchanged, &full.Changed, &full.Updates} {
			phase.Seconds, phase.CPUSeconds = 1, 1
		}
		b.samples[s] = []sample{full}
	}
	for _, row := range b.rows() {
		if row.Ratio != 1 {
			t.Errorf("%+v", row)
		}
	}
}
