package crcache

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1 "k8s.io/api/core/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// lines is a log.
type lines struct {
	mu   sync.Mutex
	text string
}

func (l *lines) logger() logr.Logger {
	return funcr.New(func(_, args string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.text += args + "\n"
	}, funcr.Options{})
}

func (l *lines) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text
}

// TestReasons waits for informers that cannot sync: a right is missing, and a CRD.
func TestReasons(t *testing.T) {
	s := newServer(t)
	s.setRefuse(func(_ *http.Request, resource string) *metav1.Status {
		switch resource {
		case "widgets":
			return &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: "the server could not find the requested resource"}
		case "secrets":
			// Secrets are protobuf, which is listed as a stream; a list follows the one that fails.
			return &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: `secrets is forbidden: User "robot" cannot list resource "secrets"`}
		}
		return nil
	})
	c := newCache(t, s, ctrlcache.Options{DefaultWatchErrorHandler: func(context.Context, *toolscache.Reflector, error) {}})
	log := &lines{}
	c.log = log.logger()
	check := ReadyChecker(c)
	if err := check(nil); err == nil || !strings.Contains(err.Error(), "not started") {
		t.Errorf("before the start: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if c.WaitForCacheSync(ended) {
		t.Error("synced before the start")
	}
	start(t, c)
	if err := check(nil); err != nil || !c.WaitForCacheSync(timeout(t)) {
		t.Errorf("without informers: %v", err)
	}
	if err := c.List(timeout(t), &corev1.ConfigMapList{}); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	const forbidden = `Forbidden: list: secrets is forbidden: User "robot" cannot list resource "secrets"; it needs the rights to list and to watch`
	const missing = "NotFound: list: the server could not find the requested resource; is its CRD installed?"
	if _, err := c.GetInformer(short, &corev1.Secret{}); err == nil || !strings.Contains(err.Error(), forbidden) {
		t.Errorf("GetInformer: %v", err)
	}
	if err := c.List(short, &widgetList{}); err == nil || !strings.Contains(err.Error(), "Widget") {
		t.Errorf("List: %v", err)
	}
	eventually(t, func() error { // once the first request for widgets has failed
		err := check(nil)
		if err != nil && strings.Contains(err.Error(), forbidden) && strings.Contains(err.Error(), missing) && !strings.Contains(err.Error(), "configmaps") {
			return nil
		}
		return fmt.Errorf("the check returns %v", err)
	})
	short, cancel = context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if c.WaitForCacheSync(short) {
		t.Error("synced")
	}
	if text := log.all(); !strings.Contains(text, "secrets: Degraded") || !strings.Contains(text, "widgets.example.com: Degraded") || strings.Contains(text, "configmaps") {
		t.Errorf("the log is\n%s", text)
	}
	var names []string
	for status := range c.Kinds() {
		names = append(names, status.Resource.Resource)
		if wants := status.Resource.Resource != "configmaps"; wants != (status.NotSynced != "") || wants != (status.Status.Err != nil) {
			t.Errorf("%+v", status)
		}
	}
	if got := strings.Join(names, " "); got != "configmaps secrets widgets" {
		t.Errorf("the statuses are of %s", got)
	}
	for range c.Kinds() {
		break
	}
	s.setRefuse(nil)
	for _, e := range c.entries {
		e.informer.Retry()
	}
	if !c.WaitForCacheSync(timeout(t)) || check(nil) != nil {
		t.Errorf("not synced: %v", check(nil))
	}
}

// lateMapper has no kinds until it is told to.
type lateMapper struct {
	meta.RESTMapper
	knows atomic.Bool
}

func (m *lateMapper) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if !m.knows.Load() {
		return nil, &meta.NoKindMatchError{GroupKind: kind, SearchedVersions: versions}
	}
	return m.RESTMapper.RESTMapping(kind, versions...)
}

