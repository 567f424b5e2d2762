package selection

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/apitest/internal/builtin"
	"github.com/typedinformers/informer-gen/apitest/internal/history"
)

// widget is a custom resource.
var widget = Kind{
	GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"},
	Resource:         schema.GroupResource{Group: "example.com", Resource: "widgets"},
	Namespaced:       true,
	Fields:           []builtin.Field{{Name: "spec.color", Path: []string{"spec", "color"}}, {Name: "spec.size", Path: []string{"spec", "size"}}},
}

// kindOf returns a kind of Kubernetes.
func kindOf(t *testing.T, resource string) Kind {
	t.Helper()
	for _, kind := range builtin.Kinds() {
		if gr := (schema.GroupResource{Group: kind.Group, Resource: kind.Resource}); gr.String() == resource {
			return Kind{GroupVersionKind: kind.GroupVersionKind, Resource: gr, Namespaced: kind.Namespaced, BuiltIn: true, Fields: kind.Fields}
		}
	}
	t.Fatalf("no kind has the resource %s", resource)
	return Kind{}
}

// options returns the options of a request with selectors.
func options(t testing.TB, label, field string) *internalversion.ListOptions {
	t.Helper()
	labelSelector, err := labels.Parse(label)
	if err != nil {
		t.Fatal(err)
	}
	fieldSelector, err := fields.ParseSelector(field)
	if err != nil {
		t.Fatal(err)
	}
	return &internalversion.ListOptions{LabelSelector: labelSelector, FieldSelector: fieldSelector}
}

// selects returns a selection of widgets.
func selects(t testing.TB, namespace string, options *internalversion.ListOptions) *Selection {
	t.Helper()
	s, err := New(widget, namespace, "", options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// object returns a widget with a label and a color.
func object(label, color string) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"l": label}},
		"spec":     map[string]any{"color": color, "size": int64(3)},
	}
}

func keyOf(namespace, name string) history.Key {
	return history.Key{GroupResource: widget.Resource, Namespace: namespace, Name: name}
}

func paths(states []*history.State) string {
	var all []string
	for _, state := range states {
		all = append(all, state.Path())
	}
	return strings.Join(all, " ")
}

func TestMatches(t *testing.T) {
	t.Parallel()
	h := history.New(0)
	h.Put(keyOf("a", "x"), object("1", "red"))
	h.Put(keyOf("a", "y"), object("2", "blue"))
	h.Put(keyOf("b", "x"), object("1", "blue"))
	h.Put(keyOf("b", "z"), map[string]any{"spec": "not an object"})
	for _, test := range []struct{ namespace, label, field, want string }{
		{"", "", "", "a/x a/y b/x b/z"},
		{"a", "", "", "a/x a/y"},
		{"none", "", "", ""},
		{"", "l=1", "", "a/x b/x"},
		{"", "l!=1", "", "a/y b/z"},
		{"", "!l", "", "b/z"},
		{"", "l", "", "a/x a/y b/x"},
		{"", "l in (1,2)", "", "a/x a/y b/x"},
		{"", "", "spec.color=blue", "a/y b/x"},
		{"", "", "spec.color!=blue", "a/x b/z"},
		{"", "", "spec.color=", "b/z"},
		{"", "", "spec.size=3", "a/x a/y b/x"},
		{"", "l=1", "spec.color=blue", "b/x"},
		{"", "", "metadata.name=x", "a/x b/x"},
		{"b", "", "metadata.name=x", "b/x"},
		{"b", "", "metadata.name=none", ""},
		{"", "", "metadata.namespace=b", "b/x b/z"},
		{"", "", "metadata.namespace!=b", "a/x a/y"},
		{"", "", "metadata.namespace=b,metadata.name=x", "b/x"},
		{"", "", "metadata.namespace=b,metadata.name=x,spec.color=red", ""},
		{"a", "", "metadata.namespace=b", ""},
		{"", "", "metadata.namespace=Not a name", ""},
		{"b", "", "metadata.name=x/y", ""},
	} {
		s := selects(t, test.namespace, options(t, test.label, test.field))
		states, err := s.Objects(h, 0)
		if got := paths(states); err != nil || got != test.want {
			t.Errorf("%q %q in %q selects %q, %v, want %q", test.label, test.field, test.namespace, got, err, test.want)
		}
		if past, err := s.Objects(h, 1); len(past) != 0 || err != nil {
			t.Errorf("%q %q selects %d objects at version 1, %v", test.label, test.field, len(past), err)
		}
	}
}

