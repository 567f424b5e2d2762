package crcache

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// secretsOf returns what a ConfigMap refers to, in the key secrets: "name namespace/name". It panics at the word panic.
func secretsOf(c *corev1.ConfigMap) (names []types.NamespacedName) {
	for word := range strings.FieldsSeq(c.Data["secrets"]) {
		if word == "panic" {
			panic("on purpose")
		}
		namespace, name, isQualified := strings.Cut(word, "/")
		if !isQualified {
			namespace, name = "", word
		}
		names = append(names, types.NamespacedName{Namespace: namespace, Name: name})
	}
	return names
}

// tokensOf returns the Secrets of a ServiceAccount.
func tokensOf(account *unstructured.Unstructured) (names []types.NamespacedName) {
	secrets, _, _ := unstructured.NestedSlice(account.Object, "secrets")
	for _, secret := range secrets {
		name, _, _ := unstructured.NestedString(secret.(map[string]any), "name")
		names = append(names, types.NamespacedName{Name: name})
	}
	return names
}

func untypedAccount() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ServiceAccount"))
	return u
}

// ofSites and ofAccounts are the references of these tests.
var (
	ofSites    = By(&corev1.ConfigMap{}, secretsOf)
	ofAccounts = By(untypedAccount(), tokensOf)
)

func site(namespace, name, secrets string) *corev1.ConfigMap {
	return configMap(namespace, name, "secrets", secrets)
}

func account(namespace, name string, secrets ...string) *corev1.ServiceAccount {
	a := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	for _, secret := range secrets {
		a.Secrets = append(a.Secrets, corev1.ObjectReference{Name: secret})
	}
	return a
}

func secret(namespace, name string, n int) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, ManagedFields: nil}, Data: map[string][]byte{"n": []byte(strconv.Itoa(n))}}
}

// read returns the number in a Secret, or the reason why there is none.
func (w *world) read(c client.Reader, namespace, name string) string {
	var s corev1.Secret
	err := c.Get(w.Context(), client.ObjectKey{Namespace: namespace, Name: name}, &s)
	if err != nil {
		return string(apierrors.ReasonForError(err))
	}
	if s.Kind != "Secret" || s.Namespace != namespace || s.Name != name {
		w.Errorf("read %s/%s: %s %s/%s", namespace, name, s.Kind, s.Namespace, s.Name)
	}
	return string(s.Data["n"])
}

// cached returns the keys of the Secrets that a cache lists.
func (w *world) cached(c client.Reader) string {
	w.Helper()
	var list corev1.SecretList
	if err := c.List(w.Context(), &list); err != nil {
		w.Fatal(err)
	}
	keys := []string{}
	for i := range list.Items {
		keys = append(keys, client.ObjectKeyFromObject(&list.Items[i]).String())
	}
	slices.Sort(keys)
	return strings.Join(keys, " ")
}

// liveReads returns the number of reads from the server.
func (w *world) liveReads(c *Cache) uint64 {
	w.Helper()
	return w.statusOf(c, "secrets").Stats.LiveReads
}

