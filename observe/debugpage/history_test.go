package debugpage

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// looker looks at informers at chosen times.
type looker struct {
	h         *Handler
	now       time.Time
	informers *source
}

func newLooker() *looker {
	l := &looker{now: now, informers: &source{pods()}}
	l.h = New(l.informers)
	l.h.now = func() time.Time { return l.now }
	return l
}

// look returns the spark of the first informer after a time, in which it had events.
func (l *looker) look(after time.Duration, events uint64) spark {
	l.now = l.now.Add(after)
	(*l.informers)[0].Stats.Updated += events
	return l.h.report(view{sort: "state"}).Informers[0].spark
}

func TestHistory(t *testing.T) {
	l := newLooker()
	if s := l.look(0, 0); s.Text() != "no history yet" || s.Path != "" {
		t.Errorf("the first look has %+v", s)
	}
	if s := l.look(10*time.Second, 100); s.Text() != "100 events in the last 10s, at most 10/s" || s.Path != "M0 24L0.0 1.0L96.0 1.0L96 24Z" || s.Rate() != "10/s" {
		t.Errorf("%s %+v", s.Text(), s)
	}
	if s := l.look(30*time.Second, 30); s.Text() != "130 events in the last 40s, at most 10/s" || s.Path != "M0 24L0.0 1.0L24.0 1.0L24.0 21.7L96.0 21.7L96 24Z" {
		t.Errorf("%s %+v", s.Text(), s)
	}
	// Nobody looked for an hour: what is known of the last ten minutes is the average.
	if s := l.look(time.Hour, 3600); s.Text() != "600 events in the last 10m, at most 1.0/s" || s.Path != "M0 24L0.0 1.0L96.0 1.0L96 24Z" {
		t.Errorf("%s %+v", s.Text(), s)
	}
	if s := l.look(time.Minute, 0); s.Text() != "540 events in the last 10m, at most 1.0/s" || !strings.HasSuffix(s.Path, "L86.4 24.0L96.0 24.0L96 24Z") {
		t.Errorf("%s %+v", s.Text(), s)
	}
	// Another informer has taken the place.
	(*l.informers)[0].Stats.Updated = 0
	if s := l.look(time.Minute, 0); s.Span != 0 {
		t.Errorf("a counter that went back has %s", s.Text())
	}
}

// TestHistoryIsBounded looks often, by several viewers, at informers that come and go.
func TestHistoryIsBounded(t *testing.T) {
	l := newLooker()
	for range 3000 {
		l.look(time.Second, 1)
	}
	samples := l.h.history.of[l.h.report(view{sort: "state"}).Informers[0].ID]
	if n := len(samples); n > maxSamples || n < maxSamples-5 || cap(samples) > 4*maxSamples {
		t.Errorf("there are %d samples, of %d", n, maxSamples)
	}
	if s := l.look(0, 0); s.Text() != "600 events in the last 10m, at most 1.0/s" {
		t.Error(s.Text())
	}
	for i := range 100 {
		(*l.informers)[0].Resource.Resource = fmt.Sprint("kind", i)
		l.look(time.Minute, 1)
	}
	if n := len(l.h.history.of); n != 1 {
		t.Errorf("%d histories of 1 informer", n)
	}
	for i := range maxHistories + 100 {
		s := pods()
		s.Resource.Resource = fmt.Sprint("other", i)
		*l.informers = append(*l.informers, s)
	}
	if l.look(time.Minute, 1); len(l.h.history.of) != maxHistories {
		t.Errorf("%d histories", len(l.h.history.of))
	}
	// A look that another one has overtaken changes nothing.
	l.look(-time.Hour, 0)
	if l.h.history.until.Before(l.now.Add(time.Minute)) {
		t.Error("the history went back")
	}
}

// TestIDs tells informers apart that are equal in everything, and keeps the IDs.
func TestIDs(t *testing.T) {
	a, b := pods(), pods()
	b.Namespaces = []string{"a"}
	h := newTest(source{a, a, b}, WithSource(source{a}))
	ids := func() (ids []string) {
		for _, informer := range h.report(view{sort: "state"}).Informers {
			ids = append(ids, informer.ID)
		}
		return ids
	}
	first := ids()
	seen := map[string]bool{}
	for _, id := range first {
		seen[id] = true
	}
	if again := ids(); len(seen) != 4 || fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("%v, then %v", first, again)
	}
}

