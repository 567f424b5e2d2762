package apitest_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest"
)

// secret stands for the Go type of Secrets.
type secret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Data              map[string][]byte `json:"data,omitempty"`
	StringData        map[string]string `json:"stringData,omitempty"`
}

func (s *secret) DeepCopyObject() runtime.Object {
	out := *s
	s.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Data, out.StringData = maps.Clone(s.Data), maps.Clone(s.StringData)
	return &out
}

func withSecrets() apitest.Option {
	types := runtime.NewScheme()
	types.AddKnownTypeWithName(schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, &secret{})
	return apitest.WithScheme(types)
}

// warning sends a request, checks the code and returns the warning in the answer.
func (c client) warning(method, path, mediaType, body string, code int) (text string) {
	c.Helper()
	next := c.server
	c.server = roundTripper(func(req *http.Request) (*http.Response, error) {
		req.Header.Set("Content-Type", mediaType)
		response, err := next.RoundTrip(req)
		if err == nil {
			text = response.Header.Get("Warning")
		}
		return response, err
	})
	c.send(method, path, body, "", code)
	return text
}

// TestDeletionWithoutPolicy keeps the dependents of some built-in kinds, for backwards compatibility. So a controller that forgets the
// policy leaks pods.
func TestDeletionWithoutPolicy(t *testing.T) {
	for _, kind := range []struct {
		path, apiVersion, name string
		keeps, warns           bool
	}{
		{"/apis/batch/v1/namespaces/a/jobs", "batch/v1", "Job", true, true},
		{"/api/v1/namespaces/a/replicationcontrollers", "v1", "ReplicationController", true, false},
		{"/apis/apps/v1/namespaces/a/replicasets", "apps/v1", "ReplicaSet", false, false},
	} {
		for _, one := range []string{"/one", ""} { // a DELETE of all too
			for _, policy := range []string{"", "Background", "Orphan"} {
				t.Run(kind.name+one+policy, func(t *testing.T) {
					c := client{t, apitest.Start(t)}
					owner := c.do("POST", kind.path, fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"name": "one"}}`, kind.apiVersion, kind.name), 201)
					const pods = "/api/v1/namespaces/a/pods"
					c.do("POST", pods, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "ownerReferences": [{"apiVersion": %q, "kind": %q, "name": "one", "uid": %q}]}}`,
						kind.apiVersion, kind.name, owner.GetUID()), 201)

					path := kind.path + one
					if policy != "" {
						path += "?propagationPolicy=" + policy
					}
					if warning := c.warning(http.MethodDelete, path, "", "", 200); strings.Contains(warning, "child pods are preserved by default") != (kind.warns && policy == "") {
						t.Errorf("the warning is %q", warning)
					}
					c.do("GET", kind.path+"/one", "", 404)
					if policy == "Orphan" || policy == "" && kind.keeps {
						if owners := c.do("GET", pods+"/p", "", 200).GetOwnerReferences(); len(owners) > 0 {
							t.Errorf("the pod has the owners %v", owners)
						}
					} else {
						c.do("GET", pods+"/p", "", 404)
					}
				})
			}
		}
	}
}

// TestDeletionOfAnEvent is over at once: no policy has an effect.
func TestDeletionOfAnEvent(t *testing.T) {
	c := client{t, apitest.Start(t)}
	const events = "/api/v1/namespaces/a/events"
	c.do("POST", events, `{"apiVersion": "v1", "kind": "Event", "metadata": {"name": "one"}}`, 201)
	c.do("DELETE", events+"/one?propagationPolicy=Foreground", "", 200)
	c.do("GET", events+"/one", "", 404)
}

// TestTextOfASecret is moved to data by each write, with and without the Go type.
func TestTextOfASecret(t *testing.T) {
	for _, options := range [][]apitest.Option{nil, {withSecrets()}} {
		c := client{t, apitest.Start(t, options...)}
		const secrets = "/api/v1/namespaces/a/secrets"
		check := func(got *unstructured.Unstructured, want string) {
			t.Helper()
			data, _, _ := unstructured.NestedStringMap(got.Object, "data")
			var all []string
			for key, value := range data {
				all = append(all, key+"="+value)
			}
			slices.Sort(all)
			if text := strings.Join(all, " "); text != want || got.Object["stringData"] != nil {
				t.Errorf("data is %s, want %s, and stringData %v", text, want, got.Object["stringData"])
			}
		}
		check(c.do("POST", secrets, `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one"}, "data": {"a": "YQ==", "b": "YQ=="}, "stringData": {"b": "b"}}`, 201), "a=YQ== b=Yg==")
		check(c.do("PUT", secrets+"/one", `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one"}, "stringData": {"c": "c"}}`, 200), "c=Yw==")
		check(c.patch(mergePatch, secrets+"/one", `{"stringData": {"d": "d"}}`, 200), "c=Yw== d=ZA==")
		check(c.patch(applyPatch, secrets+"/one?fieldManager=m", `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one"}, "stringData": {"e": "e"}}`, 200), "c=Yw== d=ZA== e=ZQ==")
		if options != nil {
			check(c.patch(strategicPatch, secrets+"/one", `{"stringData": {"c": "d"}}`, 200), "c=ZA== d=ZA== e=ZQ==")
		}
		c.do("DELETE", secrets+"/one", "", 200)
		check(c.patch(applyPatch, secrets+"/one?fieldManager=m", `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one"}, "stringData": {"e": "e"}}`, 201), "e=ZQ==")
		check(c.do("GET", secrets+"/one", "", 200), "e=ZQ==")
	}
}

// TestApplyWithoutType warns of lists that a kube-apiserver merges, as soon as there are two managers.
func TestApplyWithoutType(t *testing.T) {
	const config = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"containers": [{"name": %q}]}}`
	for _, test := range []struct {
		options []apitest.Option
		want    string
	}{
		{nil, "apitest does not know which lists of a Deployment an API server merges, so this apply replaces whole lists; give it the Go type by WithScheme"},
		{[]apitest.Option{withDeployments()}, ""},
	} {
		c := client{t, apitest.Start(t, test.options...)}
		apply := func(manager, container string, code int, want string) {
			t.Helper()
			got := c.warning(http.MethodPatch, deployments+"/d?force=true&fieldManager="+manager, applyPatch, fmt.Sprintf(config, container), code)
			if !strings.Contains(got, want) || (got == "") != (want == "") {
				t.Errorf("%s: the warning is %q, want %q", manager, got, want)
			}
		}
		apply("one", "a", 201, "")
		apply("one", "b", 200, "")
		apply("two", "c", 200, test.want)
	}
}