func TestReferenced(t *testing.T) {
	inWorld(t, func(w *world) {
		for i, name := range []string{"one", "two", "three", "four"} {
			w.put(secret("a", name, i+1), secret("b", name, i+11))
		}
		w.put(site("a", "s1", "one b/one"), account("a", "acc", "one", "missing"))
		c := w.newCache(ctrlcache.Options{}, WithReferenced(&corev1.Secret{}, ofSites, ofAccounts))
		heard := w.listenTo(c, &corev1.Secret{})
		start(w.T, c)
		heard.want(w.T, "add a/one", "add b/one")
		reads := func(step string, want map[string]string, live int) {
			t.Helper()
			before := w.liveReads(c)
			for key, number := range want {
				namespace, name, _ := strings.Cut(key, "/")
				if got := w.read(c, namespace, name); got != number {
					t.Errorf("%s: %s is %q, want %q", step, key, got, number)
				}
			}
			if n := w.liveReads(c) - before; n != uint64(live) {
				t.Errorf("%s: %d live reads, want %d", step, n, live)
			}
		}
		reads("cached", map[string]string{"a/one": "1", "b/one": "11", "a/missing": "NotFound"}, 0)
		reads("not referenced", map[string]string{"a/two": "2", "b/none": "NotFound"}, 2)
		reads("no name", map[string]string{"a/": "NotFound"}, 0)
		if got := w.cached(c); got != "a/one b/one" {
			t.Errorf("the cache has %s", got)
		}
		w.put(secret("a", "missing", 9), secret("a", "one", 5), secret("a", "two", 6))
		heard.want(w.T, "add a/missing", "update a/one")
		reads("after writes", map[string]string{"a/one": "5", "a/missing": "9", "a/two": "6"}, 1)

		w.drop(site("a", "s1", ""))
		heard.want(w.T, "leave b/one") // the account still refers to a/one
		reads("after the last reference", map[string]string{"b/one": "11", "a/one": "5"}, 1)
		w.drop(secret("a", "one", 0))
		heard.want(w.T, "delete a/one")
		w.put(account("a", "acc", "two", ""))
		heard.want(w.T, "leave a/missing", "add a/two")

		// A list that hangs does not delay reads.
		hanging := ofCache(w.server.On("list", "secrets")).Hang()
		w.put(site("b", "s2", "four /three"))
		synctest.Wait()
		reads("before the list", map[string]string{"b/four": "14", "b/three": "13", "a/two": "6"}, 2)
		if got := w.cached(c); got != "a/two" {
			t.Errorf("the cache has %s", got)
		}
		hanging.Remove()
		w.settle()
		heard.want(w.T, "add b/four", "add b/three")
		reads("after the list", map[string]string{"b/four": "14", "b/three": "13"}, 0)
		for status := range c.Kinds() {
			switch forms := strings.Join(status.Forms, " "); status.GroupVersionKind.Kind {
			case "Secret":
				if forms != "typed" || status.Stats.Relists != nil || status.NotSynced != "" {
					t.Errorf("secrets: %v", status)
				}
			case "ConfigMap", "ServiceAccount":
				if forms != "" || status.Stats.Lists != 1 {
					t.Errorf("%s: %s, %d lists", status.GroupVersionKind.Kind, forms, status.Stats.Lists)
				}
			}
		}
	})
}

// TestReferencedForms reads a kind in all forms, with a transform, also objects that are not referenced. Live reads give what the
// cache would have.
func TestReferencedForms(t *testing.T) {
	inWorld(t, func(w *world) {
		w.put(secret("a", "one", 1), secret("a", "two", 2), site("a", "s", "one"))
		mark := func(obj any) (any, error) {
			o := obj.(client.Object)
			if o.GetName() == "two" {
				o = o.DeepCopyObject().(client.Object) // another object
			}
			o.SetAnnotations(map[string]string{"mark": fmt.Sprintf("%T", obj)})
			return o, nil
		}
		for name, options := range map[string]ctrlcache.Options{
			"plain":          {},
			"a transform":    {ByObject: map[client.Object]ctrlcache.ByObject{&corev1.Secret{}: {Transform: mark}}},
			"managed fields": {DefaultTransform: ctrlcache.TransformStripManagedFields()},
		} {
			c := w.newCache(options, WithReferenced(&corev1.Secret{}, ofSites))
			stop := start(w.T, c)
			for _, newObject := range []func() client.Object{
				func() client.Object { return &corev1.Secret{} },
				func() client.Object { return untypedOf("Secret") },
				func() client.Object { return partialOf("Secret") },
			} {
				for _, of := range []string{"one", "two"} {
					if err := w.awaitList(c, newObject()); err != nil {
						t.Fatal(err)
					}
					obj := newObject()
					if err := c.Get(w.Context(), client.ObjectKey{Namespace: "a", Name: of}, obj); err != nil {
						t.Fatal(err)
					}
					if obj.GetObjectKind().GroupVersionKind() != corev1.SchemeGroupVersion.WithKind("Secret") || obj.GetName() != of {
						t.Errorf("%s: %T %s is %v %s", name, obj, of, obj.GetObjectKind().GroupVersionKind(), obj.GetName())
					}
					if want := fmt.Sprintf("%T", obj); name == "a transform" && obj.GetAnnotations()["mark"] != want {
						t.Errorf("%s of %s: the annotations are %v, want %s", want, of, obj.GetAnnotations(), want)
					}
					if has := len(obj.GetManagedFields()) > 0; has == (name == "managed fields") {
						t.Errorf("%s: %T %s has managed fields: %v", name, obj, of, has)
					}
				}
			}
			var live, informers uint64
			for status := range c.Kinds() {
				live += status.Stats.LiveReads
				informers++
			}
			if live != 3 || informers < 3 {
				t.Errorf("%s: %d live reads in %d informers", name, live, informers)
			}
			stop()
		}
	})
}

