package real_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/typedinformers/informer-gen/apiextensions"
	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/test/faithful"
	"github.com/typedinformers/informer-gen/testserver"
)

var (
	requests = flag.Int("requests", 1500, "how many random requests to send")
	seed     = flag.Uint64("seed", 1, "where the random requests begin")
)

// TestRandomRequests fails if apitest answers a request otherwise than the real server. The
// requests are random combinations of what the scripts have one by one.
func TestRandomRequests(t *testing.T) {
	cases := make([]*faithful.Case, *requests)
	for i := range cases {
		cases[i] = randomCase(rand.New(rand.NewPCG(*seed, uint64(i))))
		cases[i].Line = i
	}
	server := target(testserver.Start(t, testserver.WithCRDs("../testdata/crds"), testserver.WithBuiltIn(&corev1.ConfigMap{}, &appsv1.Deployment{}), testserver.WithoutDefaults()))
	answers := make([][]string, len(cases))
	failures := make([]error, len(cases))
	tokens := make(chan struct{}, concurrent)
	var group sync.WaitGroup
	for i, c := range cases {
		group.Go(func() {
			tokens <- struct{}{}
			defer func() { <-tokens }()
			answers[i], failures[i] = faithful.Play(context.WithoutCancel(t.Context()), server, fmt.Sprintf("random-%05d", i), c)
		})
	}
	group.Wait()

	accepted := faithful.NewAccepted(faithful.WithSchema)
	for i, c := range cases {
		if failures[i] != nil {
			t.Errorf("%s: %v", c.Title, failures[i])
			continue
		}
		var got []string
		var err error
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.Start(t, faithful.Option(), apiextensions.WithCRDs("../testdata/crds"))
			got, err = faithful.Play(t.Context(), faithful.Target{URL: fake.URL(), Transport: fake}, "the-namespace", c)
		})
		if err != nil {
			t.Errorf("%s: %v", c.Title, err)
			continue
		}
		for j, want := range answers[i] {
			var differences []string
			for _, difference := range faithful.Differences(want, got[j]) {
				if !accepted.Accepts("random", c.Title, difference) {
					differences = append(differences, difference.String())
				}
			}
			if len(differences) > 0 {
				t.Errorf("request %d of %s\n%s", j+1, c.Title, strings.Join(differences, "\n"))
			}
		}
	}
}

// place is a path of requests, with how an object comes there.
type place struct {
	path, kind, create string
}

var places = []place{
	{"widgets", "Widget", "POST widgets"},
	{"widgets/a", "Widget", "POST widgets"},
	{"widgets/a/status", "Widget", "POST widgets"},
	{"widgets/a/scale", "Scale", "POST widgets"},
	{"widgets/a/other", "Widget", "POST widgets"},
	{"/apis/example.com/v1beta1/namespaces/NS/widgets/a", "Widget", "POST widgets"},
	{"gadgets/a", "Gadget", "POST gadgets"},
	{"gadgets", "Gadget", "POST gadgets"},
	{"~/gears/NS-a", "Gear", "POST ~/gears"},
	{"notes/a", "Note", "POST notes"},
	{"/api/v1/namespaces/NS/configmaps", "ConfigMap", "POST /api/v1/namespaces/NS/configmaps"},
	{"/api/v1/namespaces/NS/configmaps/a", "ConfigMap", "POST /api/v1/namespaces/NS/configmaps"},
	{"/apis/apps/v1/namespaces/NS/deployments/a", "Deployment", "POST /apis/apps/v1/namespaces/NS/deployments"},
	{"/apis/coordination.k8s.io/v1/namespaces/NS/leases/a", "Lease", "POST /apis/coordination.k8s.io/v1/namespaces/NS/leases"},
}

var apiVersions = map[string]string{
	"Widget": "example.com/v1", "Gadget": "example.com/v1", "Gear": "example.com/v1", "Note": "example.com/v1",
	"Scale": "autoscaling/v1", "ConfigMap": "v1", "Deployment": "apps/v1", "Lease": "coordination.k8s.io/v1",
}

var queries = []string{
	"dryRun=All", "dryRun=no", "dryRun=", "fieldValidation=Strict", "fieldValidation=Ignore", "fieldValidation=Warn", "fieldValidation=no",
	"fieldManager=me", "fieldManager=a%01", "fieldManager=", "force=true", "force=false", "force=maybe",
	"limit=1", "limit=0", "limit=few", "continue=abc", "resourceVersion=0", "resourceVersion=abc", "resourceVersion=999999999999999", "resourceVersionMatch=Exact",
	"resourceVersionMatch=NotOlderThan", "resourceVersionMatch=no", "propagationPolicy=Orphan", "propagationPolicy=Foreground", "propagationPolicy=no",
	"gracePeriodSeconds=0", "gracePeriodSeconds=5", "gracePeriodSeconds=x", "orphanDependents=true", "orphanDependents=false",
	"labelSelector=l%3Dx", "labelSelector=a%20b", "fieldSelector=metadata.name%3Da", "fieldSelector=spec.size%3D1", "fieldSelector=x", "fieldSelector=x%3Dz",
	"pretty=true", "timeoutSeconds=1", "timeoutSeconds=x", "watch=false", "includeObject=None", "includeObject=Object", "includeObject=no", "unknown=1",
	"sendInitialEvents=true", "allowWatchBookmarks=true",
}