// TestKindWithoutCRD asks for the informer of a kind whose CRD is installed later, as a
// controller does.
func TestKindWithoutCRD(t *testing.T) {
	s := newServer(t)
	mapper := &lateMapper{RESTMapper: testMapper()}
	c := newCache(t, s, ctrlcache.Options{Mapper: mapper})
	start(t, c)
	check := ReadyChecker(c)
	if err := check(nil); err != nil {
		t.Errorf("without kinds: %v", err)
	}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "one"}, &widget{}); !meta.IsNoMatchError(err) {
		t.Errorf("the error of a read is %v", err)
	}
	if err := check(nil); err != nil {
		t.Errorf("after a read that looks whether the kind exists: %v", err)
	}
	if _, err := c.GetInformer(t.Context(), &widget{}); !meta.IsNoMatchError(err) {
		t.Errorf("the error is %v", err)
	}
	if err := check(nil); err == nil || !strings.Contains(err.Error(), "[-] widgets.example.com: Degraded for ") || !strings.Contains(err.Error(), "(NotFound: no matches for kind \"Widget\" in version \"example.com/v1\"; is its CRD installed?); the cache does not hold the first list\n") {
		t.Errorf("without the CRD the check returns %v", err)
	}
	absent := slices.Collect(c.Statuses())
	if len(absent) != 1 {
		t.Fatalf("the statuses are %+v", absent)
	}
	want := status.Informer{
		Resource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
		Kind:     "Widget",
		Server:   s.URL,
		Status:   cache.Status{Phase: status.Degraded, Since: absent[0].Status.Since, Err: absent[0].Status.Err, Reason: status.NotFound},
	}
	if !reflect.DeepEqual(absent[0], want) || want.Status.Since.IsZero() || !meta.IsNoMatchError(want.Status.Err) {
		t.Errorf("the status is %+v, want %+v", absent[0], want)
	}
	if advice := absent[0].Advice(); len(advice) != 1 || advice[0].Reason != status.NotFound || !strings.Contains(advice[0].Text, "Install the CustomResourceDefinition widgets.example.com") {
		t.Errorf("the advice is %+v", advice)
	}
	if absent := c.absentKinds(time.Now().Add(absenceTimeout + time.Second)); len(absent) > 0 {
		t.Errorf("long after the last call: %v", absent)
	}
	if _, err := c.GetInformer(t.Context(), &widget{}); err == nil {
		t.Error("there is an informer")
	}
	mapper.knows.Store(true)
	if _, err := c.GetInformer(t.Context(), &widget{}); err != nil {
		t.Fatal(err)
	}
	if err := check(nil); err != nil {
		t.Errorf("with the CRD the check returns %v", err)
	}
	for status := range c.Statuses() {
		if status.Status.Err != nil || status.Server != s.URL {
			t.Errorf("with the CRD the status is %+v", status)
		}
	}
}

// TestKindOfKubernetesThatIsNotServed has a server without ConfigMaps: its mapper does not know them, or the
// server does not. No CRD has to be installed.
func TestKindOfKubernetesThatIsNotServed(t *testing.T) {
	s := newServer(t)
	s.setRefuse(func(*http.Request, string) *metav1.Status {
		return &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: "the server could not find the requested resource"}
	})
	for name, mapper := range map[string]meta.RESTMapper{"mapper": &lateMapper{RESTMapper: testMapper()}, "server": testMapper()} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t, s, ctrlcache.Options{Mapper: mapper, DefaultWatchErrorHandler: func(context.Context, *toolscache.Reflector, error) {}})
			start(t, c)
			if _, err := c.GetInformer(t.Context(), &corev1.ConfigMap{}, ctrlcache.BlockUntilSynced(false)); (err != nil) != (name == "mapper") {
				t.Fatal(err)
			}
			check := ReadyChecker(c)
			eventually(t, func() error {
				err := check(nil)
				if err == nil || strings.Contains(err.Error(), "CRD") || !strings.Contains(err.Error(), "; it is a part of Kubernetes, so the server is too old or too new for v1, has disabled it, or is no API server)") || !strings.Contains(err.Error(), "\n    The server does not serve configmaps in v1, which is a part of Kubernetes") {
					return fmt.Errorf("the check returns %v", err)
				}
				return nil
			})
		})
	}
}

