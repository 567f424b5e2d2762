package shard_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

// noClient is a client for a Coordinator that does not run.
type noClient struct{}

func (noClient) Leases(string) coordinationv1client.LeaseInterface { return nil }

// blocks returns the blocks of code of the README in a language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	var found []string
	for _, match := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(read(t, "README.md"), -1) {
		found = append(found, match[1])
	}
	if len(found) == 0 {
		t.Fatalf("the README has no block of %s", language)
	}
	return found
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// unindented returns lines without their indentation.
func unindented(text string) string {
	return "\n" + regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(strings.TrimSpace(text), "") + "\n"
}

// TestREADME keeps the code of the README the one of the examples, which is compiled.
func TestREADME(t *testing.T) {
	examples := unindented(read(t, "example_test.go"))
	for _, block := range blocks(t, "go") {
		if !strings.Contains(examples, unindented(block)) {
			t.Errorf("example_test.go does not have this code of the README:\n%s", block)
		}
	}
}

// TestMetricsOfREADME checks that the table of the README has the metrics of the example, and that its alerts use no others.
func TestMetricsOfREADME(t *testing.T) {
	name := regexp.MustCompile(`\bshard_[a-z_]+`)
	exists, described := map[string]bool{}, map[string]bool{}
	for _, metric := range name.FindAllString(read(t, "example_test.go"), -1) {
		exists[metric] = true
	}
	delete(exists, "shard_test") // the package
	alerts := 0
	for line := range strings.Lines(read(t, "README.md")) {
		for _, metric := range name.FindAllString(line, -1) {
			if !exists[metric] {
				t.Errorf("the README has %s, which the example does not write", metric)
			}
			if cell, _, isRow := strings.Cut(strings.TrimPrefix(line, "|"), "|"); isRow && strings.Contains(cell, metric) {
				described[metric] = true
			}
		}
		if strings.HasPrefix(line, "Alert if ") {
			alerts += len(name.FindAllString(line, -1))
		}
	}
	if alerts == 0 {
		t.Error("the README has no alert")
	}
	for metric := range exists {
		if !described[metric] {
			t.Errorf("no table of the README has %s", metric)
		}
	}
}
