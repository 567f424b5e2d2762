package crcache

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func labelled(value string) labels.Selector { return labels.SelectorFromSet(labels.Set{"from": value}) }

// TestPrecedence looks at the requests for the combinations of options.
func TestPrecedence(t *testing.T) {
	byLabel := func(value string) ctrlcache.Config { return ctrlcache.Config{LabelSelector: labelled(value)} }
	for _, test := range []struct {
		name    string
		options ctrlcache.Options
		want    string // "namespace labels fields" of each request for widgets
	}{
		{"nothing", ctrlcache.Options{}, "[  ]"},
		{"global selectors", ctrlcache.Options{DefaultLabelSelector: labelled("global"), DefaultFieldSelector: selector("metadata.name=x")}, "[ from=global metadata.name=x]"},
		{"ByObject wins over the global selectors", ctrlcache.Options{
			DefaultLabelSelector: labelled("global"), DefaultFieldSelector: selector("metadata.name=x"),
			ByObject: map[client.Object]ctrlcache.ByObject{&widget{}: {Label: labelled("object"), Field: selector("metadata.name=y")}},
		}, "[ from=object metadata.name=y]"},
		{"ByObject of another form", ctrlcache.Options{ByObject: map[client.Object]ctrlcache.ByObject{untypedWidget(): {Label: labelled("object")}}}, "[ from=object ]"},
		{"ByObject of another kind", ctrlcache.Options{ByObject: map[client.Object]ctrlcache.ByObject{&corev1.Pod{}: {Label: labelled("object")}}}, "[  ]"},
		{"DefaultNamespaces with global selectors", ctrlcache.Options{
			DefaultLabelSelector: labelled("global"),
			DefaultNamespaces:    map[string]ctrlcache.Config{"a": {}, "b": byLabel("b")},
		}, "[a from=global ] [b from=b ]"},
		{"ByObject and DefaultNamespaces", ctrlcache.Options{
			DefaultNamespaces: map[string]ctrlcache.Config{"a": {}, "b": byLabel("b")},
			ByObject:          map[client.Object]ctrlcache.ByObject{&widget{}: {Label: labelled("object")}},
		}, "[a from=object ] [b from=b ]"},
		{"ByObject.Namespaces first", ctrlcache.Options{
			DefaultLabelSelector: labelled("global"),
			DefaultNamespaces:    map[string]ctrlcache.Config{"a": byLabel("default"), "b": byLabel("default"), "c": {}},
			ByObject: map[client.Object]ctrlcache.ByObject{&widget{}: {
				Namespaces: map[string]ctrlcache.Config{"a": byLabel("own"), "b": {}, "d": {}},
			}},
		}, "[a from=own ] [b from=default ] [d from=global ]"},
		{"ByObject.Namespaces, then ByObject", ctrlcache.Options{
			DefaultNamespaces: map[string]ctrlcache.Config{"a": byLabel("default")},
			ByObject:          map[client.Object]ctrlcache.ByObject{&widget{}: {Label: labelled("object"), Namespaces: map[string]ctrlcache.Config{"a": {}}}},
		}, "[a from=object ]"},
		{"empty ByObject.Namespaces", ctrlcache.Options{
			DefaultNamespaces: map[string]ctrlcache.Config{"a": byLabel("default")},
			ByObject:          map[client.Object]ctrlcache.ByObject{&widget{}: {Namespaces: map[string]ctrlcache.Config{}}},
		}, "[  ]"},
		{"everything instead of a default", ctrlcache.Options{
			DefaultLabelSelector: labelled("global"),
			DefaultNamespaces:    map[string]ctrlcache.Config{"a": {LabelSelector: labels.Everything()}},
		}, "[a  ]"},
		{"all namespaces next to named ones", ctrlcache.Options{
			DefaultNamespaces: map[string]ctrlcache.Config{"": {FieldSelector: selector("metadata.name=x")}, "a": byLabel("a"), "b": {}},
		}, "[  metadata.name=x,metadata.namespace!=a,metadata.namespace!=b] [a from=a ] [b  ]"},
		{"a namespace by its field", ctrlcache.Options{DefaultFieldSelector: selector("metadata.namespace=a")}, "[a  metadata.namespace=a]"},
		{"the others are one namespace", ctrlcache.Options{
			DefaultNamespaces: map[string]ctrlcache.Config{"": {FieldSelector: selector("metadata.namespace=a")}, "b": {}},
		}, "[a  metadata.namespace=a] [b  ]"},
		{"there are no others", ctrlcache.Options{
			DefaultNamespaces: map[string]ctrlcache.Config{"": {FieldSelector: selector("metadata.namespace=b")}, "b": {}},
		}, "[b  ]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t)
			c := newCache(t, s, test.options)
			start(t, c)
			namesIn(t, c)
			got := map[string]bool{}
			for _, r := range s.seen("widgets", false) {
				got[fmt.Sprintf("[%s %s %s]", r.namespace, r.labels, r.fields)] = true
			}
			for want := range strings.SplitSeq(test.want, "] ") {
				if want = strings.TrimSuffix(want, "]") + "]"; !got[want] {
					t.Errorf("no request %q in %v", want, got)
				}
				delete(got, want)
			}
			if len(got) > 0 {
				t.Errorf("more requests: %v", got)
			}
		})
	}
}

// TestEncodings looks at what each form asks for. The server answers in JSON.
func TestEncodings(t *testing.T) {
	s := newServer(t)
	s.put("pods", newObject("Pod", "a", "one"))
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	untypedPod := untypedWidget()
	untypedPod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	partialPod := partialWidget()
	partialPod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	const protobuf = "application/vnd.kubernetes.protobuf"
	for _, step := range []struct {
		resource string
		obj      client.Object
		// of an Accept header after the step
		prefix, suffix string
	}{
		{"pods", partialPod, protobuf + ";as=PartialObjectMetadata", ";g=meta.k8s.io;v=v1,application/json"},
		{"pods", &corev1.Pod{}, protobuf + ",", "application/json"},
		{"pods", untypedPod, "application/json", "application/json"},
		{"widgets", &widget{}, "application/json", "application/json"},
	} {
		before := len(s.of(step.resource))
		if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, step.obj); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error {
			for _, r := range s.of(step.resource)[before:] {
				if strings.HasPrefix(r.accept, step.prefix) && strings.HasSuffix(r.accept, step.suffix) {
					return nil
				}
			}
			return fmt.Errorf("%+v: the requests are %+v", step, s.of(step.resource)[before:])
		})
	}
}

// TestMetadataOfPlainServer reads the metadata of objects from a server that answers whole objects.
func TestMetadataOfPlainServer(t *testing.T) {
	s := newServer(t)
	s.plain = true
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	want := func(color string) {
		t.Helper()
		eventually(t, func() error {
			list := partialWidgets()
			if err := c.List(timeout(t), list); err != nil {
				return err
			}
			if len(list.Items) != 1 || list.Items[0].Labels["color"] != color || list.Items[0].GroupVersionKind() != widgetKind {
				return fmt.Errorf("listed %+v, want a %s one", list.Items, color)
			}
			return nil
		})
	}
	want("red")
	s.put("widgets", newWidget("a", "one", "blue")) // of which a watch tells
	want("blue")
}