func untypedOf(kind string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
	return u
}

func partialOf(kind string) *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
	return m
}

// awaitList waits until the informer of an object is synced.
func (w *world) awaitList(c *Cache, obj client.Object) error {
	_, err := c.GetInformer(w.Context(), obj)
	return err
}

// TestReferencedChain has owners that are referenced themselves, namespaces that are limited, and a cluster-scoped kind.
func TestReferencedChain(t *testing.T) {
	inWorld(t, func(w *world) {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p"}, Spec: corev1.PodSpec{NodeName: "n1", Containers: []corev1.Container{{
			Name: "c", Image: "i", EnvFrom: []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "s"}}}},
		}}}}
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
		w.put(pod, node, site("a", "s", "one c/one"), site("a", "unused", "two"), secret("a", "one", 1), secret("a", "two", 2), secret("c", "one", 3))
		c := w.newCache(ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{"a": {}, "b": {}}},
			WithReferenced(&corev1.Secret{}, ofSites),
			WithReferenced(&corev1.ConfigMap{}, By(&corev1.Pod{}, func(pod *corev1.Pod) (names []types.NamespacedName) {
				for _, from := range pod.Spec.Containers[0].EnvFrom {
					names = append(names, types.NamespacedName{Name: from.ConfigMapRef.Name})
				}
				return names
			})),
			WithReferenced(&corev1.Node{}, By(&corev1.Pod{}, func(pod *corev1.Pod) []types.NamespacedName { return []types.NamespacedName{{Name: pod.Spec.NodeName}} })))
		nodes, heard := w.listenTo(c, &corev1.Node{}), w.listenTo(c, &corev1.Secret{})
		start(w.T, c)
		heard.want(w.T, "add a/one") // neither what an unused one refers to, nor another namespace
		nodes.want(w.T, "add n1")
		if got := w.read(c, "a", "two"); got != "2" {
			t.Errorf("a live read: %s", got)
		}
		w.want("another namespace", c.Get(w.Context(), client.ObjectKey{Namespace: "c", Name: "one"}, &corev1.Secret{}), "unknown namespace for the cache")
		w.want("a node", c.Get(w.Context(), client.ObjectKey{Namespace: "ignored", Name: "n1"}, &corev1.Node{}), "")
		w.want("no node", c.Get(w.Context(), client.ObjectKey{Name: "n2"}, &corev1.Node{}), "not found")
		pods := w.listenTo(c, &corev1.Pod{})
		pods.want(w.T, "add a/p")
		if err := c.RemoveInformer(w.Context(), &corev1.Pod{}); err != nil { // the entry stays
			t.Fatal(err)
		}
		if err := w.Delete(w.Context(), pod, client.GracePeriodSeconds(0)); err != nil {
			t.Fatal(err)
		}
		heard.want(w.T, "leave a/one")
		nodes.want(w.T, "leave n1")
		pods.want(w.T)

		for _, obj := range []client.Object{&corev1.Node{}, &corev1.Secret{}} {
			if err := c.RemoveInformer(w.Context(), obj); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		for status := range c.Kinds() {
			t.Errorf("%s has an informer that nothing uses", status.Resource)
		}
		w.put(pod)
		again := w.listenTo(c, &corev1.Secret{})
		again.want(w.T, "add a/one")
	})
}

