package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// comparison is what processes of both sides have reported.
type comparison struct {
	options
	// binary measures rounds times with as many objects.
	binary          string
	rounds, objects int
	// environment is added to that of the benchmark.
	environment []string
	// warmUp adds a round whose figures do not count.
	warmUp bool
	// reports and contents, what these have read, are by side.
	reports  map[string][]report.Report
	contents map[string]map[string]string
}

// process is how to start the binary so that it measures something of one side.
type process struct {
	name, side string
	args       []string
}

// newComparison has one round if there are so many objects that a round takes minutes.
func newComparison(o options, binary string, rounds, objects int) *comparison {
	if objects > largest {
		rounds = 1
	}
	return &comparison{
		options: o, binary: binary, rounds: rounds, objects: objects,
		reports: map[string][]report.Report{}, contents: map[string]map[string]string{report.Ours: {}, report.Theirs: {}},
	}
}

// run runs the processes one after the other in each round. Every second round is
// backwards, because a later process may find warmer caches.
func (c *comparison) run(ctx context.Context, processes []process) ([]Row, error) {
	if c.warmUp {
		c.warmUp = false
		warm := *c
		warm.rounds, warm.reports = 1, map[string][]report.Report{}
		if _, err := warm.run(ctx, processes); err != nil {
			return nil, err
		}
	}
	for round := range c.rounds {
		for _, p := range processes {
			if err := c.measure(ctx, p, round); err != nil {
				return nil, fmt.Errorf("%s, %s objects, %s: %w", p.name, count(c.objects), p.side, err)
			}
		}
		slices.Reverse(processes)
	}
	return c.rows()
}

func (c *comparison) measure(ctx context.Context, p process, round int) error {
	timeout := 5 * time.Minute * time.Duration(1+c.objects/100_000) // far more than it takes
	command := exec.CommandContext(ctx, c.binary,
		append(slices.Clone(p.args), "--side="+p.side, "--objects="+strconv.Itoa(c.objects), "--timeout="+timeout.String())...)
	command.Env = append(os.Environ(), c.environment...)
	used, output, err := measure(command)
	if err != nil {
		return err
	}
	var taken report.Report
	if err := json.Unmarshal(output, &taken); err != nil {
		return err
	}
	for i, figure := range taken.Figures {
		if figure.Unit == report.PeakMB && figure.Value == 0 {
			taken.Figures[i].Value = float64(used.peak) / megabyte
		}
	}
	fmt.Fprintf(c.progress, "%s, %s objects, %s, round %d of %d: %.1f s\n", p.name, count(c.objects), p.side, round+1, c.rounds, used.wall.Seconds())
	return c.add(p.side, taken)
}

// add keeps a report. It fails if another process of either side has read something
// else.
func (c *comparison) add(side string, taken report.Report) error {
	for name, digest := range taken.Contents {
		for _, contents := range c.contents {
			if known, ok := contents[name]; ok && known != digest {
				return fmt.Errorf("%s: it has read %s, and another process %s", name, digest, known)
			}
		}
		c.contents[side][name] = digest
	}
	c.reports[side] = append(c.reports[side], taken)
	return nil
}

// rows are in the order of the figures of ours.
func (c *comparison) rows() ([]Row, error) {
	if ours, theirs := c.contents[report.Ours], c.contents[report.Theirs]; !maps.Equal(ours, theirs) {
		return nil, fmt.Errorf("ours has read %v, and theirs %v", ours, theirs)
	}
	var rows []Row
	for _, r := range c.reports[report.Ours] {
		for _, figure := range r.Figures {
			if slices.ContainsFunc(rows, func(row Row) bool { return row.Name == figure.Row }) {
				continue
			}
			ours, theirs := c.values(report.Ours, figure.Row), c.values(report.Theirs, cmp.Or(figure.Peer, figure.Row))
			if len(ours) != len(theirs) {
				return nil, fmt.Errorf("%s: there are %d figures of ours and %d of theirs", figure.Row, len(ours), len(theirs))
			}
			row := newRow(figure.Row, figure.Unit, ours, theirs)
			row.Objects = c.objects
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// values are those of a row in all reports of a side.
func (c *comparison) values(side, row string) (values []float64) {
	for _, r := range c.reports[side] {
		if at := slices.IndexFunc(r.Figures, func(f report.Figure) bool { return f.Row == row }); at >= 0 {
			values = append(values, r.Figures[at].Value)
		}
	}
	return values
}
