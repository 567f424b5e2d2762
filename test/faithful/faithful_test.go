package faithful_test

import (
	"context"
	"errors"
	"flag"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/typedinformers/informer-gen/runtime/apitest"
	"github.com/typedinformers/informer-gen/test/faithful"
)

var only = flag.String("script", "", "play only the script of this name")

// TestWithoutSchema fails if apitest, with kinds that have no schema, answers otherwise than a
// real API server, and accepted does not say why.
func TestWithoutSchema(t *testing.T) {
	scripts, err := faithful.ReadScripts("testdata")
	if err != nil {
		t.Fatal(err)
	}
	accepted := faithful.NewAccepted(faithful.WithoutSchema)
	for _, script := range scripts {
		if *only != "" && *only != script.Name || script.NeedsSchema() {
			continue
		}
		t.Run(script.Name, func(t *testing.T) {
			for _, c := range script.Cases {
				t.Run(c.Title, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						server := apitest.Start(t, faithful.Option(), apitest.WithKinds(faithful.Kinds()...))
						check(t, server, script, c, accepted)
					})
				})
			}
		})
	}
	if *only == "" && flag.Lookup("test.run").Value.String() == "" {
		for _, line := range accepted.Unused() {
			t.Error(line)
		}
	}
}

// check plays a case, and fails for each difference that is not accepted.
func check(t *testing.T, server *apitest.Server, script *faithful.Script, c *faithful.Case, accepted *faithful.Accepted) {
	target := faithful.Target{URL: server.URL(), Transport: server, Compact: func(context.Context) error { return errors.ErrUnsupported }}
	answers, err := faithful.Play(t.Context(), target, "the-namespace", c)
	if err != nil {
		t.Fatalf("%s: %v", script.Path, err)
	}
	for i, step := range c.Steps {
		differences := faithful.Differences(step.Answer, answers[i])
		differences = slices.DeleteFunc(differences, func(d faithful.Difference) bool {
			return accepted.Accepts(script.Name, c.Title, d)
		})
		if len(differences) == 0 {
			continue
		}
		t.Errorf("%s:%d: %s %s", script.Path, step.Line, step.Method, step.Path)
		for _, difference := range differences {
			t.Log(difference)
		}
	}
}
