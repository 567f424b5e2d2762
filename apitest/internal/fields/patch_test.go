package fields

import (
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// outcome describes the result of a patch.
func outcome(patched string, strict []error, err error) string {
	if err != nil {
		if status, ok := err.(apierrors.APIStatus); ok {
			return fmt.Sprint(status.Status().Code, " ", status.Status().Message)
		}
		return "500 " + err.Error()
	}
	for _, s := range strict {
		patched += "; " + s.Error()
	}
	return patched
}

func TestJSONPatch(t *testing.T) {
	const doc = `{"a":{"b":1,"l":["x"]}}`
	const rejected = "422 the server rejected our request due to an error in our request"
	for _, test := range []struct {
		patch  string
		ignore bool
		want   string
	}{
		{patch: `[]`, want: doc},
		{patch: `[{"op": "replace", "path": "/a/b", "value": 2}]`, want: `{"a":{"b":2,"l":["x"]}}`},
		{patch: `[{"op": "add", "path": "/a/l/-", "value": "y"}, {"op": "remove", "path": "/a/b"}]`, want: `{"a":{"l":["x","y"]}}`},
		{patch: `[{"op": "add", "path": "/c", "value": 1, "unknown": 2}]`, want: `{"a":{"b":1,"l":["x"]},"c":1}; json patch unknown field "[0].unknown"`},
		{patch: `[{"op": "add", "path": "/c", "value": 1, "unknown": 2}]`, ignore: true, want: `{"a":{"b":1,"l":["x"]},"c":1}`},
		{patch: `[{"op": "test", "path": "/a/b", "value": 2}]`, want: rejected},
		{patch: `[{"op": "remove", "path": "/x/y"}]`, want: rejected},
		{patch: `[{"op": "frobnicate", "path": "/a"}]`, want: rejected},
		{patch: `{"a": 1}`, want: "400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"},
		{patch: `{"a": 1}`, ignore: true, want: "400 json: cannot unmarshal object into Go value of type jsonpatch.Patch"},
		{patch: "[" + strings.Repeat(`{"op":"test","path":"/a/b","value":1},`, maxOperations) + `{"op":"test","path":"/a/b","value":1}]`,
			want: "413 Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"},
	} {
		patched, strict, err := JSONPatch([]byte(doc), []byte(test.patch), !test.ignore)
		if got := outcome(string(patched), strict, err); got != test.want {
			t.Errorf("%.80s\ngot  %s\nwant %s", test.patch, got, test.want)
		}
	}
}

func TestMergePatch(t *testing.T) {
	const doc = `{"a":{"b":1,"l":["x"]}}`
	for _, test := range []struct {
		patch  string
		ignore bool
		want   string
	}{
		{patch: `{}`, want: doc},
		{patch: `{"a": {"b": null, "l": ["y"]}, "c": {"d": null}}`, want: `{"a":{"l":["y"]},"c":{}}`},
		{patch: `{"a": {"b": 2, "b": 3}}`, want: `{"a":{"b":3,"l":["x"]}}; duplicate field "a.b"`},
		{patch: `{"a": {"b": 2, "b": 3}}`, ignore: true, want: `{"a":{"b":3,"l":["x"]}}`},
		{patch: `[]`, want: "400 error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{patch: `null`, want: "400 Invalid JSON Patch"},
	} {
		patched, strict, err := MergePatch([]byte(doc), []byte(test.patch), !test.ignore)
		if got := outcome(string(patched), strict, err); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.patch, got, test.want)
		}
	}
}

func TestStrategicPatch(t *testing.T) {
	const live = `{"kind": "Widget", "spec": {"zones": ["a"], "args": ["a"], "ports": [{"name": "x", "number": 1}, {"name": "y"}]}}`
	for _, test := range []struct{ patch, want string }{
		{`{"spec": {"ports": [{"name": "x", "number": 2}], "zones": ["b"], "args": ["b"]}}`,
			`{"kind":"Widget","spec":{"args":["b"],"ports":[{"name":"x","number":2},{"name":"y"}],"zones":["b","a"]}}`},
		{`{"spec": {"ports": [{"name": "x", "$patch": "delete"}], "args": null}}`,
			`{"kind":"Widget","spec":{"ports":[{"name":"y"}],"zones":["a"]}}`},
		{`{"spec": {"$patch": "replace", "color": "red"}}`, `{"kind":"Widget","spec":{"color":"red"}}`},
		{`{"spec": {"color": "red", "color": "blue", "zones": null, "args": null, "ports": null}}`,
			`{"kind":"Widget","spec":{"color":"blue"}}; duplicate field "spec.color"`},
		{`[]`, "400 json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{`{"spec": {"ports": [{"number": 2}]}}`, "500 map: map[number:2] does not contain declared merge key: name"},
		{`{"spec": {"$patch": "steal"}}`, "500 unknown patch type: steal in map: map[$patch:steal]"},
	} {
		obj := object(t, live)
		var result string
		patch, err := ParseStrategicPatch([]byte(test.patch))
		if err == nil {
			var patched map[string]any
			if patched, err = patch.Apply(obj, &Widget{}); err == nil {
				result = encode(t, patched)
			}
		}
		var strict []error
		if patch != nil {
			strict = patch.Duplicates
		}
		if got := outcome(result, strict, err); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.patch, got, test.want)
		}
		if encode(t, obj) != encode(t, object(t, live)) {
			t.Errorf("%s changed its argument", test.patch)
		}
	}
}

func TestConfiguration(t *testing.T) {
	for _, test := range []struct {
		body     string
		want     string
		warnings string
		strict   string
	}{
		{body: `{"a": 1, "b": "x"}`, want: `{"a":1,"b":"x"}`},
		{body: "a: 1\nb: x", want: `{"a":1,"b":"x"}`},
		{body: "a: y", want: `{"a":true}`},
		{body: `{"a": 1.0, "b": 1e3, "c": 0.5}`, want: `{"a":1,"b":1000,"c":0.5}`},
		{body: ``, want: `null`},
		{body: `null`, want: `null`},
		{body: `{"a": 1, "a": 2}`, want: `{"a":2}`, warnings: `line 1: key "a" already set in map`,
			strict: "400 error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 1: key \"a\" already set in map"},
		{body: `[]`, want: "400 error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{body: "a: 1\n b: 2", want: "400 error encoding patch: yaml: line 2: mapping values are not allowed in this context"},
	} {
		c, err := ParseConfiguration([]byte(test.body))
		var fields map[string]any
		if err == nil {
			fields, err = c.Fields()
		}
		if got := outcome(encode(t, fields), nil, err); got != test.want {
			t.Errorf("%q\ngot  %s\nwant %s", test.body, got, test.want)
		}
		if err != nil {
			continue
		}
		warnings, err := c.Duplicates()
		if got := strings.Join(warnings, "; "); got != test.warnings {
			t.Errorf("%q: warnings %q, want %q", test.body, got, test.warnings)
		}
		if got := outcome("", nil, err); got != test.strict {
			t.Errorf("%q: strict %q, want %q", test.body, got, test.strict)
		}
	}
}
