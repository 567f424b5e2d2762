package fields

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// managers describes the managedFields of an object without their times, one entry a line.
func managers(t testing.TB, obj map[string]any) string {
	t.Helper()
	return describe(t, obj, func(e metav1.ManagedFieldsEntry) string {
		return e.Manager + " " + string(e.Operation) + " " + e.Subresource
	})
}

// times describes the managedFields of an object, one entry a line.
func times(t testing.TB, obj map[string]any) string {
	t.Helper()
	return describe(t, obj, func(e metav1.ManagedFieldsEntry) string {
		return e.Manager + " " + string(e.Operation) + " " + timestamp(e.Time.Time)
	})
}

func describe(t testing.TB, obj map[string]any, name func(metav1.ManagedFieldsEntry) string) string {
	t.Helper()
	if !Canonical(stored(obj)) {
		t.Fatalf("there is a malformed entry in %v", stored(obj))
	}
	var lines []string
	for _, entry := range (&unstructured.Unstructured{Object: obj}).GetManagedFields() {
		fields, err := json.Marshal(entry.FieldsV1)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(name(entry))+" "+string(fields))
	}
	return strings.Join(lines, "\n")
}

func manager(t testing.TB, config Config) *Manager {
	t.Helper()
	m, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// seconds returns a time on the first day of 1970.
func seconds(n int64) time.Time { return time.Unix(n, 0) }

// Each case creates an object as manager one, and updates it as manager two.
func TestUpdate(t *testing.T) {
	for _, test := range []struct {
		name, before, after, want string
	}{
		{
			"a value changes", `{"spec": {"color": "red", "replicas": 1}}`, `{"spec": {"color": "blue", "replicas": 1}}`,
			`one Update {"f:spec":{".":{},"f:replicas":{}}}
two Update {"f:spec":{"f:color":{}}}`,
		}, {
			"nothing changes", `{"spec": {"color": "red"}}`, `{"spec": {"color": "red"}}`,
			`one Update {"f:spec":{".":{},"f:color":{}}}`,
		}, {
			"all fields are removed", `{"spec": {"color": "red"}}`, `{}`, ``,
		}, {
			"a map becomes empty", `{"spec": {"names": {"a": "b"}}}`, `{"spec": {"names": {}}}`,
			`one Update {"f:spec":{".":{},"f:names":{}}}`,
		}, {
			"a map is no longer empty", `{"spec": {"names": {}}}`, `{"spec": {"names": {"a": "b"}}}`,
			`one Update {"f:spec":{".":{},"f:names":{}}}
two Update {"f:spec":{"f:names":{"f:a":{}}}}`,
		}, {
			"an atomic list changes", `{"spec": {"args": ["a", "b"]}}`, `{"spec": {"args": ["a"]}}`,
			`one Update {"f:spec":{}}
two Update {"f:spec":{"f:args":{}}}`,
		}, {
			"a set changes", `{"spec": {"zones": ["a", "b"]}}`, `{"spec": {"zones": ["b", "c"]}}`,
			`one Update {"f:spec":{".":{},"f:zones":{".":{},"v:\"b\"":{}}}}
two Update {"f:spec":{"f:zones":{"v:\"c\"":{}}}}`,
		}, {
			"an element of a list changes", `{"spec": {"ports": [{"name": "a", "number": 1}, {"name": "b"}]}}`, `{"spec": {"ports": [{"name": "b"}, {"name": "a", "number": 2}]}}`,
			`one Update {"f:spec":{".":{},"f:ports":{".":{},"k:{\"name\":\"a\"}":{".":{},"f:name":{}},"k:{\"name\":\"b\"}":{".":{},"f:name":{}}}}}
two Update {"f:spec":{"f:ports":{"k:{\"name\":\"a\"}":{"f:number":{}}}}}`,
		}, {
			"an element without a key has the default", `{"spec": {"ports": [{"number": 1}]}}`, `{"spec": {"ports": [{"number": 2}]}}`,
			`one Update {"f:spec":{".":{},"f:ports":{".":{},"k:{\"name\":\"\"}":{}}}}
two Update {"f:spec":{"f:ports":{"k:{\"name\":\"\"}":{"f:number":{}}}}}`,
		}, {
			"an element becomes two", `{"spec": {"ports": [{"name": "a", "number": 1}]}}`, `{"spec": {"ports": [{"name": "a", "number": 1}, {"name": "a"}]}}`,
			`one Update {"f:spec":{".":{},"f:ports":{}}}
two Update {"f:spec":{"f:ports":{"k:{\"name\":\"a\"}":{}}}}`,
		}, {
			"two elements become one", `{"spec": {"ports": [{"name": "a", "number": 1}, {"name": "a"}]}}`, `{"spec": {"ports": [{"name": "a", "number": 1}]}}`,
			`one Update {"f:spec":{".":{},"f:ports":{}}}
two Update {"f:spec":{"f:ports":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:number":{}}}}}`,
		}, {
			"one of two elements changes", `{"spec": {"ports": [{"name": "a", "number": 1}, {"name": "a"}]}}`, `{"spec": {"ports": [{"name": "a", "number": 2}, {"name": "a"}]}}`,
			`one Update {"f:spec":{".":{},"f:ports":{}}}
two Update {"f:spec":{"f:ports":{"k:{\"name\":\"a\"}":{}}}}`,
		}, {
			"a value of another type", `{"other": {"a": 1}}`, `{"other": "a"}`,
			`two Update {"f:other":{}}`,
		}, {
			"a value becomes null", `{"spec": {"color": "red"}}`, `{"spec": {"color": null}}`,
			`one Update {"f:spec":{}}
two Update {"f:spec":{"f:color":{}}}`,
		}, {
			"the status is left", `{"spec": {"color": "red"}}`, `{"spec": {"color": "red"}, "status": {"ready": 1}}`,
			`one Update {"f:spec":{".":{},"f:color":{}}}`,
		}, {
			"metadata", `{"metadata": {"labels": {"a": "b"}, "finalizers": ["x"]}}`, `{"metadata": {"labels": {"a": "c"}, "ownerReferences": [{"uid": "u", "name": "n", "kind": "k", "apiVersion": "v"}]}}`,
			`one Update {"f:metadata":{"f:labels":{}}}
two Update {"f:metadata":{"f:labels":{"f:a":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"u\"}":{}}}}`,
		}, {
			"values that the server sets", `{"metadata": {"generation": 1, "resourceVersion": "1"}, "spec": {"color": "red"}}`, `{"metadata": {"generation": 2, "creationTimestamp": "2026-01-02T03:04:05Z"}, "spec": {"color": "red"}}`,
			`one Update {"f:spec":{".":{},"f:color":{}}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := manager(t, Config{GVK: widgetKind, Type: &Widget{}, HasStatus: true})
			live := updateBy(t, m, nil, widgetWith(t, test.before), "one", 1)
			if got := managers(t, updateBy(t, m, live, widgetWith(t, test.after), "two", 2)); got != test.want {
				t.Errorf("managedFields\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// updateBy returns obj after an update, which changes neither of its arguments.
func updateBy(t testing.TB, m *Manager, live, obj map[string]any, manager string, at int64) map[string]any {
	t.Helper()
	before, requested := runtime.DeepCopyJSON(live), runtime.DeepCopyJSON(obj)
	got, err := m.Update(live, obj, manager, seconds(at))
	if err != nil || !reflect.DeepEqual(live, before) || !reflect.DeepEqual(obj, requested) {
		t.Fatalf("an update of %v to %v: %v", live, obj, err)
	}
	return got
}

// widgetWith returns a Widget with some fields.
func widgetWith(t testing.TB, text string) map[string]any {
	t.Helper()
	obj := object(t, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "uid": "u"}}`)
	var fields map[string]any
	if err := utiljson.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatal(err)
	}
	for key, v := range fields {
		if key == "metadata" {
			maps.Copy(obj["metadata"].(map[string]any), v.(map[string]any))
			continue
		}
		obj[key] = v
	}
	return obj
}

// The managers of a request replace those of the object, unless they are malformed.
func TestManagersOfRequest(t *testing.T) {
	m := manager(t, Config{GVK: widgetKind})
	live, err := m.Update(nil, object(t, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"a": 1, "b": 1}}`), "one", seconds(1))
	if err != nil {
		t.Fatal(err)
	}
	live["metadata"].(map[string]any)["uid"] = "u"
	for _, test := range []struct{ name, fields, want string }{
		{"none", `null`, `one Update {"f:spec":{".":{},"f:b":{}}}
two Update {"f:spec":{"f:a":{}}}`},
		{"a reset", `[{}]`, ``},
		{"an empty list", `[]`, ``},
		{"a malformed entry", `[{"manager": "x", "operation": "Steal"}]`, `one Update {"f:spec":{".":{},"f:b":{}}}
two Update {"f:spec":{"f:a":{}}}`},
		{"an entry of another manager", `[{"manager": "x", "operation": "Apply", "apiVersion": "example.com/v1", "time": "1970-01-01T00:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:b": {}}}}]`,
			`x Apply {"f:spec":{"f:b":{}}}
