package cache

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/fieldselector"
)

// gadget is another kind than object.
type gadget struct{ metav1.PartialObjectMetadata }

// TestOptionsReachRequests sets options for a factory, a kind and one informer.
func TestOptionsReachRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, asked := cachetest.NewSource(), []string{}
		color := fieldselector.Field[object, string]("spec.color")
		f := NewSharedInformerFactory(time.Hour,
			WithNamespace("team-a"),
			WithLabelSelector("app=web"),
			WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector, o.FieldSelector = "tweaked", "metadata.name=x" }),
			WithOptionsFor[object](WithNamespace("team-b"), WithLabelSelector("tier in (a,b)"), WithResync(time.Minute)),
			WithFieldSelector(color.Is("blue")))
		defer f.Shutdown()
		s := InformerFor(f, kindOf(src, &asked), WithFieldSelector(color.IsNot("red")), WithLabelSelector("x"))
		if again := InformerFor(f, kindOf(src, &asked), WithFieldSelector(color.IsNot("red")), WithLabelSelector("x")); again != s {
			t.Error("another informer for the same options")
		}
		heard, _ := listen(t, s)
		src.Set("team-b", "w", nil)
		f.Start(t.Context())
		if err := f.WaitForCacheSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, verb := range []string{"list", "watch"} {
			got := src.Last(verb)
			if got.LabelSelector != "tweaked,app=web,tier in (a,b),x" || got.FieldSelector != "metadata.name=x,spec.color=blue,spec.color!=red" {
				t.Errorf("%s selects labels %q and fields %q", verb, got.LabelSelector, got.FieldSelector)
			}
		}
		cachetest.WantLines(t, asked[:1], "team-b")
		heard.Drain()
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(heard.Drain()) != 1 {
			t.Error("the resync period of the kind is not in effect")
		}
	})
}

