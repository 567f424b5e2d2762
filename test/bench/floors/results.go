package main

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

// name is that of a figure of a side.
type name struct{ row, objects, side, unit string }

const ourSide = "side=informer-gen"

// results are the samples of all figures, and where they were measured.
type results struct {
	// names are in the order of the files.
	names   []name
	samples map[name][]float64
	// config are the lines of the files that describe the machine and the run.
	config []string
}

func readResults(files []string) (*results, error) {
	r := &results{samples: map[name][]float64{}}
	reader := benchfmt.Files{Paths: files}
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, record
		case *benchfmt.Result:
			r.add(record)
		}
	}
	return r, reader.Err()
}

func (r *results) add(record *benchfmt.Result) {
	for _, config := range record.Config {
		if line := config.Key + ": " + string(config.Value); config.File && config.Key != "pkg" && !slices.Contains(r.config, line) {
			r.config = append(r.config, line)
		}
	}
	base, parts := record.Name.Parts()
	n := name{row: string(base)}
	for _, part := range parts {
		switch part := string(part); {
		case strings.HasPrefix(part, "-"): // GOMAXPROCS
		case strings.HasPrefix(part, "/side="):
			n.side = part[1:]
		case strings.HasPrefix(part, "/objects="):
			n.objects = strings.TrimPrefix(part, "/objects=")
		default:
			n.row += part
		}
	}
	for _, value := range record.Values {
		value.Value, n.unit = benchunit.Tidy(value.Value, value.Unit) // the reader leaves out zeros
		if r.samples[n] == nil {
			r.names = append(r.names, n)
		}
		r.samples[n] = append(r.samples[n], value.Value)
	}
}

// median is that of a figure that was measured.
func (r *results) median(n name) float64 {
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(r.samples[n], &benchmath.DefaultThresholds), 0.95).Center
}

// row compares a figure of ours with that of one peer.
type row struct {
	name
	peer        name
	ours, their float64
	floor       floor
}

// rows returns those of a figure of ours: one for each peer, or the one that the floor tells.
func (r *results) rows(n name, f floor) (rows []row) {
	for _, peer := range r.names {
		same := n
		if same.side = peer.side; f.Against != "" {
			same.row = f.Against
		}
		if same == peer && peer != n && (f.Peer == "" || f.Peer == peer.side) {
			rows = append(rows, row{n, peer, r.median(n), r.median(peer), f})
		}
	}
	return rows
}

// compare returns all rows, and the floors that no row has.
func (r *results) compare(floors []floor) (rows []row, missing []string) {
	found := make([]bool, len(floors))
	worst := make([][]row, len(floors))
	for _, n := range r.names {
		if n.side != ourSide {
			continue
		}
		hasFloor := false
		for i, f := range floors {
			prefix, isWorst := strings.CutSuffix(f.Row, "*")
			switch {
			case f.Unit != n.unit:
			case isWorst && strings.HasPrefix(n.row, prefix):
				worst[i] = append(worst[i], r.rows(n, f)...)
				hasFloor = true
			case f.Row == n.row:
				more := r.rows(n, f)
				rows = append(rows, more...)
				hasFloor, found[i] = true, found[i] || len(more) > 0
			}
		}
		if !hasFloor {
			rows = append(rows, r.rows(n, floor{})...)
		}
	}
	for i, f := range floors {
		switch {
		case len(worst[i]) > 0:
			rows = append(rows, slices.MinFunc(worst[i], func(a, b row) int { return cmp.Compare(a.their/a.ours, b.their/b.ours) }))
		case !found[i]:
			missing = append(missing, f.Row+" "+f.Unit)
		}
	}
	return rows, missing
}
