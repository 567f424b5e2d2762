package fields

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// copying is a converter that copies objects, as the converter of an API server does.
type copying struct{ converter }

func (c copying) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	return c.converter.ConvertToVersion(in.DeepCopyObject(), target)
}

// plain returns apimachinery's FieldManager for a kind, as an API server makes it.
func plain(t testing.TB, config Config) *managedfields.FieldManager {
	t.Helper()
	c := copying{converter{types: map[schema.GroupVersionKind]managedfields.TypeConverter{config.GVK: typeConverterOf(config)}}}
	versions := []fieldpath.APIVersion{fieldpath.APIVersion(config.GVK.GroupVersion().String())}
	for _, other := range config.Others {
		c.converter.types[other.GVK] = typeConverterOf(other)
		versions = append(versions, fieldpath.APIVersion(other.GVK.GroupVersion().String()))
	}
	reset := map[fieldpath.APIVersion]*fieldpath.Set{}
	switch config.Subresource {
	case "":
		reset[versions[0]] = fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
	case "status":
		for _, v := range versions {
			reset[v] = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
		}
	}
	m, err := managedfields.NewDefaultCRDFieldManager(c, c, c, c, config.GVK, config.GVK.GroupVersion(),
		config.Subresource, fieldpath.NewExcludeFilterSetMap(reset))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A Manager must give what a FieldManager gives, for any objects and any sequence of writes. The
// times are equal because the clock of a bubble stands still.
func TestManagerEqualsFieldManager(t *testing.T) {
	old := widgetKind.GroupKind().WithVersion("v1beta1")
	untyped := Config{GVK: widgetKind, HasStatus: true}
	oldUntyped := Config{GVK: old, HasStatus: true}
	goType := Config{GVK: widgetKind, Type: &Widget{}, HasStatus: true}
	converted := Config{GVK: widgetKind, Converter: strict(t), HasStatus: true}
	oldGoType := Config{GVK: old, Type: &Widget{}, HasStatus: true}
	for name, endpoints := range map[string][]Config{
		"type":            {goType, goType, of(goType, "status")},
		"no type":         {untyped, untyped, of(untyped, "status")},
		"converter":       {converted, converted, of(converted, "status")},
		"two versions":    {of(goType, "", oldGoType), of(oldGoType, "", goType), of(goType, "status", oldGoType)},
		"unknown version": {untyped, oldUntyped, of(oldUntyped, "status")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var pairs []*pair
				for _, config := range endpoints {
					m, err := New(config)
					if err != nil {
						t.Fatal(err)
					}
					pairs = append(pairs, &pair{t: t, manager: m, full: plain(t, config)})
				}
				const rounds = 60
				for seed := range uint64(rounds) {
					history(t, pairs, generator{rand.New(rand.NewPCG(seed, 1))})
				}
				for _, p := range pairs {
					t.Logf("%s: %d updates, %d of them by the FieldManager; %d applied, %d refused",
						p.manager.gvk.Version+" "+p.manager.subresource, p.updates, p.slow, p.applied, p.refused)
					if p.updates < rounds || p.applied < rounds/4 || p.refused == 0 || len(endpoints[0].Others) == 0 && p.slow > p.updates/2 {
						t.Errorf("the random writes do not cover enough")
					}
				}
			})
		})
	}
}

// strict returns a converter with a schema that has no other fields than those it names, as those of
// CustomResourceDefinitions do.
func strict(t testing.TB) managedfields.TypeConverter {
	t.Helper()
	parser, err := typed.NewParser(`types:
- name: widget
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {namedType: any}}
    - {name: spec, type: {namedType: spec}}
    - {name: status, type: {namedType: any}}
    - {name: other, type: {namedType: any}}
- name: spec
  map:
    fields:
    - {name: color, type: {scalar: string}}
    - {name: replicas, type: {scalar: numeric}}
    - {name: paused, type: {scalar: boolean}}
    - {name: names, type: {namedType: names, elementRelationship: atomic}}
    - {name: args, type: {list: {elementType: {scalar: string}, elementRelationship: atomic}}}
    - {name: zones, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
    - {name: ports, type: {list: {elementType: {namedType: port}, elementRelationship: associative, keys: [name, number]}}}
    - {name: parts, type: {list: {elementType: {namedType: port}, elementRelationship: atomic}}}
    - {name: limits, type: {map: {elementType: {namedType: port}}}}
    - {name: config, type: {namedType: any}}
    - {name: selector, type: {namedType: any}}
    - {name: target, type: {scalar: untyped}}
    - {name: size, type: {scalar: string}}
    - {name: unknown, type: {namedType: any}}
    - {name: next, type: {namedType: spec}}
- name: names
  map: {elementType: {scalar: string}}
- name: port
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: number, type: {scalar: numeric}, default: 1}
    - {name: labels, type: {namedType: names}}
    - {name: since, type: {scalar: string}}
    - {name: ready, type: {list: {elementType: {namedType: any}, elementRelationship: associative, keys: [type]}}}
- name: any
  scalar: untyped
  list: {elementType: {namedType: any}, elementRelationship: atomic}
  map: {elementType: {namedType: any}, elementRelationship: separable}
`)
	if err != nil {
		t.Fatal(err)
	}
	return &typeConverter{parseable: parser.Type("widget")}
}

// of returns the configuration of another endpoint of a kind.
func of(config Config, subresource string, others ...Config) Config {
	config.Subresource, config.Others = subresource, others
	return config
}

