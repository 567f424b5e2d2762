package crcache

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// seeds is the number of scripts.
var seeds = uint64(6)

func init() {
	if n, err := strconv.Atoi(os.Getenv("DIFFERENTIAL_SEEDS")); err == nil {
		seeds = uint64(n)
	}
}

// TestDifferential plays random scripts on this cache and on controller-runtime's own, over one
// server, and compares what they return.
func TestDifferential(t *testing.T) {
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			p := newPair(t, seed)
			for step := range 60 {
				p.step(t, step)
			}
		})
	}
}

// pair is two caches of one server.
type pair struct {
	*rand.Rand
	server *server
	// caches are controller-runtime's and ours.
	caches [2]ctrlcache.Cache
	// indexed are the fields with an index, by the kind and form.
	indexed  map[string]bool
	handlers []*pairHandler
	log      []string
}

// pairKind is one of the kinds of the scripts.
type pairKind struct {
	gvk        schema.GroupVersionKind
	resource   string
	namespaced bool
	object     func() client.Object
	list       func() client.ObjectList
}

var pairKinds = []pairKind{
	{widgetKind, "widgets", true, func() client.Object { return &widget{} }, func() client.ObjectList { return &widgetList{} }},
	{widgetKind.GroupVersion().WithKind("Gadget"), "gadgets", true, func() client.Object { return &gadget{} }, func() client.ObjectList { return &gadgetList{} }},
	{corev1.SchemeGroupVersion.WithKind("ConfigMap"), "configmaps", true, func() client.Object { return &corev1.ConfigMap{} }, func() client.ObjectList { return &corev1.ConfigMapList{} }},
	{corev1.SchemeGroupVersion.WithKind("Node"), "nodes", false, func() client.Object { return &corev1.Node{} }, func() client.ObjectList { return &corev1.NodeList{} }},
}

// in returns an object and a list of the kind in a form.
func (k *pairKind) in(f form) (client.Object, client.ObjectList) {
	switch f {
	case typed:
		return k.object(), k.list()
	case untyped:
		obj, list := &unstructured.Unstructured{}, &unstructured.UnstructuredList{}
		obj.SetGroupVersionKind(k.gvk)
		list.SetGroupVersionKind(k.gvk.GroupVersion().WithKind(k.gvk.Kind + "List"))
		return obj, list
	}
	obj, list := &metav1.PartialObjectMetadata{}, &metav1.PartialObjectMetadataList{}
	obj.SetGroupVersionKind(k.gvk)
	list.SetGroupVersionKind(k.gvk.GroupVersion().WithKind(k.gvk.Kind + "List"))
	return obj, list
}

func newPair(t *testing.T, seed uint64) *pair {
	p := &pair{Rand: rand.New(rand.NewPCG(seed, 18)), server: newServer(t), indexed: map[string]bool{}}
	options := p.options()
	for range 10 {
		p.change()
	}
	for i, newCache := range []ctrlcache.NewCacheFunc{ctrlcache.New, New} {
		own := options
		own.ByObject = maps.Clone(options.ByObject)
		p.caches[i] = startOne(t, newCache, p.server, own)
	}
	return p
}

