package apitest_test

import (
	"encoding/json"
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/apitest"
)

// encodings returns the options of a deletion as clients send them: in the group of the resource, and in each encoding.
func encodings(t *testing.T, options metav1.DeleteOptions, apiVersion string) map[string]string {
	t.Helper()
	if options.APIVersion = apiVersion; apiVersion != "" {
		options.Kind = "DeleteOptions"
	}
	text, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := options.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: options.APIVersion, Kind: options.Kind}, Raw: raw}
	message, err := envelope.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"application/json": string(text), "application/yaml": string(text), "application/vnd.kubernetes.protobuf": "k8s\x00" + string(message)}
}

// as returns a client whose bodies have a media type.
func (c client) as(mediaType string) client {
	next := c.server
	return client{c.T, roundTripper(func(req *http.Request) (*http.Response, error) {
		req.Header.Set("Content-Type", mediaType)
		return next.RoundTrip(req)
	})}
}

// TestDeleteOptionsInEachGroup sends options of deletions in the group of their resource, as the clients of built-in kinds do in
// protobuf. Nothing is deleted that the options keep.
func TestDeleteOptionsInEachGroup(t *testing.T) {
	t.Parallel()
	uid, version := types.UID("another"), "1"
	orphan := metav1.DeletePropagationOrphan
	foreground := metav1.DeletePropagationForeground
	for name, test := range map[string]struct {
		options metav1.DeleteOptions
		code    int
		isKept  bool
	}{
		"dry run":                    {metav1.DeleteOptions{DryRun: []string{"All"}}, 200, true},
		"the UID of another object":  {metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}, 409, true},
		"the version of another one": {metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &version}}, 409, true},
		"foreground":                 {metav1.DeleteOptions{PropagationPolicy: &foreground}, 200, true}, // the child keeps it until the collector has run
		"orphan":                     {metav1.DeleteOptions{PropagationPolicy: &orphan}, 200, false},
		"no options":                 {metav1.DeleteOptions{}, 200, false},
		"options that are wrong":     {metav1.DeleteOptions{DryRun: []string{"Some"}}, 422, true},
	} {
		for resource, path := range map[string]string{"apps/v1": deployments, "example.com/v1": widgets, "v1": "/api/v1/namespaces/a/configmaps"} {
			for _, apiVersion := range []string{resource, "v1", "meta.k8s.io/v1", "policy/v1", ""} {
				for mediaType, body := range encodings(t, test.options, apiVersion) {
					server := apitest.Start(t, apitest.WithKinds(widget), withDeployments())
					c := client{t, server}
					kind := map[string]string{"apps/v1": "Deployment", "example.com/v1": "Widget", "v1": "ConfigMap"}[resource]
					owner := c.do("POST", path, `{"apiVersion":"`+resource+`","kind":"`+kind+`","metadata":{"name":"x"}}`, 201)
					c.do("POST", widgets, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"child","ownerReferences":[{"apiVersion":"`+resource+`","kind":"`+kind+`","name":"x","uid":"`+string(owner.GetUID())+`","blockOwnerDeletion":true}]}}`, 201)
					c.as(mediaType).send("DELETE", path+"/x", body, "", test.code)
					want := 404
					if test.isKept {
						want = 200
					}
					if name == "foreground" {
						continue // it depends on the collector how long it stays
					}
					if got, _ := c.raw("GET", path+"/x"); got != want {
						t.Errorf("%s, %s as %q in %s: the object answers %d, want %d", name, path, apiVersion, mediaType, got, want)
					}
					if name == "orphan" {
						if child := c.do("GET", widgets+"/child", "", 200); len(child.GetOwnerReferences()) != 0 {
							t.Errorf("%s as %q in %s: the child has %v", path, apiVersion, mediaType, child.GetOwnerReferences())
						}
					}
				}
			}
		}
	}
}

// TestOptionsOfAnotherKind are refused in each encoding.
func TestOptionsOfAnotherKind(t *testing.T) {
	t.Parallel()
	c := client{t, apitest.Start(t, apitest.WithKinds(widget))}
	c.do("POST", widgets, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x"}}`, 201)
	for mediaType := range encodings(t, metav1.DeleteOptions{}, "v1") {
		body := `{"apiVersion":"v1","kind":"Pod"}`
		if mediaType == "application/vnd.kubernetes.protobuf" {
			envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
			message, _ := envelope.Marshal()
			body = "k8s\x00" + string(message)
		}
		c.as(mediaType).send("DELETE", widgets+"/x", body, "", 400)
	}
	c.do("GET", widgets+"/x", "", 200)
}

// TestFieldsInTheWrongCase are no fields, so they have no effect.
func TestFieldsInTheWrongCase(t *testing.T) {
	t.Parallel()
	c := client{t, apitest.Start(t, apitest.WithKinds(widget))}
	c.do("POST", widgets, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x"},"spec":{"replicas":1}}`, 201)
	c.do("PUT", widgets+"/x/scale", `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"x"},"spec":{"replicas":2},"Spec":{"replicas":3}}`, 200)
	if scale := c.do("GET", widgets+"/x/scale", "", 200).Object["spec"].(map[string]any); scale["replicas"] != int64(2) {
		t.Errorf("Spec has changed the scale to %v", scale)
	}
	c.send("DELETE", widgets+"/x", `{"DryRun":["All"]}`, "", 200)
	if code, _ := c.raw("GET", widgets+"/x"); code != 404 {
		t.Errorf("DryRun has kept the object: %d", code)
	}
}

// TestUnsafeDeletion of a collection is refused.
func TestUnsafeDeletion(t *testing.T) {
	t.Parallel()
	c := client{t, apitest.Start(t, apitest.WithKinds(widget))}
	c.do("POST", widgets, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x"}}`, 201)
	c.send("DELETE", widgets, `{"ignoreStoreReadErrorWithClusterBreakingPotential":true}`, "", 422)
	c.send("DELETE", widgets+"?ignoreStoreReadErrorWithClusterBreakingPotential=true", "", "", 422)
	c.do("GET", widgets+"/x", "", 200)
}

// TestEvictionBodies has what a kube-apiserver accepts and refuses.
func TestEvictionBodies(t *testing.T) {
	t.Parallel()
	for body, test := range map[string]struct {
		code   int
		isKept bool
	}{
		`{metadata: {name: x}}`: {201, false},
		`{apiVersion: policy/v1beta1, kind: Eviction, metadata: {name: x}}`:                              {201, false},
		`{metadata: {name: x}, deleteOptions: {dryRun: [All]}}`:                                          {201, true},
		`{metadata: {name: x}, deleteOptions: {dryRun: [Some]}}`:                                         {422, true},
		`{metadata: {name: x}, deleteOptions: {propagationPolicy: Other}}`:                               {422, true},
		`{metadata: {name: x}, deleteOptions: {orphanDependents: true, propagationPolicy: Orphan}}`:      {422, true},
		`{metadata: {name: x}, deleteOptions: {ignoreStoreReadErrorWithClusterBreakingPotential: true}}`: {422, true},
		`{metadata: {name: x}, deleteOptions: {preconditions: {uid: other}}}`:                            {409, true},
		`{metadata: {name: y}}`: {400, true},
		`{}`:                    {400, true},
		`{apiVersion: v1, kind: Pod, metadata: {name: x}}`:          {400, true},
		`{apiVersion: v1, kind: Eviction, metadata: {name: x}}`:     {400, true},
		`{apiVersion: policy/v1, kind: Other, metadata: {name: x}}`: {400, true},
	} {
		c := client{t, apitest.Start(t)}
		c.do("POST", "/api/v1/namespaces/a/pods", `{"metadata":{"name":"x"}}`, 201)
		c.as("application/yaml").send("POST", "/api/v1/namespaces/a/pods/x/eviction", body, "", test.code)
		if code, _ := c.raw("GET", "/api/v1/namespaces/a/pods/x"); (code == 200) != test.isKept {
			t.Errorf("after %s the pod answers %d", body, code)
		}
	}
}

// TestDeletedObjects are the answers to deletions of some built-in kinds. Others answer with a Status.
func TestDeletedObjects(t *testing.T) {
	t.Parallel()
	for path, kind := range map[string]string{
		"/api/v1/namespaces/a/services":                     "Service",
		"/api/v1/namespaces/a/serviceaccounts":              "ServiceAccount",
		"/apis/storage.k8s.io/v1/storageclasses":            "StorageClass",
		"/apis/resource.k8s.io/v1/deviceclasses":            "DeviceClass",
		"/api/v1/namespaces/a/configmaps":                   "Status",
		"/apis/networking.k8s.io/v1/namespaces/a/ingresses": "Status",
	} {
		c := client{t, apitest.Start(t)}
		c.do("POST", path, `{"metadata":{"name":"x"}}`, 201)
		if got := c.do("DELETE", path+"/x", "", 200); got.GetKind() != kind {
			t.Errorf("DELETE of %s answers with a %s, want a %s", path, got.GetKind(), kind)
		}
	}
}
