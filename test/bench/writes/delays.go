package main

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// delays are how long calls took.
type delays struct {
	mu  sync.Mutex // guards all
	all []time.Duration
}

func (d *delays) add(delay time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, delay)
}

// figures are the median and the 99th percentile. There must be a call.
func (d *delays) figures(row string) (figures []report.Figure) {
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.Sort(d.all)
	for _, percentile := range []int{50, 99} {
		at := d.all[(len(d.all)-1)*percentile/100]
		figures = append(figures, report.Figure{Row: fmt.Sprintf("%s: p%d", row, percentile), Unit: "µs", Value: float64(at.Nanoseconds()) / 1e3})
	}
	return figures
}