// startOne makes and starts a cache of either side.
func startOne(t *testing.T, newCache ctrlcache.NewCacheFunc, s *server, options ctrlcache.Options) ctrlcache.Cache {
	options.HTTPClient, options.Scheme, options.Mapper = s.client(), testScheme(), testMapper()
	c, err := newCache(s.config(), options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Start(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	if !c.WaitForCacheSync(t.Context()) { // which waits for Start
		t.Fatal("not synced")
	}
	return c
}

// options returns random options.
func (p *pair) options() (o ctrlcache.Options) {
	yes, red := true, labels.SelectorFromSet(labels.Set{"color": "red"})
	annotate := func(obj any) (any, error) {
		accessor, err := meta.Accessor(obj)
		if err == nil {
			accessor.SetAnnotations(map[string]string{"seen": accessor.GetName()})
		}
		return obj, err
	}
	if p.IntN(2) == 0 {
		o.DefaultNamespaces = map[string]ctrlcache.Config{"a": {}, "b": {}}
		switch p.IntN(4) {
		case 0:
			o.DefaultNamespaces["b"] = ctrlcache.Config{LabelSelector: red}
		case 1:
			o.DefaultNamespaces[ctrlcache.AllNamespaces] = ctrlcache.Config{LabelSelector: red, UnsafeDisableDeepCopy: &yes}
		case 2:
			o.DefaultNamespaces[ctrlcache.AllNamespaces] = ctrlcache.Config{FieldSelector: selector("metadata.namespace=c")}
		}
	}
	switch p.IntN(4) {
	case 0:
		o.DefaultTransform = annotate
	case 1:
		o.DefaultTransform = ctrlcache.TransformStripManagedFields()
	case 2:
		o.DefaultUnsafeDisableDeepCopy = &yes
	}
	switch p.IntN(5) {
	case 0:
		o.ByObject = map[client.Object]ctrlcache.ByObject{&widget{}: {Label: red}}
	case 1:
		o.ByObject = map[client.Object]ctrlcache.ByObject{&widget{}: {Namespaces: map[string]ctrlcache.Config{"c": {}}, Transform: annotate}, &corev1.Node{}: {Label: red}}
	case 2:
		o.ByObject = map[client.Object]ctrlcache.ByObject{&gadget{}: {Field: selector("metadata.name=n1")}}
	}
	o.ReaderFailOnMissingInformer = p.IntN(5) == 0
	return o
}

func (p *pair) kind() *pairKind { return &pairKinds[p.IntN(len(pairKinds))] }

func (p *pair) form() form { return form(p.IntN(numForms)) }

func (p *pair) color() string { return []string{"red", "blue", "a/red", ""}[p.IntN(4)] }

func (p *pair) key(k *pairKind) client.ObjectKey {
	key := client.ObjectKey{Namespace: string(rune('a' + p.IntN(4))), Name: fmt.Sprint("n", p.IntN(3))}
	if !k.namespaced && p.IntN(3) > 0 {
		key.Namespace = ""
	}
	return key
}

// change changes an object on the server.
func (p *pair) change() {
	k := p.kind()
	key := p.key(k)
	if !k.namespaced {
		key.Namespace = ""
	}
	if p.IntN(4) == 0 {
		if p.server.has(k.resource, key) {
			p.note("delete %s %s", k.resource, key)
			p.server.remove(k.resource, key.Namespace, key.Name)
		}
		return
	}
	obj := newWidget(key.Namespace, key.Name, p.color())
	obj.SetGroupVersionKind(k.gvk)
	if key.Namespace == "" {
		unstructured.RemoveNestedField(obj.Object, "metadata", "namespace")
	}
	if k.gvk.Group == "" {
		delete(obj.Object, "spec")
	}
	obj.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "me"}})
	p.note("put %s %s %s", k.resource, key, obj.GetLabels()["color"])
	p.server.put(k.resource, obj)
}

// has reports whether there is an object.
func (s *server) has(resource string, key client.ObjectKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[resource+"/"+key.Namespace+"/"+key.Name] != nil
}

func (p *pair) note(format string, args ...any) { p.log = append(p.log, fmt.Sprintf(format, args...)) }

// step does a random thing to both caches.
func (p *pair) step(t *testing.T, step int) {
	ctx := timeout(t)
	k, f := p.kind(), p.form()
	if step%20 < 10 { // one kind for some time
		k = &pairKinds[step/20]
	}
	name := fmt.Sprintf("%s as %s", k.resource, f)
	switch p.IntN(12) {
	case 0, 1, 2:
		p.change()
	case 3:
		p.note("remove %s", name)
		obj, _ := k.in(f)
		p.both(t, func(c ctrlcache.Cache) any { return class(c.RemoveInformer(ctx, obj)) })
		maps.DeleteFunc(p.indexed, func(field string, _ bool) bool { return strings.HasPrefix(field, name+" ") })
		p.handlers = slices.DeleteFunc(p.handlers, func(h *pairHandler) bool { return h.name == name })
	case 4:
		field := []string{"color", "name"}[p.IntN(2)]
		p.note("index %s %s", name, field)
		obj, _ := k.in(f)
		p.both(t, func(c ctrlcache.Cache) any {
			err := c.IndexField(ctx, obj, field, func(obj client.Object) []string {
				if field == "name" {
					return []string{obj.GetName(), obj.GetName(), "all"}
				}
				return []string{obj.GetLabels()["color"]}
			})
			if got, want := err != nil, p.indexed[name+" "+field]; got != want {
				t.Errorf("IndexField: %v", err)
			}
			return err != nil
		})
		p.indexed[name+" "+field] = true
	case 5:
		p.note("handler %s", name)
		p.addHandler(t, ctx, k, f, name)
	case 6, 7, 8:
		key, unsafe := p.key(k), p.IntN(4) == 0
		p.note("get %s %s unsafe=%v", name, key, unsafe)
		var options []client.GetOption
		if unsafe {
			options = append(options, client.UnsafeDisableDeepCopy)
		}
		p.both(t, func(c ctrlcache.Cache) any {
			obj, _ := k.in(f)
			if err := c.Get(ctx, key, obj, options...); err != nil {
				return class(err)
			}
			return described(obj)
		})
	default:
		p.list(t, ctx, k, f, name)
	}
	for _, h := range p.handlers {
		p.waitFor(t, "handler of "+h.name, func() (any, any) { return h.state(0), h.state(1) })
	}
}