// TestMistakesInOptions expects an error for each, at once, and an informer that never runs.
func TestMistakesInOptions(t *testing.T) {
	color := fieldselector.Field[object, string]("spec.color")
	cluster := func(kind *Kind[object]) { kind.Namespaced = false }
	for name, test := range map[string]struct {
		factory, call []SharedInformerOption
		change        func(*Kind[object])
		want          string
		// runs is set if the mistake is about another kind.
		runs bool
	}{
		"a label selector of a factory": {
			factory: []SharedInformerOption{WithLabelSelector("a in (")},
			want:    `cache.WithLabelSelector: "a in (" is not a label selector: `,
		},
		"a label selector of a kind": {
			factory: []SharedInformerOption{WithOptionsFor[object](WithLabelSelector("=b"))},
			want:    `cache.WithLabelSelector for *v1.PartialObjectMetadata: "=b" is not a label selector: `,
		},
		"two settings for a kind": {
			factory: []SharedInformerOption{WithOptionsFor[object](WithNamespace("a")), WithOptionsFor[object](WithNamespaces("b", "c"))},
			want:    "cache.WithNamespaces for *v1.PartialObjectMetadata: it is set twice",
		},
		"two transforms": {
			factory: []SharedInformerOption{WithTransform(sameObject), WithOptionsFor[object](WithTransform(sameObject))},
			want:    "cache.WithTransform for *v1.PartialObjectMetadata: it is set twice",
		},
		"two resync periods": {
			factory: []SharedInformerOption{WithOptionsFor[object](WithResync(1)), WithOptionsFor[object](WithResync(2))},
			want:    "cache.WithResync for *v1.PartialObjectMetadata: it is set twice",
		},
		"a setting in the factory and in the call": {
			factory: []SharedInformerOption{WithOptionsFor[object](WithResync(2))},
			call:    []SharedInformerOption{WithResync(2)},
			want:    "cache.WithResync for *v1.PartialObjectMetadata: it is set twice",
		},
		"a namespace of a cluster-scoped kind": {
			factory: []SharedInformerOption{WithOptionsFor[object](WithNamespace("a"))},
			change:  cluster,
			want:    `cache.WithNamespaces for *v1.PartialObjectMetadata: widgets.test.example.com is cluster-scoped, so it has no namespace "a"; remove the option`,
		},
		"no namespace": {
			factory: []SharedInformerOption{WithNamespaces()},
			want:    `cache.WithNamespaces: there is no namespace; name at least one, or "" for all namespaces`,
		},
		"all namespaces and one": {
			call: []SharedInformerOption{WithNamespaces("a", "")},
			want: `cache.WithNamespaces for *v1.PartialObjectMetadata: "" means all namespaces, so it cannot be combined with "a"`,
		},
		"an option of another kind": {
			call: []SharedInformerOption{WithTransform(func(g *gadget) (*gadget, error) { return g, nil })},
			want: "cache.WithTransform for *v1.PartialObjectMetadata: the option is for *cache.gadget; move it out of the options for *v1.PartialObjectMetadata",
		},
		"an option of a kind among those of another kind": {
			factory: []SharedInformerOption{WithOptionsFor[*gadget](WithFieldSelector(color.Is("red")))},
			want:    "cache.WithFieldSelector for *cache.gadget: the option is for *v1.PartialObjectMetadata",
			runs:    true,
		},
		"For in For": {
			factory: []SharedInformerOption{WithOptionsFor[object](WithOptionsFor[*gadget]())},
			want:    "cache.WithOptionsFor for *v1.PartialObjectMetadata: WithOptionsFor[*cache.gadget] is among the options for a kind",
		},
		"a kind that the factory does not have": {
			factory: []SharedInformerOption{WithOptionsFor[*gadget](WithNamespace("a"))},
			want:    "cache.WithOptionsFor for *cache.gadget: the factory has no such kind",
			runs:    true,
		},
		"an index with a name that is taken": {
			call:   []SharedInformerOption{WithIndexers(Indexers[object]{"letters": cachetest.ByLetters})},
			change: func(kind *Kind[object]) { kind.Indexers = Indexers[object]{"letters": cachetest.ByLetters} },
			want:   `cache.WithIndexers for *v1.PartialObjectMetadata: widgets.test.example.com has an index "letters" already; use another name`,
		},
		"a negative resync period": {
			factory: []SharedInformerOption{WithResync(-1)},
			want:    "cache.WithResync: -1ns is negative",
		},
		"a kind without a source": {
			change: func(kind *Kind[object]) { kind.ListWatch = nil },
			want:   "cache.Kind for *v1.PartialObjectMetadata: the Kind of widgets.test.example.com has neither Open nor ListWatch",
		},
		"a kind whose source is nil": {
			change: func(kind *Kind[object]) {
				kind.ListWatch = func(string) ListerWatcher[object] { return ListerWatcher[object]{} }
			},
			want: "has neither Open nor ListWatch, or they return nothing, as with a fake clientset",
		},
		"a source that is nil": {
			call: []SharedInformerOption{WithNamespaces("a", "b"), WithListerWatcher(func(string) ListerWatcher[object] { return ListerWatcher[object]{} })},
			want: `cache.WithListerWatcher for *v1.PartialObjectMetadata: the function returned the zero ListerWatcher for namespace "b"; return that of NewListWatch`,
		},
		"an index without a function": {
			call: []SharedInformerOption{WithIndexers(Indexers[object]{"letters": nil})},
			want: `cache.WithIndexers for *v1.PartialObjectMetadata: index "letters" of widgets.test.example.com has no function; set one`,
		},
		"an option that is nil": {
			call: []SharedInformerOption{nil},
			want: "cache.SharedInformerOption for *v1.PartialObjectMetadata: an option is nil; remove it",
		},
		"a field that the kind does not have": {
			call: []SharedInformerOption{WithoutFields("metadata.labels", "metadata.label", "spec.color")},
			want: "cache.WithoutFields for *v1.PartialObjectMetadata: metadata.label is unknown, because the Go type v1.ObjectMeta has no field label; did you mean metadata.labels?\n" +
				"spec is unknown, because the Go type v1.PartialObjectMetadata has no field spec; use one of kind, apiVersion, metadata",
		},
		"two lists of fields": {
			call: []SharedInformerOption{WithFields("metadata.labels"), WithFields("metadata.annotations")},
			want: "cache.WithFields for *v1.PartialObjectMetadata: it is set twice",
		},
		"no fields": {
			call: []SharedInformerOption{WithFields()},
			want: "cache.WithFields for *v1.PartialObjectMetadata: there is no path; name the fields to keep, or remove the option",
		},
		"a field of another kind of a factory": {
			factory: []SharedInformerOption{WithFields("spec.nodeName")},
			want:    "pass cache.WithOptionsFor[T](cache.WithFields(…)) for each kind T that has the field",
		},
		"a field that one kind of a factory does not have": {
			factory: []SharedInformerOption{WithoutFields("spec.color")},
			want:    "use one of kind, apiVersion, metadata; the option is for all kinds of the factory: pass cache.WithOptionsFor[T](cache.WithoutFields(…)) for each kind T that has the field",
		},
		"a field that always stays": {
			factory: []SharedInformerOption{WithoutFields("metadata.ownerReferences.uid")},
			want:    "cache.WithoutFields: metadata.ownerReferences always stays; remove it",
		},
		"a path instead of a namespace": {
			factory: []SharedInformerOption{WithNamespaces("a", "../secrets")},
			want:    `cache.WithNamespaces: "../secrets" cannot be the name of a namespace: `,
		},
		"a space next to a namespace": {
			call: []SharedInformerOption{WithNamespace("a ")},
			want: `cache.WithNamespace for *v1.PartialObjectMetadata: "a " cannot be the name of a namespace: `,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src, asked := cachetest.NewSource(), []string{}
				kind := kindOf(src, &asked)
				if test.change != nil {
					test.change(&kind)
				}
				f := NewSharedInformerFactory(0, test.factory...)
				defer f.Shutdown()
				s := InformerFor(f, kind, test.call...)
				f.Start(t.Context())
				err := f.WaitForCacheSync(t.Context())
				if mistake := (*OptionError)(nil); !errors.As(err, &mistake) || !strings.Contains(err.Error(), test.want) {
					t.Errorf("the error is %v\nwant one with %s", err, test.want)
				}
				synctest.Wait()
				now := s.Status()
				if test.runs {
					if !s.HasSynced() {
						t.Errorf("the informer of another kind is %v", now)
					}
					return
				}
				if now.Phase != status.Stopped || now.Reason != status.Misconfigured || now.Err == nil {
					t.Errorf("the informer is %v", now)
				}
				if again := InformerFor(f, kind, test.call...); again != s {
					t.Error("the next call returns another informer")
				}
				if len(test.factory) > 0 {
					return
				}
				if single, err := kind.NewInformer(test.call...); single != nil || err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("NewInformer returns %v, %v", single, err)
				}
			})
		})
	}
}

