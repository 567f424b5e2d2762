package schemas

import (
	"fmt"
	"strings"
	"testing"
)

const (
	parts  = "/apis/schema.example.com/v1/namespaces/default/parts"
	shapes = "/apis/schema.example.com/v1/shapes"
	costs  = "/apis/schema.example.com/v1/costs"
)

// body returns an object of a kind as JSON.
func body(version, kind, metadata, rest string) string {
	if rest != "" {
		rest = ", " + rest
	}
	return fmt.Sprintf(`{"apiVersion": "schema.example.com/%s", "kind": %q, "metadata": {%s}%s}`, version, kind, metadata, rest)
}

// TestCases plays what random objects rarely are.
func TestCases(t *testing.T) {
	both := start(t, "testdata")
	part := func(metadata, spec string) string { return body("v1", "Part", metadata, `"spec": `+spec) }
	shape := func(version, metadata, rest string) string { return body(version, "Shape", metadata, rest) }
	text := func(length int) string { return strings.Repeat("z", length) }
	const (
		apply = "application/apply-patch+yaml"
		merge = "application/merge-patch+json"
		json  = "application/json-patch+json"
	)
	for name, requests := range map[string][]request{
		"rules with errors of the metadata": {
			{"POST", parts, "", part(`"name": "not a name", "labels": {"x": "not a label"}`, `{"title": "a", "min": 2, "max": 1}`)},
			{"POST", parts, "", part(`"name": "n1", "finalizers": ["not/a/finalizer"]`, `{"title": "a", "min": 2, "max": 1}`)},
			{"POST", parts, "", part(`"name": "n1", "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": ""}]`, `{"title": "a", "min": 2, "max": 1}`)},
			{"POST", parts, "", part(`"labels": {}`, `{"title": "a", "min": 2, "max": 1}`)},
			{"POST", parts, "", part(`"name": "forbidden"`, `{"title": "a"}`)},
			{"POST", parts, "", part(`"name": "this-name-is-longer-than-the-schema-allows-it-to-be"`, `{"title": "a"}`)},
		},
		"keys that are there twice": {
			{"POST", costs, "", body("v1", "Cost", `"name": "twice"`, `"spec": {"name": "short"}`)},
			{"PATCH", costs + "/twice", json, `[{"op": "add", "path": "/spec/more", "value": [{"key": "a"}, {"key": "b"}]}]`},
			{"PATCH", costs + "/twice", json, `[{"op": "add", "path": "/spec/more/-", "value": {"key": "a"}}]`},
			{"PATCH", costs + "/twice", merge, `{"spec": {"name": "much too long to be a name"}}`},
			{"GET", costs + "/twice", "", ""},
		},
		"the cost of rules": {
			{"POST", costs, "", body("v1", "Cost", `"name": "cheap"`, `"spec": {"text": "`+text(1_000)+`"}`)},
			{"POST", costs, "", body("v1", "Cost", `"name": "call"`, `"spec": {"text": "`+text(490_000)+`"}`)},
			{"POST", costs, "", body("v1", "Cost", `"name": "budget"`, `"spec": {"texts": [`+strings.TrimSuffix(strings.Repeat(`"`+text(100_000)+`",`, 11), ",")+`]}`)},
		},
		"a dry run": {
			{"POST", shapes + "?dryRun=All", "", shape("v1", `"name": "dry"`, `"spec": {"corners": 5}, "status": {"phase": "x"}`)},
			{"GET", shapes + "/dry", "", ""},
			{"POST", shapes, "", shape("v1", `"name": "dry"`, `"spec": {"corners": 5}`)},
			{"PATCH", shapes + "/dry?dryRun=All", merge, `{"spec": {"corners": null, "name": "a"}}`},
			{"PATCH", strings.Replace(shapes, "v1", "v1beta1", 1) + "/dry?dryRun=All", merge, `{"spec": {"old": "x", "name": "a"}}`},
			{"GET", shapes + "/dry", "", ""},
		},
		"an update of fields that the storage version does not have": {
			{"POST", strings.Replace(shapes, "v1", "v1beta1", 1), "", shape("v1beta1", `"name": "old"`, `"spec": {"old": "x"}`)},
			{"PATCH", strings.Replace(shapes, "v1", "v1beta1", 1) + "/old", merge, `{"spec": {"old": "y"}}`},
			{"PATCH", strings.Replace(shapes, "v1", "v1beta1", 1) + "/old", merge, `{}`},
			{"GET", shapes + "/old", "", ""},
			{"DELETE", shapes + "/old", "", ""},
		},
		"finalizers in another version": {
			{"POST", strings.Replace(shapes, "v1", "v1beta1", 1), "", shape("v1beta1", `"name": "final", "finalizers": ["example.com/f", "plain"]`, `"spec": {"old": "x"}, "status": {"other": 1}`)},
			{"DELETE", strings.Replace(shapes, "v1", "v1beta1", 1) + "/final", "", ""},
			{"GET", shapes + "/final", "", ""},
			{"PATCH", strings.Replace(shapes, "v1", "v1beta1", 1) + "/final", json, `[{"op": "remove", "path": "/metadata/finalizers"}]`},
			{"GET", shapes + "/final", "", ""},
		},
		"a scale": {
			{"POST", shapes, "", shape("v1", `"name": "scale"`, `"spec": {"replicas": 2147483648}`)},
			{"POST", shapes, "", shape("v1", `"name": "scale"`, "")},
			{"GET", shapes + "/scale/scale", "", ""},
			{"PUT", shapes + "/scale/scale", "", `{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "scale"}, "spec": {"replicas": 3}}`},
			{"PUT", shapes + "/scale/scale", "", `{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "scale"}, "spec": {"replicas": -3}}`},
			{"PATCH", shapes + "/scale/status", merge, `{"status": {"replicas": -1, "selector": "a=b"}}`},
			{"PATCH", shapes + "/scale/status", merge, `{"status": {"replicas": 3, "selector": "a=b"}}`},
			{"GET", shapes + "/scale/scale", "", ""},
			{"PATCH", shapes + "/scale/scale?fieldManager=s", apply, `{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "scale"}, "spec": {"replicas": 4}}`},
			{"GET", shapes + "/scale", "", ""},
		},
		"applied lists": {
			{"PATCH", parts + "/applied?fieldManager=a", apply, part(`"name": "applied"`, `{"title": "a", "ports": [{"name": "x", "number": 1}, {"name": "y"}], "tags": ["a", "b"], "steps": [{"run": "a"}], "selector": {"a": "b"}}`)},
			{"PATCH", parts + "/applied?fieldManager=b", apply, part(`"name": "applied"`, `{"title": "a", "ports": [{"name": "x", "protocol": "UDP"}, {"name": "z"}], "tags": ["b", "c"]}`)},
			{"PATCH", parts + "/applied?fieldManager=b", apply, part(`"name": "applied"`, `{"title": "b", "ports": [{"name": "x", "number": 2}], "steps": [{"run": "b"}], "selector": {"c": "d"}}`)},
			{"PATCH", parts + "/applied?fieldManager=b&force=true", apply, part(`"name": "applied"`, `{"title": "b", "ports": [{"name": "x", "number": 2}], "steps": [{"run": "b"}], "selector": {"c": "d"}}`)},
			{"PATCH", parts + "/applied?fieldManager=a", apply, part(`"name": "applied"`, `{"title": "b", "tags": ["a", "a"]}`)},
			{"PATCH", parts + "/applied?fieldManager=a", apply, part(`"name": "applied"`, `{"title": "b", "nothing": 1}`)},
			{"PATCH", parts + "/applied?fieldManager=a", apply, part(`"name": "applied"`, `{"title": "b", "ports": [{"number": 1}]}`)},
			{"PATCH", parts + "/applied?fieldManager=a", apply, part(`"name": "applied"`, `{"title": "b", "child": {"apiVersion": "v1", "kind": "X", "metadata": {"name": "a", "finalizers": ["b"]}}}`)},
			{"PATCH", parts + "/applied?fieldManager=a", apply, part(`"name": "applied"`, `{"title": "b"}`)},
		},
		"patches that a custom resource does not have": {
			{"POST", parts, "", part(`"name": "patched"`, `{"title": "a", "ports": [{"name": "x"}]}`)},
			{"PATCH", parts + "/patched", "application/strategic-merge-patch+json", `{"spec": {"title": "b"}}`},
			{"PATCH", parts + "/patched", json, `[{"op": "test", "path": "/spec/title", "value": "b"}]`},
			{"PATCH", parts + "/patched?fieldValidation=Strict", merge, `{"spec": {"title": "b", "nothing": 1}}`},
			{"PATCH", parts + "/patched", merge, `{"spec": {"title": "b", "nothing": 1, "ports": [{"name": "x", "number": 500}]}}`},
		},
		"another kind": {
			{"POST", parts, "", body("v1", "Other", `"name": "other"`, `"nothing": 1, "spec": {"size": 500, "min": 2, "max": 1, "tags": ["a", "a"]}`)},
			{"POST", parts, "", body("v1", "Other", `"name": "Not a name"`, "")},
			{"POST", parts, "", part(`"name": "other"`, `{"title": "a"}`)},
			{"PUT", parts + "/other", "", body("v1", "Other", `"name": "other", "resourceVersion": "VERSION"`, `"spec": {"size": 500, "tags": ["a", "a"]}`)},
			{"PUT", parts + "/other/status", "", body("v1", "Other", `"name": "other", "resourceVersion": "VERSION"`, `"status": {"count": "x"}`)},
			{"PATCH", parts + "/other", merge, `{"kind": "Other", "spec": {"nothing": 1}}`},
			{"PATCH", parts + "/other", merge, `{"apiVersion": "v1", "spec": {"nothing": 1}}`},
			{"PATCH", parts + "/other?fieldManager=a", apply, body("v1", "Other", `"name": "other"`, `"spec": {"title": "b"}`)},
		},
		"a version that is not served": {
			{"GET", strings.Replace(shapes, "v1", "v1alpha1", 1), "", ""},
			{"POST", shapes, "", shape("v1alpha1", `"name": "a"`, "")},
			{"POST", shapes, "", shape("v1beta1", `"name": "a"`, "")},
		},
	} {
		t.Run(name, func(t *testing.T) { both.play(t, requests...) })
	}
}
