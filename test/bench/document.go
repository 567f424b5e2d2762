package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// writeSection replaces the table of a section in docs/benchmarks.md.
func writeSection(o options, name string, rows []Row) error {
	file := filepath.Join(o.repo, "docs", "benchmarks.md")
	document, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed, err := replaceSection(document, name, o.provenance(rows)+"\n"+markdown(rows))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, changed, 0o644)
}

// replaceSection replaces what stands between the two comments of a section.
func replaceSection(document []byte, name, text string) ([]byte, error) {
	begin, end := fmt.Appendf(nil, "<!-- bench:%s -->\n", name), fmt.Appendf(nil, "<!-- /bench:%s -->", name)
	before, rest, found := bytes.Cut(document, begin)
	_, after, ended := bytes.Cut(rest, end)
	if !found || !ended {
		return nil, fmt.Errorf("%q and after it %q are missing", bytes.TrimSpace(begin), end)
	}
	return bytes.Join([][]byte{before, begin, []byte(text), end, after}, nil), nil
}

// provenance says where, when and how often the rows of a section were measured.
func (o options) provenance(rows []Row) string {
	return fmt.Sprintf("%s, %d cores (%s), %s of memory, %s/%s, %s, by `%s`. Medians of %s. Ours / peer, and how many **times** better than the peer ours is:\n",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), processor(), memorySize(), runtime.GOOS, runtime.GOARCH, runtime.Version(), o.command, rounds(rows))
}

// rounds says how many there were, by the number of objects.
func rounds(rows []Row) string {
	var parts []string
	for i, row := range rows {
		if i > 0 && rows[i-1].Objects == row.Objects && rows[i-1].Rounds == row.Rounds {
			continue
		}
		part := fmt.Sprintf("%d rounds", row.Rounds)
		if row.Rounds == 1 {
			part = "one round"
		}
		if row.Objects != 0 {
			part += fmt.Sprintf(" with %s objects", count(row.Objects))
		}
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// commandLine is how to run the same again.
func commandLine(args []string) string {
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "--repo") || arg == "--write" })
	if len(args) == 0 {
		return "make bench"
	}
	return fmt.Sprintf("make bench ARGS=%q", strings.Join(args, " "))
}

// memorySize is what the machine has, where the system tells.
func memorySize() string {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		var kilobytes float64
		if n, _ := fmt.Sscanf(line, "MemTotal: %f kB", &kilobytes); n == 1 {
			return fmt.Sprintf("%.0f GB", kilobytes/1e6)
		}
	}
	return "an unknown amount"
}

// processor is the name of it, where the system tells.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "an unknown processor"
}
