package crcache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes/scheme"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// get reads a ConfigMap.
func (w *world) get(ctx context.Context, c client.Reader, namespace, name string) error {
	return c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &corev1.ConfigMap{})
}

// listed returns the keys of the ConfigMaps that a cache has, sorted.
func (w *world) listed(c client.Reader, options ...client.ListOption) string {
	w.Helper()
	var list corev1.ConfigMapList
	if err := c.List(w.Context(), &list, options...); err != nil {
		w.Fatal(err)
	}
	keys := []string{}
	for i := range list.Items {
		keys = append(keys, client.ObjectKeyFromObject(&list.Items[i]).String())
	}
	slices.Sort(keys)
	return strings.Join(keys, " ")
}

func TestNamespacesLabeled(t *testing.T) {
	inWorld(t, func(w *world) {
		w.put(namespace("a", "web"), namespace("b", "web"), namespace("c", "db"), configMap("a", "one"), configMap("b", "one"), configMap("c", "one"))
		w.put(&corev1.Node{ObjectMeta: configMap("", "n").ObjectMeta})
		c := w.newCache(ctrlcache.Options{ByObject: map[client.Object]ctrlcache.ByObject{
			&corev1.Secret{}:  {Namespaces: map[string]ctrlcache.Config{"c": {}}},
			&corev1.Service{}: {Label: labels.SelectorFromSet(labels.Set{"x": "y"})},
		}}, WithNamespacesLabeled("team = web"))
		start(w.T, c)
		heard := w.listenTo(c, &corev1.ConfigMap{})
		heard.want(w.T, "add a/one", "add b/one")
		w.want("an object", w.get(w.Context(), c, "a", "one"), "")
		w.want("no object", w.get(w.Context(), c, "a", "two"), `"two" not found`)
		w.want("a namespace without the label", w.get(w.Context(), c, "c", "one"), "unable to get: c/one because of unknown namespace for the cache; for configmaps, it follows the namespaces with the labels team=web; read others with mgr.GetAPIReader()")
		w.want("no namespace", w.get(w.Context(), c, "", "one"), "unknown namespace")
		w.want("a list without the label", c.List(w.Context(), &corev1.ConfigMapList{}, client.InNamespace("c")), "unable to list: c because of unknown namespace for the cache")
		if apierrors.IsNotFound(w.get(w.Context(), c, "c", "one")) {
			t.Error("an object of a namespace that was never followed is not found")
		}
		w.want("a cluster-scoped object", c.Get(w.Context(), client.ObjectKey{Name: "n"}, &corev1.Node{}), "")
		if got := w.listed(c); got != "a/one b/one" {
			t.Errorf("the cache has %s", got)
		}

		hanging := ofCache(w.server.On("list", "configmaps")).In("c").Hang()
		w.put(namespace("c", "web"))
		synctest.Wait()
		w.want("a read before the list", w.get(expiring(w.T), c, "c", "two"), "has not listed namespace c: context deadline exceeded")
		w.want("a list before the list", c.List(expiring(w.T), &corev1.ConfigMapList{}, client.InNamespace("c")), "has not listed namespace c")
		w.want("another namespace meanwhile", w.get(w.Context(), c, "a", "two"), "not found")
		if got := w.listed(c); got != "a/one b/one" {
			t.Errorf("the cache has %s", got)
		}
		if status := w.statusOf(c, "configmaps"); status.NotSynced != "" {
			t.Errorf("reads wait: %s", status.NotSynced)
		}
		waiting := make(chan error, 1)
		go func() { waiting <- w.get(w.Context(), c, "c", "one") }()
		hanging.Remove()
		w.settle()
		w.want("a read that waits for the list", <-waiting, "")
		heard.want(w.T, "add c/one")

		w.put(namespace("b", "db"))
		heard.want(w.T, "leave b/one")
		err := w.get(w.Context(), c, "b", "one")
		if w.want("a namespace that lost the label", err, "and has followed this one before"); !apierrors.IsNotFound(err) {
			t.Errorf("%v is not NotFound", err)
		}
		w.drop(configMap("b", "one"))
		w.put(configMap("a", "two"))
		w.put(namespace("b", "web"))
		w.drop(namespace("c", ""))
		heard.want(w.T, "add a/two", "leave c/one")
		if got := w.listed(c); got != "a/one a/two" {
			t.Errorf("the cache has %s", got)
		}

		// ByObject keeps its meaning.
		w.put(&corev1.Secret{ObjectMeta: configMap("c", "s").ObjectMeta}, &corev1.Secret{ObjectMeta: configMap("a", "s").ObjectMeta})
		w.want("a kind with namespaces of its own", c.Get(w.Context(), client.ObjectKey{Namespace: "c", Name: "s"}, &corev1.Secret{}), "")
		w.want("elsewhere", c.Get(w.Context(), client.ObjectKey{Namespace: "a", Name: "s"}, &corev1.Secret{}), `it has the namespaces ["c"]`)
		labeled, other := &corev1.Service{ObjectMeta: configMap("a", "l").ObjectMeta}, &corev1.Service{ObjectMeta: configMap("a", "o").ObjectMeta}
		labeled.Labels = map[string]string{"x": "y"}
		w.put(labeled, other)
		w.want("a label", c.Get(w.Context(), client.ObjectKeyFromObject(labeled), &corev1.Service{}), "")
		w.want("without the label", c.Get(w.Context(), client.ObjectKeyFromObject(other), &corev1.Service{}), "not found")
		if status := w.statusOf(c, "namespaces"); status.Name != "followed" || status.Status.Objects != 2 || status.NotSynced != "" {
			t.Errorf("the namespaces are %v", status)
		}
	})
}

