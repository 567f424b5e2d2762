package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// benchmarkAttacks measures what hostile objects cost. A row is the most expensive
// attack, against client-go, on one decoder or on the indexes; all attacks are listed in
// build/bench/hostile-objects.txt.
func benchmarkAttacks(ctx context.Context, o options) ([]Row, error) {
	binary, err := buildCommand(ctx, o, "attacks")
	if err != nil {
		return nil, err
	}
	args := []string{"--rounds=" + strconv.Itoa(o.smallRounds)}
	if o.quick {
		args = append(args, "--size=300000")
	}
	_, output, err := measureOutput(exec.CommandContext(ctx, binary, args...))
	if err != nil {
		return nil, err
	}
	var taken report.Attacks
	if err := json.NewDecoder(bytes.NewReader(output)).Decode(&taken); err != nil {
		return nil, err
	}
	all := attackRows(taken)
	if err := listAttacks(filepath.Join(o.repo, "build", "bench", "hostile-objects.txt"), all); err != nil {
		return nil, err
	}
	worst := worstAttacks(all)
	for i, row := range worst {
		target, text, _ := strings.Cut(row.Name, ": ")
		fmt.Fprintf(o.progress, "hostile objects, %s: the most expensive is %q, %.2f times the cost of client-go\n", target, text, 1/row.Ratio)
		worst[i].Name = "the most expensive hostile object: " + target
	}
	return worst, nil
}

func attackRows(taken report.Attacks) (rows []Row) {
	milliseconds := func(seconds []float64) (all []float64) {
		for _, s := range seconds {
			all = append(all, 1000*s)
		}
		return all
	}
	for _, a := range taken.Attacks {
		rows = append(rows, newRow(a.Name, "ms", milliseconds(a.Ours), milliseconds(a.Theirs)))
	}
	return rows
}

// worstAttacks returns one row for each target, which the name of a row begins with.
func worstAttacks(all []Row) (worst []Row) {
	for _, row := range all {
		target, _, _ := strings.Cut(row.Name, ": ")
		at := slices.IndexFunc(worst, func(r Row) bool { return strings.HasPrefix(r.Name, target+": ") })
		switch {
		case at < 0:
			worst = append(worst, row)
		case row.Ratio < worst[at].Ratio:
			worst[at] = row
		}
	}
	return worst
}

// listAttacks writes all attacks to a file, the most expensive ones first.
func listAttacks(file string, rows []Row) error {
	rows = slices.SortedFunc(slices.Values(rows), func(a, b Row) int { return cmp.Compare(a.Ratio, b.Ratio) })
	var text bytes.Buffer
	fmt.Fprintln(&text, "  ours ms client-go ms  ours/client-go")
	for _, row := range rows {
		fmt.Fprintf(&text, "%9.2f %12.2f %15.2f  %s\n", row.Ours, row.Peer, 1/row.Ratio, row.Name)
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}