func TestReferencedMistakes(t *testing.T) {
	pods, nodes := By(&corev1.Pod{}, func(*corev1.Pod) []types.NamespacedName { return nil }), By(&corev1.Node{}, func(*corev1.Node) []types.NamespacedName { return nil })
	selected := ctrlcache.Options{DefaultLabelSelector: labels.SelectorFromSet(labels.Set{"a": "b"})}
	cleared := selected
	cleared.ByObject = map[client.Object]ctrlcache.ByObject{&corev1.Secret{}: {Label: labels.Everything()}}
	for name, test := range map[string]struct {
		options ctrlcache.Options
		with    []Option
		want    []string
	}{
		"twice":          {with: []Option{WithReferenced(&corev1.Secret{}, pods), WithReferenced(&corev1.Secret{}, nodes)}, want: []string{"WithReferenced(Secret) is there twice"}},
		"no references":  {with: []Option{WithReferenced(&corev1.Secret{})}, want: []string{"WithReferenced(Secret) has no references"}},
		"no function":    {with: []Option{WithReferenced(&corev1.Secret{}, By[*corev1.Pod](&corev1.Pod{}, nil))}, want: []string{"a reference without a function"}},
		"zero":           {with: []Option{WithReferenced(&corev1.Secret{}, Reference{})}, want: []string{"a reference without a function"}},
		"unknown types":  {with: []Option{WithReferenced(&unstructured.Unstructured{}, pods), WithReferenced(&corev1.Secret{}, By(&unstructured.Unstructured{}, tokensOf))}, want: []string{"WithReferenced(*unstructured.Unstructured)", "WithReferenced(Secret): By(*unstructured.Unstructured)"}},
		"a circle":       {with: []Option{WithReferenced(&corev1.Secret{}, pods), WithReferenced(&corev1.Pod{}, nodes), WithReferenced(&corev1.Node{}, ofAccounts, By(&corev1.Secret{}, func(*corev1.Secret) []types.NamespacedName { return nil }))}, want: []string{"objects of the kinds Node, Secret, Pod, Node refer to one another in a circle"}},
		"itself":         {with: []Option{WithReferenced(&corev1.Pod{}, pods, nodes)}, want: []string{"WithReferenced(Pod): the references are in objects of the same kind"}},
		"selectors":      {options: selected, with: []Option{WithReferenced(&corev1.Secret{}, pods)}, want: []string{"WithReferenced(Secret): the references tell which objects are cached"}},
		"all selected":   {options: cleared, with: []Option{WithReferenced(&corev1.Secret{}, pods)}},
		"a cluster kind": {with: []Option{WithReferenced(&corev1.Node{}, pods)}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			test.options.Mapper, test.options.Scheme, test.options.HTTPClient = testMapper(), scheme.Scheme, s.client()
			_, err := NewFunc(test.with...)(s.config(), test.options)
			if len(test.want) > 0 || err != nil {
				wantMistakes(t, err, test.want...)
			}
		})
	}
}

// TestReferencedInNamespaces reads objects in namespaces of which only one is followed: the others give no object that is not referenced.
func TestReferencedInNamespaces(t *testing.T) {
	for name, option := range map[string]Option{
		"labeled": WithNamespacesLabeled("team=web"),
		"of a function": WithNamespacesOf(func(_ context.Context, set func(...string) error) error {
			time.Sleep(time.Second) // reads wait for it
			return set("a")
		}),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.put(namespace("a", "web"), namespace("b", "db"))
				w.put(secret("a", "one", 1), secret("a", "two", 2), secret("b", "one", 11), secret("b", "two", 12), site("a", "s1", "one b/one"))
				c := w.newCache(ctrlcache.Options{}, WithReferenced(&corev1.Secret{}, ofSites), option)
				heard := w.listenTo(c, &corev1.Secret{})
				start(w.T, c)
				if got := w.read(c, "a", "two"); got != "2" { // once the namespaces are known
					t.Errorf("the first read is %q", got)
				}
				heard.want(w.T, "add a/one", "add b/one")
				for key, want := range map[string]string{"a/one": "1", "a/two": "2", "b/one": "11", "b/two": "", "c/one": ""} {
					namespace, name, _ := strings.Cut(key, "/")
					if got := w.read(c, namespace, name); got != want {
						t.Errorf("%s is %q, want %q", key, got, want)
					}
				}
				w.want("another namespace", c.Get(w.Context(), client.ObjectKey{Namespace: "b", Name: "two"}, &corev1.Secret{}), "unknown namespace for the cache; for secrets, it follows the namespaces")
				w.want("a list", c.List(w.Context(), &corev1.SecretList{}, client.InNamespace("a")), "")
				w.want("another list", c.List(w.Context(), &corev1.SecretList{}, client.InNamespace("b")), "unable to list: b because of unknown namespace")
				if n := w.liveReads(c); n != 2 {
					t.Errorf("%d live reads, want 2", n)
				}
			})
		})
	}
}