// TestNamespacesForbidden has no right to list namespaces, and says so where people look.
func TestNamespacesForbidden(t *testing.T) {
	inWorld(t, func(w *world) {
		w.put(namespace("a", "web"), configMap("a", "one"))
		forbidden := ofCache(w.server.On("list", "namespaces")).Forbidden()
		c := w.newCache(ctrlcache.Options{}, WithNamespacesLabeled("team=web"))
		stop := start(w.T, c)
		w.want("a read", w.get(expiring(w.T), c, "a", "one"), "namespaces is forbidden")
		now := w.statusOf(c, "configmaps")
		if advice := now.Advice(); now.Status.Reason != status.Forbidden || len(advice) != 1 || !strings.Contains(advice[0].Manifest, `"namespaces"`) {
			t.Errorf("the status is %v, the advice %v", now, advice)
		}
		w.want("the check", ReadyChecker(c)(nil), "namespaces")
		forbidden.Remove()
		w.settle()
		w.want("with the right", w.get(w.Context(), c, "a", "one"), "")
		w.want("the check", ReadyChecker(c)(nil), "")
		stop()
		w.want("after the end", c.Get(w.Context(), client.ObjectKey{Namespace: "a", Name: "one"}, &corev1.Secret{}), "stopped")
	})
}

func TestNamespacesOf(t *testing.T) {
	inWorld(t, func(w *world) {
		w.put(configMap("a", "one"), configMap("b", "one"), configMap("c", "one"))
		next := make(chan []string)
		fail := make(chan error)
		c := w.newCache(ctrlcache.Options{}, WithNamespacesOf(func(ctx context.Context, set func(...string) error) error {
			for {
				select {
				case names := <-next:
					if err := set(names...); err != nil {
						return err
					}
				case err := <-fail:
					return err
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}))
		heard := w.listenTo(c, &corev1.ConfigMap{})
		start(w.T, c)
		w.want("before the first ones", w.get(expiring(w.T), c, "a", "one"), "SetScopes was not called yet")
		next <- []string{"a", "b", "a"}
		heard.want(w.T, "add a/one", "add b/one")
		w.want("another one", w.get(w.Context(), c, "c", "one"), "for configmaps, it follows the namespaces of WithNamespacesOf")
		later := w.listenTo(c, &corev1.Secret{})
		w.put(&corev1.Secret{ObjectMeta: configMap("b", "s").ObjectMeta})
		later.want(w.T, "add b/s")

		fail <- errors.New("the file is missing")
		synctest.Wait()
		if status := w.statusOf(c, "secrets"); !strings.Contains(fmt.Sprint(status.Status.Err), "the file is missing") {
			t.Errorf("the status is %v", status)
		}
		w.want("the old ones", w.get(w.Context(), c, "b", "one"), "")
		time.Sleep(2 * time.Second)
		next <- []string{"c", "Not_a_name"}
		synctest.Wait()
		if status := w.statusOf(c, "configmaps"); !strings.Contains(fmt.Sprint(status.Status.Err), `"Not_a_name" cannot be the name of a namespace`) {
			t.Errorf("the status is %v", status)
		}
		heard.want(w.T)
		time.Sleep(time.Minute)
		next <- []string{"b", "c"}
		heard.want(w.T, "leave a/one", "add c/one")
		if status := w.statusOf(c, "configmaps"); status.Status.Err != nil {
			t.Errorf("the status is %v", status)
		}
		if err := w.get(w.Context(), c, "a", "one"); !apierrors.IsNotFound(err) {
			t.Errorf("a namespace that was followed: %v", err)
		}
		next <- nil
		heard.want(w.T, "leave b/one", "leave c/one")
		fail <- nil // they will not change any more
		synctest.Wait()
	})
}

func TestNamespacesMistakes(t *testing.T) {
	source := WithNamespacesOf(func(context.Context, func(...string) error) error { return nil })
	limited := ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{"a": {}}}
	for name, test := range map[string]struct {
		options ctrlcache.Options
		with    []Option
		want    []string
	}{
		"no selector":        {with: []Option{WithNamespacesLabeled("team in")}, want: []string{`"team in" is not a label selector`}},
		"an empty selector":  {with: []Option{WithNamespacesLabeled(" ")}, want: []string{"the selector is empty"}},
		"no function":        {with: []Option{WithNamespacesOf(nil)}, want: []string{"WithNamespacesOf needs a function"}},
		"both":               {with: []Option{WithNamespacesLabeled("a=b"), source}, want: []string{"WithNamespacesLabeled and WithNamespacesOf both name the namespaces"}},
		"twice":              {with: []Option{WithNamespacesLabeled("a=b"), WithNamespacesLabeled("a=c")}, want: []string{"WithNamespacesLabeled is there twice"}},
		"DefaultNamespaces":  {limited, []Option{WithNamespacesLabeled("a=b")}, []string{"WithNamespacesLabeled and Options.DefaultNamespaces both name the namespaces"}},
		"both, and defaults": {limited, []Option{WithNamespacesLabeled("a=b"), source}, []string{"WithNamespacesLabeled and Options.Default", "WithNamespacesLabeled and WithNamespacesOf", "WithNamespacesOf and Options.Default"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			test.options.Mapper, test.options.Scheme, test.options.HTTPClient = testMapper(), scheme.Scheme, s.client()
			_, err := NewFunc(test.with...)(s.config(), test.options)
			wantMistakes(t, err, test.want...)
		})
	}
}

// TestNamespacesAtRandom gives and takes labels, while objects change, the server fails, and watches are cut. Each read is what a
// model says: of an object of the server, or of a namespace that is not followed. Handlers hear of an object in turn.
func TestNamespacesAtRandom(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inWorld(t, func(w *world) { playNamespaces(w, rand.New(rand.NewPCG(seed, 1)), seed%2 == 1) })
		})
	}
}

