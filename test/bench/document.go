package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
	changed, err := replaceSection(document, name, o.provenance(name)+"\n"+markdown(rows))
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

// provenance says where and how a section was measured.
func (o options) provenance(name string) string {
	flags := fmt.Sprintf("--only=%s --runtime-rounds=%d --objects=%d", name, o.runtimeRounds, o.objects)
	if name == "generator" {
		flags = fmt.Sprintf("--only=%s --rounds=%d --small-rounds=%d", name, o.rounds, o.smallRounds)
	}
	return fmt.Sprintf("%s, %d cores%s, %s/%s, %s, by `make bench ARGS=\"%s --write\"`:\n",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), processor(), runtime.GOOS, runtime.GOARCH, runtime.Version(), flags)
}

// processor is the name of it in brackets, where the system tells.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			return " (" + strings.TrimSpace(value) + ")"
		}
	}
	return ""
}

// markdown is the table that printRows prints.
func markdown(rows []Row) string {
	var text strings.Builder
	text.WriteString("| what | ours | peer | ratio | reach | |\n|---|---|---|---|---|---|\n")
	for _, row := range rows {
		verdict := map[string]string{"yes": "ok", "NO": "**missed**"}[row.verdict()]
		fmt.Fprintf(&text, "| %s | %s %s | %s %s | %s | %s | %s |\n",
			row.Name, number(row.Ours), row.Unit, number(row.Peer), row.Unit, fraction(row.Ratio), row.reach(), verdict)
	}
	return text.String()
}