// history writes one object several times. The last of the pairs writes the status.
func history(t *testing.T, pairs []*pair, g generator) {
	var live map[string]any
	for step := range 8 {
		p := pairs[g.IntN(len(pairs))]
		if live == nil {
			p = pairs[g.IntN(len(pairs)-1)]
		} else {
			time.Sleep(time.Duration(g.IntN(2)) * time.Second)
			live = maps.Clone(live)
			live["apiVersion"] = p.manager.apiVersion
		}
		name := fmt.Sprintf("manager-%d", g.IntN(3))
		if g.IntN(30) == 0 {
			name = fmt.Sprintf("manager-%d", step+10)
		}
		next := g.widget()
		if live != nil && g.IntN(4) > 0 {
			next = g.modify(live)
		}
		next["apiVersion"] = p.manager.apiVersion
		if g.IntN(3) == 0 {
			live = p.apply(live, next, name, g.IntN(2) == 0)
		} else {
			live = p.update(live, next, name)
		}
		if live != nil {
			meta := live["metadata"].(map[string]any)
			meta["uid"] = "u"
			meta["resourceVersion"] = fmt.Sprint(step)
		}
	}
}

// modify changes some fields of an object. The result has the managedFields of the object, none, or
// rarely others.
func (g generator) modify(live map[string]any) map[string]any {
	next := runtime.DeepCopyJSON(live)
	other := g.widget()
	for _, key := range []string{"spec", "status", "other", "metadata"} {
		if g.IntN(2) == 0 {
			continue
		}
		from, _ := other[key].(map[string]any)
		to, ok := next[key].(map[string]any)
		if !ok {
			if v, ok := other[key]; ok {
				next[key] = v
			}
			continue
		}
		for field, v := range from {
			to[field] = v
		}
		for field := range to {
			if g.IntN(5) == 0 && field != "name" {
				delete(to, field)
			}
		}
	}
	meta := next["metadata"].(map[string]any)
	switch g.IntN(20) {
	case 0:
		meta["managedFields"] = []any{}
	case 1:
		meta["managedFields"] = []any{map[string]any{}}
	case 2:
		meta["managedFields"] = []any{map[string]any{"manager": "other", "operation": "Update", "apiVersion": "example.com/v1",
			"fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:spec": map[string]any{"f:color": map[string]any{}}}}}
	case 3:
		meta["managedFields"] = []any{map[string]any{"manager": "invalid"}}
	case 4, 5:
		delete(meta, "managedFields")
	case 6:
		delete(meta, "uid")
	}
	return next
}

// pair compares a Manager with the FieldManager that it stands for.
type pair struct {
	t                               *testing.T
	manager                         *Manager
	full                            *managedfields.FieldManager
	updates, slow, applied, refused int
}

func (p *pair) update(live, obj map[string]any, name string) map[string]any {
	p.t.Helper()
	before, request := encode(p.t, live), encode(p.t, obj)
	p.updates++
	if _, ok := p.manager.update(live, obj, name, time.Now()); !ok {
		p.slow++
	}
	got, err := p.manager.Update(live, obj, name, time.Now())
	if err != nil {
		p.t.Fatal(err)
	}
	if encode(p.t, live) != before || encode(p.t, obj) != request {
		p.t.Fatalf("Update changed its arguments\n%s\n%s", before, request)
	}
	old := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(live)}
	if live == nil {
		old.Object = p.manager.empty()
	}
	next := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(obj)}
	want, err := p.full.Update(old, next, name)
	if err != nil { // as UpdateNoErrors, which logs it
		next.SetManagedFields(old.GetManagedFields())
		want = next
	}
	p.same(got, want, before, request)
	return runtime.DeepCopyJSON(got)
}

func (p *pair) apply(live, config map[string]any, name string, force bool) map[string]any {
	p.t.Helper()
	config = runtime.DeepCopyJSON(config)
	delete(config["metadata"].(map[string]any), "managedFields")
	before, request := encode(p.t, live), encode(p.t, config)
	got, err := p.manager.Apply(live, config, name, force, time.Now())
	if encode(p.t, live) != before || encode(p.t, config) != request {
		p.t.Fatalf("Apply changed its arguments\n%s\n%s", before, request)
	}
	old := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(live)}
	if live == nil {
		old.Object = p.manager.empty()
	}
	want, wantErr := p.full.Apply(old, &unstructured.Unstructured{Object: runtime.DeepCopyJSON(config)}, name, force)
	if err != nil || wantErr != nil {
		if err == nil || wantErr == nil || lines(err) != lines(wantErr) {
			p.t.Fatalf("Apply: error %v, want %v", err, wantErr)
		}
		if errors.Unwrap(err) != nil {
			p.t.Fatalf("Apply: %v is wrapped", err)
		}
		p.refused++
		return live
	}
	p.applied++
	p.same(got, want, before, request)
	return runtime.DeepCopyJSON(got)
}

// lines returns the lines of an error in order. Those of a schema come in the order of a map.
func lines(err error) string {
	found := strings.Split(err.Error(), "\n")
	slices.Sort(found)
	return strings.Join(found, "\n")
}

func (p *pair) same(got map[string]any, want runtime.Object, before, request string) {
	p.t.Helper()
	w := want.(*unstructured.Unstructured).Object
	if !reflect.DeepEqual(normal(p.t, got), normal(p.t, w)) {
		p.t.Fatalf("%s\nbefore  %s\nrequest %s\ngot  %s\nwant %s", p.manager.subresource, before, request, encode(p.t, got), encode(p.t, w))
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

// normal returns an object as it is read by a client.
func normal(t testing.TB, obj map[string]any) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(encode(t, obj)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
