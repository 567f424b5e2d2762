package apitest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// colored is a widget with selectable fields.
func colored() apitest.Kind {
	kind := widget
	kind.SelectableFields = []string{".spec.color"}
	return kind
}

const allWidgets = "/apis/example.com/v1/widgets"

// put creates a widget.
func (c client) put(namespace, name, label, color string) *unstructured.Unstructured {
	c.Helper()
	return c.do("POST", "/apis/example.com/v1/namespaces/"+namespace+"/widgets",
		fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":%q,"labels":{"l":%q}},"spec":{"color":%q}}`, name, label, color), 201)
}

// list returns the answer to a list, and namespace/name@version of its items.
func (c client) list(path string) (*unstructured.Unstructured, []string) {
	c.Helper()
	answer := c.do("GET", path, "", 200)
	return answer, items(answer)
}

func items(answer *unstructured.Unstructured) []string {
	names := []string{}
	list, _ := answer.Object["items"].([]any)
	for _, item := range list {
		u := unstructured.Unstructured{Object: item.(map[string]any)}
		names = append(names, u.GetNamespace()+"/"+u.GetName()+"@"+u.GetResourceVersion())
	}
	return names
}

// metadata returns a field of the metadata of a list.
func metadata(answer *unstructured.Unstructured, name string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(answer.Object, "metadata", name)
	return value
}

func TestListPages(t *testing.T) {
	t.Parallel()
	c := client{t, apitest.Start(t, apitest.WithKinds(colored()))}
	for i, namespace := range []string{"a", "b", "a", "a-b"} {
		c.put(namespace, fmt.Sprint("w", i), "1", "red")
	}
	answer, names := c.list(allWidgets + "?limit=3")
	if want := []string{"a-b/w3@5", "a/w0@2", "a/w2@4"}; !slices.Equal(names, want) {
		t.Errorf("the first page has %v, want %v", names, want)
	}
	if answer.GetKind() != "WidgetList" || metadata(answer, "resourceVersion") != "5" || metadata(answer, "remainingItemCount") != int64(1) {
		t.Errorf("the first page is %s with %v", answer.GetKind(), answer.Object["metadata"])
	}
	c.put("b", "new", "1", "red")
	c.do("DELETE", "/apis/example.com/v1/namespaces/b/widgets/w1", "", 200)
	answer, names = c.list(allWidgets + "?limit=3&continue=" + url.QueryEscape(metadata(answer, "continue").(string)))
	if want := []string{"b/w1@3"}; !slices.Equal(names, want) || metadata(answer, "resourceVersion") != "5" {
		t.Errorf("the second page has %v at %v, want %v at 5", names, metadata(answer, "resourceVersion"), want)
	}
	// Clients of custom resources get an empty token too.
	if metadata(answer, "continue") != "" {
		t.Errorf("the last page has the token %v", metadata(answer, "continue"))
	}
	if _, names = c.list(allWidgets); !slices.Equal(names, []string{"a-b/w3@5", "a/w0@2", "a/w2@4", "b/new@6"}) {
		t.Errorf("the list has %v", names)
	}
}

func TestListSelects(t *testing.T) {
	t.Parallel()
	c := client{t, apitest.Start(t, apitest.WithKinds(colored()))}
	c.put("a", "x", "1", "red")
	c.put("a", "y", "2", "red")
	c.put("b", "z", "1", "blue")
	for query, want := range map[string][]string{
		"labelSelector=l%3D1":                                    {"a/x@2", "b/z@4"},
		"fieldSelector=spec.color%3Dred":                         {"a/x@2", "a/y@3"},
		"fieldSelector=spec.color%3Dred&labelSelector=l%3D1":     {"a/x@2"},
		"fieldSelector=metadata.name%3Dz":                        {"b/z@4"},
		"fieldSelector=metadata.namespace%3Da":                   {"a/x@2", "a/y@3"},
		"fieldSelector=metadata.namespace!%3Da":                  {"b/z@4"},
		"fieldSelector=metadata.namespace%3Da,metadata.name%3Dz": {},
		"resourceVersion=3&resourceVersionMatch=Exact":           {"a/x@2", "a/y@3"},
		"resourceVersion=3&resourceVersionMatch=NotOlderThan":    {"a/x@2", "a/y@3", "b/z@4"},
		"resourceVersion=2&resourceVersionMatch=Exact&limit=5":   {"a/x@2"},
	} {
		if _, names := c.list(allWidgets + "?" + query); !slices.Equal(names, want) {
			t.Errorf("%s: %v, want %v", query, names, want)
		}
	}
	// As a server does whose gate ShardedListAndWatch is off.
	half := url.QueryEscape(sharding.Split(sharding.UID, 2)[0].String())
	for _, selector := range []string{half, "nonsense"} {
		if answer, names := c.list(allWidgets + "?shardSelector=" + selector); len(names) != 3 || metadata(answer, "shardInfo") != nil {
			t.Errorf("with the shard %s: %v, %v", selector, answer.Object["metadata"], names)
		}
	}
	answer, names := c.list(allWidgets + "?labelSelector=l%3D1&limit=1")
	if metadata(answer, "remainingItemCount") != nil || metadata(answer, "continue") == "" || len(names) != 1 {
		t.Errorf("a limited list with a selector: %v, %v", answer.Object["metadata"], names)
	}
}

func TestListRefuses(t *testing.T) {
	t.Parallel()
	c := client{t, apitest.Start(t, apitest.WithKinds(colored()))}
	for query, want := range map[string]struct {
		code    int
		message string
	}{
		"limit=abc":                        {400, `strconv.ParseInt: parsing "abc": invalid syntax`},
		"continue=abc":                     {400, "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value"},
		"resourceVersion=abc":              {400, `invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`},
		"resourceVersionMatch=Exact":       {422, `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`},
		"fieldSelector=spec.nope%3D1":      {400, "field label not supported: spec.nope"},
		"fieldSelector=spec.color":         {400, "invalid selector: 'spec.color'; can't understand 'spec.color'"},
		"labelSelector=a%20b":              {400, "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
		"resourceVersion=99":               {504, "Timeout: Too large resource version: 99, current: 1"},
		"sendInitialEvents=true":           {422, `ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`},
		"watch=true&resourceVersion=abc":   {500, `resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`},
		"watch=true&sendInitialEvents=1":   {422, `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`},
		"watch=true&fieldSelector=x%3D1":   {400, "field label not supported: x"},
		"watch=true&timeoutSeconds=eleven": {400, `strconv.ParseInt: parsing "eleven": invalid syntax`},
	} {
		answer := c.do("GET", allWidgets+"?"+query, "", want.code)
		if answer.Object["message"] != want.message || answer.GetKind() != "Status" {
			t.Errorf("%s: %v, want %s", query, answer.Object, want.message)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://server"+allWidgets+"?resourceVersion=99", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := c.server.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got := response.Header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After is %q for a version of the future, want 1", got)
	}
}

func TestExpiredList(t *testing.T) {
	t.Parallel()
	c := client{t, apitest.Start(t, apitest.WithKinds(colored()), apitest.WithHistory(2))}
	for i := range 3 {
		c.put("a", fmt.Sprint("w", i), "1", "red")
	}
	answer, _ := c.list(allWidgets + "?limit=1")
	token := url.QueryEscape(metadata(answer, "continue").(string))
	for i := range 2 {
		c.put("a", fmt.Sprint("x", i), "1", "red")
	}
	c.list(allWidgets + "?limit=1&continue=" + token) // still kept
	c.put("a", "x2", "1", "red")
	gone := c.do("GET", allWidgets+"?limit=1&continue="+token, "", 410)
	if gone.Object["reason"] != "Expired" || metadata(gone, "continue") == nil {
		t.Fatalf("an expired token: %v", gone.Object)
	}
	_, names := c.list(allWidgets + "?continue=" + url.QueryEscape(metadata(gone, "continue").(string)))
	if want := []string{"a/w1@3", "a/w2@4", "a/x0@5", "a/x1@6", "a/x2@7"}; !slices.Equal(names, want) {
		t.Errorf("the rest is %v, want %v", names, want)
	}
	gone = c.do("GET", allWidgets+"?resourceVersion=2&resourceVersionMatch=Exact", "", 410)
	if gone.Object["message"] != "The resourceVersion for the provided list is too old." || metadata(gone, "continue") != nil {
		t.Errorf("an expired version: %v", gone.Object)
	}
}

func TestGetWithVersion(t *testing.T) {
	t.Parallel()
	c := client{t, apitest.Start(t, apitest.WithKinds(colored()))}
	c.put("a", "x", "1", "red")
	c.do("GET", widgets+"/x?resourceVersion=2", "", 200)
	c.do("GET", widgets+"/x?resourceVersion=0", "", 200)
	c.do("GET", widgets+"/x?resourceVersion=9", "", 504)
	c.do("GET", widgets+"/none?resourceVersion=9", "", 504)
	c.do("GET", widgets+"/x?resourceVersion=abc", "", 500)
}

func TestDeleteCollection(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]struct{ deleted, left []string }{
		"":                                {[]string{"a/x@2", "a/y@3", "a/z@4"}, []string{"b/x@5"}},
		"labelSelector=l%3D1":             {[]string{"a/x@2", "a/z@4"}, []string{"a/y@3", "b/x@5"}},
		"fieldSelector=spec.color%3Dred":  {[]string{"a/x@2", "a/y@3"}, []string{"a/z@4", "b/x@5"}},
		"fieldSelector=metadata.name%3Dy": {[]string{"a/y@3"}, []string{"a/x@2", "a/z@4", "b/x@5"}},
		"labelSelector=l%3D3":             {[]string{}, []string{"a/x@2", "a/y@3", "a/z@4", "b/x@5"}},
		"limit=1":                         {[]string{"a/x@2"}, []string{"a/y@3", "a/z@4", "b/x@5"}},
		"dryRun=All":                      {[]string{"a/x@2", "a/y@3", "a/z@4"}, []string{"a/x@2", "a/y@3", "a/z@4", "b/x@5"}},
		"labelSelector=l%3D1&propagationPolicy=Background": {[]string{"a/x@2", "a/z@4"}, []string{"a/y@3", "b/x@5"}},
	} {
		c := client{t, apitest.Start(t, apitest.WithKinds(colored()))}
		c.put("a", "x", "1", "red")
		c.put("a", "y", "2", "red")
		c.put("a", "z", "1", "blue")
		c.put("b", "x", "1", "red")
		answer := c.do("DELETE", widgets+"?"+query, "", 200)
		if got := items(answer); !slices.Equal(got, want.deleted) || answer.GetKind() != "WidgetList" {
			t.Errorf("%q deleted %v, want %v", query, got, want.deleted)
		}
		if _, left := c.list(allWidgets); !slices.Equal(left, want.left) {
			t.Errorf("%q left %v, want %v", query, left, want.left)
		}
	}
}

// The query has the options of the list and those of the deletion, and both know resourceVersion.
func TestDeleteCollectionAtVersion(t *testing.T) {
	t.Parallel()
	c := client{t, apitest.Start(t, apitest.WithKinds(colored()))}
	c.put("a", "x", "1", "red")
	c.put("a", "y", "2", "red")
	c.put("a", "z", "1", "blue")
	refused := c.do("DELETE", widgets+"?resourceVersion=3", "", 409)
	if message, _ := refused.Object["message"].(string); !strings.Contains(message, "the ResourceVersion in the precondition (3) does not match") {
		t.Errorf("the version is a precondition: %v", refused.Object)
	}
	// Options in the body are the only ones of the deletion. A page is limited, so its version is exact.
	answer := c.do("DELETE", widgets+"?resourceVersion=3", `{"apiVersion":"v1","kind":"DeleteOptions"}`, 200)
	if got, want := items(answer), []string{"a/x@2", "a/y@3"}; !slices.Equal(got, want) {
		t.Errorf("deleted %v, want %v", got, want)
	}
	if _, left := c.list(allWidgets); !slices.Equal(left, []string{"a/z@4"}) {
		t.Errorf("left %v", left)
	}
}

func TestDeleteCollectionWithFinalizers(t *testing.T) {
	t.Parallel()
	c := client{t, apitest.Start(t, apitest.WithKinds(colored()))}
	c.do("POST", widgets, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x","finalizers":["example.com/x"]}}`, 201)
	c.put("a", "y", "1", "red")
	c.do("DELETE", widgets, "", 200)
	c.do("GET", widgets+"/y", "", 404)
	if left := c.do("GET", widgets+"/x", "", 200); left.GetDeletionTimestamp() == nil {
		t.Errorf("the object with a finalizer is not being deleted: %v", left.Object)
	}
}

func TestDeleteCollectionRefuses(t *testing.T) {
	t.Parallel()
	c := client{t, apitest.Start(t, apitest.WithKinds(colored()))}
	c.put("a", "x", "1", "red")
	c.do("DELETE", widgets+"?fieldSelector=spec.nope%3D1", "", 400)
	c.do("DELETE", widgets+"?resourceVersion=abc", "", 400)
	c.do("DELETE", widgets, `{"preconditions":{"uid":"other"}}`, 409)
	if code, body := c.raw("DELETE", allWidgets); code != 404 || !strings.HasPrefix(body, "404 page not found") {
		t.Errorf("a collection of all namespaces: %d %s", code, body)
	}
	c.do("GET", widgets+"/x", "", 200)
}

// raw sends a request without a body.
func (c client) raw(method, path string) (int, string) {
	c.Helper()
	req, err := http.NewRequestWithContext(c.Context(), method, "http://server"+path, nil)
	if err != nil {
		c.Fatal(err)
	}
	response, err := c.server.RoundTrip(req)
	if err != nil {
		c.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		c.Fatal(err)
	}
	return response.StatusCode, string(content)
}
