package vet_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/typedinformers/informer-gen/vet"
)

// TestAnalyzers compares the findings in testdata with the comments there, and what the suggested fixes make of it with the golden files.
func TestAnalyzers(t *testing.T) {
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string][]string{
		"tombstone": {"tombstone"}, "cachewrite": {"cachewrite"}, "unsynced": {"unsynced"}, "implicit": {"implicit", "implicit/named", "implicit/limited"}, "scan": {"scan"},
		"handlererr": {"handlererr"}, "blocking": {"blocking"}, "fullupdate": {"fullupdate"}, "ignore": {"ignore"},
	}
	analyzers := vet.Analyzers()
	if len(analyzers) != len(tests) {
		t.Errorf("there are %d analyzers, and tests of %d", len(analyzers), len(tests))
	}
	for _, analyzer := range analyzers {
		t.Run(analyzer.Name, func(t *testing.T) {
			analysistest.RunWithSuggestedFixes(t, testdata, analyzer, tests[analyzer.Name]...)
		})
	}
	if err := analysis.Validate(analyzers); err != nil {
		t.Error(err)
	}
}
