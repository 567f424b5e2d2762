package kubetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/typedinformers/informer-gen/apiextensions"
	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/test/faithful"
	"github.com/typedinformers/informer-gen/test/kubeserver"
	"github.com/typedinformers/informer-gen/test/progress"
)

// crds has the kinds of the group example.com.
const crds = "../faithful/testdata/crds"

// TestMetaTypes plays a table of requests to a kube-apiserver and to apitest. In each, a type of meta.k8s.io has a group, an
// encoding and a form, such as the DeleteOptions of apps/v1 in protobuf. Answers are compared field by field, and so is what is left.
func TestMetaTypes(t *testing.T) {
	// The gate is on since Kubernetes 1.37. Namespaces need not exist, as in apitest, so that a case is short.
	server := start(t, "--feature-gates=AllowUnsafeMalformedObjectDeletion=true", "--disable-admission-plugins=NamespaceLifecycle,PodSecurity")
	install(t, server)
	fake := apitest.Start(t, apitest.WithScheme(clientgoscheme.Scheme), apitest.WithoutGarbageCollection(), apiextensions.WithCRDs(crds))
	config := configOf(server)
	theirs := faithful.Target{URL: config.Host, Transport: httpFor(t, config).Transport}
	ours := faithful.Target{URL: fake.URL(), Transport: fake}
	accepted := faithful.NewAccepted(faithful.KubeAPIServer)
	requests := 0
	for _, part := range metaTable() {
		t.Run(part.name, func(t *testing.T) {
			wants, gots := playAll(t, theirs, part), playAll(t, ours, part)
			for i, c := range part.cases {
				requests += len(c.Steps)
				if wants[i] == nil || gots[i] == nil {
					continue // playAll has failed
				}
				compareCase(t, part.name, c, wants[i], gots[i], accepted)
			}
			t.Logf("%d cases", len(part.cases))
		})
	}
	t.Logf("%d requests", requests)
	if wholeTable() {
		for _, line := range accepted.Unused() {
			t.Error(line)
		}
	}
}

// compareCase compares the answers to a case, up to the first with another code: what follows from that is another difference.
func compareCase(t *testing.T, part string, c *faithful.Case, wants, gots []string, accepted *faithful.Accepted) {
	t.Helper()
	for i, step := range c.Steps {
		differences := faithful.Differences(wants[i], gots[i])
		code := slices.IndexFunc(differences, func(d faithful.Difference) bool { return d.Path == "code" })
		if code >= 0 {
			differences = differences[code:][:1]
		}
		for _, d := range differences {
			if !accepted.Accepts(part, c.Title, d) {
				t.Errorf("%s: %s %s: %v", c.Title, step.Method, step.Path, d)
			}
		}
		if code >= 0 {
			return
		}
	}
}

// playAll returns the answers to the cases of a part, each in a namespace of its own.
func playAll(t *testing.T, target faithful.Target, part *metaPart) [][]string {
	t.Helper()
	ctx, answers, failures := within(t), make([][]string, len(part.cases)), make([]error, len(part.cases))
	tokens := make(chan struct{}, 8)
	var playing sync.WaitGroup
	for i, c := range part.cases {
		tokens <- struct{}{}
		playing.Go(func() {
			defer func() { <-tokens }()
			namespace := fmt.Sprintf("meta-%s-%d", strings.ReplaceAll(part.name, " ", "-"), i)
			answers[i], failures[i] = faithful.Play(ctx, target, namespace, c)
			progress.Step()
		})
	}
	playing.Wait()
	for i, err := range failures {
		if err != nil {
			t.Errorf("%s: %s: %v", target.URL, part.cases[i].Title, err)
		}
	}
	return answers
}

// install creates the CustomResourceDefinitions, and waits until the server serves them.
func install(t *testing.T, server *kubeserver.Server) {
	t.Helper()
	objects := newObjects(t, server)
	files, err := os.ReadDir(crds)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		objects.create(t, crds+"/"+file.Name())
	}
	ctx, client := within(t), clientFor(t, configOf(server))
	for _, path := range []string{"v1/widgets", "v1beta1/widgets", "v1/gadgets", "v1/gears", "v1/notes"} {
		for served := 0; served < 3; { // the server learns of a kind in several places
			code := 0
			client.RESTClient().Get().AbsPath("/apis/example.com/" + path).Do(ctx).StatusCode(&code)
			if code == http.StatusOK {
				served++
			}
			if ctx.Err() != nil {
				t.Fatal(errors.Join(context.Cause(ctx), fmt.Errorf("%s is not served: %d", path, code)))
			}
		}
	}
}