two Update {"f:spec":{"f:a":{}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			obj := runtime.DeepCopyJSON(live)
			obj["spec"].(map[string]any)["a"] = int64(2)
			var list any
			if err := json.Unmarshal([]byte(test.fields), &list); err != nil {
				t.Fatal(err)
			}
			obj["metadata"].(map[string]any)["managedFields"] = list
			got, err := m.Update(live, obj, "two", seconds(2))
			if err != nil {
				t.Fatal(err)
			}
			if got := managers(t, got); got != test.want {
				t.Errorf("managedFields\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// The oldest of more than ten managers that update become one.
func TestManyManagers(t *testing.T) {
	m := manager(t, Config{GVK: widgetKind})
	var live map[string]any
	for i := range 13 {
		next := map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w", "uid": "u"}, "spec": map[string]any{}}
		if live != nil {
			next = runtime.DeepCopyJSON(live)
		}
		next["spec"].(map[string]any)[fmt.Sprint(i)] = int64(i)
		live = updateBy(t, m, live, next, fmt.Sprint("manager-", i), int64(i))
	}
	if got := managers(t, live); len(stored(live)) != 10 || !strings.HasPrefix(got, "ancient-changes Update") {
		t.Errorf("managedFields\n%s", got)
	}
}

// Times are those of the caller's clock, also where a FieldManager sets them by another.
func TestTimes(t *testing.T) {
	m := manager(t, Config{GVK: widgetKind, Others: []Config{{GVK: widgetKind.GroupKind().WithVersion("v1beta1")}}})
	old := manager(t, Config{GVK: widgetKind.GroupKind().WithVersion("v1beta1"), Others: []Config{{GVK: widgetKind}}})
	write := func(m *Manager, live map[string]any, spec, name string, second int64) map[string]any {
		obj := object(t, `{"apiVersion": "`+m.gvk.GroupVersion().String()+`", "kind": "Widget", "metadata": {"name": "w", "uid": "u"}, "spec": `+spec+`}`)
		out, err := m.Update(live, obj, name, seconds(second))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	live := write(m, nil, `{"a": 1, "b": 1}`, "one", 10)
	live["apiVersion"] = old.gvk.GroupVersion().String()
	live = write(old, live, `{"a": 2, "b": 1}`, "two", 20)
	live["apiVersion"] = m.gvk.GroupVersion().String()
	live, err := m.Apply(live, object(t, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"c": 1}}`), "three", false, seconds(30))
	if err != nil {
		t.Fatal(err)
	}
	want := `three Apply 1970-01-01T00:00:30Z {"f:spec":{"f:c":{}}}
one Update 1970-01-01T00:00:10Z {"f:spec":{".":{},"f:b":{}}}
two Update 1970-01-01T00:00:20Z {"f:spec":{"f:a":{}}}`
	if got := times(t, live); got != want {
		t.Errorf("managedFields\n%s\nwant\n%s", got, want)
	}
}

func TestApplyConflicts(t *testing.T) {
	m := manager(t, Config{GVK: widgetKind})
	live, err := m.Update(nil, object(t, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "uid": "u", "labels": {"l": "x"}}, "spec": {"b": 1}}`), "two", seconds(1))
	if err != nil {
		t.Fatal(err)
	}
	if live, err = m.Apply(live, object(t, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"a": 1}}`), "one", false, seconds(2)); err != nil {
		t.Fatal(err)
	}
	config := object(t, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "labels": {"l": "y"}}, "spec": {"a": 2, "b": 2}}`)
	for range 10 { // the order is not that of a map
		_, err = m.Apply(live, config, "three", false, seconds(3))
		status, ok := err.(*apierrors.StatusError)
		if !ok || !apierrors.IsConflict(err) {
			t.Fatalf("error %v, want a conflict", err)
		}
		var got []string
		for _, cause := range status.ErrStatus.Details.Causes {
			got = append(got, cause.Field+" "+cause.Message)
		}
		want := `.spec.a conflict with "one", .metadata.labels.l conflict with "two" using example.com/v1, .spec.b conflict with "two" using example.com/v1`
		if got := strings.Join(got, ", "); got != want {
			t.Fatalf("causes %s\nwant %s", got, want)
		}
	}
	if _, err := m.Apply(live, config, "three", true, seconds(3)); err != nil {
		t.Errorf("with force: %v", err)
	}
}

// The errors of a configuration that does not fit the schema come in one order.
func TestApplyErrors(t *testing.T) {
	m := manager(t, Config{GVK: widgetKind, Type: &Widget{}})
	config := widgetWith(t, `{"spec": {"color": 1, "paused": 2, "replicas": "x", "zones": ["a", "a"]}}`)
	_, first := m.Apply(nil, config, "one", false, seconds(1))
	if first == nil || !strings.Contains(first.Error(), ".spec.zones: duplicate entries for key") {
		t.Fatalf("error %v, want one that names the fields", first)
	}
	for range 10 {
		if _, err := m.Apply(nil, config, "one", false, seconds(1)); err == nil || err.Error() != first.Error() {
			t.Fatalf("error %v, want %v", err, first)
		}
	}
}

// An object without managers gets one for what it has when it is first applied to.
func TestFirstApply(t *testing.T) {
	m := manager(t, Config{GVK: widgetKind})
	live := object(t, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "uid": "u"}, "spec": {"a": 1}}`)
	got, err := m.Apply(live, object(t, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"b": 1}}`), "one", false, seconds(3))
	if err != nil {
		t.Fatal(err)
	}
	want := `one Apply 1970-01-01T00:00:03Z {"f:spec":{"f:b":{}}}
before-first-apply Update 1970-01-01T00:00:03Z {"f:spec":{".":{},"f:a":{}}}`
	if got := times(t, got); got != want {
		t.Errorf("managedFields\n%s\nwant\n%s", got, want)
	}
}

