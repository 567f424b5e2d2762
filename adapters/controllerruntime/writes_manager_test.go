package crcache

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/typedinformers/informer-gen/runtime/writes"
)

// TestOwnWritesOfAManager makes a manager of a rest.Config that was wrapped, and writes with
// different clients.
func TestOwnWritesOfAManager(t *testing.T) {
	for _, test := range []struct {
		name   string
		set    func(o *ctrl.Options, own *writes.Observer, transport http.RoundTripper)
		writer func(mgr ctrl.Manager) (client.Client, error)
		atOnce bool
	}{
		{"its client", nil, nil, true},
		{"another client of its config", nil, func(mgr ctrl.Manager) (client.Client, error) {
			return client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
		}, true},
		{"another client with its HTTP client", nil, func(mgr ctrl.Manager) (client.Client, error) {
			return client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper(), HTTPClient: mgr.GetHTTPClient()})
		}, true},
		{"wrapped HTTP client of the options", func(o *ctrl.Options, own *writes.Observer, transport http.RoundTripper) {
			o.Client.HTTPClient = &http.Client{Transport: own.Transport(transport)}
		}, nil, true},
		{"other HTTP client of the options", func(o *ctrl.Options, _ *writes.Observer, transport http.RoundTripper) {
			o.Client.HTTPClient = &http.Client{Transport: transport}
		}, nil, false},
		{"other HTTP client of the cache", func(o *ctrl.Options, _ *writes.Observer, transport http.RoundTripper) {
			o.Cache.HTTPClient = &http.Client{Transport: transport}
		}, nil, true},
		{"field owner and validation", func(o *ctrl.Options, _ *writes.Observer, _ http.RoundTripper) {
			setField(&o.Client, "FieldOwner", "me")
			setField(&o.Client, "FieldValidation", "Strict")
		}, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t)
			own := &writes.Observer{}
			transport := s.client().Transport
			config := s.config()
			config.Transport = transport
			config.Wrap(own.Transport)
			options := ctrl.Options{
				Scheme:         testScheme(),
				Metrics:        metricsserver.Options{BindAddress: "0"},
				MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return testMapper(), nil },
				NewCache:       NewFunc(WithReadYourWrites(own)),
			}
			if test.set != nil {
				test.set(&options, own, transport)
			}
			mgr, err := ctrl.NewManager(config, options)
			if err != nil {
				t.Fatal(err)
			}
			startManager(t, mgr)
			writer := mgr.GetClient()
			if test.writer != nil {
				if writer, err = test.writer(mgr); err != nil {
					t.Fatal(err)
				}
			}
			key := client.ObjectKey{Namespace: "a", Name: "one"}
			if err := mgr.GetClient().Get(timeout(t), key, &widget{}); !apierrors.IsNotFound(err) {
				t.Fatalf("before the write: %v", err)
			}
			s.hold()
			if err := writer.Create(timeout(t), newWidgetOf("a", "one", "red")); err != nil {
				t.Fatal(err)
			}
			err = mgr.GetClient().Get(timeout(t), key, &widget{})
			if atOnce := err == nil; atOnce != test.atOnce || err != nil && !apierrors.IsNotFound(err) {
				t.Errorf("read at once is %v, want %v: %v", atOnce, test.atOnce, err)
			}
			s.release()
			eventually(t, func() error { return mgr.GetClient().Get(timeout(t), key, &widget{}) })
		})
	}
}

// startManager starts a manager, and stops it at the end of the test.
func startManager(t *testing.T, mgr ctrl.Manager) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the manager ended with %v", err)
		}
	})
	if !mgr.GetCache().WaitForCacheSync(timeout(t)) {
		t.Fatal("the cache is not synced")
	}
}

// TestReadYourWritesNeedsAnObserver passes what cannot work.
func TestReadYourWritesNeedsAnObserver(t *testing.T) {
	s := newServer(t)
	attached := &writes.Observer{}
	attached.Transport(nil)
	newInformer := toolscache.NewSharedIndexInformer
	for _, test := range []struct {
		name    string
		own     *writes.Observer
		options ctrlcache.Options
		want    string
	}{
		{"nil", nil, ctrlcache.Options{}, "it is nil"},
		{"not attached", &writes.Observer{}, ctrlcache.Options{}, "config.Wrap(own.Transport)"},
		{"other informers", attached, ctrlcache.Options{NewInformer: newInformer}, "Options.NewInformer"},
		{"a mistake in the options", attached, ctrlcache.Options{DefaultLabelSelector: labels.Nothing()}, "the label selector selects nothing"},
	} {
		test.options.Mapper, test.options.Scheme, test.options.HTTPClient = testMapper(), testScheme(), s.client()
		c, err := NewFunc(WithReadYourWrites(test.own))(s.config(), test.options)
		if c != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v and %v, want %q", test.name, c, err, test.want)
		}
	}
}

// TestConsistentClient uses the option of controller-runtime over a cache that reads its own
// writes. The option waits for events, and these are there without the watch.
func TestConsistentClient(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("b", "other", "red"))
	consistent := true
	w := newWriter(t, s, ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{"a": {}, "b": {}}}, func(o *client.Options) {
		if !setField(o.Cache, "EnableReadYourWritesConsistency", &consistent) {
			t.Skip("controller-runtime has the option since v0.25")
		}
	})
	for _, f := range []form{typed, untyped} {
		w.get(f, client.ObjectKey{Namespace: "a", Name: "new"}) // adds the informer
	}
	s.hold()
	ctx, one := timeout(t), newWidgetOf("a", "one", "red")
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"create", func() error { return w.Create(ctx, one) }},
		{"update", func() error { one.Spec.Color = "blue"; return w.Update(ctx, one) }},
		{"patch", func() error { return w.Patch(ctx, one, client.MergeFrom(newWidgetOf("a", "one", "blue"))) }},
		{"finalizer", func() error { one.Finalizers = []string{"example.com/x"}; return w.Update(ctx, one) }},
		{"delete with a finalizer", func() error { return w.Delete(ctx, one) }},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if version, _ := w.getAndList(typed, client.ObjectKeyFromObject(one)); version != s.version("a", "one") {
			t.Errorf("%s: version %q, want %q", step.name, version, s.version("a", "one"))
		}
	}
	if err := w.Create(ctx, newWidgetOf("a", "two", "red")); err != nil {
		t.Fatal(err)
	}
	if err := w.Delete(ctx, newWidgetOf("a", "two", "red")); err != nil {
		t.Fatal(err)
	}
	if version, _ := w.getAndList(typed, client.ObjectKey{Namespace: "a", Name: "two"}); version != "" {
		t.Errorf("version %q of a deleted object", version)
	}
	s.release()
	w.awaitConfirmed()
}

// TestWaitFor waits for a write of another process.
func TestWaitFor(t *testing.T) {
	s := newServer(t)
	w := newWriter(t, s, ctrlcache.Options{})
	w.read(typed)
	s.hold()
	s.put("widgets", newWidget("a", "one", "red"))
	version := s.version("a", "one")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.cache.WaitFor(ended, &widget{}, version); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "widgets.example.com has not reached version") {
		t.Errorf("while watches are held: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- w.cache.WaitFor(timeout(t), &widget{}, version) }()
	s.release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := w.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, &widget{}); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	if err := w.cache.WaitFor(timeout(t), &runtimeOnly{}, version); err == nil {
		t.Error("waited for a kind that the scheme does not have")
	}
}

// runtimeOnly is an object of no kind.
type runtimeOnly struct{ widget }

// DeepCopyObject returns o: no test copies it.
func (o *runtimeOnly) DeepCopyObject() runtime.Object { return o }
