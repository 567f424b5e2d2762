package informermetrics

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestExposition compares all series of two informers with a file.
func TestExposition(t *testing.T) {
	families := gatherAll(t, NewCollector(source{healthy()}, WithSource(source{forbidden()})))
	wantGolden(t, "exposition.txt", exposition(t, families))
}

// TestConventions checks names, types and help texts as promtool check metrics does.
func TestConventions(t *testing.T) {
	problems, err := testutil.CollectAndLint(NewCollector(source{healthy(), forbidden()}, WithServer()))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}

// TestMerge scrapes two informers with the same labels: a scrape has each series once.
func TestMerge(t *testing.T) {
	one, two := healthy(), healthy()
	two.Status = status.Status{Phase: status.Watching, Since: moment.Add(-time.Hour), ResourceVersion: "1234", Objects: 1}
	two.Stats.Staleness, two.Stats.Synced = time.Minute, false
	two.Stats.Handlers = append(two.Stats.Handlers[:1:1], two.Stats.Handlers[0]) // the same name twice
	three := healthy()
	three.Stats.Synced = true
	three.Status = status.Status{Phase: status.Stopped, Since: moment}
	three.Stats.Staleness, three.Stats.NotFollowing = time.Hour, 2*time.Second

	got := gather(t, NewCollector(source{one}, WithSource(source{two, three})))
	for name, want := range map[string]map[string]float64{
		"informer_phase":                        {"phase=Pending ": 0, "phase=Listing ": 0, "phase=Watching ": 2, "phase=Degraded ": 0, "phase=Stopped ": 1},
		"informer_phase_timestamp_seconds":      {"phase=Watching ": float64(moment.Add(-time.Hour).Unix()), "phase=Stopped ": float64(moment.Unix())},
		"informer_synced":                       {"": 0},
		"informer_objects":                      {"": 313},
		"informer_store_resource_version":       {"": 1234},
		"informer_staleness_seconds":            {"": 1.5},
		"informer_not_following_seconds":        {"": 2},
		"informer_lists_total":                  {"": 15},
		"informer_relists_total":                {"cause=Expired ": 6, "cause=ClosedEarly ": 3},
		"informer_request_failures_total":       {"reason=Forbidden verb=list ": 24, "reason=Unreachable verb=watch ": 27},
		"informer_handler_backlog":              {"handler=reconciler ": 84, "handler=unnamed ": 0},
		"informer_handler_slowest_call_seconds": {"handler=reconciler ": 26, "handler=unnamed ": 0},
		"informer_handler_running_seconds":      {"handler=reconciler ": 25, "handler=unnamed ": 0},
		"informer_handler_synced":               {"handler=reconciler ": 1, "handler=unnamed ": 0},
		"informer_index_values":                 {"index=namespace ": 123, "index=byColor ": 126},
	} {
		if got := values(got[name]); !maps.Equal(got, want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	latency := got["informer_handler_latency_seconds"].GetMetric()[0].GetHistogram()
	if latency.GetSampleCount() != 4*1600 || latency.GetSampleSum() != 12 {
		t.Errorf("the latency of four handlers is %v, want 6400 durations and 12 s", latency)
	}
}

// TestRemovedHandlers has handlers that were removed. Their calls still count, and they have no state.
func TestRemovedHandlers(t *testing.T) {
	informer := healthy()
	calls := status.HandlerStats{Name: "gone", Processed: 5, Panics: 2, Latency: status.Histogram{Sum: math.MaxInt64}}
	again, unnamed := calls, calls
	again.Name, unnamed.Name, unnamed.Unnamed = informer.Stats.Handlers[0].Name, "", true
	informer.Stats.Removed = []status.HandlerStats{calls, again, unnamed}
	got := gather(t, NewCollector(source{informer}))
	for name, want := range map[string]map[string]float64{
		"informer_handler_processed_total": {"handler=reconciler ": 27, "handler=unnamed ": 36, "handler=gone ": 5},
		"informer_handler_backlog":         {"handler=reconciler ": 21, "handler=unnamed ": 0},
	} {
		if got := values(got[name]); !maps.Equal(got, want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	for _, series := range got["informer_handler_latency_seconds"].GetMetric() {
		if sum := series.GetHistogram().GetSampleSum(); sum < 9e9 {
			t.Errorf("the sum of %v is %v s, want 292 years", series.GetLabel(), sum)
		}
	}
}

// TestStaleness scrapes informers that are no longer or not yet current.
func TestStaleness(t *testing.T) {
	for _, test := range []struct {
		phase  status.Phase
		synced bool
		want   map[string]float64
	}{
		{status.Pending, false, map[string]float64{}},
		{status.Listing, false, map[string]float64{}},
		{status.Degraded, true, map[string]float64{"": 90}},
		{status.Watching, true, map[string]float64{"": 90}},
		{status.Stopped, true, map[string]float64{}},
	} {
		informer := status.Informer{Status: status.Status{Phase: test.phase}, Stats: status.Stats{Synced: test.synced, Staleness: 90 * time.Second}}
		if got := values(gather(t, NewCollector(source{informer}))["informer_staleness_seconds"]); !maps.Equal(got, test.want) {
			t.Errorf("staleness of an informer that is %s: %v, want %v", test.phase, got, test.want)
		}
	}
}

func TestResourceVersion(t *testing.T) {
	for version, want := range map[string]map[string]float64{
		"":                      {},
		"0":                     {"": 0},
		"4711":                  {"": 4711},
		"123456789012345":       {"": 123456789012345},
		"9999123456789012345":   {"": 123456789012345},
		"99999000000000000001":  {"": 1},
		"12a":                   {},
		"a123456789012345":      {},
		"-1":                    {},
		"+1":                    {},
		"1.5":                   {},
		strings.Repeat("7", 99): {"": 777777777777777},
	} {
		informer := status.Informer{Status: status.Status{ResourceVersion: version}}
		if got := values(gather(t, NewCollector(source{informer}))["informer_store_resource_version"]); !maps.Equal(got, want) {
			t.Errorf("resourceVersion %q is %v, want %v", version, got, want)
		}
	}
}

// TestLabelsAreBounded scrapes an informer with more handlers, indexes and reasons than a label
// may have values.
func TestLabelsAreBounded(t *testing.T) {
	informer := healthy()
	informer.Stats.Handlers, informer.Stats.Indexes = nil, nil
	for i := range 1000 {
		name := fmt.Sprint("name", i)
		informer.Stats.Handlers = append(informer.Stats.Handlers, status.HandlerStats{Name: name, Processed: 1})
		informer.Stats.Indexes = append(informer.Stats.Indexes, status.IndexStats{Name: name, Values: 1})
		informer.Stats.Relists[status.Reason(name)] = 1
		informer.Stats.Failures = append(informer.Stats.Failures, status.FailureCount{Verb: name, Reason: status.Reason(name), Count: 1})
	}
	got := gather(t, NewCollector(source{informer}))
	for name, want := range map[string]float64{
		"informer_handler_processed_total": 1000,
		"informer_index_values":            1000,
		"informer_relists_total":           1003,
		"informer_request_failures_total":  1017,
	} {
		series, total := values(got[name]), 0.0
		for _, value := range series {
			total += value
		}
		if total != want {
			t.Errorf("%s counts %v in total, want %v", name, total, want)
		}
		if limit := maxValues + 1; len(series) > limit {
			t.Errorf("%s has %d series, want at most %d", name, len(series), limit)
		}
	}
	if got := values(got["informer_handler_processed_total"])["handler=other "]; got != 900 {
		t.Errorf("the handlers without a series of their own have processed %v events, want 900", got)
	}
}

// TestLabelsAreUTF8 scrapes names that a registry refuses as they are, and some of which are equal
// after they are made valid.
func TestLabelsAreUTF8(t *testing.T) {
	informer := healthy()
	informer.Name, informer.Server = "a\xff", "https://\xff.example.com"
	informer.Resource.Group, informer.Resource.Version, informer.Resource.Resource = "\xfe", "v\xfe", "w\xfe"
	informer.Stats.Handlers = []status.HandlerStats{{Name: "h\xfe", Processed: 1}, {Name: "h\xff", Processed: 2}, {Name: "a\"b\n\\", Processed: 4}}
	informer.Stats.Indexes = []status.IndexStats{{Name: "\xc0", Values: 1}}
	informer.Stats.Relists = map[status.Reason]uint64{"\xfe": 1, "\xff": 2}
	same := informer
	same.Name = "a\xfe"
	got := gather(t, NewCollector(source{informer, same}))
	if got := values(got["informer_relists_total"]); got["cause=\uFFFD "] != 6 {
		t.Errorf("relists are %v, want 6 with one cause", got)
	}
	if got := values(got["informer_handler_processed_total"]); got["handler=h\uFFFD "] != 6 || got["handler=a\"b\n\\ "] != 8 {
		t.Errorf("processed are %v, want 6 and 8", got)
	}
}

// TestServer scrapes informers of two clusters, whose URLs have credentials.
func TestServer(t *testing.T) {
	one, two, broken, relative, fake := healthy(), healthy(), healthy(), healthy(), healthy()
	two.Server = "https://two.example.com/clusters/b"
	broken.Server = "::secret"
	relative.Server = "localhost/secret"
	fake.Server = ""
	all := source{one, two, broken, relative, fake}
	got := values(gather(t, NewCollector(all, WithServer()))["informer_objects"])
	want := map[string]float64{
		"server=https://one.example.com:6443 ":       312,
		"server=https://two.example.com/clusters/b ": 312,
		"server=other ": 624,
		"server= ":      312,
	}
	if !maps.Equal(got, want) {
		t.Errorf("with servers: %v, want %v", got, want)
	}
	if got := values(gather(t, NewCollector(all))["informer_objects"]); !maps.Equal(got, map[string]float64{"": 5 * 312}) {
		t.Errorf("without servers: %v, want one series of 1560", got)
	}
}

// TestEmpty scrapes a Collector without informers.
func TestEmpty(t *testing.T) {
	if got := gatherAll(t, NewCollector(source{})); len(got) > 0 {
		t.Errorf("got %v, want nothing", got)
	}
}

func TestNilSource(t *testing.T) {
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "a source is nil") {
			t.Errorf("NewCollector ended with %q", got)
		}
	}()
	NewCollector(source{}, WithSource(nil))
}

// TestNextToClientGo registers the Collector in a registry that has a metric of client-go, with a
// prefix as the package comment says.
func TestNextToClientGo(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	theirs := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "informer_queued_items", Help: "Number of items."}, []string{"name", "group", "version", "resource"})
	theirs.WithLabelValues("main", "example.com", "v1", "widgets").Set(1)
	registry.MustRegister(theirs)
	c := NewCollector(source{healthy()})
	if registry.Register(c) == nil {
		t.Error("two metrics of one name were accepted")
	}
	prometheus.WrapRegistererWithPrefix("typed_", registry).MustRegister(c)
	if _, err := registry.Gather(); err != nil {
		t.Error(err)
	}
}

// TestWrapped registers the Collector with labels that a registry adds to each series. Series share
// their labels, so this must not change those of others.
func TestWrapped(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	prometheus.WrapRegistererWith(prometheus.Labels{"alpha": "first", "zone": "last"}, registry).MustRegister(NewCollector(source{healthy(), forbidden()}, WithServer()))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			names := map[string]bool{}
			for _, label := range m.GetLabel() {
				names[label.GetName()] = true
			}
			if len(names) != len(m.GetLabel()) || len(names) < 7 || !names["alpha"] || !names["zone"] || !names["server"] {
				t.Errorf("%s has the labels %v", family.GetName(), m.GetLabel())
			}
		}
	}
}