func TestKeepTimes(t *testing.T) {
	const before = `{"kind": "W", "metadata": {"name": "w", "managedFields": [{"manager": "m", "time": "1970-01-01T00:00:01Z"}]}, "spec": {"a": 1}}`
	for _, test := range []struct {
		name, after string
		keeps       bool
	}{
		{"other time", strings.Replace(before, ":01Z", ":02Z", 1), true},
		{"no time", strings.Replace(before, `, "time": "1970-01-01T00:00:01Z"`, "", 1), true},
		{"other manager", strings.Replace(before, `"m"`, `"n"`, 1), false},
		{"other spec", strings.Replace(strings.Replace(before, ":01Z", ":02Z", 1), `"a": 1`, `"a": 2`, 1), false},
		{"no spec", strings.Replace(strings.Replace(before, ":01Z", ":02Z", 1), `, "spec": {"a": 1}`, "", 1), false},
		{"a label", strings.Replace(strings.Replace(before, ":01Z", ":02Z", 1), `"name": "w"`, `"name": "w", "labels": {"a": "b"}`, 1), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			live, obj := object(t, before), object(t, test.after)
			text := encode(t, obj)
			got := encode(t, KeepTimes(live, obj))
			if encode(t, obj) != text {
				t.Error("the argument changed")
			}
			if kept := got == encode(t, live); kept != test.keeps {
				t.Errorf("KeepTimes returned %s", got)
			}
		})
	}
}

func encode(t testing.TB, obj map[string]any) string {
	t.Helper()
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