func sameObject(obj object) (object, error) { return obj, nil }

// TestDeclaredKindsMayHaveOptions starts a factory before the informer of a kind is created.
func TestDeclaredKindsMayHaveOptions(t *testing.T) {
	f := NewSharedInformerFactory(0, WithOptionsFor[*gadget](WithNamespace("a")))
	defer f.Shutdown()
	f.Declare(reflect.TypeFor[*gadget]())
	f.Start(t.Context())
	if err := f.WaitForCacheSync(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestOptionsOfTwoCallsDiffer asks for one informer in two ways.
func TestOptionsOfTwoCallsDiffer(t *testing.T) {
	web := WithLabelSelector("app=web")
	for name, test := range map[string]struct {
		first, second []SharedInformerOption
		want          string
	}{
		"only the first is limited":  {[]SharedInformerOption{web}, nil, "other options: labels [app=web], not none"},
		"only the second is limited": {nil, []SharedInformerOption{web}, "other options: none, not labels [app=web]"},
		"they have other namespaces": {
			[]SharedInformerOption{WithNamespace("a")}, []SharedInformerOption{WithNamespaces("b")},
			`other options: scopes ["a"], not scopes ["b"]`,
		},
		"a function": {
			[]SharedInformerOption{WithTransform(sameObject)}, []SharedInformerOption{WithTransform(sameObject)},
			"functions among the options of the two calls cannot be compared",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src, asked := cachetest.NewSource(), []string{}
				f := NewSharedInformerFactory(0)
				defer f.Shutdown()
				first := InformerFor(f, kindOf(src, &asked), test.first...)
				second := InformerFor(f, kindOf(src, &asked), test.second...)
				if first == second || second.Status().Reason != status.Misconfigured {
					t.Errorf("the second caller gets an informer that is %v", second.Status())
				}
				InformerFor(f, kindOf(src, &asked), test.second...)
				f.Start(t.Context())
				synctest.Wait()
				if !first.HasSynced() {
					t.Errorf("the first informer is %v", first.Status())
				}
				// The page and the readiness check show that the second one never runs.
				var shown []string
				for i := range f.Statuses() {
					shown = append(shown, fmt.Sprint(i.Status.Phase, i.Status.Reason, i.Stats.Synced))
				}
				cachetest.WantLines(t, shown, "Watchingtrue", "StoppedMisconfiguredfalse")
				if err := f.WaitForCacheSync(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("the error is %v", err)
				}
			})
		})
	}
}

type serverURL string

func (u serverURL) String() string { return string(u) }

