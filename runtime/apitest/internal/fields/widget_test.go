package fields

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

// Widget is a type with all that a schema may have.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              widgetSpec   `json:"spec,omitempty"`
	Status            widgetStatus `json:"status,omitempty"`
}

func (w *Widget) DeepCopyObject() runtime.Object { return w }

type widgetSpec struct {
	widgetCommon `json:",inline"`
	Color        string                `json:"color,omitempty"`
	Replicas     *int32                `json:"replicas,omitempty"`
	Paused       bool                  `json:"paused,omitempty"`
	Names        map[string]string     `json:"names,omitempty"`
	Args         []string              `json:"args,omitempty"`
	Zones        []string              `json:"zones,omitempty" patchStrategy:"merge"`
	Ports        []widgetPort          `json:"ports,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
	Parts        []widgetPort          `json:"parts,omitempty"`
	Next         *widgetSpec           `json:"next,omitempty"`
	Limits       map[string]widgetPort `json:"limits,omitempty"`
	Config       runtime.RawExtension  `json:"config,omitempty"`
	Selector     *metav1.LabelSelector `json:"selector,omitempty"`
	Target       intstr.IntOrString    `json:"target,omitempty"`
}

type widgetCommon struct {
	Size   resource.Quantity `json:"size,omitempty"`
	Secret []byte            `json:"secret,omitempty"`
	Count  uint64            `json:"count,string,omitempty"`
	Color  int               `json:"color"`
	hidden string            //lint:ignore U1000 fields that JSON does not have are not in schemas
	Hidden string            `json:"-"`
}

type widgetPort struct {
	Name   string             `json:"name"`
	Number int32              `json:"number,omitempty"`
	Labels map[string]string  `json:"labels,omitempty"`
	Since  *metav1.Time       `json:"since,omitempty"`
	Ready  []metav1.Condition `json:"ready,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

type widgetStatus struct {
	Ready      int32              `json:"ready,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

// object decodes JSON as the API server does.
func object(t testing.TB, text string) map[string]any {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), u); err != nil {
		t.Fatal(err)
	}
	return u.Object
}

// generator makes random widgets.
type generator struct{ *rand.Rand }

func (g generator) widget() map[string]any {
	meta := map[string]any{"name": "w", "namespace": "default"}
	g.maybe(meta, "generation", g.number)
	g.maybe(meta, "generateName", func() any { return g.word() })
	g.maybe(meta, "labels", g.names)
	g.maybe(meta, "annotations", g.names)
	g.maybe(meta, "finalizers", g.set)
	g.maybe(meta, "ownerReferences", func() any {
		var refs []any
		for i := range g.IntN(3) {
			refs = append(refs, map[string]any{"apiVersion": "v1", "kind": "Pod", "name": g.word(), "uid": fmt.Sprint(i)})
		}
		return refs
	})
	obj := map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": meta}
	g.maybe(obj, "spec", func() any { return g.spec(2) })
	g.maybe(obj, "status", func() any {
		status := map[string]any{}
		g.maybe(status, "ready", g.number)
		g.maybe(status, "conditions", g.conditions)
		return status
	})
	g.maybe(obj, "other", func() any { return g.value(2) })
	return obj
}

func (g generator) spec(depth int) any {
	spec := map[string]any{}
	g.maybe(spec, "color", func() any { return g.word() })
	g.maybe(spec, "replicas", g.number)
	g.maybe(spec, "paused", func() any { return g.IntN(2) == 0 })
	g.maybe(spec, "names", g.names)
	g.maybe(spec, "args", g.set)
	g.maybe(spec, "zones", g.set)
	g.maybe(spec, "ports", g.ports)
	g.maybe(spec, "parts", g.ports)
	g.maybe(spec, "limits", func() any { return map[string]any{g.word(): g.port()} })
	g.maybe(spec, "config", func() any { return g.value(2) })
	g.maybe(spec, "selector", func() any { return map[string]any{"matchLabels": g.names()} })
	g.maybe(spec, "target", func() any { return []any{g.number(), g.word()}[g.IntN(2)] })
	g.maybe(spec, "size", func() any { return "1Gi" })
	g.maybe(spec, "unknown", func() any { return g.value(2) })
	if depth > 0 {
		g.maybe(spec, "next", func() any { return g.spec(depth - 1) })
	}
	return spec
}

// maybe sets a field in half of the cases, and rarely to null.
func (g generator) maybe(obj map[string]any, key string, value func() any) {
	switch n := g.IntN(40); {
	case n < 20:
		obj[key] = value()
	case n == 20 && key != "spec":
		obj[key] = nil
	}
}

func (g generator) word() string {
	words := []string{"red", "green", "blue", `say "x"`, "<é>"}
	return words[g.IntN(len(words))]
}

func (g generator) number() any {
	if g.IntN(4) == 0 {
		return float64(g.IntN(3))
	}
	return int64(g.IntN(3))
}

func (g generator) names() any {
	names := map[string]any{}
	for range g.IntN(4) {
		names[g.word()] = g.word()
	}
	return names
}

// set rarely has duplicates. The API server stores them, but does not apply them.
func (g generator) set() any {
	list := []any{}
	for range g.IntN(4) {
		if w := g.word(); !slices.Contains(list, any(w)) || g.IntN(10) == 0 {
			list = append(list, w)
		}
	}
	return list
}

func (g generator) port() any {
	port := map[string]any{}
	if g.IntN(8) > 0 {
		port["name"] = g.word()
	}
	g.maybe(port, "number", g.number)
	g.maybe(port, "labels", g.names)
	g.maybe(port, "since", func() any { return "2026-01-02T03:04:05Z" })
	g.maybe(port, "ready", g.conditions)
	return port
}

func (g generator) ports() any {
	return g.keyed("name", func() any { return g.port() })
}

// keyed makes a list with elements of different keys, except for rare duplicates.
func (g generator) keyed(key string, element func() any) any {
	list := []any{}
	seen := map[any]bool{}
	for range g.IntN(4) {
		e := element()
		if k := e.(map[string]any)[key]; !seen[k] || g.IntN(10) == 0 {
			seen[k] = true
			list = append(list, e)
		}
	}
	return list
}

func (g generator) conditions() any {
	return g.keyed("type", func() any {
		return map[string]any{"type": g.word(), "status": []any{"True", "False"}[g.IntN(2)]}
	})
}

// value makes a value of any type.
func (g generator) value(depth int) any {
	n := g.IntN(7)
	if depth == 0 {
		n = g.IntN(5)
	}
	switch n {
	case 0:
		return nil
	case 1:
		return g.word()
	case 2:
		return g.number()
	case 3:
		return float64(g.IntN(3)) + 0.5*float64(g.IntN(2))
	case 4:
		return g.IntN(2) == 0
	case 5:
		m := map[string]any{}
		for range g.IntN(3) {
			m[g.word()] = g.value(depth - 1)
		}
		return m
	}
	list := []any{}
	for range g.IntN(3) {
		list = append(list, g.value(depth-1))
	}
	return list
}
