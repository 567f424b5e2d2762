package writes

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestParseTarget reads paths. The targets are written group/version/resource, namespace, name
// and subresource; an empty text is no target.
func TestParseTarget(t *testing.T) {
	for path, want := range map[string]string{
		"/api/v1/configmaps":                                "/v1/configmaps,,,",
		"/api/v1/namespaces/a/configmaps":                   "/v1/configmaps,a,,",
		"/api/v1/namespaces/a/configmaps/web":               "/v1/configmaps,a,web,",
		"/api/v1/namespaces/a/pods/web/status":              "/v1/pods,a,web,status",
		"/apis/apps/v1/namespaces/a/deployments/web/scale":  "apps/v1/deployments,a,web,scale",
		"/apis/example.com/v1beta1/widgets/w":               "example.com/v1beta1/widgets,,w,",
		"/apis/example.com/v1beta1/widgets/w/status":        "example.com/v1beta1/widgets,,w,status",
		"/apis/example.com/v1/widgets/status":               "example.com/v1/widgets,,status,",
		"/apis/rbac.authorization.k8s.io/v1/roles/system:a": "rbac.authorization.k8s.io/v1/roles,,system:a,",

		// The kind Namespace, and namespaces that are named like a resource.
		"/api/v1/namespaces":                          "/v1/namespaces,,,",
		"/api/v1/namespaces/a":                        "/v1/namespaces,,a,",
		"/api/v1/namespaces/a/status":                 "/v1/namespaces,,a,status",
		"/api/v1/namespaces/a/finalize":               "/v1/namespaces,,a,finalize",
		"/api/v1/namespaces/a/finalizes":              "/v1/finalizes,a,,",
		"/api/v1/namespaces/a/status/b":               "",
		"/api/v1/namespaces/pods":                     "/v1/namespaces,,pods,",
		"/api/v1/namespaces/pods/pods/pods":           "/v1/pods,pods,pods,",
		"/api/v1/namespaces/status/pods/status":       "/v1/pods,status,status,",
		"/api/v1/namespaces/namespaces/pods":          "/v1/pods,namespaces,,",
		"/apis/example.com/v1/namespaces/a":           "example.com/v1/namespaces,,a,",
		"/apis/example.com/v1/namespaces/a/status":    "example.com/v1/namespaces,,a,status",
		"/apis/example.com/v1/namespaces/a/widgets/b": "example.com/v1/widgets,a,b,",

		// Subresources that carry other data, and paths below a subresource.
		"/api/v1/namespaces/a/pods/web/exec":           "",
		"/api/v1/namespaces/a/pods/web/attach":         "",
		"/api/v1/namespaces/a/pods/web/log":            "",
		"/api/v1/namespaces/a/pods/web/portforward":    "",
		"/api/v1/namespaces/a/services/web/proxy":      "",
		"/api/v1/nodes/web/proxy":                      "",
		"/api/v1/namespaces/a/pods/exec":               "/v1/pods,a,exec,",
		"/api/v1/namespaces/a/services/web/proxy/x":    "",
		"/api/v1/namespaces/a/services/web/status/x":   "",
		"/api/v1/namespaces/a/services/web/status/x/y": "",
		"/apis/g/v1/namespaces/a/s/web/status/x/y":     "",
		"/apis/g/v1/widgets/w/status/x":                "",

		// No resources.
		"": "", "/": "", "/api": "", "/api/v1": "", "/apis": "", "/apis/g": "", "/apis/g/v1": "", "/version": "",
		"api/v1/configmaps": "", "//api/v1/configmaps": "", "/api//configmaps": "", "/api/v1/configmaps/": "",
		"/api/v1/namespaces//configmaps": "", "/apis//v1/configmaps": "", "/x/api/v1/configmaps": "", "/apiss/g/v1/w": "", "x/api/v1/configmaps": "",
	} {
		found, ok := parseTarget(path)
		r := found.resource
		got := strings.Join([]string{r.Group + "/" + r.Version + "/" + r.Resource, found.namespace, found.name, found.subresource}, ",")
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q is %q, %v; want %q", path, got, ok, want)
		}
	}
}

// TestDryRun deletes with options in the query and in the body.
func TestDryRun(t *testing.T) {
	options := func(dryRun ...string) *metav1.DeleteOptions {
		return &metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}, DryRun: dryRun}
	}
	var grace int64
	withGrace := options()
	withGrace.GracePeriodSeconds = &grace
	large := append(inJSON(t, options()), bytes.Repeat([]byte(" "), maxBody)...)
	for _, test := range []struct {
		name, method, query string
		body                []byte
		want                bool
	}{
		{"no options", "DELETE", "", nil, false},
		{"other parameters", "PATCH", "fieldManager=me&force=true&fieldValidation=Strict", nil, false},
		{"query", "DELETE", "dryRun=All", nil, true},
		{"create", "POST", "dryRun=All", []byte("{}"), true},
		{"apply", "PATCH", "fieldManager=me&dryRun=All&force=true", []byte("{}"), true},
		{"update", "PUT", "dryRun=", []byte("{}"), true},
		{"a query that is not valid", "PUT", "dry%Run=All", []byte("{}"), true},
		{"the same name in another case", "PUT", "dryrun=All", []byte("{}"), false},
		{"body of a PUT", "PUT", "", inJSON(t, options("All")), false},
		{"JSON", "DELETE", "", inJSON(t, options("All")), true},
		{"JSON without", "DELETE", "", inJSON(t, withGrace), false},
		{"JSON with an empty list", "DELETE", "", []byte(`{"dryRun":[]}`), false},
		{"JSON in another case", "DELETE", "", []byte(`{"DryRun":["All"]}`), false},
		{"protobuf", "DELETE", "", inProtobuf(t, options("All")), true},
		{"protobuf without", "DELETE", "", inProtobuf(t, withGrace), false},
		{"YAML", "DELETE", "", []byte("dryRun: [All]\n"), true},
		{"cut", "DELETE", "", inJSON(t, options("All"))[:20], true},
		{"empty", "DELETE", "", []byte{}, false},
		{"too large", "DELETE", "", large, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			request, err := http.NewRequest(test.method, host+"/api/v1/namespaces/a/configmaps/web?"+test.query, bytes.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			if got := changesNothing(request); got != test.want {
				t.Errorf("changesNothing is %v", got)
			}
			if rest, err := io.ReadAll(request.Body); err != nil || !bytes.Equal(rest, test.body) {
				t.Errorf("the request has the body %q, %v", rest, err)
			}
		})
	}

	request, err := http.NewRequest("DELETE", host+"/", io.NopCloser(strings.NewReader("{}")))
	if err != nil {
		t.Fatal(err)
	}
	if request.GetBody != nil || !changesNothing(request) {
		t.Error("a body that cannot be read again may be that of a dry run")
	}
	request.GetBody = func() (io.ReadCloser, error) { return nil, errors.New("no") }
	if !changesNothing(request) {
		t.Error("a body that cannot be opened may be that of a dry run")
	}
	closed := false
	request.GetBody = func() (io.ReadCloser, error) {
		return &body{Reader: io.MultiReader(strings.NewReader("{"), &failing{errors.New("no")}), close: func() { closed = true }}, nil
	}
	if !changesNothing(request) || !closed {
		t.Errorf("a body that cannot be read may be that of a dry run; closed %v", closed)
	}
}

// failing is a reader that fails.
type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

// body calls a function when it is closed.
type body struct {
	io.Reader
	close func()
}

func (b *body) Close() error {
	b.close()
	return nil
}
