package informermetrics

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// source is a status.Source with fixed values.
type source []status.Informer

func (s source) Statuses() iter.Seq[status.Informer] { return slices.Values(s) }

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

// gather scrapes a Collector with a registry that checks all descriptions, and returns the
// families by their names.
func gather(t testing.TB, c prometheus.Collector) map[string]*dto.MetricFamily {
	t.Helper()
	families := map[string]*dto.MetricFamily{}
	for _, family := range gatherAll(t, c) {
		families[family.GetName()] = family
	}
	return families
}

func gatherAll(t testing.TB, c prometheus.Collector) []*dto.MetricFamily {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(c); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// values returns the value of each series of a gauge or counter, by the text of the labels that
// only this metric has.
func values(family *dto.MetricFamily) map[string]float64 {
	values := map[string]float64{}
	for _, m := range family.GetMetric() {
		text := ""
		for _, label := range m.GetLabel() {
			if !slices.Contains([]string{"name", "group", "version", "resource"}, label.GetName()) {
				text += fmt.Sprintf("%s=%s ", label.GetName(), label.GetValue())
			}
		}
		values[text] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
	}
	return values
}

// exposition returns families as Prometheus reads them.
func exposition(t *testing.T, families []*dto.MetricFamily) []byte {
	t.Helper()
	var text bytes.Buffer
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
			t.Fatal(err)
		}
	}
	return text.Bytes()
}

// wantGolden compares text with a file of testdata.
func wantGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run go test -update, and look at the difference:\n%s", file, got)
	}
}

// moment is when the informers of these tests entered their phase.
var moment = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// healthy is an informer in which each number differs.
func healthy() status.Informer {
	status := status.Informer{
		Name: "main", Resource: widgets, Kind: "Widget", Object: "*v1.Widget", Server: "https://user:secret@one.example.com:6443?token=secret",
		Status: status.Status{Phase: status.Watching, Since: moment, ResourceVersion: "4711", Objects: 312, PendingWrites: 3},
		Stats: status.Stats{
			Synced: true, Staleness: 1500 * time.Millisecond, BytesRead: 100_000, ObjectBytes: 50_000,
			Added: 11, Updated: 12, Deleted: 13, Bookmarks: 14, Dropped: 15, Lists: 5, LiveReads: 21, DecodeFailures: 6, Queued: 7,
			Relists:  map[status.Reason]uint64{status.Expired: 2, status.ClosedEarly: 1},
			Failures: []status.FailureCount{{Verb: "list", Reason: status.Forbidden, Count: 8}, {Verb: "watch", Reason: status.Unreachable, Count: 9}},
			Handlers: []status.HandlerStats{
				{Name: "reconciler", Synced: true, Backlog: 21, Processed: 22, Merged: 23, Panics: 24, Running: 25 * time.Second, Slowest: 26 * time.Second},
				{Name: "*v1.Handler", Unnamed: true, Processed: 31},
			},
			Indexes: []status.IndexStats{{Name: "namespace", Values: 41}, {Name: "byColor", Values: 42}},
		},
	}
	for i := range status.Stats.Processing.Counts {
		status.Stats.Processing.Counts[i] = 1
		status.Stats.ToCache.Counts[i] = 10
		status.Stats.Handlers[0].Latency.Counts[i] = 100
	}
	status.Stats.Processing.Sum, status.Stats.ToCache.Sum, status.Stats.Handlers[0].Latency.Sum = time.Second, 2*time.Second, 3*time.Second
	return status
}

// forbidden is an informer that has never listed one of its two namespaces.
func forbidden() status.Informer {
	failure := errors.New("the rights are missing")
	return status.Informer{
		Name: "main", Resource: schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, Namespaces: []string{"a", "b"},
		Status: status.Status{
			Phase: status.Degraded, Since: moment.Add(1500 * time.Millisecond), Err: failure, Reason: status.Forbidden, Verb: "list",
			Scopes: []status.Scope{
				{Namespace: "a", Status: status.Status{Phase: status.Degraded, Err: failure, Reason: status.Forbidden}},
				{Namespace: "b", Status: status.Status{Phase: status.Degraded, Err: failure, Reason: status.Unreachable}},
			},
			Undecodable: make([]*wire.DecodeError, 2),
		},
		Stats: status.Stats{NotFollowing: 90 * time.Second, Failures: []status.FailureCount{{Verb: "list", Reason: status.Forbidden, Count: 4}}},
	}
}
