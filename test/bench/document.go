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

// provenance says where and when a section was measured.
func (o options) provenance(name string) string {
	command := "make bench"
	if o.only != "" {
		command += fmt.Sprintf(" ARGS=\"--only=%s\"", name)
	}
	return fmt.Sprintf("%s, %d cores (%s), %s of memory, %s/%s, %s, by `%s`. Ours / peer, and how many **times** better than the peer ours is:\n",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), processor(), memorySize(), runtime.GOOS, runtime.GOARCH, runtime.Version(), command)
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