func playNamespaces(w *world, random *rand.Rand, bySource bool) {
	var names []string
	labeled := map[string]bool{}
	for i := range 5 {
		names = append(names, fmt.Sprintf("n%d", i))
	}
	changes := make(chan []string, 100)
	option := WithNamespacesLabeled("team=web")
	if bySource {
		option = WithNamespacesOf(func(ctx context.Context, set func(...string) error) error {
			for {
				select {
				case now := <-changes:
					if err := set(now...); err != nil {
						return err
					}
				case <-ctx.Done():
					return nil
				}
			}
		})
		changes <- nil
	}
	c := w.newCache(ctrlcache.Options{}, option)
	start(w.T, c)
	witness := &turns{T: w.T, known: map[string]bool{}}
	informer, err := c.GetInformer(w.Context(), &corev1.ConfigMap{}, ctrlcache.BlockUntilSynced(false))
	if err != nil {
		w.Fatal(err)
	}
	if _, err := informer.AddEventHandler(witness); err != nil {
		w.Fatal(err)
	}
	var trouble outages
	for range 120 {
		name := names[random.IntN(len(names))]
		switch random.IntN(8) {
		case 0, 1:
			labeled[name] = !labeled[name]
			if bySource {
				now := slices.DeleteFunc(slices.Sorted(maps.Keys(labeled)), func(name string) bool { return !labeled[name] })
				changes <- now
			} else {
				w.put(namespace(name, map[bool]string{true: "web", false: "db"}[labeled[name]]))
			}
		case 2, 3:
			w.put(configMap(name, fmt.Sprintf("c%d", random.IntN(4)), "n", fmt.Sprint(random.Int())))
		case 4:
			if err := client.IgnoreNotFound(w.Delete(w.Context(), configMap(name, fmt.Sprintf("c%d", random.IntN(4))))); err != nil {
				w.Fatal(err)
			}
		case 5:
			trouble.change(w, random, "configmaps", "namespaces")
		case 6:
			time.Sleep(time.Duration(random.IntN(40)) * time.Second)
		case 7: // a read while everything changes: an object of the server, or no answer
			err := w.get(expiring(w.T), c, name, "c0")
			if err != nil && !apierrors.IsNotFound(err) && !strings.Contains(err.Error(), "unknown namespace") && !strings.Contains(err.Error(), "context deadline exceeded") {
				w.Errorf("a read: %v", err)
			}
		}
		synctest.Wait()
	}
	trouble.remove()
	w.settle()
	var want []string
	for _, name := range names {
		var list corev1.ConfigMapList
		if err := w.Client.List(w.Context(), &list, client.InNamespace(name)); err != nil {
			w.Fatal(err)
		}
		for i := range list.Items {
			if labeled[name] {
				want = append(want, name+"/"+list.Items[i].Name)
			}
			err := w.get(w.Context(), c, name, list.Items[i].Name)
			if labeled[name] != (err == nil) {
				w.Errorf("%s/%s, followed %v: %v", name, list.Items[i].Name, labeled[name], err)
			}
		}
	}
	if got := w.listed(c); got != strings.Join(want, " ") {
		w.Errorf("the cache has %s, want %v", got, want)
	}
	witness.want(want)
}

