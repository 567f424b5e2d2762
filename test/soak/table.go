package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// row is what was measured at the end of a minute, when the caches were equal to the truth.
type row struct {
	at time.Duration
	// heap is in bytes, after a collection.
	heap, goroutines, descriptors int
	// backlog is the longest queue of a handler, and queued that of an informer, just before the writes paused.
	backlog, queued int
	rate, ownRate   float64
	server          counts
	lists           string
	relists         uint64 // after versions that had expired
}

// measure fills in what is measured of the process. What ends needs a moment for that, so the least of some samples counts.
func (r *row) measure(ctx context.Context) {
	for n := range 20 {
		if goroutines := runtime.NumGoroutine(); n == 0 || goroutines < r.goroutines {
			r.goroutines = goroutines
		}
		if open, err := os.ReadDir("/proc/self/fd"); err == nil && (n == 0 || len(open) < r.descriptors) { // 0 on systems without it
			r.descriptors = len(open)
		}
		pause(ctx, 25*time.Millisecond)
	}
	runtime.GC()
	runtime.GC() // what the first one leaves in pools
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	r.heap = int(memory.HeapAlloc)
}

const maxDrift = 0.03

// figures are those that must not drift. A difference up to least does not count, because it does not grow with the run:
// buffers; the second goroutine that each of 14 watches has while it is busy; a connection that is being closed. 3 % of 60
// goroutines would be fewer than two.
var figures = []struct {
	name  string
	of    func(*row) int
	least int
}{
	{"heap", func(r *row) int { return r.heap }, 4 << 20},
	{"goroutines", func(r *row) int { return r.goroutines }, 16},
	{"descriptors", func(r *row) int { return r.descriptors }, 4},
}

// base returns the row with which the last one is compared: the tenth of thirty, or after a third of them.
func base(rows []row) int { return max(0, len(rows)/3-1) }

// drifts returns the figures that differ by more than they may.
func drifts(rows []row) (wrong []string) {
	if len(rows) < 2 {
		return nil
	}
	first, last := &rows[base(rows)], &rows[len(rows)-1]
	for _, f := range figures {
		before, after := f.of(first), f.of(last)
		if difference := math.Abs(float64(after - before)); difference > maxDrift*float64(before) && difference > float64(f.least) {
			wrong = append(wrong, fmt.Sprintf("%s: %d after %v and %d after %v, which is a drift of more than 3 %%", f.name, before, first.at.Round(time.Second), after, last.at.Round(time.Second)))
		}
	}
	return wrong
}

// format returns the rows as a table.
func format(rows []row) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "time\theap MB\tgoroutines\tdescriptors\tbacklog\tqueued\twrites/s\town/s\tcuts\texpired\trestarts\t  lists by cause\t")
	for _, r := range rows {
		fmt.Fprintf(w, "%v\t%.1f\t%d\t%d\t%d\t%d\t%.0f\t%.0f\t%d\t%d\t%d\t  %s\t\n", r.at.Round(time.Second), float64(r.heap)/1e6, r.goroutines, r.descriptors,
			r.backlog, r.queued, r.rate, r.ownRate, r.server.Cuts, r.server.Expired, r.server.Restarts, r.lists)
	}
	_ = w.Flush() // a Builder never fails
	return text.String()
}

// write writes the text, and a picture, to a folder that exists.
func write(folder, text string, rows []row) error {
	if err := os.WriteFile(filepath.Join(folder, "soak.txt"), []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "soak.svg"), []byte(draw(rows)), 0o644)
}

// draw returns an SVG with a line for each figure over time, in which 100 is what the last row is compared with.
func draw(rows []row) string {
	const width, height, top = 800, 240, 150.0 // top is the highest percentage
	var text strings.Builder
	fmt.Fprintf(&text, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-50 -20 %d %d" font-family="sans-serif" font-size="12"><rect x="-50" y="-20" width="100%%" height="100%%" fill="white"/>`+"\n", width+200, height+60)
	y := func(percent float64) float64 { return height * (1 - min(percent, top)/top) }
	for percent := 0.0; percent <= top; percent += 50 {
		fmt.Fprintf(&text, `<path d="M0 %.0fH%d" stroke="#ddd"/><text x="-8" y="%.0f" text-anchor="end">%.0f %%</text>`+"\n", y(percent), width, y(percent)+4, percent)
	}
	last := &rows[len(rows)-1]
	fmt.Fprintf(&text, `<text x="0" y="%d">0</text><text x="%d" y="%d" text-anchor="end">%v</text>`+"\n", height+20, width, height+20, last.at.Round(time.Second))
	for i, f := range figures {
		color := []string{"#1f5fbf", "#c0392b", "#2e8b57"}[i]
		fmt.Fprintf(&text, `<text x="%d" y="%d" fill="%s">%s</text><polyline fill="none" stroke="%s" stroke-width="2" points="`, width+15, 20+20*i, color, f.name, color)
		for n := range rows {
			percent := 100 * float64(f.of(&rows[n])) / float64(max(1, f.of(&rows[base(rows)])))
			fmt.Fprintf(&text, "%.1f,%.1f ", width*rows[n].at.Seconds()/last.at.Seconds(), y(percent))
		}
		fmt.Fprintln(&text, `"/>`)
	}
	return text.String() + "</svg>\n"
}
