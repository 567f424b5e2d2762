package apitest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/merge"
)

const (
	jsonPatch      = "application/json-patch+json"
	mergePatch     = "application/merge-patch+json"
	strategicPatch = "application/strategic-merge-patch+json"
	applyPatch     = "application/apply-patch+yaml"
	deployments    = "/apis/apps/v1/namespaces/a/deployments"
)

// deployment stands for the Go type of a built-in kind.
type deployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Replicas   *int32 `json:"replicas,omitempty"`
		Containers []struct {
			Name  string `json:"name"`
			Image string `json:"image,omitempty"`
		} `json:"containers,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
	} `json:"spec,omitempty"`
	Status struct {
		Replicas int32 `json:"replicas,omitempty"`
	} `json:"status,omitempty"`
}

func (d *deployment) DeepCopyObject() runtime.Object {
	out := &deployment{}
	data, err := json.Marshal(d)
	if err == nil {
		err = json.Unmarshal(data, out)
	}
	if err != nil {
		panic(err)
	}
	return out
}

func withDeployments() apitest.Option {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, &deployment{})
	return apitest.WithScheme(scheme)
}

// patch sends a patch, checks the code and returns the body.
func (c client) patch(mediaType, path, body string, code int) *unstructured.Unstructured {
	c.Helper()
	next := c.server
	c.server = roundTripper(func(req *http.Request) (*http.Response, error) {
		req.Header.Set("Content-Type", mediaType)
		req.Header.Set("User-Agent", "tester/1")
		return next.RoundTrip(req)
	})
	return c.do("PATCH", path, body, code)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// owners describes the managedFields of an object without their times.
func owners(t *testing.T, obj *unstructured.Unstructured) string {
	t.Helper()
	var lines []string
	for _, e := range obj.GetManagedFields() {
		fields, err := e.FieldsV1.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Join(slices.DeleteFunc([]string{e.Manager, string(e.Operation), e.APIVersion, e.Subresource, string(fields)},
			func(s string) bool { return s == "" }), " "))
	}
	return strings.Join(lines, "\n")
}

func message(obj *unstructured.Unstructured) string {
	text, _, _ := unstructured.NestedString(obj.Object, "message")
	return text
}

func TestPatches(t *testing.T) {
	const object = `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one", "finalizers": ["example.com/x"]}, "spec": {"color": "red", "replicas": 1}}`
	for _, test := range []struct {
		name, mediaType, path, body string
		code                        int
		want                        string // the spec and the status, or the message
	}{
		{"merge", mergePatch, "/one", `{"spec": {"color": null, "replicas": 2}}`, 200, `{"replicas":2} null`},
		{"merge of the status in the object", mergePatch, "/one", `{"status": {"replicas": 2}}`, 200, `{"color":"red","replicas":1} null`},
		{"JSON", jsonPatch, "/one", `[{"op": "test", "path": "/spec/color", "value": "red"}, {"op": "remove", "path": "/spec/color"}]`, 200, `{"replicas":1} null`},
		{"status", mergePatch, "/one/status", `{"spec": {"replicas": 7}, "status": {"replicas": 2}}`, 200, `{"color":"red","replicas":1} {"replicas":2}`},
		{"JSON of the scale", jsonPatch, "/one/scale", `[{"op": "replace", "path": "/spec/replicas", "value": 3}]`, 200, `{"replicas":3} {"replicas":0}`},
		{"a negative scale", mergePatch, "/one/scale", `{"spec": {"replicas": -3}}`, 422, `Widget.example.com "one" is invalid: .spec.replicas: Invalid value: -3: should be a non-negative integer`},
		{"a scale that is a word", mergePatch, "/one/scale", `{"spec": {"replicas": "x"}}`, 422, `cannot unmarshal string into Go struct field`},
		{"a missing object", mergePatch, "/two", `{}`, 404, `widgets.example.com "two" not found`},
		{"no name", mergePatch, "", `{}`, 400, `name must be provided`},
		{"a failed test", jsonPatch, "/one", `[{"op": "test", "path": "/spec/color", "value": "blue"}]`, 422, "the server rejected our request due to an error in our request"},
		{"malformed", jsonPatch, "/one", `[{`, 400, "invalid JSON patch"},
		{"another name", mergePatch, "/one", `{"metadata": {"name": "two"}}`, 400, "the name of the object (two) does not match the name on the URL (one)"},
		{"another namespace", mergePatch, "/one", `{"metadata": {"namespace": "b"}}`, 400, "the namespace of the provided object does not match the namespace sent on the request"},
		{"another kind", mergePatch, "/one", `{"kind": "Gadget"}`, 422, `Gadget.example.com "one" is invalid: kind: Invalid value: "Gadget": must be Widget`},
		{"another version", mergePatch, "/one", `{"apiVersion": "example.com/v2"}`, 422, `Widget.example.com "one" is invalid: apiVersion: Invalid value: "example.com/v2": must be example.com/v1`},
		{"no kind", mergePatch, "/one", `{"kind": null}`, 422, `Object 'Kind' is missing`},
		{"another UID", mergePatch, "/one", `{"metadata": {"uid": "x"}}`, 422, `Widget.example.com "one" is invalid: metadata.uid: Invalid value: "x": field is immutable`},
		{"another version of the object", mergePatch, "/one", `{"metadata": {"resourceVersion": "1"}}`, 409, "the object has been modified; please apply your changes to the latest version and try again"},
		{"force", mergePatch, "/one?force=true", `{}`, 422, `force: Forbidden: may not be specified for non-apply patch`},
		{"a strategic merge patch", strategicPatch, "/one", `{}`, 415, "accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"},
		{"no media type", "", "/one", `{}`, 415, "the body of the request was in an unknown format"},
		{"strict", mergePatch, "/one?fieldValidation=Strict", `{"spec": {"color": "a", "color": "b"}}`, 422, `strict decoding error: duplicate field "spec.color"`},
		{"not strict", mergePatch, "/one?fieldValidation=Ignore", `{"spec": {"color": "a", "color": "b"}}`, 200, `{"color":"b","replicas":1} null`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := client{t, apitest.Start(t, apitest.WithKinds(widget))}
			c.do("POST", widgets, object, 201)
			got := c.patch(test.mediaType, widgets+test.path, test.body, test.code)
			text := message(got)
			if test.code == 200 {
				spec, _ := json.Marshal(got.Object["spec"])
				status, _ := json.Marshal(got.Object["status"])
				text = string(spec) + " " + string(status)
			}
			if !strings.Contains(text, test.want) {
				t.Errorf("got  %s\nwant %s", text, test.want)
			}
		})
	}
}