// TestReferencedWithoutOwnerKind needs a kind that the server does not have.
func TestReferencedWithoutOwnerKind(t *testing.T) {
	inWorld(t, func(w *world) {
		missing := &unstructured.Unstructured{}
		missing.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Site"})
		c := w.newCache(ctrlcache.Options{}, WithReferenced(&corev1.Secret{}, By(missing, tokensOf)))
		start(w.T, c)
		_, err := c.GetInformer(w.Context(), &corev1.Secret{})
		if w.want("the informer", err, "cannot find the Site objects that refer to Secret objects"); !meta.IsNoMatchError(err) {
			t.Errorf("%v is no NoMatch error, so a controller does not wait for the kind", err)
		}
	})
}

// take returns the lines of a log since the last call that have a text.
func (l *lines) take(text string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := slices.DeleteFunc(strings.Split(l.text, "\n"), func(line string) bool { return !strings.Contains(line, text) })
	l.text = ""
	return taken
}

// TestReferencedFailures has live reads that are refused, functions that panic, owners that cannot be listed, and objects that may
// not be followed. Each is in the status, and in the log, and stops nothing else.
func TestReferencedFailures(t *testing.T) {
	inWorld(t, func(w *world) {
		w.put(secret("a", "one", 1), secret("a", "two", 2), site("a", "s1", "one"))
		var log lines
		c := w.newCache(ctrlcache.Options{}, WithReferenced(&corev1.Secret{}, ofSites))
		c.log = log.logger()
		heard := w.listenTo(c, &corev1.Secret{})
		noSites := ofCache(w.server.On("list", "configmaps")).Forbidden()
		start(w.T, c)
		synctest.Wait()
		if got := w.read(c, "a", "two"); got != "2" {
			t.Errorf("a live read: %s", got)
		}
		now := w.statusOf(c, "secrets")
		if advice := now.Advice(); now.Status.Reason != status.Forbidden || len(advice) != 1 || !strings.Contains(advice[0].Manifest, "configmaps") || !strings.Contains(now.NotSynced, "configmaps is forbidden") {
			t.Errorf("without the right to list owners: %v; %v; %s", now, advice, now.NotSynced)
		}
		w.want("a list", c.List(expiring(w.T), &corev1.SecretList{}), "configmaps is forbidden")
		noSites.Remove()
		w.settle()
		heard.want(w.T, "add a/one")

		step := func(name string, reason cache.Reason, text string) {
			t.Helper()
			synctest.Wait()
			status := w.statusOf(c, "secrets")
			if status.Status.Reason != reason || !strings.Contains(fmt.Sprint(status.Status.Err), text) {
				t.Errorf("%s: %v, want %s %q", name, status.Status, reason, text)
			}
		}
		noGet := ofCache(w.server.On("get", "secrets")).Forbidden()
		for range 3 {
			if got := w.read(c, "a", "two"); got != "Forbidden" {
				t.Errorf("without the right to get: %s", got)
			}
		}
		step("a read that is refused", status.Forbidden, "cannot get resource")
		now = w.statusOf(c, "secrets")
		if advice := now.Advice(); now.Status.Verb != "get" || len(advice) != 1 || !strings.Contains(advice[0].Text, "crcache.WithReferenced") {
			t.Errorf("the advice is %v", advice)
		}
		if !strings.Contains(fmt.Sprint(now.Stats.Failures), "{get Forbidden 3}") {
			t.Errorf("the failures are %v", now.Stats.Failures)
		}
		if got := log.take("Cannot read an object that is not in the cache"); len(got) != 1 {
			t.Errorf("the log is %q", got)
		}
		if got := w.read(c, "a", "one"); got != "1" {
			t.Errorf("a cached object: %s", got)
		}
		noGet.Remove()
		w.read(c, "a", "two")
		step("with the right", "", "<nil>")

		w.put(site("a", "s2", "two panic"), site("a", "s3", "two"))
		step("a panic", status.HandlerPanic, "handler FollowScopes panicked on a/s2")
		if got := log.take("A handler panicked"); len(got) != 1 {
			t.Errorf("the log is %q", got)
		}
		heard.want(w.T, "add a/two")
		w.put(site("a", "s2", ""))
		step("no panic any more", "", "<nil>")

		noList := ofCache(w.server.On("list", "secrets")).Where(func(r *http.Request) bool { return r.FormValue("fieldSelector") == "metadata.name=three" }).Forbidden()
		w.put(secret("a", "three", 3), secret("a", "four", 4), site("a", "s2", "three four"))
		heard.want(w.T, "add a/four")
		step("an object that may not be listed", status.Forbidden, "")
		if got := w.read(c, "a", "three"); got != "3" {
			t.Errorf("a live read: %s", got)
		}
		noList.Remove()
		w.settle()
		heard.want(w.T, "add a/three")
		step("in the end", "", "<nil>")

		before := w.liveReads(c)
		time.Sleep(2 * time.Minute)
		w.read(c, "b", "none")
		log.take("")
		for range 100 {
			w.read(c, "b", "none")
		}
		if got := log.take("Many objects are read from the API server"); len(got) != 0 {
			t.Errorf("the log is %q", got)
		}
		time.Sleep(time.Minute)
		w.read(c, "b", "none")
		if got := log.take("Many objects are read from the API server"); len(got) != 1 || !strings.Contains(got[0], `"reads"=101`) || !strings.Contains(got[0], `"b"`) {
			t.Errorf("the log is %q", got)
		}
		if n := w.liveReads(c) - before; n != 102 {
			t.Errorf("%d live reads", n)
		}
	})
}

