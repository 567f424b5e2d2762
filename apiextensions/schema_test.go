package apiextensions_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/apiextensions"
	"github.com/typedinformers/informer-gen/apitest"
)

const (
	parts  = "/apis/schema.example.com/v1/namespaces/default/parts"
	shapes = "/apis/schema.example.com/v1/shapes"
)

func part(name, spec string) string {
	return fmt.Sprintf(`{"apiVersion": "schema.example.com/v1", "kind": "Part", "metadata": {"name": %q}, "spec": %s}`, name, spec)
}

// TestSchema has an example of each thing that a schema does. That all of it is as on a real API server is
// tested in test/faithful/schemas.
func TestSchema(t *testing.T) {
	server := apitest.Start(t, apiextensions.WithCRDs("../test/faithful/schemas/testdata/parts.yaml"))
	for i, test := range []struct {
		spec, query string
		code        int
		// want is part of the answer, and warning of the warnings.
		want, warning string
	}{
		{spec: `{"title": "a"}`, code: 201, want: `map[color:red config:map[deep:map[number:5 text:text] level:info] enabled:true size:3 title:a word:none]`},
		{spec: `{"title": "a", "word": null, "note": null, "address": null}`, code: 201, want: "note:<nil> size:3 title:a word:<nil>]"},
		{spec: `{"title": "a", "other": 1}`, code: 201, want: "title:a word", warning: `299 - "unknown field \"spec.other\""`},
		{spec: `{"title": "a", "other": 1}`, query: "?fieldValidation=Strict", code: 400, want: `strict decoding error: unknown field "spec.other"`},
		{spec: `{"title": "a", "free": {"other": 1, "closed": {"b": 1}}}`, code: 201, want: "free:map[closed:map[] number:7 other:1]", warning: "spec.free.closed.b"},
		{spec: `{"title": "a", "child": {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "x", "no": 1}, "spec": {}}}`, code: 201, want: "metadata:map[name:x] spec:map[level:1]", warning: "spec.child.metadata.no"},
		{spec: `{"title": "a", "child": {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": 1}}}`, code: 400, want: "Part in version \"v1\" cannot be handled as a Part: spec.child.metadata: Invalid value"},
		{spec: `{"title": "a", "child": {"kind": "Thing"}}`, code: 422, want: "spec.child.apiVersion: Required value"},
		{spec: `{}`, code: 422, want: "[spec.title: Required value, <nil>: Invalid value: null: some validation rules were not checked"},
		{spec: `{"title": "a", "color": "pink"}`, code: 422, want: `spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"`},
		{spec: `{"title": "a", "address": "x"}`, code: 422, want: `spec.address: Invalid value: "x": spec.address in body must be of type ipv4: "x"`},
		{spec: `{"title": "a", "source": {}}`, code: 422, want: `"spec.source" must validate one and only one schema (oneOf). Found none valid`},
		{spec: `{"title": "a", "port": true}`, code: 422, want: `spec.port in body must be of type integer,string: "boolean"`},
		{spec: `{"title": "a", "tags": ["x", "x"]}`, code: 422, want: `spec.tags[1]: Duplicate value: "x"`},
		{spec: `{"title": "a", "ports": [{"name": "x"}, {"name": "x", "protocol": "TCP"}]}`, code: 422, want: `spec.ports[1]: Duplicate value: {"name":"x","protocol":"TCP"}`},
		{spec: `{"title": "a", "min": 5, "max": 4}`, code: 422, want: "min is greater than max"},
		{spec: `{"title": "a", "list": [60, 70]}`, code: 422, want: "the sum is large"},
		{spec: `{"title": "a", "secret": {"key": "k"}}`, code: 422, want: "spec.secret.name: Required value: a key needs a name"},
	} {
		code, answer, warnings := sendFor(t, server, "POST", parts+test.query, part(fmt.Sprintf("a%d", i), test.spec))
		text := fmt.Sprint(answer["message"], answer["spec"])
		if code != test.code || !strings.Contains(text, test.want) {
			t.Errorf("%s: the answer is %d %s\nwant %d %s", test.spec, code, text, test.code, test.want)
		}
		if got := strings.Join(warnings, " "); got != "" && test.warning == "" || !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), strings.ReplaceAll(test.warning, `\"`, `"`)) {
			t.Errorf("%s: the warnings are %s, want %s", test.spec, got, test.warning)
		}
	}
}

