package crcache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// checkCurrent checks that readers in the form of obj get a change that the server makes now.
func checkCurrent(t *testing.T, s *server, c *Cache, obj client.Object, name string) {
	t.Helper()
	s.put("widgets", newWidget("a", name, "red"))
	eventually(t, func() error {
		ctx, cancel := context.WithTimeout(t.Context(), patience/20)
		defer cancel()
		return c.Get(ctx, client.ObjectKey{Namespace: "a", Name: name}, obj)
	})
}

// TestReadersStayCurrent reads a kind in one form while the first list of another one is refused or hangs, and after that
// is removed.
func TestReadersStayCurrent(t *testing.T) {
	forms := map[string]func() client.Object{
		"typed":        func() client.Object { return &widget{} },
		"unstructured": func() client.Object { return untypedWidget() },
		"metadata":     func() client.Object { return partialWidget() },
	}
	answers := map[string]func(*http.Request) *metav1.Status{
		"refused": func(*http.Request) *metav1.Status {
			return &metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden}
		},
		"hangs": func(r *http.Request) *metav1.Status {
			<-r.Context().Done()
			return nil
		},
	}
	for from, read := range forms {
		for to, other := range forms {
			for name, answer := range answers {
				if from == to {
					continue
				}
				t.Run(from+" then "+to+" "+name, func(t *testing.T) {
					s := newServer(t)
					s.put("widgets", newWidget("a", "one", "red"))
					c := newCache(t, s, ctrlcache.Options{})
					start(t, c)
					if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, read()); err != nil {
						t.Fatal(err)
					}
					s.setRefuse(func(r *http.Request, _ string) *metav1.Status {
						if r.FormValue("watch") != "" {
							return nil
						}
						return answer(r)
					})
					if _, err := c.GetInformer(timeout(t), other(), ctrlcache.BlockUntilSynced(false)); err != nil {
						t.Fatal(err)
					}
					checkCurrent(t, s, c, read(), "two")
					if err := c.RemoveInformer(t.Context(), other()); err != nil {
						t.Fatal(err)
					}
					checkCurrent(t, s, c, read(), "three")
				})
			}
		}
	}
}

// TestReadersStayCurrentAfterARemoval removes the informer of a form that is synced, while lists are refused.
func TestReadersStayCurrentAfterARemoval(t *testing.T) {
	for _, removed := range []client.Object{untypedWidget(), partialWidget(), &widget{}} {
		t.Run(formOf(removed).String(), func(t *testing.T) {
			s := newServer(t)
			s.put("widgets", newWidget("a", "one", "red"))
			c := newCache(t, s, ctrlcache.Options{})
			start(t, c)
			all := []client.Object{&widget{}, untypedWidget(), partialWidget()}
			for _, obj := range all {
				if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, obj); err != nil {
					t.Fatal(err)
				}
			}
			s.setRefuse(func(r *http.Request, _ string) *metav1.Status {
				if r.FormValue("watch") != "" {
					return nil
				}
				return &metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden}
			})
			if err := c.RemoveInformer(t.Context(), removed); err != nil {
				t.Fatal(err)
			}
			for n, obj := range all {
				if formOf(obj) != formOf(removed) {
					checkCurrent(t, s, c, obj, fmt.Sprint("new", n))
				}
			}
		})
	}
}

// misfitWidget returns a widget that does not fit the Go type.
func misfitWidget(name string) *unstructured.Unstructured {
	wrong := newWidget("a", name, "red")
	wrong.Object["spec"] = map[string]any{"color": int64(7)}
	return wrong
}