// TestReferencedForbiddenFromTheStart has an owner that refers to an object that may not be read. Nothing waits for that one.
func TestReferencedForbiddenFromTheStart(t *testing.T) {
	inWorld(t, func(w *world) {
		w.put(secret("a", "one", 1), secret("a", "two", 2), site("a", "s1", "one two"))
		forbidden := ofCache(w.server.On("*", "secrets")).Where(func(r *http.Request) bool { return strings.Contains(r.URL.String(), "two") }).Forbidden()
		c := w.newCache(ctrlcache.Options{}, WithReferenced(&corev1.Secret{}, ofSites))
		heard := w.listenTo(c, &corev1.Secret{})
		start(w.T, c)
		if !c.WaitForCacheSync(expiring(w.T)) {
			t.Error("the cache is not synced")
		}
		heard.want(w.T, "add a/one")
		if got := w.cached(c) + ", " + w.read(c, "a", "two"); got != "a/one, Forbidden" {
			t.Errorf("read %s", got)
		}
		if now := w.statusOf(c, "secrets"); now.Status.Reason != status.Forbidden {
			t.Errorf("the status is %v", now.Status)
		}
		forbidden.Remove()
		w.settle()
		heard.want(w.T, "add a/two")
	})
}

// TestReferencedMissesNoNamespace has an owner without a namespace that refers to a namespaced kind.
func TestReferencedMissesNoNamespace(t *testing.T) {
	inWorld(t, func(w *world) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
		w.put(node, secret("a", "one", 1), secret("a", "two", 2))
		c := w.newCache(ctrlcache.Options{}, WithReferenced(&corev1.Secret{}, By(&corev1.Node{}, func(*corev1.Node) []types.NamespacedName {
			return []types.NamespacedName{{Name: "one"}, {Namespace: "a", Name: "two"}}
		})))
		heard := w.listenTo(c, &corev1.Secret{})
		start(w.T, c)
		heard.want(w.T, "add a/two")
		if err := w.statusOf(c, "secrets").Status.Err; err == nil || !strings.Contains(err.Error(), `nodes n: it refers to secrets "one" without a namespace`) {
			t.Errorf("the error is %v", err)
		}
	})
}

