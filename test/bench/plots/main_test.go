package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestRun draws invented results of all rows in panels.
func TestRun(t *testing.T) {
	var results []result
	for section, panels := range panels {
		for _, panel := range panels {
			for _, objects := range []int{10_000, barsAt, 1_000_000} {
				results = append(results, result{Section: section, Row: panel.row, Objects: objects, Ours: 1, Peer: 10, Ratio: 10, Floor: 5})
			}
		}
	}
	text, err := json.Marshal(results)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "results.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(file, folder, "svg"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"runtime", "memory", "runtime-sizes", "memory-sizes"} {
		picture, err := os.ReadFile(filepath.Join(folder, name+".svg"))
		if err != nil || !bytes.Contains(picture, []byte("</svg>")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