// A patch that changes nothing makes no new version, and a dry run stores nothing.
func TestPatchWithoutEffect(t *testing.T) {
	c := client{t, apitest.Start(t, apitest.WithKinds(widget))}
	created := c.do("POST", widgets, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"}, "spec": {"color": "red"}}`, 201)
	same := c.patch(mergePatch, widgets+"/one", `{"spec": {"color": "red"}}`, 200)
	if same.GetResourceVersion() != created.GetResourceVersion() {
		t.Errorf("a patch that changes nothing made version %s", same.GetResourceVersion())
	}
	dry := c.patch(mergePatch, widgets+"/one?dryRun=All", `{"spec": {"color": "blue"}}`, 200)
	if color, _, _ := unstructured.NestedString(dry.Object, "spec", "color"); color != "blue" || dry.GetGeneration() != 2 {
		t.Errorf("the dry run gave %v", dry.Object)
	}
	after := c.do("GET", widgets+"/one", "", 200)
	if color, _, _ := unstructured.NestedString(after.Object, "spec", "color"); color != "red" || after.GetResourceVersion() != created.GetResourceVersion() {
		t.Errorf("the dry run stored %v", after.Object)
	}
}

// A patch that removes the last finalizer deletes an object under deletion.
func TestPatchRemovesLastFinalizer(t *testing.T) {
	c := client{t, apitest.Start(t, apitest.WithKinds(widget))}
	c.do("POST", widgets, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one", "finalizers": ["example.com/x"]}}`, 201)
	c.do("DELETE", widgets+"/one", "", 200)
	c.patch(mergePatch, widgets+"/one", `{"metadata": {"labels": {"a": "b"}}}`, 200)
	c.do("GET", widgets+"/one", "", 200)
	c.patch(jsonPatch, widgets+"/one", `[{"op": "remove", "path": "/metadata/finalizers/0"}]`, 200)
	c.do("GET", widgets+"/one", "", 404)
}

func TestManagers(t *testing.T) {
	c := client{t, apitest.Start(t, apitest.WithKinds(widget))}
	c.do("POST", widgets+"?fieldManager=one", `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "labels": {"l": "x"}}, "spec": {"color": "red", "replicas": 1}}`, 201)
	c.patch(mergePatch, widgets+"/w", `{"spec": {"color": "blue"}}`, 200)
	c.patch(mergePatch, widgets+"/w/status?fieldManager=two", `{"status": {"replicas": 1}}`, 200)
	c.patch(mergePatch, widgets+"/w/scale?fieldManager=three", `{"spec": {"replicas": 2}}`, 200)
	got := c.patch(applyPatch, widgets+"/w?fieldManager=four", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, labels: {m: z}}\nspec: {color: blue}", 200)
	want := `four Apply example.com/v1 {"f:metadata":{"f:labels":{"f:m":{}}},"f:spec":{"f:color":{}}}
three Update example.com/v1 scale {"f:spec":{"f:replicas":{}}}
one Update example.com/v1 {"f:metadata":{"f:labels":{".":{},"f:l":{}}},"f:spec":{}}
tester Update example.com/v1 {"f:spec":{"f:color":{}}}
two Update example.com/v1 status {"f:status":{".":{},"f:replicas":{}}}`
	if got := owners(t, got); got != want {
		t.Errorf("managedFields\n%s\nwant\n%s", got, want)
	}
	reset := c.patch(mergePatch, widgets+"/w", `{"metadata": {"managedFields": [{}]}}`, 200)
	if got := owners(t, reset); got != "" {
		t.Errorf("managedFields after a reset\n%s", got)
	}
	c.patch(mergePatch, widgets+"/w", `{"spec": {"color": "red"}}`, 200)
	got = c.patch(applyPatch, widgets+"/w?fieldManager=four&force=true", `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"color": "green"}}`, 200)
	want = `four Apply example.com/v1 {"f:spec":{"f:color":{}}}
before-first-apply Update example.com/v1 {"f:metadata":{"f:labels":{".":{},"f:l":{},"f:m":{}}},"f:spec":{".":{},"f:replicas":{}}}`
	if got := owners(t, got); got != want {
		t.Errorf("managedFields\n%s\nwant\n%s", got, want)
	}
}

func TestApply(t *testing.T) {
	const config = `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"color": "red", "replicas": 1}}`
	c := client{t, apitest.Start(t, apitest.WithKinds(widget))}
	c.patch(applyPatch, widgets+"/w", config, 422) // no manager
	c.patch(applyPatch, widgets+"/w/status?fieldManager=one", config, 404)
	dry := c.patch(applyPatch, widgets+"/w?fieldManager=one&dryRun=All", config, 201)
	if dry.GetResourceVersion() != "" {
		t.Errorf("the dry run gave %v", dry.Object)
	}
	created := c.patch(applyPatch, widgets+"/w?fieldManager=one", strings.Replace(config, `"name": "w"`, `"name": "w", "resourceVersion": "77"`, 1), 201)
	same := c.patch(applyPatch, widgets+"/w?fieldManager=one", config, 200)
	if same.GetResourceVersion() != created.GetResourceVersion() {
		t.Errorf("applying the same made version %s", same.GetResourceVersion())
	}
	other := strings.Replace(config, "red", "blue", 1)
	conflict := c.patch(applyPatch, widgets+"/w?fieldManager=two", other, 409)
	if got, want := message(conflict), `Apply failed with 1 conflict: conflict with "one": .spec.color`; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
	c.patch(applyPatch, widgets+"/w?fieldManager=two&force=true", other, 200)
	c.patch(applyPatch, widgets+"/w?fieldManager=one", strings.Replace(config, `"color": "red", `, "", 1), 200)
	left := c.patch(applyPatch, widgets+"/w?fieldManager=two", strings.Replace(config, `, "spec": {"color": "red", "replicas": 1}`, "", 1), 200)
	if spec, _ := json.Marshal(left.Object["spec"]); string(spec) != `{"replicas":1}` {
		t.Errorf("the spec is %s after a manager gave up its fields", spec)
	}
	for _, test := range []struct {
		name, from, to string
		code           int
		want           string
	}{
		{"another kind", "Widget", "Gadget", 400, "invalid object type: example.com/v1, Kind=Gadget"},
		{"no name", `"name": "w"`, ``, 200, ""},
		{"another name", `"name": "w"`, `"name": "x"`, 400, "the name of the object (x) does not match the name on the URL (w)"},
		{"a stale version", `"name": "w"`, `"name": "w", "resourceVersion": "1"`, 409, "the object has been modified; please apply your changes to the latest version and try again"},
		{"managers", `"name": "w"`, `"name": "w", "managedFields": []`, 400, "metadata.managedFields must be nil"},
		{"an unknown field of the metadata", `"name": "w"`, `"name": "w", "x": 1`, 500, ".metadata.x: field not declared in schema"},
	} {
		body := strings.Replace(config, test.from, test.to, 1)
		got := c.patch(applyPatch, widgets+"/w?fieldManager=one&force=true", body, test.code)
		if !strings.Contains(message(got), test.want) {
			t.Errorf("%s: message %q, want %q", test.name, message(got), test.want)
		}
	}
	got := c.patch(applyPatch, widgets+"/new?fieldManager=one", strings.Replace(config, `"name": "w"`, `"name": "new", "uid": "x"`, 1), 409)
	if !strings.Contains(message(got), "uid mismatch") {
		t.Errorf("message %q, want one about the UID", message(got))
	}
}

func TestApplyScale(t *testing.T) {
	const config = `{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "w"}, "spec": {"replicas": 5}}`
	c := client{t, apitest.Start(t, apitest.WithKinds(widget))}
	c.do("POST", widgets+"?fieldManager=one", `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"replicas": 1}}`, 201)
	conflict := c.patch(applyPatch, widgets+"/w/scale?fieldManager=two", config, 409)
	if got, want := message(conflict), `Apply failed with 1 conflict: conflict with "one" using autoscaling/v1: .spec.replicas`; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
	refused := c.patch(applyPatch, widgets+"/w/scale?fieldManager=two&force=true", config, 500) // as the API server does
	if got := message(refused); !strings.Contains(got, "to an invalid group/version: autoscaling/v1") {
		t.Errorf("message %q", got)
	}
	c.patch(applyPatch, widgets+"/w/scale?fieldManager=two", strings.Replace(config, "5", "1", 1), 200)
	got := owners(t, c.do("GET", widgets+"/w", "", 200))
	want := `two Apply example.com/v1 scale {"f:spec":{"f:replicas":{}}}
one Update example.com/v1 {"f:spec":{"f:replicas":{}}}
one Update example.com/v1 {"f:spec":{}}`
	if got != want {
		t.Errorf("managedFields\n%s\nwant\n%s", got, want)
	}
	c.do("DELETE", widgets+"/w/scale", "", 405)
}

// A write in another version of a kind keeps the managers of both.
func TestManagersOfTwoVersions(t *testing.T) {
	old := widget
	old.Version = "v1beta1"
	c := client{t, apitest.Start(t, apitest.WithKinds(widget, old))}
	c.do("POST", widgets+"?fieldManager=one", `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"color": "red", "replicas": 1}}`, 201)
	got := c.patch(mergePatch, strings.Replace(widgets, "v1", "v1beta1", 1)+"/w?fieldManager=one", `{"spec": {"color": "blue"}}`, 200)
	want := `one Update example.com/v1 {"f:spec":{".":{},"f:replicas":{}}}
one Update example.com/v1beta1 {"f:spec":{"f:color":{}}}`
	if got := owners(t, got); got != want {
		t.Errorf("managedFields\n%s\nwant\n%s", got, want)
	}
}

func TestStrategicMergePatch(t *testing.T) {
	c := client{t, apitest.Start(t, withDeployments())}
	c.do("POST", deployments, `{"metadata": {"name": "d"}, "spec": {"replicas": 1, "containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]}}`, 201)
	got := c.patch(strategicPatch, deployments+"/d", `{"spec": {"containers": [{"name": "b", "image": "z"}, {"name": "a", "$patch": "delete"}]}}`, 200)
	if spec, _ := json.Marshal(got.Object["spec"]); string(spec) != `{"containers":[{"image":"z","name":"b"}],"replicas":1}` {
		t.Errorf("the spec is %s", spec)
	}
	scale := c.patch(strategicPatch, deployments+"/d/scale", `{"spec": {"replicas": 4}}`, 200)
	if replicas, _, _ := unstructured.NestedInt64(scale.Object, "spec", "replicas"); replicas != 4 {
		t.Errorf("the scale is %v", scale.Object)
	}
	wrong := c.patch(strategicPatch, deployments+"/d", `{"spec": {"replicas": "x"}}`, 422)
	if !strings.Contains(message(wrong), "patch: Invalid value") {
		t.Errorf("message %q", message(wrong))
	}
	strict := c.patch(strategicPatch, deployments+"/d?fieldValidation=Strict", `{"spec": {"unknown": 1}}`, 422)
	if !strings.Contains(message(strict), `unknown field "spec.unknown"`) {
		t.Errorf("message %q", message(strict))
	}
}

// Without its Go type, a built-in kind has no strategic merge patch.
func TestStrategicMergePatchWithoutType(t *testing.T) {
	c := client{t, apitest.Start(t)}
	c.do("POST", deployments, `{"metadata": {"name": "d"}}`, 201)
	got := c.patch(strategicPatch, deployments+"/d", `{}`, 415)
	if want := "; a strategic merge patch needs the Go type of Deployment; give it to the server by WithScheme"; !strings.HasSuffix(message(got), want) {
		t.Errorf("message %q, want the suffix %q", message(got), want)
	}
}

// An empty list of managers resets those of a built-in kind, and is nothing for a custom resource.
func TestEmptyManagers(t *testing.T) {
	c := client{t, apitest.Start(t, apitest.WithKinds(widget), withDeployments())}
	for path, left := range map[string]int{configMaps: 0, deployments: 0, widgets: 1} {
		body := `{"metadata": {"name": "x", "labels": {"l": "x"}}}`
		if path == widgets {
			body = strings.Replace(body, "{", `{"apiVersion": "example.com/v1", "kind": "Widget", `, 1)
		}
		c.do("POST", path, body, 201)
		got := c.patch(mergePatch, path+"/x", `{"metadata": {"managedFields": []}}`, 200)
		if got := len(got.GetManagedFields()); got != left {
			t.Errorf("%s: %d managers are left, want %d", path, got, left)
		}
		if _, found, _ := unstructured.NestedFieldNoCopy(got.Object, "metadata", "managedFields"); found != (left > 0) {
			t.Errorf("%s: the answer is %v", path, got.Object)
		}
	}
}

// A client of metadata patches all kinds and reads no more than metadata.
func TestPatchMetadata(t *testing.T) {
	server := apitest.Start(t, apitest.WithKinds(widget))
	c := client{t, server}
	c.do("POST", widgets, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"color": "red"}}`, 201)
	c.server = roundTripper(func(req *http.Request) (*http.Response, error) {
		req.Header.Set("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
		return server.RoundTrip(req)
	})
	got := c.patch(mergePatch, widgets+"/w", `{"metadata": {"labels": {"l": "x"}}}`, 200)
	if got.GetKind() != "PartialObjectMetadata" || got.GetLabels()["l"] != "x" || got.Object["spec"] != nil {
		t.Errorf("got %v", got.Object)
	}
}

// ported is the Go type of kinds whose ports are merged by their names.
type ported struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

func (p *ported) DeepCopyObject() runtime.Object { return p }

// portsConverter returns a converter with that schema for a kind.
func portsConverter(t *testing.T, gvk schema.GroupVersionKind) managedfields.TypeConverter {
	t.Helper()
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(gvk, &ported{})
	name, err := scheme.ToOpenAPIDefinitionName(gvk)
	if err != nil {
		t.Fatal(err)
	}
	return merge.NewSchema(`{"types":[
{"name":"` + name + `","map":{"fields":[
	{"name":"apiVersion","type":{"scalar":"string"}},
	{"name":"kind","type":{"scalar":"string"}},
	{"name":"metadata","type":{"namedType":"__untyped_deduced_"}},
	{"name":"spec","type":{"map":{"fields":[
		{"name":"ports","type":{"list":{"elementRelationship":"associative","keys":["name"],"elementType":{"map":{"fields":[
			{"name":"name","type":{"scalar":"string"}},
			{"name":"port","type":{"scalar":"numeric"}}]}}}}}]}}}]}},
{"name":"__untyped_atomic_","scalar":"untyped","list":{"elementType":{"namedType":"__untyped_atomic_"},"elementRelationship":"atomic"},
	"map":{"elementType":{"namedType":"__untyped_atomic_"},"elementRelationship":"atomic"}},
{"name":"__untyped_deduced_","scalar":"untyped","list":{"elementType":{"namedType":"__untyped_atomic_"},"elementRelationship":"atomic"},
	"map":{"elementType":{"namedType":"__untyped_deduced_"},"elementRelationship":"separable"}}]}`).TypeConverter(scheme)
}

// TestApplyWithTypeConverter lets two managers apply an element each to a list that is merged by a key.
func TestApplyWithTypeConverter(t *testing.T) {
	widget := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
	kind := apitest.Kind{GroupVersionKind: widget, Resource: "widgets", Namespaced: true, TypeConverter: portsConverter(t, widget)}
	c := client{t, apitest.Start(t, apitest.WithKinds(kind))}
	apply := func(manager, port string, code int) *unstructured.Unstructured {
		return c.patch(applyPatch, widgets+"/w?fieldManager="+manager, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"ports": [`+port+`]}}`, code)
	}
	apply("one", `{"name": "http", "port": 80}`, 201)
	got := apply("two", `{"name": "metrics", "port": 90}`, 200)
	if list, _, _ := unstructured.NestedSlice(got.Object, "spec", "ports"); len(list) != 2 {
		t.Errorf("two managers have applied a port each, and the object has %v", list)
	}
	apply("two", `{"name": "http", "port": 81}`, 409)
	got = apply("two", `{"name": "metrics", "port": 90}, {"name": "http", "protocol": {"name": "TCP"}}`, 200) // an unknown field
	if text := owners(t, got); !strings.Contains(text, `"f:protocol":{".":{},"f:name":{}}`) {
		t.Errorf("the managers of the fields are %s", text)
	}
	got = apply("one", "", 200)
	if list, _, _ := unstructured.NestedSlice(got.Object, "spec", "ports"); len(list) != 2 {
		t.Errorf("one of the managers applies no port any more, and the object has %v", list)
	}
	apply("two", `{"name": "http", "port": "80"}`, 500) // a string is no number
}

// TestTypeConverterOfBuiltInKind adds a TypeConverter to a kind of Kubernetes that has its Go type already.
func TestTypeConverterOfBuiltInKind(t *testing.T) {
	server := apitest.Start(t, withDeployments())
	deployment := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	err := server.AddKinds(apitest.Kind{GroupVersionKind: deployment, Resource: "deployments", Namespaced: true, TypeConverter: portsConverter(t, deployment)})
	if err != nil {
		t.Fatal(err)
	}
	// The Go type merges containers by their names, and the schema does not have them.
	apply := func(manager string, code int) {
		config := `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"containers": [{"name": "` + manager + `"}]}}`
		client{t, server}.patch(applyPatch, deployments+"/d?fieldManager="+manager, config, code)
	}
	apply("one", 201)
	apply("two", 409)
	client{t, server}.patch(strategicPatch, deployments+"/d", `{"spec": {"replicas": 2}}`, 200) // a kind without a type answers 415
}