// TestKindsOfTwoServers reads one kind from two servers.
func TestKindsOfTwoServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewSharedInformerFactory(0)
		defer f.Shutdown()
		for _, server := range []string{"https://b", "https://a"} {
			src, asked := cachetest.NewSource(), []string{}
			src.Set("a", "on-"+server[8:], nil)
			kind := kindOf(src, &asked)
			kind.Server = serverURL(server)
			InformerFor(f, kind)
		}
		f.Start(t.Context())
		if err := f.WaitForCacheSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		var got []string
		for i := range f.Statuses() {
			got = append(got, i.Server+" "+i.Object+" "+i.Resource.Resource+" "+string(i.Status.Phase))
		}
		cachetest.WantLines(t, got, "https://a *v1.PartialObjectMetadata widgets Watching", "https://b *v1.PartialObjectMetadata widgets Watching")
		if kind := (Kind[object]{Resource: widgets, Server: serverURL("https://a")}); !InformerFor(f, kind).HasSynced() {
			t.Error("the informer is not found by its server")
		}
		for range f.Statuses() {
			break // a range can end early
		}
	})
}

// TestOptionsThatAreNil have no effect, so they are the same as no option.
func TestOptionsThatAreNil(t *testing.T) {
	var asked []string
	calls := 0
	f := NewSharedInformerFactory(0, WithStatusHandler(func(context.Context, status.Change) { calls++ }), WithOptionsFor[object](WithStatusHandler(nil)))
	s := InformerFor(f, kindOf(cachetest.NewSource(), &asked), WithTransform[object](nil), WithIndexers[object](nil), WithListerWatcher[object](nil),
		WithTweakListOptions(nil), WithWatchErrorHandler(nil), WithTransform[object](nil), WithFieldSelector(fieldselector.Selector[object]{}), WithLabelSelector(" "))
	if InformerFor(f, kindOf(cachetest.NewSource(), &asked)) != s || factoryOf(f).mistakes.Err() != nil {
		t.Errorf("two informers, with the mistakes %v", factoryOf(f).mistakes.Err())
	}
	f.Shutdown()
	if calls != 1 {
		t.Errorf("the handler of the factory was called %d times", calls)
	}
}

// TestOptionsKeepTheirValues changes slices and maps after they were passed, and shares them
// between informers.
func TestOptionsKeepTheirValues(t *testing.T) {
	var asked []string
	shared := kindOf(cachetest.NewSource(), &asked)
	shared.Indexers = Indexers[object]{"letters": cachetest.ByLetters}
	paths, namespaces := []string{"metadata.annotations[first]", "metadata.annotations[second]"}[:1], []string{"a"}
	options := []SharedInformerOption{
		WithoutFields(paths...), WithNamespaces(namespaces...), WithBackoff(status.Forbidden, Backoff{Max: 1}), WithIndexers(Indexers[object]{"more": cachetest.ByLetters}),
	}
	paths[0], namespaces[0] = "other", "other"
	for _, path := range []string{"metadata.annotations[b]", "metadata.annotations[c]"} {
		s, err := shared.NewInformer(append(options, WithoutFields(path), WithBackoff(status.NotFound, Backoff{Max: 2}))...)
		if err != nil {
			t.Fatal(err)
		}
		cachetest.WantLines(t, inside(s).config.Decode.WithoutFields, "metadata.annotations[first]", path)
		if inside(s).config.Namespace != "a" || len(inside(s).config.Backoffs) != 2 {
			t.Errorf("in namespace %s, with the waits %v", inside(s).config.Namespace, inside(s).config.Backoffs)
		}
	}
	if s, err := shared.NewInformer(options...); err != nil || len(inside(s).config.Backoffs) != 1 || len(shared.Indexers) != 1 {
		t.Errorf("%v, with the waits %v and the indexes %v", err, inside(s).config.Backoffs, shared.Indexers)
	}
}

// TestOrderOfSelectors does not matter for whether two calls agree.
func TestOrderOfSelectors(t *testing.T) {
	f, asked := NewSharedInformerFactory(0), []string{}
	defer f.Shutdown()
	color, size := fieldselector.Field[object, string]("spec.color"), fieldselector.Field[object, int]("spec.size")
	first := InformerFor(f, kindOf(cachetest.NewSource(), &asked), WithLabelSelector("a=b"), WithLabelSelector("c=d"), WithFieldSelector(color.Is("red")), WithFieldSelector(size.Is(1)))
	second := InformerFor(f, kindOf(cachetest.NewSource(), &asked), WithFieldSelector(size.Is(1)), WithLabelSelector("c=d,a=b"), WithFieldSelector(color.Is("red")))
	if first != second {
		t.Error(factoryOf(f).mistakes.Err())
	}
}