// TestUpdates checks rules that compare with the old object, and values that may stay although they are wrong.
func TestUpdates(t *testing.T) {
	dir := write(t, map[string]string{"crd.yaml": gear})
	server := apitest.Start(t, apiextensions.WithCRDs("../test/faithful/schemas/testdata/parts.yaml", dir))
	update := func(path, body string) (int, string) {
		t.Helper()
		_, old := send(t, server, "GET", path, "")
		version := old["metadata"].(map[string]any)["resourceVersion"].(string)
		body = strings.Replace(body, `"metadata": {`, `"metadata": {"resourceVersion": "`+version+`", `, 1)
		code, answer := send(t, server, "PUT", path, body)
		return code, fmt.Sprint(answer["message"])
	}
	if code, answer := send(t, server, "POST", parts, part("a", `{"title": "a", "once": "x", "ports": [{"name": "p", "number": 5}]}`)); code != 201 {
		t.Fatal(answer)
	}
	if code, message := update(parts+"/a", part("a", `{"title": "a", "once": "y", "ports": [{"name": "p", "number": 4}]}`)); code != 422 ||
		!strings.Contains(message, "once is immutable") || !strings.Contains(message, "spec.ports[0]: Invalid value: a port does not go down") {
		t.Errorf("the answer is %d %s", code, message)
	}
	if code, message := update(parts+"/a", part("a", `{"title": "a", "ports": [{"name": "p", "number": 6}]}`)); code != 200 {
		t.Errorf("the answer is %d %s", code, message)
	}

	// A new schema makes a value wrong that is stored.
	gears := "/apis/example.com/v1/namespaces/default/gears"
	body := `{"apiVersion": "example.com/v1", "kind": "Gear", "metadata": {"name": "a"}, "spec": {"teeth": 5}}`
	if code, answer := send(t, server, "POST", gears, body); code != 201 {
		t.Fatal(answer)
	}
	stricter := write(t, map[string]string{"crd.yaml": strings.Replace(gear, "type: integer", "type: integer, maximum: 4", 1)})
	if err := apiextensions.WithCRDs(stricter)(server); err != nil {
		t.Fatal(err)
	}
	if code, message := update(gears+"/a", strings.Replace(body, `"name"`, `"labels": {"l": "x"}, "name"`, 1)); code != 200 {
		t.Errorf("a wrong value that does not change: %d %s", code, message)
	}
	if code, message := update(gears+"/a", strings.Replace(body, "5", "6", 1)); code != 422 {
		t.Errorf("a wrong value: %d %s", code, message)
	}
}

func TestVersions(t *testing.T) {
	server := apitest.Start(t, apiextensions.WithCRDs("../test/faithful/schemas/testdata/shapes.yaml"))
	beta := strings.Replace(shapes, "v1", "v1beta1", 1)
	code, answer, warnings := sendFor(t, server, "POST", beta, `{"apiVersion": "schema.example.com/v1beta1", "kind": "Shape", "metadata": {"name": "a"}, "spec": {}, "status": {"replicas": 2}}`)
	if code != 201 || fmt.Sprint(answer["spec"]) != "map[corners:3 replicas:1]" {
		t.Errorf("the answer is %d %v", code, answer)
	}
	if !slices.Contains(warnings, `299 - "schema.example.com/v1beta1 Shape is deprecated; use schema.example.com/v1 Shape"`) {
		t.Errorf("the warnings are %v", warnings)
	}
	_, answer, warnings = sendFor(t, server, "GET", shapes+"/a", "")
	if fmt.Sprint(answer["spec"], answer["status"]) != "map[corners:3 replicas:1] map[replicas:2]" || len(warnings) > 0 {
		t.Errorf("in v1 it is %v, with the warnings %v", answer, warnings)
	}
	if code, _ := send(t, server, "GET", strings.Replace(shapes, "v1", "v1alpha1", 1)+"/a", ""); code != 404 {
		t.Errorf("a version that is not served: %d", code)
	}
	// A create drops the status, but reads have its default.
	_, answer = send(t, server, "POST", shapes, `{"apiVersion": "schema.example.com/v1", "kind": "Shape", "metadata": {"name": "b"}, "status": {"phase": "Mine"}}`)
	if fmt.Sprint(answer["status"]) != "map[phase:New]" {
		t.Errorf("a new object is %v", answer)
	}
}

