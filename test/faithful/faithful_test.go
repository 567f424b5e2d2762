package faithful_test

import (
	"context"
	"flag"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/typedinformers/informer-gen/apiextensions"
	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/test/faithful"
)

var only = flag.String("script", "", "play only the script of this name")

// TestWithoutSchema fails if apitest, with kinds that have no schema, answers otherwise than a
// real API server, and accepted.go does not say why.
func TestWithoutSchema(t *testing.T) {
	play(t, faithful.WithoutSchema, apitest.WithKinds(faithful.Kinds()...))
}

// TestWithTypes does this for kinds that have Go types and no schema.
func TestWithTypes(t *testing.T) {
	play(t, faithful.WithTypes, apitest.WithKinds(faithful.TypedKinds()...))
}

// TestWithSchema does this for apitest with the CustomResourceDefinitions of the real server.
func TestWithSchema(t *testing.T) {
	play(t, faithful.WithSchema, apiextensions.WithCRDs("testdata/crds"))
}

func play(t *testing.T, servers faithful.Servers, kinds apitest.Option) {
	scripts, err := faithful.ReadScripts("testdata")
	if err != nil {
		t.Fatal(err)
	}
	accepted := faithful.NewAccepted(servers)
	for _, script := range scripts {
		if *only != "" && *only != script.Name || script.NeedsSchema() && servers != faithful.WithSchema {
			continue
		}
		options := []apitest.Option{faithful.Option(), kinds}
		if script.Name == "namespace" {
			options = append(options, apitest.WithNamespaceLifecycle())
		}
		t.Run(script.Name, func(t *testing.T) {
			for _, c := range script.Cases {
				t.Run(c.Title, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						check(t, apitest.Start(t, options...), script, c, accepted)
					})
				})
			}
		})
	}
	// A part of the cases does not have all differences.
	if *only == "" && flag.Lookup("test.run").Value.String() == "" {
		for _, line := range accepted.Unused() {
			t.Error(line)
		}
	}
}

// check plays a case, and fails for each difference that is not accepted.
func check(t *testing.T, server *apitest.Server, script *faithful.Script, c *faithful.Case, accepted *faithful.Accepted) {
	target := faithful.Target{
		URL: server.URL(), Transport: server,
		Compact: func(context.Context) error { server.Compact(); return nil },
	}
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