var accepts = []string{
	"application/json", "application/yaml", "*/*", "text/plain", "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf,application/json",
	"application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
	"application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "application/yaml;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
}

var patchTypes = []string{
	"application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json", "application/apply-patch+yaml",
}

var bodyTypes = []string{"application/json", "application/json", "application/yaml", "text/plain", "application/merge-patch+json", ""}

// randomCase returns a case with a random request and a look at what it has done.
func randomCase(r *rand.Rand) *faithful.Case {
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	at := places[r.IntN(len(places))]
	name := "a"
	if at.kind == "Gear" {
		name = "NS-a"
	}
	var steps []*faithful.Step
	exists := r.IntN(4) > 0
	if exists {
		method, path, _ := strings.Cut(at.create, " ")
		body := "metadata: {name: " + name + ", labels: {l: x}"
		if r.IntN(3) == 0 {
			body += ", finalizers: [example.com/x]"
		}
		body += "}\n"
		if !strings.HasSuffix(path, "configmaps") && !strings.HasSuffix(path, "leases") {
			body += "spec: {size: 1, replicas: 2}\n"
		}
		steps = append(steps, &faithful.Step{Given: true, Method: method, Path: path, Body: &body})
		if r.IntN(4) == 0 {
			object := path + "/" + name
			steps = append(steps, &faithful.Step{Given: true, Method: "DELETE", Path: object + "?propagationPolicy=Foreground"})
		}
	}
	request := &faithful.Step{Method: pick([]string{"GET", "GET", "HEAD", "POST", "PUT", "PUT", "PATCH", "PATCH", "PATCH", "DELETE", "DELETE"}), Path: at.path}
	var query []string
	for range r.IntN(3) {
		query = append(query, pick(queries))
	}
	var body string
	switch request.Method {
	case "PATCH":
		patchType := pick(patchTypes)
		if patchType == "application/apply-patch+yaml" && r.IntN(4) > 0 {
			query = append(query, "fieldManager=me")
		}
		request.Header = append(request.Header, "Content-Type: "+patchType)
		body = randomPatch(r, patchType, at.kind, name)
	case "POST", "PUT", "DELETE":
		body = randomBody(r, request.Method, at.kind, name, exists)
		if body != "" {
			request.Header = append(request.Header, "Content-Type: "+pick(bodyTypes))
		}
	}
	if strings.Contains(at.path, "v1beta1") {
		body = strings.ReplaceAll(body, `"example.com/v1"`, `"example.com/v1beta1"`)
	}
	if body != "" {
		request.Body = &body
	}
	if len(query) > 0 {
		request.Path += "?" + strings.Join(query, "&")
	}
	if accept := pick(accepts); r.IntN(3) == 0 {
		request.Header = append(request.Header, "Accept: "+accept)
	}
	object := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(at.path, "/status"), "/scale"), "/other")
	collection := strings.TrimSuffix(object, "/"+name)
	if exists && slices.Contains(query, "resourceVersion=0") {
		// Any version may answer it. A list without a version waits until the real server's cache is up to date.
		steps = append(steps, &faithful.Step{Given: true, Method: "GET", Path: collection})
	}
	steps = append(steps, request)
	object = collection + "/" + name
	steps = append(steps, &faithful.Step{Method: "GET", Path: object})
	var title strings.Builder
	for _, step := range steps {
		fmt.Fprintf(&title, "%s %s %s", step.Method, step.Path, strings.Join(step.Header, " "))
		if step.Body != nil {
			fmt.Fprintf(&title, " %q", *step.Body)
		}
		title.WriteString("; ")
	}
	return &faithful.Case{Title: strings.TrimSuffix(title.String(), "; "), Steps: steps}
}

// broken are bodies of no use.
var broken = []string{"{", "null", "[]", `"x"`, "5", "{}", "\x00", "{} {}", `{"kind": 5}`, `{"metadata": 5}`, `{"metadata": {"name": 5}}`}