func TestScale(t *testing.T) {
	server := apitest.Start(t, apiextensions.WithCRDs("../test/faithful/schemas/testdata/shapes.yaml"))
	code, answer := send(t, server, "POST", shapes, `{"apiVersion": "schema.example.com/v1", "kind": "Shape", "metadata": {"name": "a"}, "spec": {"replicas": -1}}`)
	if code != 422 || !strings.Contains(fmt.Sprint(answer["message"]), ".spec.replicas: Invalid value: -1: should be a non-negative integer") {
		t.Errorf("the answer is %d %v", code, answer)
	}
	send(t, server, "POST", shapes, `{"apiVersion": "schema.example.com/v1", "kind": "Shape", "metadata": {"name": "a"}}`)
	code, answer = send(t, server, "PUT", shapes+"/a/scale", `{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a"}, "spec": {"replicas": 4}}`)
	if code != 200 {
		t.Errorf("the answer is %d %v", code, answer)
	}
	if _, answer = send(t, server, "GET", shapes+"/a", ""); fmt.Sprint(answer["spec"]) != "map[corners:4 replicas:4]" {
		t.Errorf("after it was scaled, the object is %v", answer)
	}
}

// TestBubbles shares a schema, whose rules are compiled by the first object, between two bubbles and the
// outside.
func TestBubbles(t *testing.T) {
	crd := strings.Replace(gear, "type: integer", "type: integer, x-kubernetes-validations: [{rule: self > 6}]", 1)
	dir := write(t, map[string]string{"crd.yaml": crd})
	create := func(t *testing.T) {
		server := apitest.Start(t, apiextensions.WithCRDs(dir))
		body := `{"apiVersion": "example.com/v1", "kind": "Gear", "metadata": {"name": "a"}, "spec": {"teeth": 5}}`
		code, answer := send(t, server, "POST", "/apis/example.com/v1/namespaces/default/gears", body)
		if code != 422 || !strings.Contains(fmt.Sprint(answer["message"]), "failed rule: self > 6") {
			t.Errorf("the answer is %d %v", code, answer)
		}
		body = strings.Replace(body, "5", "7", 1)
		if code, answer = send(t, server, "POST", "/apis/example.com/v1/namespaces/default/gears", body); code != 201 {
			t.Fatalf("the answer is %d %v", code, answer)
		}
		made, _ := time.Parse(time.RFC3339, answer["metadata"].(map[string]any)["creationTimestamp"].(string))
		if time.Since(made).Abs() > time.Minute { // a bubble begins in the year 2000
			t.Errorf("it was created at %v, and it is %v", made, time.Now())
		}
	}
	for range 2 {
		synctest.Test(t, create)
	}
	create(t)
}

// TestConcurrency uses one schema from several goroutines, the first time included.
func TestConcurrency(t *testing.T) {
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			server := apitest.Start(t, apiextensions.WithCRDs("../test/faithful/schemas/testdata/parts.yaml"))
			for j := range 5 {
				body := part(fmt.Sprintf("a%d", j), `{"title": "a", "min": 1, "max": 2, "once": "x", "ports": [{"name": "x"}]}`)
				if code, answer := send(t, server, "POST", parts, body); code != 201 {
					t.Errorf("%d: the answer is %d %v", i, code, answer)
				}
			}
		})
	}
	group.Wait()
}