func TestFieldLabels(t *testing.T) {
	t.Parallel()
	const standard = `"%s" is not a known field selector: only "metadata.name", "metadata.namespace"`
	for _, test := range []struct{ resource, field, want string }{
		{"widgets", "spec.color", ""},
		{"widgets", "metadata.namespace", ""},
		{"widgets", "spec.other", "field label not supported: spec.other"},
		{"gadgets", "metadata.name", ""},
		{"gadgets", "metadata.namespace", "field label not supported: metadata.namespace"},
		{"configmaps", "data.x", fmt.Sprintf(standard, "data.x")},
		{"persistentvolumes", "metadata.namespace", ""},
		{"persistentvolumes", "spec.x", fmt.Sprintf(standard, "spec.x")},
		{"deployments.apps", "status.replicas", fmt.Sprintf(standard, "status.replicas")},
		{"pods", "spec.nodeName", ""},
		{"pods", "spec.host", ""},
		{"pods", "status.podIP", ""},
		{"pods", "metadata.namespace", ""},
		{"pods", "spec.priority", "field label not supported: spec.priority"},
		{"nodes", "spec.unschedulable", ""},
		{"nodes", "metadata.namespace", "field label not supported: metadata.namespace"},
		{"namespaces", "status.phase", ""},
		{"namespaces", "metadata.namespace", "field label not supported: metadata.namespace"},
		{"secrets", "type", ""},
		{"services", "spec.clusterIP", ""},
		{"events", "involvedObject.name", ""},
		{"events", "regarding.name", "field label not supported: regarding.name"},
		{"events.events.k8s.io", "regarding.name", ""},
		{"events.events.k8s.io", "involvedObject.name", "field label not supported: involvedObject.name"},
		{"jobs.batch", "status.successful", ""},
		{"jobs.batch", "spec.x", `field label "spec.x" not supported for Job`},
		{"resourceslices.resource.k8s.io", "spec.driver", ""},
		{"resourceslices.resource.k8s.io", "spec.x", "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.x"},
		{"podcertificaterequests.certificates.k8s.io", "metadata.namespace", "field label not supported: metadata.namespace"},
	} {
		var kind Kind
		switch test.resource {
		case "widgets":
			kind = widget
		case "gadgets":
			kind = Kind{Resource: schema.GroupResource{Group: "example.com", Resource: "gadgets"}}
		default:
			kind = kindOf(t, test.resource)
		}
		_, err := New(kind, "", "", options(t, "", test.field+"=x"))
		if test.want == "" {
			if err != nil {
				t.Errorf("%s of %s: %v", test.field, test.resource, err)
			}
			continue
		}
		if !apierrors.IsBadRequest(err) || err.Error() != test.want {
			t.Errorf("%s of %s: %v, want a bad request: %s", test.field, test.resource, err, test.want)
		}
	}
}

// The values of fields that are not there are those of the Go types.
func TestFieldDefaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		resource, field string
		object          map[string]any
	}{
		{"pods", "spec.hostNetwork=false", nil},
		{"pods", "spec.hostNetwork=true", map[string]any{"spec": map[string]any{"hostNetwork": true}}},
		{"pods", "spec.host=n", map[string]any{"spec": map[string]any{"nodeName": "n"}}},
		{"nodes", "spec.unschedulable=false", nil},
		{"jobs.batch", "status.successful=0", map[string]any{"status": map[string]any{}}},
		{"jobs.batch", "status.successful=2", map[string]any{"status": map[string]any{"succeeded": int64(2)}}},
		{"secrets", "type=", nil},
	} {
		kind := kindOf(t, test.resource)
		s, err := New(kind, "", "", options(t, "", test.field))
		if err != nil {
			t.Fatal(err)
		}
		state := history.New(0).Put(history.Key{GroupResource: kind.Resource, Name: "x"}, test.object)
		if !s.Matches(state) {
			t.Errorf("%s does not select %s %v", test.field, test.resource, test.object)
		}
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	h := history.New(0)
	h.Put(keyOf("a", "x"), object("1", "red"))
	h.Put(keyOf("a", "y"), object("1", "red"))
	for field, want := range map[string]string{"": "a/x", "metadata.name=x": "a/x", "metadata.name=x,spec.color=blue": ""} {
		s, err := New(widget, "a", "x", options(t, "", field))
		if err != nil {
			t.Fatal(err)
		}
		if states, err := s.Objects(h, 0); err != nil || paths(states) != want {
			t.Errorf("field selector %q selects %q, %v, want %q", field, paths(states), err, want)
		}
	}
	for _, field := range []string{"metadata.name=y", "spec.color=red"} {
		if _, err := New(widget, "a", "x", options(t, "", field)); !apierrors.IsBadRequest(err) {
			t.Errorf("field selector %q with the name x: %v, want a bad request", field, err)
		}
	}
}