// turns checks that a handler hears of an object in turn.
type turns struct {
	*testing.T
	mu    sync.Mutex
	known map[string]bool
}

func (r *turns) note(event string, obj any, before, after bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if key := keyOf(obj); r.known[key] != before {
		r.Errorf("%s of %s, which the handler knows: %v", event, key, !before)
	} else {
		r.known[key] = after
	}
}

func (r *turns) OnAdd(obj any, _ bool)  { r.note("add", obj, false, true) }
func (r *turns) OnUpdate(_, newObj any) { r.note("update", newObj, true, true) }
func (r *turns) OnDelete(obj any)       { r.note("delete", obj, true, false) }

// want checks which objects the handler knows, sorted.
func (r *turns) want(want []string) {
	r.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.known, func(_ string, known bool) bool { return !known })
	if got := slices.Sorted(maps.Keys(r.known)); !slices.Equal(got, want) {
		r.Errorf("the handler knows %v, want %v", got, want)
	}
}

// outages are faults of a server that come and go.
type outages []interface{ Remove() }

// change adds a fault of some resources, or removes all.
func (f *outages) change(w *world, random *rand.Rand, resources ...string) {
	resource := resources[random.IntN(len(resources))]
	verb := []string{"list", "watch"}[random.IntN(2)]
	of := ofCache(w.server.On(verb, resource)).Optional()
	switch random.IntN(9) {
	case 0:
		*f = append(*f, of.Times(3).Unavailable(0))
	case 1:
		*f = append(*f, of.Times(2).Disconnect())
	case 2:
		*f = append(*f, of.Once().Expired())
	case 3:
		w.server.CutWatches(resource)
	case 4:
		w.server.Compact()
		w.server.CutWatches("*")
	case 5:
		*f = append(*f, w.server.LagWatches(resource, time.Duration(random.IntN(5))*time.Second))
	case 6: // a restart: no one is served for a while, and no version is known afterwards
		*f = append(*f, ofCache(w.server.On("*", "*")).Optional().Times(20).Disconnect())
		w.server.CutWatches("*")
		w.server.Compact()
	default:
		f.remove()
	}
}

func (f *outages) remove() {
	for _, fault := range *f {
		fault.Remove()
	}
	*f = nil
}
