package debugpage

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/typedinformers/informer-gen/internal/human"
	"github.com/typedinformers/informer-gen/observe"
)

const (
	// span is how long the history of an informer is.
	span = 10 * time.Minute
	// minInterval is the time between two samples of an informer.
	minInterval = 4 * time.Second
	// maxHistories is the number of informers that have a history.
	maxHistories = 2000
)

// history has the number of events of each informer, by its ID, at the times when somebody looked. Nothing is
// recorded between looks: how the events of such a time were spread is not known. The zero value is
// empty.
type history struct {
	mu sync.Mutex // guards of
	of map[string][]sample
}

// sample is the number of events of an informer at a time.
type sample struct {
	at     time.Time
	events uint64
}

// look records the events of all informers, and returns the spark of each that was looked at before. It forgets informers that
// are gone.
func (h *history) look(r *observe.Report) map[string]*spark {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept, sparks := map[string][]sample{}, map[string]*spark{}
	for i := range r.Informers[:min(len(r.Informers), maxHistories)] {
		informer := &r.Informers[i]
		current, samples := sample{r.Time, informer.Events.Changes()}, h.of[informer.ID]
		from := current.at.Add(-span)
		for len(samples) > 1 && !samples[1].at.After(from) { // one sample stays that is older
			samples = samples[1:]
		}
		if len(samples) > 0 && samples[0].at.Before(current.at) {
			sparks[informer.ID] = draw(samples, current, from)
		}
		if len(samples) == 0 || current.at.Sub(samples[len(samples)-1].at) >= minInterval {
			samples = append(samples, current)
		}
		kept[informer.ID] = samples
	}
	h.of = kept
	return sparks
}

// spark is a history as a drawing: the number of events per second between two looks.
type spark struct {
	// Span is from the first look to now, at most span.
	Span   observe.Seconds
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

// draw draws the samples and the current one, from a time on.
func draw(samples []sample, current sample, from time.Time) *spark {
	if first := samples[0].at; first.After(from) {
		from = first
	}
	s := &spark{Span: observe.Seconds(current.at.Sub(from))}
	seconds, events := current.at.Sub(from).Seconds(), 0.0
	type step struct{ from, to, rate float64 }
	var steps []step
	for n, a := range samples {
		b := current
		if n+1 < len(samples) {
			b = samples[n+1]
		}
		// A look that was overtaken by another one may be older, and have fewer events.
		if !b.at.After(a.at) || b.events < a.events {
			continue
		}
		next := step{max(0, a.at.Sub(from).Seconds()), b.at.Sub(from).Seconds(), float64(b.events-a.events) / b.at.Sub(a.at).Seconds()}
		events += next.rate * (next.to - next.from)
		s.Peak = max(s.Peak, next.rate)
		steps = append(steps, next)
	}
	s.Events, s.Mean = uint64(events+0.5), events/seconds
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
	return fmt.Sprintf("%s in the last %s, at most %s", human.Plural(s.Events, "event"), s.Span, human.Rate(s.Peak))
}

// Rate is the mean number of events per second.
func (s *spark) Rate() string { return human.Rate(s.Mean) }
