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
)

// benchmarkAttacks measures what hostile objects cost. A row is the most expensive
// attack, compared with client-go, on one decoder or on the indexes. All attacks are
// listed in build/bench/hostile-objects.txt.
func benchmarkAttacks(ctx context.Context, o options) ([]Row, error) {
	binary, err := buildCommand(ctx, o, "attacks")
	if err != nil {
		return nil, err
	}
	args := []string{"--rounds=" + strconv.Itoa(o.smallRounds)}
	if o.quick {
		args = append(args, "--size=300000")
	}
	_, output, err := measure(exec.CommandContext(ctx, binary, args...))
	if err != nil {
		return nil, err
	}
	var taken comparison
	if err := json.Unmarshal(output, &taken.reports); err != nil {
		return nil, err
	}
	all, err := taken.rows()
	if err != nil {
		return nil, err
	}
	var list bytes.Buffer
	fmt.Fprintln(&list, "  ours ms client-go ms  ours/client-go")
	for _, row := range slices.SortedFunc(slices.Values(all), func(a, b Row) int { return cmp.Compare(a.Ratio, b.Ratio) }) {
		fmt.Fprintf(&list, "%9.2f %12.2f %15.2f  %s\n", row.Ours, row.Peer, 1/row.Ratio, row.Name)
	}
	worst := worstAttacks(all)
	for i, row := range worst {
		target, text, _ := strings.Cut(row.Name, ": ")
		fmt.Fprintf(o.progress, "hostile objects, %s: the most expensive is %q, %.2f times the cost of client-go\n", target, text, 1/row.Ratio)
		worst[i].Name = "the most expensive hostile object: " + target
	}
	return worst, os.WriteFile(filepath.Join(o.repo, "build", "bench", "hostile-objects.txt"), list.Bytes(), 0o644)
}

// worstAttacks returns one row of each target, which is the beginning of a row's name.
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