// TestObjectThatDoesNotFit stops typed readers only, whatever the order of the forms is.
func TestObjectThatDoesNotFit(t *testing.T) {
	for _, order := range [][]form{{typed, untyped, metadata}, {metadata, untyped, typed}, {untyped, typed, metadata}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			s := newServer(t)
			for _, name := range []string{"one", "gone", "changed"} {
				s.put("widgets", newWidget("a", name, "red"))
			}
			c := newCache(t, s, ctrlcache.Options{})
			start(t, c)
			byColor := toolscache.Indexers{"color": func(obj any) ([]string, error) { return []string{obj.(client.Object).GetLabels()["color"]}, nil }}
			var heard [numForms]recorder
			var informers [numForms]toolscache.SharedIndexInformer
			var registrations [numForms]toolscache.ResourceEventHandlerRegistration
			for _, f := range order {
				obj, _ := pairKinds[0].in(f)
				informer, err := c.GetInformer(timeout(t), obj)
				if err != nil {
					t.Fatal(err)
				}
				if registrations[f], err = informer.AddEventHandler(&heard[f]); err != nil {
					t.Fatal(err)
				}
				<-syncedOf(registrations[f])
				informers[f] = informer.(toolscache.SharedIndexInformer)
				if err := errors.Join(informer.AddIndexers(byColor), c.IndexField(t.Context(), obj, "color", func(obj client.Object) []string { return []string{obj.GetLabels()["color"]} })); err != nil {
					t.Fatal(err)
				}
			}
			s.put("widgets", misfitWidget("two"))
			s.remove("widgets", "a", "gone")
			s.put("widgets", newWidget("a", "changed", "blue"))
			checkCurrent(t, s, c, untypedWidget(), "three")
			checkCurrent(t, s, c, partialWidget(), "four")
			for f, name := range map[form]string{untyped: "*unstructured.Unstructured", metadata: "*v1.PartialObjectMetadata"} {
				want := strings.ReplaceAll("add T changed true|add T four false|add T gone true|add T one true|add T three false|add T two false|delete T gone|update T T changed", "T", name)
				eventually(t, func() error {
					got := strings.ReplaceAll(heard[f].sorted(), "gone "+name+" a/gone", "delete "+name+" gone") // a list may bring it
					if got := strings.Join(slices.Sorted(strings.SplitSeq(got, "\n")), "|"); got != want {
						return fmt.Errorf("the events are\n%s\nwant\n%s", got, want)
					}
					return nil
				})
				if got, _ := informers[f].GetIndexer().ByIndex("color", "red"); len(got) != 4 {
					t.Errorf("%s: the index has %v", f, got)
				}
				if informers[f].IsStopped() || !informers[f].HasSynced() || !registrations[f].HasSynced() {
					t.Errorf("%s: it has stopped", f)
				}
			}
			if got := heard[typed].sorted(); strings.Contains(got, "three") {
				t.Errorf("a typed handler got %s", got)
			}
		})
	}
}

// TestMetadataAfterAMisfit changes the handlers and indexes of an informer of metadata that has left the typed cache, and
// removes it.
func TestMetadataAfterAMisfit(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	if _, err := c.GetInformer(timeout(t), &widget{}); err != nil {
		t.Fatal(err)
	}
	got, err := c.GetInformer(timeout(t), partialWidget())
	if err != nil {
		t.Fatal(err)
	}
	informer := got.(toolscache.SharedIndexInformer)
	var kept, removed, late recorder
	keptHandler, err := informer.AddEventHandler(&kept)
	if err != nil {
		t.Fatal(err)
	}
	removedHandler, err := informer.AddEventHandler(&removed)
	if err != nil {
		t.Fatal(err)
	}
	const name = "*v1.PartialObjectMetadata"
	removed.waitFor(t, "add "+name+" one true")
	s.put("widgets", misfitWidget("two"))
	checkCurrent(t, s, c, partialWidget(), "three")
	kept.waitFor(t, "add "+name+" one true", "add "+name+" two false", "add "+name+" three false")
	if err := shutDownEventHandler(informer, removedHandler); err != nil {
		t.Fatal(err)
	}
	before := removed.sorted()
	lateHandler, err := informer.AddEventHandler(&late)
	if err != nil {
		t.Fatal(err)
	}
	<-syncedOf(lateHandler)
	if err := informer.AddIndexers(toolscache.Indexers{"name": func(obj any) ([]string, error) { return []string{obj.(client.Object).GetName()}, nil }}); err != nil {
		t.Fatal(err)
	}
	checkCurrent(t, s, c, partialWidget(), "four")
	late.waitFor(t, "add "+name+" one true", "add "+name+" two true", "add "+name+" three true", "add "+name+" four false")
	if objs, err := informer.GetIndexer().ByIndex("name", "four"); err != nil || len(objs) != 1 {
		t.Errorf("by index: %v, %v", objs, err)
	}
	if after := removed.sorted(); after != before {
		t.Errorf("a removed handler got\n%s\nafter\n%s", after, before)
	}
	if err := c.RemoveInformer(t.Context(), partialWidget()); err != nil {
		t.Fatal(err)
	}
	if !informer.IsStopped() {
		t.Error("the informer lives on")
	}
	if err := shutDownEventHandler(informer, keptHandler); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(formsIn(c)); got != "[[typed]]" {
		t.Errorf("the forms are %s", got)
	}
}

// formsIn returns the forms of each informer.
func formsIn(c *Cache) (forms [][]string) {
	for kind := range c.Kinds() {
		forms = append(forms, kind.Forms)
	}
	return forms
}