// list lists with random options.
func (p *pair) list(t *testing.T, ctx context.Context, k *pairKind, f form, name string) {
	options := client.ListOptions{}
	if p.IntN(2) == 0 {
		options.Namespace = p.key(k).Namespace
	}
	if p.IntN(3) == 0 {
		options.LabelSelector = labels.SelectorFromSet(labels.Set{"color": p.color()})
		if options.LabelSelector.String() == "color=a/red" {
			options.LabelSelector, _ = labels.Parse("color notin (red),name")
		}
	}
	switch p.IntN(6) {
	case 0:
		options.FieldSelector = fields.SelectorFromSet(fields.Set{"color": p.color()})
	case 1: // without the index of the second field, controller-runtime may return no error
		if p.indexed[name+" color"] && p.indexed[name+" name"] {
			options.FieldSelector = fields.SelectorFromSet(fields.Set{"name": "n1", "color": p.color()})
		}
	case 2:
		options.FieldSelector = selector("name=all")
	}
	if p.IntN(4) == 0 {
		options.Limit = int64(p.IntN(3))
	}
	p.note("list %s %+v", name, options)
	p.both(t, func(c ctrlcache.Cache) any {
		_, list := k.in(f)
		if err := c.List(ctx, list, &options); err != nil {
			return class(err)
		}
		items, err := meta.ExtractList(list)
		if err != nil {
			t.Fatal(err)
		}
		if options.Limit > 0 {
			return len(items)
		}
		var all []string
		for _, item := range items {
			all = append(all, described(item.(client.Object)))
		}
		slices.Sort(all)
		return fmt.Sprint(list.GetContinue(), all)
	})
}

// both compares what f returns for the two caches, which may be behind the server.
func (p *pair) both(t *testing.T, f func(ctrlcache.Cache) any) {
	t.Helper()
	p.waitFor(t, p.log[len(p.log)-1], func() (any, any) { return f(p.caches[0]), f(p.caches[1]) })
}

func (p *pair) waitFor(t *testing.T, what string, f func() (theirs, ours any)) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for wait := time.Microsecond; ; wait *= 2 {
		theirs, ours := f()
		if theirs == ours {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s:\ncontroller-runtime: %v\nours:               %v\nafter\n%s", what, theirs, ours, strings.Join(p.log, "\n"))
		}
		<-time.After(wait)
	}
}

// class returns the kind of an error.
func class(err error) string {
	var notStarted *ctrlcache.ErrCacheNotStarted
	var notCached *ctrlcache.ErrResourceNotCached
	switch {
	case err == nil:
		return "no error"
	case errors.As(err, &notStarted):
		return "not started"
	case errors.As(err, &notCached):
		return "not cached"
	case apierrors.IsNotFound(err):
		return err.Error()
	case strings.Contains(err.Error(), "unknown namespace"):
		return "not cached" // which of the two comes first differs
	case strings.Contains(err.Error(), "Index with name"):
		return "no index"
	}
	return err.Error()
}

// described returns an object as a text, without its kind if it was not copied.
func described(obj client.Object) string {
	copied := obj.DeepCopyObject().(client.Object)
	copied.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	text, err := json.Marshal(copied)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%T %s", obj, text)
}

// pairHandler is a handler in both caches.
type pairHandler struct {
	name string

	mu     sync.Mutex
	states [2]map[string]string
}

func (p *pair) addHandler(t *testing.T, ctx context.Context, k *pairKind, f form, name string) {
	h := &pairHandler{name: name, states: [2]map[string]string{{}, {}}}
	obj, _ := k.in(f)
	for i, c := range p.caches {
		informer, err := c.GetInformer(ctx, obj)
		if err != nil {
			t.Fatal(err)
		}
		set := func(obj any) {
			o := obj.(client.Object)
			h.mu.Lock()
			defer h.mu.Unlock()
			h.states[i][client.ObjectKeyFromObject(o).String()] = described(o)
		}
		registration, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc: set,
			UpdateFunc: func(before, after any) {
				_ = before.(client.Object).GetName()
				set(after)
			},
			DeleteFunc: func(obj any) {
				if unknown, is := obj.(toolscache.DeletedFinalStateUnknown); is {
					obj = unknown.Obj
				}
				h.mu.Lock()
				defer h.mu.Unlock()
				delete(h.states[i], client.ObjectKeyFromObject(obj.(client.Object)).String())
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		<-syncedOf(registration)
	}
	p.handlers = append(p.handlers, h)
}

// state returns the objects that the handler knows in one of the caches.
func (h *pairHandler) state(i int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return fmt.Sprint(h.states[i])
}
