package shard_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"sigs.k8s.io/yaml"
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

// TestAlertsOfREADME checks that the alerts use metrics of the example, and that the table has all of them.
func TestAlertsOfREADME(t *testing.T) {
	name := regexp.MustCompile(`\bshard_[a-z_]+`)
	exists := map[string]bool{}
	for _, metric := range name.FindAllString(read(t, "example_test.go"), -1) {
		exists[metric] = true
	}
	delete(exists, "shard_test") // the package
	alerts := 0
	for _, block := range blocks(t, "yaml") {
		var file struct {
			Groups []struct {
				Rules []struct{ Alert, Expr string }
			}
		}
		if !strings.Contains(block, "groups:") {
			continue
		}
		if err := yaml.Unmarshal([]byte(block), &file); err != nil {
			t.Fatal(err)
		}
		for _, group := range file.Groups {
			for _, rule := range group.Rules {
				alerts++
				used := name.FindAllString(rule.Expr, -1)
				if len(used) == 0 {
					t.Errorf("alert %s uses no metric", rule.Alert)
				}
				for _, metric := range used {
					if !exists[metric] {
						t.Errorf("alert %s uses %s, which the example does not write", rule.Alert, metric)
					}
				}
			}
		}
	}
	if alerts == 0 {
		t.Error("the README has no alert")
	}
	for metric := range exists {
		if !strings.Contains(read(t, "README.md"), "| `"+metric+"` |") {
			t.Errorf("no table of the README has %s", metric)
		}
	}
}
