package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/test/bench/report"
	"github.com/typedinformers/informer-gen/test/kubeserver"
)

// Programs that the section writes compares, in the order of measurement.
var writesPrograms = []string{report.Informers, report.InformersOwnWrites, report.Manager, report.ManagerOwnWrites, report.Bridge}

// Those that a row compares.
const (
	writesOurs = report.InformersOwnWrites
	writesPeer = report.ManagerOwnWrites
)

// writesSettings are what the programs do. Their rows begin with prefix.
var writesSettings = []struct {
	prefix, workload string
	steps            int
	args             []string
}{
	{"counters in turn, ", report.Counters, 20, nil},
	{"counters at once, ", report.Counters, 10, []string{"--keep"}},
	{"children at once, ", report.Children, 5, []string{"--keep"}},
}

const (
	writesObjects = 200
	writesWorkers = 20
)

// writesRun are the controllers of one server.
type writesRun struct {
	options
	binary string
	// args are those of all clients of the server.
	args []string
	// figures are in the order of the first report. values are by row and program.
	figures []report.Figure
	values  map[string]map[string][]float64
}

// benchmarkWrites measures controllers that read what they have written, each in a process of
// its own. Command writes has the rows. The kube-apiserver is a process too.
func benchmarkWrites(ctx context.Context, o options) (_ []Row, err error) {
	kube, err := buildCommand(ctx, o, "kube")
	if err != nil {
		return nil, err
	}
	w := writesRun{options: o, values: map[string]map[string][]float64{}}
	if w.binary, err = buildCommand(ctx, o, "writes"); err != nil {
		return nil, err
	}
	binary, err := buildServer(ctx, o)
	if err != nil {
		return nil, err
	}
	server, err := kubeserver.Start(ctx, kubeserver.Options{Binary: binary})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	access := server.Access()
	w.args = []string{"--url=" + access.URL, "--token=" + access.Token, "--ca=" + access.CA}
	for _, resource := range []string{"databases", "databaseservers"} {
		install := exec.CommandContext(ctx, kube, append([]string{"load", "--etcd=" + access.Etcd, "--kind=" + report.CustomResources, "--objects=0",
			"--crd=" + filepath.Join(o.repo, "examples", "operator", "config", "crd", "data.example.com_"+resource+".yaml")}, w.args...)...)
		if err := runCommand(install); err != nil {
			return nil, err
		}
	}
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	return w.rows(), nil
}

// run runs all programs in each round, every second round backwards. A first round of one
// program, which does not count, is for the first answers of a new server.
func (w *writesRun) run(ctx context.Context) error {
	programs := slices.Clone(writesPrograms)
	if _, err := w.measure(ctx, programs[0], 0); err != nil {
		return err
	}
	for round := range w.writesRounds {
		for i, setting := range writesSettings {
			for _, program := range programs {
				figures, err := w.measure(ctx, program, i)
				if err != nil {
					return fmt.Errorf("%s%s: %w", setting.prefix, program, err)
				}
				w.keep(setting.prefix, program, figures)
				fmt.Fprintf(w.progress, "%s%s, round %d of %d: %s\n", setting.prefix, program, round+1, w.writesRounds, summary(figures))
			}
		}
		slices.Reverse(programs)
	}
	return nil
}

// measure runs one program.
func (w *writesRun) measure(ctx context.Context, program string, setting int) ([]report.Figure, error) {
	s := writesSettings[setting]
	_, output, err := measure(exec.CommandContext(ctx, w.binary, slices.Concat(w.args, s.args, []string{
		"--program=" + program, "--workload=" + s.workload, "--steps=" + strconv.Itoa(s.steps),
		"--objects=" + strconv.Itoa(writesObjects), "--workers=" + strconv.Itoa(writesWorkers),
	})...))
	if err != nil {
		return nil, err
	}
	var taken report.Report
	err = json.Unmarshal(output, &taken)
	return taken.Figures, err
}

func summary(figures []report.Figure) string {
	var parts []string
	for _, f := range figures {
		parts = append(parts, f.Row+" "+Row{Unit: f.Unit}.quantity(f.Value))
	}
	return strings.Join(parts, ", ")
}

// keep adds the figures of one process.
func (w *writesRun) keep(prefix, program string, figures []report.Figure) {
	for _, f := range figures {
		f.Row = prefix + f.Row
		if w.values[f.Row] == nil {
			w.figures = append(w.figures, f)
			w.values[f.Row] = map[string][]float64{}
		}
		w.values[f.Row][program] = append(w.values[f.Row][program], f.Value)
	}
}

func (w *writesRun) rows() (rows []Row) {
	for _, f := range w.figures {
		values := w.values[f.Row]
		row := newRow(f.Row, f.Unit, values[writesOurs], values[writesPeer])
		row.Objects, row.Columns = writesObjects, map[string]float64{}
		for program, values := range values {
			row.Columns[program] = report.Median(values)
		}
		rows = append(rows, row)
	}
	return rows
}

// writesRow reports whether a row is of this section.
func writesRow(r Row) bool {
	_, ok := r.Columns[writesPeer]
	return ok
}

// writesMarkdown is a table with a column for each program. Ours is better than writesPeer.
func writesMarkdown(rows []Row) string {
	var text strings.Builder
	text.WriteString("| what |")
	for _, program := range writesPrograms {
		title := program
		if program == writesOurs {
			title += " (ours)"
		}
		text.WriteString(" " + title + " |")
	}
	text.WriteString(" ours is better | floor |\n|---|" + strings.Repeat("---|", len(writesPrograms)+2) + "\n")
	for _, row := range rows {
		fmt.Fprintf(&text, "| %s |", row.Name)
		for _, program := range writesPrograms {
			text.WriteString(" " + row.quantity(row.Columns[program]) + " |")
		}
		ratio := ""
		if row.Unit != report.Count { // there is no ratio to nothing
			ratio = "**" + number(row.Ratio) + "×**"
		}
		fmt.Fprintf(&text, " %s | %s |\n", ratio+row.remark(), row.limits()+row.goal())
	}
	return text.String()
}