// TestReferencedOwnWrites reads its writes, of objects that are referenced, listed or neither.
func TestReferencedOwnWrites(t *testing.T) {
	inWorld(t, func(w *world) {
		w.put(secret("a", "one", 1), secret("a", "two", 1), secret("a", "three", 1), site("a", "s", "one"))
		own := &writes.Observer{}
		observed := &http.Client{Transport: own.Transport(w.server)}
		writer, err := client.New(w.config(), client.Options{HTTPClient: observed})
		if err != nil {
			t.Fatal(err)
		}
		c := w.newCache(ctrlcache.Options{}, WithReadYourWrites(own), WithReferenced(&corev1.Secret{}, ofSites))
		start(w.T, c)
		if err := w.awaitList(c, &corev1.Secret{}); err != nil {
			t.Fatal(err)
		}
		ofCache(w.server.On("list", "secrets")).Hang()
		w.put(site("a", "s", "one three"))
		synctest.Wait()
		hold := w.server.HoldWatches("secrets")
		for n := 2; n < 6; n++ {
			for _, name := range []string{"one", "two", "three"} {
				if err := writer.Update(w.Context(), secret("a", name, n)); err != nil {
					t.Fatal(err)
				}
				if got := w.read(c, "a", name); got != strconv.Itoa(n) {
					t.Errorf("%s is %s after %d was written", name, got, n)
				}
			}
		}
		hold.Remove()
	})
}

// TestReferencedAtRandom gives and takes references, writes Secrets, and lets the server fail, while several goroutines read. Each
// read is a state that the server had, and is not older than an earlier read or event. A live one is a state during the call.
func TestReferencedAtRandom(t *testing.T) {
	seeds := uint64(20)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inWorld(t, func(w *world) { (&referenceGame{world: w, seed: seed}).play() })
		})
	}
}

// referenceGame is a random history of references.
type referenceGame struct {
	*world
	seed  uint64
	cache *Cache

	mu sync.Mutex // guards what follows
	// states has the numbers of each Secret in their order, and 0 after it was deleted.
	states map[string][]int
	// oldest is the first of states that a reader may see, after what was seen.
	oldest map[string]int
}

var (
	secretKeys = []string{"a/s0", "a/s1", "a/s2", "b/s0", "b/s1"}
	ownerKeys  = []string{"a/o0", "a/o1", "b/o2"}
)

func (g *referenceGame) play() {
	g.states, g.oldest = map[string][]int{}, map[string]int{}
	for _, key := range secretKeys {
		g.states[key] = []int{0}
	}
	options := []Option{WithReferenced(&corev1.Secret{}, ofSites, ofAccounts)}
	if g.seed%3 == 1 {
		options = append(options, WithPackedObjects(prefixes{}, &corev1.Secret{}))
	}
	var delays sync.Mutex
	late := rand.New(rand.NewPCG(g.seed, 2))
	g.delay = func() time.Duration {
		delays.Lock()
		defer delays.Unlock()
		return time.Duration(max(0, late.IntN(3000)-1000)) * time.Millisecond
	}
	g.cache = g.newCache(ctrlcache.Options{}, options...)
	witness := &turns{T: g.T, known: map[string]bool{}}
	informer, err := g.cache.GetInformer(g.Context(), &corev1.Secret{}, ctrlcache.BlockUntilSynced(false))
	if err != nil {
		g.Fatal(err)
	}
	for _, handler := range []interface {
		OnAdd(any, bool)
		OnUpdate(any, any)
		OnDelete(any)
	}{witness, eventsOf{g}} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			g.Fatal(err)
		}
	}
	start(g.T, g.cache)
	ctx, cancel := context.WithCancel(g.Context())
	var running sync.WaitGroup
	for reader := range 3 {
		running.Go(func() { g.readAll(ctx, rand.New(rand.NewPCG(g.seed, uint64(10+reader)))) })
	}
	random := rand.New(rand.NewPCG(g.seed, 1))
	var trouble outages
	var owners [3][]string
	for range 150 {
		switch random.IntN(8) {
		case 0, 1, 2:
			g.write(secretKeys[random.IntN(len(secretKeys))], random)
		case 3, 4:
			n := random.IntN(len(ownerKeys))
			owners[n] = nil
			for _, key := range secretKeys {
				if random.IntN(3) == 0 {
					owners[n] = append(owners[n], key)
				}
			}
			g.refer(n, owners[n])
		case 5:
			trouble.change(g.world, random, "secrets", "configmaps", "serviceaccounts")
		default:
			time.Sleep(time.Duration(random.IntN(4000)) * time.Millisecond)
		}
	}
	trouble.remove()
	time.Sleep(time.Minute)
	cancel()
	running.Wait()
	g.settle()
	wanted := map[string]struct{}{}
	for n := range owners {
		for _, key := range owners[n] {
			if namespace, _, _ := strings.Cut(key, "/"); n == 1 && namespace != "a" {
				continue // an account names Secrets of its namespace
			}
			if states := g.states[key]; states[len(states)-1] != 0 {
				wanted[key] = struct{}{}
			}
		}
	}
	want := slices.Sorted(maps.Keys(wanted))
	if got := g.cached(g.cache); got != strings.Join(want, " ") {
		g.Errorf("the cache has %s, want %v", got, want)
	}
	witness.want(want)
	before := g.liveReads(g.cache)
	for _, key := range secretKeys {
		g.readOne(key, false)
	}
	if n := g.liveReads(g.cache) - before; n > uint64(len(secretKeys)-len(want)) {
		g.Errorf("%d of %d reads are live in the end, and %d are cached", n, len(secretKeys), len(want))
	}
}

