package crcache

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestFormsUnderFaults reads, indexes, handles and removes the forms of a kind from several
// goroutines, while objects change, requests fail and connections are cut. In the end, all forms
// have the objects of the server.
func TestFormsUnderFaults(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			f := &faults{server: newServer(t)}
			options := ctrlcache.Options{}
			if seed%2 == 1 {
				options.DefaultNamespaces = map[string]ctrlcache.Config{"a": {}, ctrlcache.AllNamespaces: {}}
			}
			f.cache = newCache(t, f.server, options)
			start(t, f.cache)
			var all sync.WaitGroup
			for worker := range uint64(4) {
				all.Go(func() { f.use(t, rand.New(rand.NewPCG(seed, worker))) })
			}
			all.Go(func() { f.change(rand.New(rand.NewPCG(seed, 99))) })
			all.Wait()
			f.server.setRefuse(nil)
			f.check(t)
		})
	}
}

type faults struct {
	server *server
	cache  *Cache

	mu       sync.Mutex // guards what follows
	handlers []*faultHandler
}

// faultHandler knows the objects that its informer has.
type faultHandler struct {
	informer toolscache.SharedIndexInformer
	form     form

	mu    sync.Mutex
	known map[string]string
}

func (h *faultHandler) set(obj any, deleted bool) {
	if unknown, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		obj = unknown.Obj
	}
	o := obj.(client.Object)
	if formOf(o) != h.form {
		panic(fmt.Sprintf("a handler of %s got a %T", h.form, o))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.known, o.GetName())
	if !deleted {
		h.known[o.GetName()] = o.GetNamespace() + "/" + o.GetName() + " " + o.GetLabels()["color"]
	}
}

func (h *faultHandler) OnAdd(obj any, _ bool)      { h.set(obj, false) }
func (h *faultHandler) OnUpdate(before, after any) { _ = before.(client.Object); h.set(after, false) }
func (h *faultHandler) OnDelete(obj any)           { h.set(obj, true) }

// change changes objects and the behavior of the server.
func (f *faults) change(random *rand.Rand) {
	for range 60 {
		name := fmt.Sprint("n", random.IntN(6))
		namespace := string(name[1]%3 - '0'%3 + 'a')
		switch random.IntN(8) {
		case 0:
			f.server.CloseClientConnections()
		case 1:
			fails := random.IntN(2) == 0
			f.server.setRefuse(func(r *http.Request, _ string) *metav1.Status {
				if fails && r.FormValue("watch") == "" {
					return &metav1.Status{Code: http.StatusInternalServerError}
				}
				return nil
			})
		case 2:
			if f.server.has("widgets", client.ObjectKey{Namespace: namespace, Name: name}) {
				f.server.remove("widgets", namespace, name)
			}
		default:
			f.server.put("widgets", newWidget(namespace, name, []string{"red", "blue"}[random.IntN(2)]))
		}
		for range random.IntN(2000) {
			random.Uint64()
		}
	}
	f.server.setRefuse(nil)
}

// use calls methods of the cache.
func (f *faults) use(t *testing.T, random *rand.Rand) {
	k := &pairKinds[0]
	for range 40 {
		ctx, cancel := context.WithTimeout(t.Context(), patience/100)
		form := form(random.IntN(numForms))
		obj, list := k.in(form)
		var err error
		switch random.IntN(7) {
		case 0:
			err = f.cache.RemoveInformer(ctx, obj)
		case 1:
			var informer ctrlcache.Informer
			if informer, err = f.cache.GetInformer(ctx, obj, ctrlcache.BlockUntilSynced(random.IntN(2) == 0)); err == nil {
				h := &faultHandler{informer: informer.(toolscache.SharedIndexInformer), form: form, known: map[string]string{}}
				if _, err := informer.AddEventHandler(h); err == nil {
					f.mu.Lock()
					f.handlers = append(f.handlers, h)
					f.mu.Unlock()
				}
			}
		case 2:
			_ = f.index(ctx, obj) // there may be one
		case 3:
			err = f.cache.List(ctx, list, client.InNamespace("a"))
		case 4:
			if err = f.cache.List(ctx, list, client.MatchingFields{"color": "red"}); err != nil && strings.Contains(err.Error(), "Index with name") {
				err = nil
			}
		default:
			err = f.cache.Get(ctx, client.ObjectKey{Namespace: "a", Name: fmt.Sprint("n", random.IntN(6))}, obj)
		}
		cancel()
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsTimeout(err) {
			t.Error(err)
		}
	}
}

func (f *faults) index(ctx context.Context, obj client.Object) error {
	want := formOf(obj)
	return f.cache.IndexField(ctx, obj, "color", func(obj client.Object) []string {
		if formOf(obj) != want {
			panic(fmt.Sprintf("an index function of %s got a %T", want, obj))
		}
		return []string{obj.GetLabels()["color"]}
	})
}

// check compares all forms with the server.
func (f *faults) check(t *testing.T) {
	var all, red []string
	f.server.mu.Lock()
	for _, obj := range f.server.objects {
		text := obj.GetNamespace() + "/" + obj.GetName() + " " + obj.GetLabels()["color"]
		if all = append(all, text); strings.HasSuffix(text, "red") {
			red = append(red, text)
		}
	}
	f.server.mu.Unlock()
	slices.Sort(all)
	slices.Sort(red)
	for form := range form(numForms) {
		obj, list := pairKinds[0].in(form)
		_ = f.index(t.Context(), obj)
		eventually(t, func() error {
			for _, e := range f.cache.sortedEntries() {
				e.informer.Retry()
			}
			for _, read := range []struct {
				want    []string
				options []client.ListOption
			}{{all, nil}, {red, []client.ListOption{client.MatchingFields{"color": "red"}}}} {
				if err := f.cache.List(timeout(t), list, read.options...); err != nil {
					return err
				}
				var got []string
				if err := meta.EachListItem(list, func(item runtime.Object) error {
					o := item.(client.Object)
					got = append(got, o.GetNamespace()+"/"+o.GetName()+" "+o.GetLabels()["color"])
					return nil
				}); err != nil {
					return err
				}
				if slices.Sort(got); !slices.Equal(got, read.want) {
					return fmt.Errorf("%s: got %q, want %q", form, got, read.want)
				}
			}
			return nil
		})
	}
	for _, h := range f.handlers {
		eventually(t, func() error {
			h.mu.Lock()
			defer h.mu.Unlock()
			var got []string
			for _, text := range h.known {
				got = append(got, text)
			}
			if slices.Sort(got); !slices.Equal(got, all) && !h.informer.IsStopped() {
				return fmt.Errorf("a handler of %s knows %q, want %q", h.form, got, all)
			}
			return nil
		})
	}
}
