package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tableFile is the file with the table of a section.
func (o options) tableFile(section string) string {
	return filepath.Join(o.repo, "test", "bench", "tables", section+".txt")
}

// writeTable writes the table of a section: a line on the measurement, an empty one, and the rows.
func writeTable(o options, section string, rows []Row) error {
	text := bytes.NewBufferString(o.provenance(rows) + "\n")
	if err := printRows(text, rows); err != nil {
		return err
	}
	return os.WriteFile(o.tableFile(section), text.Bytes(), 0o644)
}

// writeOverviews replaces the tables of docs/benchmarks.md by ones of all rows.
func writeOverviews(o options, all []Row) error {
	file := filepath.Join(o.repo, "docs", "benchmarks.md")
	document, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, s := range overviews {
		text, err := s.markdown(o, all)
		if err != nil {
			return err
		}
		if document, err = replaceSection(document, s.name, text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return os.WriteFile(file, document, 0o644)
}

// replaceSection replaces the text between the two comments of a section.
func replaceSection(document []byte, name, text string) ([]byte, error) {
	begin, end := fmt.Appendf(nil, "<!-- bench:%s -->\n", name), fmt.Appendf(nil, "<!-- /bench:%s -->", name)
	before, rest, found := bytes.Cut(document, begin)
	_, after, ended := bytes.Cut(rest, end)
	if !found || !ended {
		return nil, fmt.Errorf("%q and after it %q are missing", bytes.TrimSpace(begin), end)
	}
	return bytes.Join([][]byte{before, begin, []byte(text), end, after}, nil), nil
}

// provenance describes where, when and how often the rows of a section were measured.
func (o options) provenance(rows []Row) string {
	return fmt.Sprintf("%s, %d cores (%s), %s of memory, %s/%s, %s, by `%s`. Medians of %s. Ours / peer, and how many **times** better than the peer ours is:\n",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), processor(), memorySize(), runtime.GOOS, runtime.GOARCH, runtime.Version(), o.command, rounds(rows))
}

// rounds returns how many there were, by the number of objects.
func rounds(rows []Row) string {
	var parts []string
	for _, row := range rows {
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
	command := "make bench"
	for _, section := range sections {
		if at := slices.Index(args, "--only="+section.name); at >= 0 && section.apart {
			command, args = "make bench-"+section.name, slices.Delete(args, at, at+1)
		}
	}
	if len(args) == 0 {
		return command
	}
	return fmt.Sprintf("%s ARGS=%q", command, strings.Join(args, " "))
}

// memorySize is that of the machine.
func memorySize() string {
	kilobytes, err := strconv.Atoi(strings.TrimSuffix(systemValue("/proc/meminfo", "MemTotal"), " kB"))
	if err != nil {
		return "an unknown amount"
	}
	return fmt.Sprintf("%.0f GB", float64(kilobytes)/1e6)
}

// processor is the name of the machine's processor.
func processor() string {
	return cmp.Or(systemValue("/proc/cpuinfo", "model name"), "an unknown processor")
}

// systemValue returns the first value of a key in a file of Linux. It is empty on other
// systems.
func systemValue(file, key string) string {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// drawPlots draws results in another process: the plotting library would make the
// benchmark larger than what it measures; see peakOf.
func drawPlots(ctx context.Context, o options, results string) error {
	binary, err := buildCommand(ctx, o, "plots")
	if err != nil {
		return err
	}
	return runCommand(exec.CommandContext(ctx, binary, "--results="+results, "--out="+filepath.Join(o.repo, "docs", "plots")))
}
