package bodies

import (
	"context"
	"io"
	"net/url"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// request is a *rest.Request that returns its text as the body.
type request struct{ base, path, text string }

func (r *request) AbsPath(segments ...string) *request {
	r.path = "/" + strings.Trim(strings.Join(segments, "/"), "/")
	return r
}

func (r *request) NamespaceIfScoped(namespace string, isScoped bool) *request {
	if isScoped {
		r.path += "/namespaces/" + namespace
	}
	return r
}

func (r *request) Resource(resource string) *request {
	r.path += "/" + resource
	return r
}

func (r *request) SpecificallyVersionedParams(options runtime.Object, _ runtime.ParameterCodec, version schema.GroupVersion) *request {
	r.text += " labels=" + options.(*metav1.ListOptions).LabelSelector + " options=" + version.String()
	return r
}

func (r *request) SetHeader(key string, values ...string) *request {
	r.text += " " + key + "=" + strings.Join(values, ",")
	return r
}

func (r *request) MaxRetries(retries int) *request {
	if retries == 0 {
		r.text += " once"
	}
	return r
}

func (r *request) Stream(context.Context) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(r.path + r.text)), nil
}

func (r *request) URL() *url.URL {
	base, err := url.Parse(r.base)
	if err != nil {
		panic(err)
	}
	base.Path += r.path
	return base
}

// pointer and value are two clients of one server.
type pointer struct{ base string }

func (c *pointer) Get() *request { return &request{base: c.base} }

type value struct{ base string }

func (c value) Get() *request { return &request{base: c.base} }

func TestOpen(t *testing.T) {
	apps, core := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	for want, open := range map[string]OpenFunc{
		"/apis/apps/v1/deployments":              Open(&pointer{}, apps, ""),
		"/apis/apps/v1/namespaces/a/deployments": Open(value{}, apps, "a"),
		"/api/v1/namespaces/a/pods":              Open(&pointer{}, core, "a"),
	} {
		body, err := open(t.Context(), metav1.ListOptions{LabelSelector: "app"}, "application/json")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(body)
		if want += " labels=app options=v1 Accept=application/json once"; err != nil || string(got) != want {
			t.Errorf("the request is %q, %v, not %q", got, err, want)
		}
	}
}

func TestServer(t *testing.T) {
	const base = "https://user:password@example.com:6443/clusters/a"
	client := &pointer{base}
	first, second := Server(client), Server(client)
	if first != second {
		t.Error("the servers of a client differ")
	}
	if other := Server(&pointer{base}); first == other {
		t.Error("the servers of two clients are the same before String")
	}
	if Server(value{base}) != Server(value{base}) {
		t.Error("the servers of clients of one server differ")
	}
	for _, server := range []string{first.String(), Server(value{base}).String()} {
		if want := "https://example.com:6443/clusters/a"; server != want {
			t.Errorf("the server is %s, not %s", server, want)
		}
	}
}

// TestNoServer has the clients of fakes.
func TestNoServer(t *testing.T) {
	for name, client := range map[string]Client[*request]{"nil": nil, "nil pointer": (*pointer)(nil)} {
		if Open(client, schema.GroupVersionResource{}, "") != nil {
			t.Errorf("%s: there is an OpenFunc", name)
		}
		if Server(client) != nil {
			t.Errorf("%s: there is a server", name)
		}
	}
}