// TestMetadataOfTheTypedCache reads metadata from the typed cache if that is synced, has no transform, and all of its
// objects fit.
func TestMetadataOfTheTypedCache(t *testing.T) {
	strip := ctrlcache.Options{DefaultTransform: func(obj any) (any, error) {
		if w, ok := obj.(*widget); ok {
			w.Labels = nil
		}
		return obj, nil
	}}
	for _, test := range []struct {
		name    string
		options ctrlcache.Options
		order   []form
		want    string
	}{
		{"typed first", ctrlcache.Options{}, []form{typed, metadata}, "[[typed metadata]]"},
		{"metadata first", ctrlcache.Options{}, []form{metadata, typed}, "[[typed] [metadata]]"},
		{"unstructured first", ctrlcache.Options{}, []form{untyped, metadata}, "[[unstructured] [metadata]]"},
		{"a transform", strip, []form{typed, metadata}, "[[typed] [metadata]]"},
		{"without managed fields", ctrlcache.Options{DefaultTransform: ctrlcache.TransformStripManagedFields()}, []form{typed, metadata}, "[[typed metadata]]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t)
			s.put("widgets", newWidget("a", "one", "red"))
			c := newCache(t, s, test.options)
			start(t, c)
			for _, f := range test.order {
				obj, _ := pairKinds[0].in(f)
				if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, obj); err != nil {
					t.Fatal(err)
				}
				if f == metadata && obj.GetLabels()["color"] != "red" {
					t.Errorf("the labels are %v", obj.GetLabels())
				}
			}
			if got := fmt.Sprint(formsIn(c)); got != test.want {
				t.Errorf("the forms are %s, want %s", got, test.want)
			}
			if lists := len(s.seen("widgets", false)); lists != len(formsIn(c)) {
				t.Errorf("%d lists", lists)
			}
			names := map[string]bool{}
			for status := range c.Statuses() {
				if names[status.Name] {
					t.Errorf("two informers are named %q", status.Name)
				}
				names[status.Name] = true
			}
		})
	}
}

// TestNoEventBeforeItsObject reads the typed object of each event of its metadata, and the other way round.
func TestNoEventBeforeItsObject(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	objs := []client.Object{&widget{}, partialWidget()}
	seen := make(chan string, 1000)
	for n, obj := range objs {
		informer, err := c.GetInformer(timeout(t), obj)
		if err != nil {
			t.Fatal(err)
		}
		check := func(event any) {
			got := objs[1-n].DeepCopyObject().(client.Object)
			version := event.(client.Object).GetResourceVersion()
			if err := c.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "one"}, got); err != nil || len(got.GetResourceVersion()) < len(version) || got.GetResourceVersion() < version && len(got.GetResourceVersion()) == len(version) {
				t.Errorf("%T of version %s, then %T of version %s, %v", event, version, got, got.GetResourceVersion(), err)
			}
			seen <- version
		}
		if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: check, UpdateFunc: func(_, obj any) { check(obj) }}); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		s.put("widgets", newWidget("a", "one", "red"))
	}
	last := s.version("a", "one")
	for ends := 0; ends < len(objs); {
		if <-seen == last {
			ends++
		}
	}
}

// TestIndexFunctionReadsAnotherForm reads a kind for the first time in an index function, in other forms and of another kind,
// while the first list or an event is applied, and while the index is added.
func TestIndexFunctionReadsAnotherForm(t *testing.T) {
	for _, f := range []form{typed, untyped, metadata} {
		for _, when := range []string{"list", "event", "late"} {
			t.Run(f.String()+" "+when, func(t *testing.T) {
				s := newServer(t)
				s.put("widgets", newWidget("a", "one", "red"))
				s.put("configmaps", newObject("ConfigMap", "a", "one"))
				c := newCache(t, s, ctrlcache.Options{})
				obj, _ := pairKinds[0].in(f)
				key := client.ObjectKey{Namespace: "a", Name: "one"}
				index := func(obj client.Object) []string {
					if when == "event" && obj.GetName() != "two" {
						return nil
					}
					for other := range form(numForms) {
						read, _ := pairKinds[0].in(other)
						if other == f {
							read = &corev1.ConfigMap{}
						}
						if err := c.Get(timeout(t), key, read); err != nil {
							t.Errorf("%T: %v", read, err)
						}
					}
					return []string{"all"}
				}
				if when == "late" {
					start(t, c)
					if err := c.Get(timeout(t), key, obj); err != nil {
						t.Fatal(err)
					}
				}
				if err := c.IndexField(timeout(t), obj, "field", index); err != nil {
					t.Fatal(err)
				}
				if when != "late" {
					start(t, c)
				}
				if when == "event" {
					checkCurrent(t, s, c, obj, "two")
				}
				_, list := pairKinds[0].in(f)
				if err := c.List(timeout(t), list, client.MatchingFields{"field": "all"}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestFormsOfATransform gives each form the result of the transform of its own objects.
func TestFormsOfATransform(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	var got []string
	c := newCache(t, s, ctrlcache.Options{DefaultTransform: func(obj any) (any, error) {
		obj.(client.Object).SetLabels(map[string]string{"form": fmt.Sprintf("%T", obj)})
		return obj, nil
	}})
	start(t, c)
	for f := range form(numForms) {
		obj, _ := pairKinds[0].in(f)
		if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, obj); err != nil {
			t.Fatal(err)
		}
		got = append(got, obj.GetLabels()["form"])
	}
	if want := []string{"*crcache.widget", "*unstructured.Unstructured", "*v1.PartialObjectMetadata"}; !slices.Equal(got, want) {
		t.Errorf("the labels are %v", got)
	}
}