func TestEventOfTransitions(t *testing.T) {
	t.Parallel()
	h := history.New(0)
	key := keyOf("a", "x")
	write := func(label string) { h.Put(key, object(label, "red")) }
	write("0") // not selected
	write("0")
	write("1") // enters
	write("1")
	write("0") // leaves
	write("1")
	h.Delete(key)
	write("0")
	h.Delete(key)
	s := selects(t, "a", options(t, "l=1", ""))
	events, err := h.Events(widget.Resource, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, event := range events {
		if kind, state, ok := s.Event(event); ok {
			label := state.Object["metadata"].(map[string]any)["labels"].(map[string]any)["l"]
			if inside := state.Object["metadata"].(map[string]any)["resourceVersion"]; inside != fmt.Sprint(state.Version) {
				t.Errorf("an event of version %d has an object of version %v", state.Version, inside)
			}
			got = append(got, fmt.Sprintf("%s %v@%d", kind, label, state.Version))
		}
	}
	want := []string{"ADDED 1@4", "MODIFIED 1@5", "DELETED 1@6", "ADDED 1@7", "DELETED 1@8"}
	if !slices.Equal(got, want) {
		t.Errorf("events are %v, want %v", got, want)
	}
}

// A list at any version and the events after it give the objects of now, with any selector.
func TestListAndEventsAreTheState(t *testing.T) {
	t.Parallel()
	selectors := []struct{ namespace, label, field string }{
		{"", "", ""}, {"a", "", ""}, {"", "l=1", ""}, {"b", "l!=1", ""}, {"", "", "spec.color=red"},
		{"", "l in (0,2)", "spec.color!=blue"}, {"a", "", "metadata.name=n1"}, {"", "", "metadata.namespace=b"},
	}
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 7))
		h := history.New(0)
		for range 100 {
			key := keyOf([]string{"a", "b"}[random.IntN(2)], fmt.Sprint("n", random.IntN(4)))
			if random.IntN(4) == 0 && h.Get(key) != nil {
				h.Delete(key)
				continue
			}
			h.Put(key, object(fmt.Sprint(random.IntN(3)), []string{"red", "blue"}[random.IntN(2)]))
		}
		for _, selector := range selectors {
			s := selects(t, selector.namespace, options(t, selector.label, selector.field))
			for version := uint64(1); version <= h.Version(); version += 9 {
				replay(t, h, s, version)
			}
		}
	}
}

// replay applies the events after a version to the objects at it, and compares the result with the
// objects of now.
func replay(t *testing.T, h *history.History, s *Selection, version uint64) {
	t.Helper()
	then, err := s.Objects(h, version)
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]uint64{}
	for _, state := range then {
		objects[state.Path()] = state.Version
	}
	events, err := h.Events(widget.Resource, version)
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range events {
		kind, state, ok := s.Event(event)
		if !ok {
			continue
		}
		_, has := objects[state.Path()]
		if (kind == watch.Added) == has {
			t.Fatalf("%s of %s at %d, which was there before: %v", kind, state.Path(), state.Version, has)
		}
		objects[state.Path()] = state.Version
		if kind == watch.Deleted {
			delete(objects, state.Path())
		}
	}
	now, err := s.Objects(h, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(now) != len(objects) {
		t.Fatalf("from version %d: %d objects by events, %d by a list", version, len(objects), len(now))
	}
	for _, state := range now {
		if objects[state.Path()] != state.Version {
			t.Fatalf("from version %d: %s has version %d by events, %d by a list", version, state.Path(), objects[state.Path()], state.Version)
		}
	}
}
