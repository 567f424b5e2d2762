package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// inMemory are the reports of the processes that measure without a network.
type inMemory struct {
	options
	binary  string
	objects int
	reports map[string][]report.Memory // by side
}

// benchmarkMemory measures both sides by turns, each in processes of its own.
func benchmarkMemory(ctx context.Context, o options) ([]Row, error) {
	binary, err := buildCommand(ctx, o, "informers")
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, objects := range o.sizes {
		b := inMemory{options: o, binary: binary, objects: objects, reports: map[string][]report.Memory{}}
		for round := range b.rounds() {
			sides := []string{report.Ours, report.Theirs}
			if round%2 == 1 { // whoever comes second may find a warmer machine
				slices.Reverse(sides)
			}
			for _, side := range sides {
				if err := b.run(ctx, side, round); err != nil {
					return nil, fmt.Errorf("in memory, %d objects, %s: %w", objects, side, err)
				}
			}
		}
		more, err := b.rows()
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// rounds are fewer where objects are many: to make them takes longer than to measure.
func (b *inMemory) rounds() int {
	if b.objects > largest {
		return 1
	}
	return b.memoryRounds
}

func (b *inMemory) run(ctx context.Context, side string, round int) error {
	args := []string{"memory", "--side=" + side, "--objects=" + strconv.Itoa(b.objects), "--timeout=" + clientTimeout(b.objects).String()}
	switch {
	case b.objects > largest:
		args = append(args, "--rounds=1")
	case b.quick:
		args = append(args, "--events=100000", "--benchtime=500ms")
	}
	used, output, err := measureOutput(exec.CommandContext(ctx, b.binary, args...))
	if err != nil {
		return err
	}
	var taken report.Memory
	if err := json.NewDecoder(bytes.NewReader(output)).Decode(&taken); err != nil {
		return err
	}
	for _, others := range b.reports {
		if !maps.Equal(others[0].Contents, taken.Contents) {
			return fmt.Errorf("it has read %v, and not %v as another process", taken.Contents, others[0].Contents)
		}
	}
	b.reports[side] = append(b.reports[side], taken)
	fmt.Fprintf(b.progress, "in memory, %s objects, %s, round %d of %d: %.0f s\n", count(b.objects), side, round+1, b.rounds(), used.wall.Round(time.Second).Seconds())
	return nil
}

// rows are in the order in which ours were measured.
func (b *inMemory) rows() ([]Row, error) {
	var rows []Row
	for _, figure := range b.reports[report.Ours][0].Figures {
		peer := figure.Peer
		if peer == "" {
			peer = figure.Row
		}
		ours, theirs := b.of(report.Ours, figure.Row), b.of(report.Theirs, peer)
		if len(ours) == 0 || len(ours) != len(theirs) {
			return nil, fmt.Errorf("%s: there are %d figures of ours and %d of theirs", figure.Row, len(ours), len(theirs))
		}
		row := newRow(figure.Row, figure.Unit, ours, theirs)
		row.Objects = b.objects
		rows = append(rows, row)
	}
	return rows, nil
}

// of returns a figure of all reports of a side.
func (b *inMemory) of(side, row string) (values []float64) {
	for _, r := range b.reports[side] {
		if at := slices.IndexFunc(r.Figures, func(f report.Figure) bool { return f.Row == row }); at >= 0 {
			values = append(values, r.Figures[at].Value)
		}
	}
	return values
}