// TestCheckOfAnotherCache has no reason.
func TestCheckOfAnotherCache(t *testing.T) {
	informer, release := newBlocked()
	c, err := New(&rest.Config{}, ctrlcache.Options{Scheme: testScheme(), Mapper: testMapper(), NewInformer: func(toolscache.ListerWatcher, runtime.Object, time.Duration, toolscache.Indexers) toolscache.SharedIndexInformer {
		return informer
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetInformer(t.Context(), &widget{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- c.Start(ctx) }()
	defer func() {
		cancel()
		<-done
	}()
	short, cancelRequest := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancelRequest()
	request, err := http.NewRequestWithContext(short, http.MethodGet, "/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	check := ReadyChecker(c)
	if err := check(request); err == nil || !strings.Contains(err.Error(), "does not say why") {
		t.Errorf("the check returns %v", err)
	}
	release()
	if err := check(request.WithContext(t.Context())); err != nil {
		t.Errorf("the check returns %v", err)
	}
}

// TestAfterTheEnd uses a cache that has ended.
func TestAfterTheEnd(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	if c.NeedLeaderElection() {
		t.Error("the cache needs to be the leader")
	}
	stop := start(t, c)
	if got := namesIn(t, c); got != "a/one" {
		t.Errorf("got %s", got)
	}
	informer, err := c.GetInformer(timeout(t), &widget{})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if !informer.IsStopped() {
		t.Error("the informer lives on")
	}
	if got := namesIn(t, c); got != "a/one" { // as in controller-runtime
		t.Errorf("after the end: %s", got)
	}
	// Nothing waits for what will never come.
	if err := c.List(t.Context(), &corev1.SecretList{}); err == nil || !strings.Contains(err.Error(), "informer has stopped") {
		t.Errorf("another kind: %v", err)
	}
	if err := c.List(t.Context(), untypedWidgets()); err == nil || !strings.Contains(err.Error(), "informer has stopped") {
		t.Errorf("another form: %v", err)
	}
	if c.WaitForCacheSync(t.Context()) {
		t.Error("a cache that has ended is synced")
	}
	if err := c.RemoveInformer(t.Context(), &widget{}); err != nil {
		t.Error(err)
	}
}

// TestRedirect: the other host would get the token.
func TestRedirect(t *testing.T) {
	other := newServer(t)
	s := newServer(t)
	s.Config.Handler = http.RedirectHandler(other.URL+"/apis/example.com/v1/widgets", http.StatusTemporaryRedirect)
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	if _, err := c.GetInformer(timeout(t), &widget{}, ctrlcache.BlockUntilSynced(false)); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		for status := range c.Kinds() {
			if status.Status.Reason != "Redirected" {
				return fmt.Errorf("the status is %v", status.Status)
			}
		}
		return nil
	})
	if seen := other.seen("widgets", false); len(seen) > 0 {
		t.Errorf("the other host got %v", seen)
	}
}

// TestRateLimits: those of the rest.Config would delay the pages of a list. A RateLimiter is used.
func TestRateLimits(t *testing.T) {
	for _, limited := range []bool{false, true} {
		s := newServer(t)
		config := s.config()
		config.QPS, config.Burst = 1e-6, 1
		waited := &limiter{}
		if limited {
			config.RateLimiter = waited
		}
		c, err := New(config, ctrlcache.Options{HTTPClient: s.client(), Scheme: testScheme(), Mapper: testMapper()})
		if err != nil {
			t.Fatal(err)
		}
		start(t, c.(*Cache))
		if err := c.List(timeout(t), &widgetList{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error { // the second request
			if len(s.seen("widgets", true)) == 0 {
				return fmt.Errorf("no watch")
			}
			return nil
		})
		if got := waited.n.Load() > 0; got != limited {
			t.Errorf("the RateLimiter was used: %v, want %v", got, limited)
		}
	}
}

// limiter counts requests.
type limiter struct {
	flowcontrol.RateLimiter
	n atomic.Int32
}

func (l *limiter) Wait(context.Context) error {
	l.n.Add(1)
	return nil
}
