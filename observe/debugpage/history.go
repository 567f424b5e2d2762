package debugpage

import (
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

const (
	// span is how long the history of an informer is.
	span = 10 * time.Minute
	// minInterval is the time between two samples of an informer.
	minInterval = 4 * time.Second
	// maxSamples is the number of samples of an informer: those of span, one that is older, and
	// one more for the rest of a division.
	maxSamples = int(span/minInterval) + 2
	// maxHistories is the number of informers that have a history.
	maxHistories = 2000
)

// identities gives each informer of a look its ID, which it keeps in later looks.
type identities map[string]int

// of returns the ID of the next informer of a source. Informers that are equal in everything are
// told apart by their order.
func (ids identities) of(source int, s *cache.InformerStatus) string {
	// Not Namespaces, which SetScopes changes.
	key := fmt.Sprintf("%d %d %q %q %q", source, s.ID, s.Name, s.Resource, s.Server)
	if s.ID == 0 { // it may not be of an informer
		key += fmt.Sprintf(" %q %q", s.Object, s.Namespaces)
	}
	ids[key]++
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%s %d", key, ids[key])
	return fmt.Sprintf("i%016x", hash.Sum64())
}

// history has the number of events of each informer at the times when somebody looked. Nothing is
// recorded between looks: how the events of such a time were spread is not known. The zero value is
// empty.
type history struct {
	mu    sync.Mutex // guards what follows
	of    map[string][]sample
	until time.Time // of the last look
}

// sample is the number of events of an informer at a time.
type sample struct {
	at     time.Time
	events uint64
}

// look records the events of all informers, and sets the spark of each. It forgets informers that
// are gone.
func (h *history) look(now time.Time, all []Informer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	late := now.Before(h.until) // another look has overtaken this one
	if !late {
		h.until = now
	}
	kept := make(map[string][]sample, min(len(all), maxHistories))
	for i := range all {
		informer := &all[i]
		current := sample{now, informer.Events.Changes()}
		samples := h.of[informer.ID]
		if n := len(samples); n > 0 && !late && current.events < samples[n-1].events {
			samples = nil // another informer of the same name
		}
		informer.spark = sparkOf(samples, current)
		if !late && (len(samples) == 0 || now.Sub(samples[len(samples)-1].at) >= minInterval) {
			samples = append(within(samples, now.Add(-span)), current)
		}
		if len(kept) < maxHistories {
			kept[informer.ID] = samples
		}
	}
	if !late {
		h.of = kept
	}
}

// within returns the samples from a time on, and the last one before it.
func within(samples []sample, from time.Time) []sample {
	first := 0
	for first+1 < len(samples) && !samples[first+1].at.After(from) {
		first++
	}
	first = max(first, len(samples)+1-maxSamples)
	if first == 0 {
		return samples
	}
	return append(samples[:0], samples[first:]...)
}

// spark is a history as a drawing: the number of events per second between two looks.
type spark struct {
	// Span is from the first look to now, at most span. It is 0 at the first look.
	Span   Seconds
	Events uint64
	// Mean and Peak are events per second.
	Mean, Peak float64
	// Path is the data of an SVG path in a box of width x height.
	Path string
}

// The box of a spark.
const (
	width  = 96
	height = 24
)

// sparkOf draws samples and the current one.
func sparkOf(samples []sample, current sample) (s spark) {
	if len(samples) == 0 || !samples[0].at.Before(current.at) {
		return s
	}
	samples = append(samples[:len(samples):len(samples)], current)
	from := samples[0].at
	if limit := current.at.Add(-span); from.Before(limit) {
		from = limit
	}
	s.Span = Seconds(current.at.Sub(from))
	type step struct{ from, to, rate float64 }
	var steps []step
	events := 0.0
	for i := 1; i < len(samples); i++ {
		a, b := samples[i-1], samples[i]
		if !b.at.After(from) || !b.at.After(a.at) || b.events < a.events {
			continue
		}
		perSecond := float64(b.events-a.events) / b.at.Sub(a.at).Seconds()
		start := a.at
		if start.Before(from) {
			start = from
		}
		events += perSecond * b.at.Sub(start).Seconds()
		s.Peak = max(s.Peak, perSecond)
		steps = append(steps, step{start.Sub(from).Seconds(), b.at.Sub(from).Seconds(), perSecond})
	}
	s.Events = uint64(events + 0.5)
	seconds := time.Duration(s.Span).Seconds()
	s.Mean = events / seconds
	var path strings.Builder
	fmt.Fprintf(&path, "M0 %d", height)
	for _, step := range steps {
		y := float64(height)
		if s.Peak > 0 {
			y -= step.rate / s.Peak * (height - 1)
		}
		fmt.Fprintf(&path, "L%.1f %.1fL%.1f %.1f", step.from/seconds*width, y, step.to/seconds*width, y)
	}
	fmt.Fprintf(&path, "L%d %dZ", width, height)
	s.Path = path.String()
	return s
}

// Text describes the drawing.
func (s *spark) Text() string {
	if s.Span <= 0 {
		return "no history yet"
	}
	return fmt.Sprintf("%s in the last %s, at most %s", plural(int(s.Events), "event"), s.Span, rate(s.Peak))
}
