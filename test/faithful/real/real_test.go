package real_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/typedinformers/informer-gen/test/faithful"
	"github.com/typedinformers/informer-gen/testserver"
)

var (
	update = flag.Bool("update", false, "write the answers of the server into the scripts")
	only   = flag.String("script", "", "play only the script of this name")
)

// concurrent is how many cases are played at one time. Some wait for a second or two.
const concurrent = 16

// TestAnswers fails if the answers in the scripts are not those of the real API server.
func TestAnswers(t *testing.T) {
	scripts, err := faithful.ReadScripts("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	kinds := testserver.WithBuiltIn(&corev1.ConfigMap{}, &appsv1.Deployment{})
	crds, plain := testserver.WithCRDs("../testdata/crds"), testserver.WithoutDefaults() // apitest has no defaults
	shared := target(testserver.Start(t, crds, kinds, plain))
	others := map[string]testserver.Option{
		// With a watch cache, versions expire only some seconds after Compact.
		"expired":   testserver.WithoutWatchCache(),
		"namespace": testserver.WithNamespaceLifecycle(),
	}

	for _, script := range scripts {
		if *only != "" && *only != script.Name {
			continue
		}
		t.Run(script.Name, func(t *testing.T) {
			t.Parallel()
			server, limit := shared, concurrent
			if option := others[script.Name]; option != nil {
				server, limit = target(testserver.Start(t, crds, kinds, plain, option)), 1
			}
			check(t, server, script, limit)
		})
	}
}

func hasAnswer(step *faithful.Step, answer string) bool { return step.Answer == answer }

func target(server *testserver.Server) faithful.Target {
	return faithful.Target{
		URL:       server.URL(),
		Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: concurrent},
		Compact:   server.Compact,
	}
}

// check plays the cases of a script, and compares or writes their answers.
func check(t *testing.T, server faithful.Target, script *faithful.Script, limit int) {
	answers := make([][]string, len(script.Cases))
	failures := make([]error, len(script.Cases))
	tokens := make(chan struct{}, limit)
	var group sync.WaitGroup
	for i, c := range script.Cases {
		group.Go(func() {
			tokens <- struct{}{}
			defer func() { <-tokens }()
			// The order of managedFields depends on their times, so a case should begin and end in
			// the same second.
			for try := range 5 {
				namespace, second := fmt.Sprintf("%s-%04d-%d", script.Name, i, try), time.Now().Unix()
				answers[i], failures[i] = faithful.Play(context.WithoutCancel(t.Context()), server, namespace, c)
				if time.Now().Unix() == second || slices.EqualFunc(c.Steps, answers[i], hasAnswer) {
					break
				}
			}
		})
	}
	group.Wait()
	for i, c := range script.Cases {
		t.Run(c.Title, func(t *testing.T) {
			if failures[i] != nil {
				t.Fatalf("%s: %v", script.Path, failures[i])
			}
			for j, step := range c.Steps {
				if *update {
					step.Answer = answers[i][j]
				} else if got, want := answers[i][j], step.Answer; got != want {
					t.Errorf("%s:%d: %s %s", script.Path, step.Line, step.Method, step.Path)
					for _, difference := range faithful.Differences(want, got) {
						t.Log(difference)
					}
				}
			}
		})
	}
	if *update {
		before, err := os.ReadFile(script.Path)
		if err != nil {
			t.Fatal(err)
		}
		if after := script.Format(); !bytes.Equal(before, after) {
			if err := os.WriteFile(script.Path, after, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