// write changes or deletes a Secret.
func (g *referenceGame) write(key string, random *rand.Rand) {
	namespace, name, _ := strings.Cut(key, "/")
	g.mu.Lock()
	defer g.mu.Unlock()
	next := len(g.states[key])
	if g.states[key][next-1] != 0 && random.IntN(4) == 0 {
		g.drop(secret(namespace, name, 0))
		next = 0
	} else {
		g.put(secret(namespace, name, next))
	}
	g.states[key] = append(g.states[key], next)
}

// refer lets an owner refer to some Secrets. The second owner is a ServiceAccount.
func (g *referenceGame) refer(n int, keys []string) {
	namespace, name, _ := strings.Cut(ownerKeys[n], "/")
	if n != 1 {
		g.put(site(namespace, name, strings.Join(keys, " ")))
		return
	}
	var names []string
	for _, key := range keys {
		if of, name, _ := strings.Cut(key, "/"); of == namespace {
			names = append(names, name)
		}
	}
	g.put(account(namespace, name, names...))
}

// readAll reads until ctx ends.
func (g *referenceGame) readAll(ctx context.Context, random *rand.Rand) {
	for ctx.Err() == nil {
		g.readOne(secretKeys[random.IntN(len(secretKeys))], true)
		time.Sleep(time.Duration(random.IntN(200)) * time.Millisecond)
	}
}

// readOne reads a Secret, and checks it.
func (g *referenceGame) readOne(key string, mayFail bool) {
	namespace, name, _ := strings.Cut(key, "/")
	g.mu.Lock()
	oldest, present := g.oldest[key], len(g.states[key])-1
	g.mu.Unlock()
	isLive := false
	var s corev1.Secret
	err := g.cache.Get(context.WithValue(g.Context(), liveRead{}, &isLive), client.ObjectKey{Namespace: namespace, Name: name}, &s)
	if err != nil && !apierrors.IsNotFound(err) {
		if !mayFail {
			g.Errorf("%s: %v", key, err)
		}
		return
	}
	n := 0
	if err == nil {
		n, _ = strconv.Atoi(string(s.Data["n"]))
	}
	if isLive {
		g.see("a live read", key, n, max(oldest, present))
	} else {
		g.see("a read", key, n, oldest)
	}
}

// see checks that a state is not older than one that was seen before.
func (g *referenceGame) see(what, key string, n, oldest int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	states := g.states[key]
	at := slices.Index(states[oldest:], n)
	if at < 0 {
		g.Errorf("%s of %s has %d, after %v; all are %v", what, key, n, states[oldest], states)
		return
	}
	g.oldest[key] = max(g.oldest[key], oldest+at)
}

// eventsOf is a handler whose events are states, too.
type eventsOf struct{ *referenceGame }

func (e eventsOf) event(obj any) {
	s := obj.(*corev1.Secret)
	n, _ := strconv.Atoi(string(s.Data["n"]))
	key := keyOf(obj)
	e.mu.Lock()
	defer e.mu.Unlock()
	if at := slices.Index(e.states[key], n); at < 0 {
		e.Errorf("an event of %s has %d; all are %v", key, n, e.states[key])
	} else {
		e.oldest[key] = max(e.oldest[key], at)
	}
}

func (e eventsOf) OnAdd(obj any, _ bool)  { e.event(obj) }
func (e eventsOf) OnUpdate(_, newObj any) { e.event(newObj) }
func (e eventsOf) OnDelete(any)           {}
