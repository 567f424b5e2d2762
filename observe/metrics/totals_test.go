package informermetrics

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// changing is a status.Source whose informers a test replaces.
type changing struct {
	mu        sync.Mutex
	informers []status.Informer
}

func (c *changing) set(informers ...status.Informer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.informers = informers
}

func (c *changing) Statuses() iter.Seq[status.Informer] {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Values(slices.Clone(c.informers))
}

// counts returns each number of a scrape that must not fall.
func counts(families map[string]*dto.MetricFamily) map[string]float64 {
	all := map[string]float64{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			key := fmt.Sprint(name, m.GetLabel())
			switch family.GetType() {
			case dto.MetricType_COUNTER:
				all[key] = m.GetCounter().GetValue()
			case dto.MetricType_HISTOGRAM:
				h := m.GetHistogram()
				all[key+" count"], all[key+" sum"] = float64(h.GetSampleCount()), h.GetSampleSum()
				last := uint64(0)
				for _, b := range h.GetBucket() {
					all[fmt.Sprint(key, b.GetUpperBound())] = float64(b.GetCumulativeCount())
					last = max(last, b.GetCumulativeCount())
				}
				if last > h.GetSampleCount() {
					all[key+" disagrees"] = 1
				}
			}
		}
	}
	return all
}

// TestInformersOfOneNameThatGo has two factories with one name, one of which loses its informer: the
// counts that they have together do not fall, because Prometheus would add all of the rest again.
func TestInformersOfOneNameThatGo(t *testing.T) {
	stays, goes := healthy(), healthy()
	goes.Stats.Lists, goes.Stats.Handlers[0].Processed = 2, 3
	goes.Stats.Handlers[0].Latency.Sum = time.Hour
	source := &changing{}
	c := NewCollector(source)
	scrape := func(lists, processed float64, informers ...status.Informer) map[string]float64 {
		t.Helper()
		source.set(informers...)
		families := gather(t, c)
		if got := values(families["informer_lists_total"])[""]; got != lists {
			t.Errorf("%v lists, want %v", got, lists)
		}
		if got := values(families["informer_handler_processed_total"])["handler=reconciler "]; got != processed {
			t.Errorf("%v calls, want %v", got, processed)
		}
		if objects := values(families["informer_objects"])[""]; objects != float64(312*len(informers)) {
			t.Errorf("%v objects", objects)
		}
		return counts(families)
	}
	both := scrape(7, 25, stays, goes)
	stays.Stats.Handlers = slices.Clone(stays.Stats.Handlers)
	for key, count := range scrape(7, 25, stays) {
		if count != both[key] {
			t.Errorf("%s was %v and is %v", key, both[key], count)
		}
	}
	stays.Stats.Lists++
	stays.Stats.Handlers[0].Processed += 10
	scrape(8, 35, stays)
	scrape(10, 38, stays, goes) // another one, which starts with its own counts
	scrape(10, 38, stays)

}

// TestCountsDoNotFall has informers of one name that come, count and go, and several scrapers.
func TestCountsDoNotFall(t *testing.T) {
	source := &changing{}
	source.set(healthy())
	c := NewCollector(source)
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		defer close(done)
		random := rand.New(rand.NewPCG(1, 2))
		informers := []status.Informer{healthy(), healthy()}
		for range 300 {
			switch n := random.IntN(len(informers)); {
			case random.IntN(3) == 0 && len(informers) > 1:
				informers = slices.Delete(slices.Clone(informers), n, n+1)
			case random.IntN(3) == 0 && len(informers) < 5:
				informers = append(slices.Clone(informers), healthy())
			default:
				informers = slices.Clone(informers)
				informers[n].Stats.Lists += random.Uint64N(5)
				informers[n].Stats.ToCache.Counts[random.IntN(16)]++
				informers[n].Stats.ToCache.Sum += time.Second
			}
			source.set(informers...)
			runtime.Gosched()
		}
	})
	for range 3 {
		all.Go(func() {
			last := map[string]float64{}
			for {
				now := counts(gather(t, c))
				for key, count := range last {
					if now[key] < count {
						t.Errorf("%s was %v and is %v", key, count, now[key])
					}
				}
				last = now
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	all.Wait()
}