func randomBody(r *rand.Rand, method, kind, name string, exists bool) string {
	if method == "DELETE" {
		return []string{
			"", "", "{}", "{", "null", "[]", `{"kind": "DeleteOptions", "apiVersion": "v1"}`, `{"propagationPolicy": "Orphan"}`, `{"propagationPolicy": "x"}`,
			`{"preconditions": {"uid": "x"}}`, `{"preconditions": {"resourceVersion": "1"}}`, `{"kind": "ConfigMap", "apiVersion": "v1"}`, `{"dryRun": ["All"]}`,
			`{"gracePeriodSeconds": "x"}`, `{"gracePeriodSeconds": -5}`, `{"orphanDependents": true}`,
		}[r.IntN(16)]
	}
	if r.IntN(4) == 0 {
		return broken[r.IntN(len(broken))]
	}
	chance := func(n int, yes, no string) string {
		if r.IntN(n) == 0 {
			return yes
		}
		return no
	}
	version := ""
	if exists && method == "PUT" {
		version = chance(4, `, "resourceVersion": "1"`, `, "resourceVersion": "$rv1"`)
		version = chance(6, "", version)
	}
	other := "Other"
	if strings.HasPrefix(apiVersions[kind], "example.com/") {
		other = kind // the real server has no schema for another kind, and so neither drops fields nor sets defaults
	}
	return fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"name": %q%s%s%s}, %s%s}`,
		chance(10, "other/v1", apiVersions[kind]), chance(10, other, kind), chance(10, strings.TrimSuffix(name, "a")+"b", name), version,
		chance(5, `, "labels": {"l": "w"}`, ""),
		chance(3, []string{
			`, "finalizers": ["example.com/w"]`, `, "labels": {"a b": "c"}`, `, "uid": "x"`, `, "generation": 9`, `, "unknown": 1`, `, "namespace": "other"`,
			`, "deletionTimestamp": "2001-02-03T04:05:06Z"`, `, "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}]`,
			`, "generateName": "g-"`, `, "annotations": {"a": "b"}`, `, "managedFields": [{}]`, `, "creationTimestamp": null`,
		}[r.IntN(12)], ""),
		chance(2, `"spec": {"replicas": 3}`, `"spec": {}`),
		chance(3, `, "status": {"replicas": 1}`, ""))
}

func randomPatch(r *rand.Rand, patchType, kind, name string) string {
	if r.IntN(6) == 0 {
		return broken[r.IntN(len(broken))]
	}
	switch patchType {
	case "application/json-patch+json":
		return []string{
			`[{"op": "add", "path": "/metadata/labels", "value": {"l": "w"}}]`, `[{"op": "remove", "path": "/metadata/labels"}]`,
			`[{"op": "replace", "path": "/spec/replicas", "value": 4}]`, `[{"op": "test", "path": "/spec/replicas", "value": 4}]`,
			`[{"op": "remove", "path": "/metadata/finalizers"}]`, `[{"op": "add", "path": "/status", "value": {"replicas": 4}}]`,
			`[{"op": "replace", "path": "/metadata/name", "value": "b"}]`, `[{"op": "move", "from": "/spec", "path": "/status"}]`,
			`[{"op": "add", "path": "/x", "value": 1}]`, `[{"op": "remove", "path": "/metadata"}]`, `[{"op": "remove", "path": "/kind"}]`,
			`[{"op": "replace", "path": "/metadata/labels/l", "value": 5}]`, `[]`,
		}[r.IntN(13)]
	case "application/apply-patch+yaml":
		if kind == "Scale" { // the real server fails to convert a Scale whose metadata has more than a name
			return fmt.Sprintf(`{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": %q}, "spec": {"replicas": %d}}`, name, r.IntN(4))
		}
		return fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"name": %q%s}, %s}`, apiVersions[kind], kind, name,
			[]string{"", `, "labels": {"m": "w"}`, `, "labels": {"l": "w"}`, `, "finalizers": ["example.com/x"]`, `, "uid": "x"`, `, "resourceVersion": "1"`}[r.IntN(6)],
			[]string{`"spec": {"replicas": 5}`, `"spec": {}`, `"spec": {"replicas": 2}`, `"status": {"replicas": 2}`, `"spec": null`, `"x": 1`}[r.IntN(6)])
	}
	return []string{
		`{"metadata": {"labels": {"l": "w"}}}`, `{"metadata": {"labels": null}}`, `{"metadata": {"labels": {"l": 5}}}`, `{"metadata": {"labels": {"a b": "c"}}}`,
		`{"spec": {"replicas": 4}}`, `{"spec": {"replicas": null}}`, `{"spec": null}`, `{"status": {"replicas": 4}}`, `{"status": null}`,
		`{"metadata": {"finalizers": null}}`, `{"metadata": {"finalizers": ["example.com/w"]}}`, `{"metadata": {"name": "b"}}`, `{"metadata": null}`,
		`{"metadata": {"resourceVersion": "1"}}`, `{"metadata": {"uid": "x"}}`, `{"kind": "Other"}`, `{"apiVersion": "v9"}`, `{"x": 1}`, `{"metadata": {"unknown": 1}}`,
		`{"metadata": {"generation": 9, "creationTimestamp": null}}`, `{"spec": {"$patch": "replace", "replicas": 3}}`, `{"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/x"]}}`,
	}[r.IntN(22)]
}
