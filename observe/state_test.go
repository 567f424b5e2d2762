package observe

import (
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// source has informers that are made up.
type source []status.Informer

func (s source) Statuses() iter.Seq[status.Informer] { return slices.Values(s) }

// read returns the report about informers.
func read(r Reader, all ...status.Informer) *Report {
	r.Sources = []status.Source{nil, source(all)}
	return r.Read()
}

// following returns an informer that follows the server, with a handler.
func following(resource string) status.Informer {
	return status.Informer{
		Resource: schema.GroupVersionResource{Version: "v1", Resource: resource}, Object: "*v1.Object",
		Status: status.Status{Phase: status.Watching, Since: time.Now().Add(-time.Hour), ResourceVersion: "4711", Objects: 3},
		Stats:  status.Stats{Synced: true, WasSynced: true, Handlers: []status.HandlerStats{{Name: "reconcile", Synced: true}}},
	}
}

// TestJudge has the state of an informer, by what is unusual about it.
func TestJudge(t *testing.T) {
	for what, test := range map[string]struct {
		change func(*status.Informer)
		want   State
	}{
		"nothing":                {func(*status.Informer) {}, Healthy},
		"degraded":               {func(s *status.Informer) { s.Status.Phase = status.Degraded }, Failing},
		"a handler has panicked": {func(s *status.Informer) { s.Status.Phase, s.Status.Reason = status.Degraded, status.HandlerPanic }, Attention},
		"misconfigured":          {func(s *status.Informer) { s.Status.Phase, s.Status.Reason = status.Stopped, status.Misconfigured }, Failing},
		"stopped":                {func(s *status.Informer) { s.Status.Phase, s.Stats.Staleness = status.Stopped, time.Hour }, Stopped},
		"pending":                {func(s *status.Informer) { s.Status.Phase = status.Pending }, Starting},
		"listing": {func(s *status.Informer) {
			s.Status.Phase, s.Status.Since = status.Listing, time.Now().Add(-59*time.Second)
		}, Starting},
		"listing for long": {func(s *status.Informer) {
			s.Status.Phase, s.Status.Since = status.Listing, time.Now().Add(-time.Minute)
		}, Attention},
		"not yet stale":       {func(s *status.Informer) { s.Stats.Staleness = 3*time.Minute - 1 }, Healthy},
		"stale":               {func(s *status.Informer) { s.Stats.Staleness = 3 * time.Minute }, Attention},
		"a small backlog":     {func(s *status.Informer) { s.Stats.Handlers[0].Backlog = 999 }, Healthy},
		"a backlog":           {func(s *status.Informer) { s.Stats.Handlers[0].Backlog = 1000 }, Attention},
		"a short call":        {func(s *status.Informer) { s.Stats.Handlers[0].Running = 10*time.Second - 1 }, Healthy},
		"a long call":         {func(s *status.Informer) { s.Stats.Handlers[0].Running = 10 * time.Second }, Attention},
		"a panic":             {func(s *status.Informer) { s.Stats.Handlers[0].Panics = 1 }, Attention},
		"undecodable":         {func(s *status.Informer) { s.Status.Undecodable = []*wire.DecodeError{{Name: "a"}} }, Attention},
		"a queue":             {func(s *status.Informer) { s.Stats.Queued = 1000 }, Attention},
		"a queue of a list":   {func(s *status.Informer) { s.Stats.Queued, s.Stats.Synced = 1000, false }, Healthy},
		"an error and a list": {func(s *status.Informer) { s.Status.Phase, s.Status.Err = status.Listing, fmt.Errorf("refused") }, Attention},
	} {
		s := following("pods")
		test.change(&s)
		if got := read(Reader{StalenessLimit: 3 * time.Minute}, s).Informers[0]; got.State != test.want || (len(got.Problems) > 0) != (got.State == Failing || got.State == Attention) {
			t.Errorf("%s: %s %q, want %s", what, got.State, got.Problems, test.want)
		}
	}
	s := following("pods")
	s.Stats.Staleness = time.Hour
	if got := read(Reader{StalenessLimit: 2 * time.Hour}, s).Informers[0].State; got != Healthy {
		t.Errorf("the option has no effect: %s", got)
	}
}

// TestRunbook looks for the headings to which the advice of this package leads.
func TestRunbook(t *testing.T) {
	text, err := os.ReadFile("../docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := strings.ReplaceAll(strings.ToLower(string(text)), " ", "-")
	for cause := range remedies {
		if !strings.Contains(headings, "\n###-"+cause+"\n") {
			t.Errorf("the runbook has no heading %s", cause)
		}
	}
	s := following("pods")
	s.Stats.Queued = 5000
	for runbook, want := range map[string]string{Runbook: Runbook + "#queue", "https://wiki/informers": "https://wiki/informers#queue", "": ""} {
		if got := read(Reader{Runbook: runbook}, s).Informers[0].Advice[0].Runbook; got != want {
			t.Errorf("the runbook is %q, want %q", got, want)
		}
	}
}

// TestIDs tells informers apart that are equal in everything, and has one of two sources once.
func TestIDs(t *testing.T) {
	a, b, numbered := following("pods"), following("pods"), following("pods")
	b.Namespaces, numbered.ID = []string{"a"}, 7
	r := Reader{Sources: []status.Source{source{a, numbered, a, b}, source{a, numbered}}}
	ids := func() (ids []string) {
		for _, i := range r.Read().Informers {
			ids = append(ids, i.ID)
		}
		return ids
	}
	first := ids()
	if again := ids(); len(first) != 5 || len(slices.Compact(slices.Sorted(slices.Values(first)))) != 5 || !slices.Equal(again, first) {
		t.Errorf("%v, then %v", first, again)
	}
}

// TestPackedInWords: the ratio is that of texts, so there is none with objects that have none.
func TestPackedInWords(t *testing.T) {
	for want, packed := range map[string]Packed{
		"1.0 KiB of 4.0 KiB of text (25 %), 3 objects decoded again":                    {Bytes: 1 << 10, TextBytes: 4 << 10, Reads: 3},
		"9.0 KiB of 4.0 KiB of text and 2 objects without text, 1 object decoded again": {Bytes: 9 << 10, TextBytes: 4 << 10, Values: 2, Reads: 1},
	} {
		if got := packed.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