// TestHistoryOfScopesThatChange looks at two informers of one kind. One of them gets other namespaces, and
// then the other one ends.
func TestHistoryOfScopesThatChange(t *testing.T) {
	a, b := pods(), pods()
	a.ID, b.ID, a.Namespaces = 7, 8, []string{"a"}
	all := source{a, b}
	at := now
	h := newTest(&all)
	h.now = func() time.Time { return at }
	known := map[string]bool{}
	look := func() (all []Informer) {
		at = at.Add(time.Minute)
		return h.report(view{sort: "state"}).Informers
	}
	for _, i := range look() {
		known[i.ID] = true
	}
	all[0].Namespaces = []string{"a", "b"}
	all[1].Object = "*v1.Pod, *metav1.PartialObjectMetadata"
	for _, i := range look() {
		if !known[i.ID] || time.Duration(i.spark.Span) != time.Minute {
			t.Errorf("the ID is %s, not one of %v, and the history is of %v", i.ID, known, i.spark.Span)
		}
	}
	all = all[1:]
	all[0].Stats.Added += 60
	if i := look()[0]; !known[i.ID] || time.Duration(i.spark.Span) != 2*time.Minute || i.spark.Events != 60 {
		t.Errorf("after the other one has ended, the ID is %s, and the history has %d events of %v", i.ID, i.spark.Events, i.spark.Span)
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
	h := newTest(thousand())
	for form, limits := range map[string]struct{ bytes, allocations int }{
		"html": {6 << 20, 920_000}, "text": {400 << 10, 100_000}, "json": {3 << 20, 100_000},
	} {
		page := body(t, h, "/?format="+form)
		if len(page) > limits.bytes {
			t.Errorf("%s: %d bytes, want at most %d", form, len(page), limits.bytes)
		}
		if n := testing.AllocsPerRun(1, func() { body(t, h, "/?format="+form) }); n > float64(limits.allocations) {
			t.Errorf("%s: %.0f allocations, want at most %d", form, n, limits.allocations)
		}
		t.Logf("%s: %d bytes", form, len(page))
	}
	var report Report
	if err := json.Unmarshal([]byte(body(t, h, "/?format=json&q=kinds99")), &report); err != nil || len(report.Informers) != 11 {
		t.Errorf("%d informers, %v", len(report.Informers), err)
	}
}

func BenchmarkThousandInformers(b *testing.B) { benchmark(b, newTest(thousand())) }

func BenchmarkThousandScopes(b *testing.B) { benchmark(b, newTest(source{tenants(1000)})) }

func benchmark(b *testing.B, h *Handler) {
	for _, f := range []form{formHTML, formText, formJSON} {
		b.Run(string(f), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.renders <- struct{}{}
				if _, err := h.render(f, view{sort: "state"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestHumanTexts has the numbers that people read.
func TestHumanTexts(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-1: "0s", 0: "0s", 999: "<1µs", 1500: "1µs", 12 * time.Millisecond: "12ms", 1500 * time.Millisecond: "1.5s", 9990 * time.Millisecond: "9.9s", 59 * time.Second: "59s",
		time.Minute: "1m", 200 * time.Second: "3m20s", 59 * time.Minute: "59m", 5*time.Hour + 30*time.Minute: "5h30m", 47 * time.Hour: "47h", 73 * time.Hour: "3d",
	} {
		if got := Seconds(d).String(); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
	for n, want := range map[int64]string{-5: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 999 << 10: "999 KiB", 1000 << 10: "1.0 MiB", 48 << 20: "48 MiB", 5 << 40: "5.0 TiB"} {
		if got := size(n); got != want {
			t.Errorf("%d bytes are %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int]string{-1234: "-1234", 0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := number(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	for r, want := range map[float64]string{0: "0/s", 0.001: "<0.01/s", 0.25: "0.25/s", 2.34: "2.3/s", 1234: "1,234/s"} {
		if got := rate(r); got != want {
			t.Errorf("%v is %s, want %s", r, got, want)
		}
	}
}

// TestSummary has the sentence on top for each mix of states.
func TestSummary(t *testing.T) {
	of := func(states ...State) (all []Informer) {
		for i, s := range states {
			all = append(all, Informer{State: s, Resource: string(rune('a' + i))})
		}
		return all
	}
	reasons := func(all []Informer, reasons ...cache.Reason) []Informer {
		for i, reason := range reasons {
			all[i].Reason = reason
		}
		return all
	}
	for want, all := range map[string][]Informer{
		"There are no informers yet.":                                               nil,
		"The informer follows the server.":                                          of(Healthy),
		"The informer does not follow the server.":                                  of(Failing),
		"All 2 informers follow the server.":                                        of(Healthy, Healthy),
		"All 2 informers have stopped.":                                             of(Stopped, Stopped),
		"1 of 2 informers does not follow the server: b.":                           of(Healthy, Failing),
		"2 of 3 informers need attention: a, b.":                                    of(Attention, Attention, Starting),
		"1 of 4 informers does not follow the server, and 1 needs attention: b, c.": of(Healthy, Failing, Attention, Starting),
		"4 of 5 informers do not follow the server.":                                of(Failing, Failing, Failing, Failing, Healthy),
		"1 of 2 informers is starting.":                                             of(Starting, Healthy),
		"2 of 3 informers follow the server, and 1 has stopped.":                    of(Healthy, Stopped, Healthy),
		"3 of 5 informers do not follow the server, and 1 needs attention.":         of(Failing, Failing, Failing, Attention, Healthy),
		"None of the 2 informers follows the server (Unreachable).":                 reasons(of(Failing, Failing), cache.Unreachable, cache.Unreachable),
		"The informer does not follow the server (Forbidden).":                      reasons(of(Failing), cache.Forbidden),
		"3 of 4 informers do not follow the server (2 Unreachable, 1 Forbidden), and 1 needs attention.": reasons(of(Failing, Failing, Failing, Attention),
			cache.Unreachable, cache.Forbidden, cache.Unreachable, cache.HandlerPanic),
	} {
		if got := summarize(all); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestNames has informers of one factory and of two. The name of the only factory is the title, and
// the texts name the resources, because a name that all informers have does not say which one fails.
func TestNames(t *testing.T) {
	named := func(name, resource string) cache.InformerStatus {
		status := pods()
		status.Name, status.Resource.Resource = name, resource
		status.Status.Phase, status.Status.Reason = cache.Degraded, cache.Unreachable
		return status
	}
	one := source{named("shop", "orders"), named("shop", "items"), pods()}[:2]
	for _, c := range []struct {
		handler        *Handler
		title, summary string
		order          []string
	}{
		{newTest(one), "shop", "None of the 2 informers follows the server (Unreachable).", []string{"items", "orders"}},
		{newTest(one, WithTitle("mine")), "mine", "None of the 2 informers follows the server (Unreachable).", []string{"items", "orders"}},
		{newTest(source{named("shop", "orders"), named("bank", "orders"), pods()}), "Informers",
			"2 of 3 informers do not follow the server (Unreachable): shop/orders, bank/orders.", []string{"bank/orders", "shop/orders", "pods"}},
	} {
		r := c.handler.report(view{sort: "state"})
		var order []string
		for i := range r.Informers {
			order = append(order, r.Informers[i].displayName())
		}
		if r.Title != c.title || r.Summary.Text != c.summary || !slices.Equal(order, c.order) {
			t.Errorf("%q, %q, %q, want %q, %q, %q", r.Title, r.Summary.Text, order, c.title, c.summary, c.order)
		}
	}
}

// TestJudge has the state of an informer, by what is unusual about it.
func TestJudge(t *testing.T) {
	for what, test := range map[string]struct {
		change func(*cache.InformerStatus)
		want   State
	}{
		"nothing":                {func(*cache.InformerStatus) {}, Healthy},
		"degraded":               {func(s *cache.InformerStatus) { s.Status.Phase = cache.Degraded }, Failing},
		"a handler has panicked": {func(s *cache.InformerStatus) { s.Status.Phase, s.Status.Reason = cache.Degraded, cache.HandlerPanic }, Attention},
		"misconfigured":          {func(s *cache.InformerStatus) { s.Status.Phase, s.Status.Reason = cache.Stopped, cache.Misconfigured }, Failing},
		"stopped":                {func(s *cache.InformerStatus) { s.Status.Phase, s.Stats.Staleness = cache.Stopped, time.Hour }, Stopped},
		"pending":                {func(s *cache.InformerStatus) { s.Status.Phase = cache.Pending }, Starting},
		"listing": {func(s *cache.InformerStatus) {
			s.Status.Phase, s.Status.Since = cache.Listing, now.Add(-59*time.Second)
		}, Starting},
		"listing for long":    {func(s *cache.InformerStatus) { s.Status.Phase, s.Status.Since = cache.Listing, now.Add(-time.Minute) }, Attention},
		"not yet stale":       {func(s *cache.InformerStatus) { s.Stats.Staleness = 3*time.Minute - 1 }, Healthy},
		"stale":               {func(s *cache.InformerStatus) { s.Stats.Staleness = 3 * time.Minute }, Attention},
		"a small backlog":     {func(s *cache.InformerStatus) { s.Stats.Handlers[0].Backlog = 999 }, Healthy},
		"a backlog":           {func(s *cache.InformerStatus) { s.Stats.Handlers[0].Backlog = 1000 }, Attention},
		"a short call":        {func(s *cache.InformerStatus) { s.Stats.Handlers[0].Running = 10*time.Second - 1 }, Healthy},
		"a long call":         {func(s *cache.InformerStatus) { s.Stats.Handlers[0].Running = 10 * time.Second }, Attention},
		"a panic":             {func(s *cache.InformerStatus) { s.Stats.Handlers[0].Panics = 1 }, Attention},
		"undecodable":         {func(s *cache.InformerStatus) { s.Status.Undecodable = []*cache.DecodeError{{Name: "a"}} }, Attention},
		"a queue":             {func(s *cache.InformerStatus) { s.Stats.Queued = 1000 }, Attention},
		"a queue of a list":   {func(s *cache.InformerStatus) { s.Stats.Queued, s.Stats.Synced = 1000, false }, Healthy},
		"an error and a list": {func(s *cache.InformerStatus) { s.Status.Phase, s.Status.Err = cache.Listing, fmt.Errorf("refused") }, Attention},
	} {
		s := pods()
		test.change(&s)
		if got := newTest(source{s}).report(view{sort: "state"}).Informers[0]; got.State != test.want || (len(got.Problems) > 0) != (got.State == Failing || got.State == Attention) {
			t.Errorf("%s: %s %q, want %s", what, got.State, got.Problems, test.want)
		}
	}
	s := pods()
	s.Stats.Staleness = time.Hour
	if got := newTest(source{s}, WithStalenessLimit(2*time.Hour)).report(view{sort: "state"}).Informers[0].State; got != Healthy {
		t.Errorf("the option has no effect: %s", got)
	}
}

// TestRunbook looks for the headings that the page links to.
func TestRunbook(t *testing.T) {
	text, err := os.ReadFile("../../docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if heading, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "### "); ok {
			headings[strings.ReplaceAll(strings.ToLower(heading), " ", "-")] = true
		}
	}
	for cause := range remedies {
		if !headings[cause] {
			t.Errorf("the runbook has no heading %s, but %v", cause, headings)
		}
	}
	databases := databases()
	for _, advice := range databases.Advice() {
		if !headings[advice.Runbook()] {
			t.Errorf("the runbook has no heading %s", advice.Runbook())
		}
	}
	for reason := range meanings {
		if heading := (cache.Advice{Reason: reason}).Runbook(); !headings[heading] {
			t.Errorf("the runbook has no heading %s", heading)
		}
	}
	if page := body(t, newTest(source{widgets()}, WithRunbook("https://wiki/informers")), "/?format=json"); !strings.Contains(page, "https://wiki/informers#undecodable-objects") || strings.Contains(page, runbook) {
		t.Error("the option has no effect")
	}
	if page := body(t, newTest(source{widgets()}, WithRunbook("")), "/?format=html"); strings.Contains(page, "Runbook") || strings.Contains(page, "#undecodable") {
		t.Error("there is a link to no runbook")
	}
}
