package e2e

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/test/faults"
	"github.com/typedinformers/informer-gen/test/faults/history"
	"github.com/typedinformers/informer-gen/test/progress"
	"github.com/typedinformers/informer-gen/testserver"
)

// databases is what most tests are about.
var databases = datav1.SchemeGroupVersion.WithResource("databases")

// A follower is an informer behind a proxy, with a handler that checks what it
// is told:
//
//	direct ─────────────────▶ apiserver
//	informer ─▶ proxy ──────▶
//	   └─▶ recorder
type follower struct {
	direct    versioned.Interface // past the proxy
	namespace string
	proxy     *faults.Proxy
	informer  *cache.SharedIndexInformer[*datav1.Database]
	heard     *history.Recorder[*datav1.Database]

	mu       sync.Mutex // guards failures and statuses
	failures []error
	// statuses are those with an error, by its text. The hooks run beside the informer, which may be well again before
	// they do.
	statuses map[string]cache.Status
}

// follow starts a follower of a namespace, under rules.
func follow(t *testing.T, server *testserver.Server, namespace string, rules ...faults.Rule) (f *follower, struck []<-chan struct{}) {
	t.Helper()
	proxy, err := faults.Start(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Stop)
	for _, rule := range rules {
		struck = append(struck, proxy.Set(rule))
	}
	config := server.Config()
	config.Host = proxy.URL()
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	f = &follower{direct: clientOf(t, server), namespace: namespace, proxy: proxy, statuses: map[string]cache.Status{}}
	kind := cache.Kind[*datav1.Database]{
		Resource:   databases,
		Namespaced: true,
		Open: func(namespace string) bodies.OpenFunc {
			return bodies.Open(client.DataV1().RESTClient(), databases, namespace)
		},
	}
	onError := func(_ context.Context, _ schema.GroupVersionResource, err error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.failures = append(f.failures, err)
	}
	onStatus := func(_ context.Context, change status.Change) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if change.New.Err != nil {
			f.statuses[change.New.Err.Error()] = change.New
		}
	}
	f.informer, err = kind.NewInformer(cache.WithNamespace(namespace), cache.WithStreamingList(), cache.WithWatchErrorHandler(onError), cache.WithStatusHandler(onStatus))
	if err != nil {
		t.Fatal(err)
	}
	f.heard = history.NewRecorder(f.informer.GetStore())
	if _, err := f.informer.AddEventHandler(f.heard); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	running.Go(func() { f.informer.Run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	return f, struck
}

// reasons are those of the failures so far, each of which must have been told as
// what it is.
func (f *follower) reasons(t *testing.T) []cache.Reason {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	var reasons []cache.Reason
	for _, err := range f.failures {
		s, told := f.statuses[err.Error()]
		if !told || s.Phase != status.Degraded {
			t.Errorf("after the failure %q the status is %v, of %v", err, s, f.statuses)
		}
		reasons = append(reasons, s.Reason)
	}
	return reasons
}

func (f *follower) awaitSync(t *testing.T) {
	t.Helper()
	if err := cache.WaitForCacheSync(within(t), f.informer); err != nil {
		t.Fatal(err)
	}
}

// awaitWatch writes until what it writes comes by a watch that is sound: the
// first write may come by a list.
func (f *follower) awaitWatch(t *testing.T) {
	t.Helper()
	namespace, ctx := f.namespace, within(t)
	if namespace == "" {
		namespace = "marks"
	}
	untilWatching(t, f.informer.Status, func() {
		mark := database("", 1)
		mark.GenerateName = "mark-" // several may follow one namespace
		mark, err := f.direct.DataV1().Databases(namespace).Create(ctx, mark, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.heard.AwaitVersion(ctx, cache.MetaObjectToName(mark), mark.ResourceVersion); err != nil {
			t.Fatalf("%v; status is %v", err, f.informer.Status())
		}
	})
}

// untilWatching calls mark, which has an event come, until the status is that of a watch that has sent something.
func untilWatching(t *testing.T, now func() cache.Status, mark func()) {
	t.Helper()
	const enough = 100 // writes, as each is progress
	for range enough {
		mark()
		if s := now(); s.Phase == status.Watching && s.Err == nil && s.Reason == "" {
			return
		}
	}
	t.Fatalf("%d writes came, and the status is %v", enough, now())
}

// fresh is what the server has.
func (f *follower) fresh(t *testing.T, ctx context.Context) (objects map[cache.ObjectName]*datav1.Database, versions map[cache.ObjectName]string) {
	t.Helper()
	list, err := f.direct.DataV1().Databases(f.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	objects, versions = map[cache.ObjectName]*datav1.Database{}, map[cache.ObjectName]string{}
	for i := range list.Items {
		name := cache.MetaObjectToName(&list.Items[i])
		objects[name], versions[name] = &list.Items[i], list.Items[i].ResourceVersion
	}
	return objects, versions
}

// catchUp waits until the handlers know what the server has, which nobody changes
// any more, and compares them and the cache with it.
func (f *follower) catchUp(t *testing.T, ctx context.Context, others ...*history.Recorder[*datav1.Database]) {
	t.Helper()
	objects, versions := f.fresh(t, ctx)
	for i, heard := range append(others, f.heard) {
		if err := heard.Await(ctx, versions); err != nil {
			t.Fatalf("handler %d: %v; status is %v", i, err, f.informer.Status())
		}
		checkHistory(t, heard)
		known := heard.Known()
		for obj := range f.informer.GetStore().All() {
			if known[cache.MetaObjectToName(obj)] != obj {
				t.Errorf("handler %d does not know the object that is cached as %s", i, cache.MetaObjectToName(obj))
			}
		}
	}
	if n := f.informer.GetStore().Len(); n != len(objects) || f.informer.Status().Objects != n {
		t.Errorf("%d objects are cached, %d in Status, and the server has %d", n, f.informer.Status().Objects, len(objects))
	}
	for cached := range f.informer.GetStore().All() {
		is := objects[cache.MetaObjectToName(cached)]
		if is == nil {
			t.Errorf("%s is cached and does not exist", cache.MetaObjectToName(cached))
			continue
		}
		cached := cached.DeepCopy()
		cached.TypeMeta, is.TypeMeta = metav1.TypeMeta{}, metav1.TypeMeta{}
		if !equality.Semantic.DeepEqual(cached, is) {
			t.Errorf("cached is\n%+v\nand the server has\n%+v", cached, is)
		}
	}
}

func checkHistory(t *testing.T, heard *history.Recorder[*datav1.Database]) {
	t.Helper()
	if wrong := heard.Faults(); len(wrong) > 0 {
		t.Errorf("no legal history:\n%s", strings.Join(wrong, "\n"))
	}
}

func await(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-within(t).Done():
		t.Fatalf("%s: it never came", what)
	}
}

// noStreams refuses streaming lists, as old servers do.
func noStreams() faults.Rule {
	return faults.Rule{Match: faults.Streams, Fault: faults.Status(http.StatusBadRequest, 0)}
}

// tooLarge fails one list, so that the next one is in pages.
func tooLarge() faults.Rule {
	return once(faults.Lists, faults.Status(http.StatusGatewayTimeout, 0))
}

// once is a rule for one request.
func once(match faults.Match, fault faults.Fault) faults.Rule {
	return faults.Rule{Match: match, Fault: fault, Times: 1}
}

// change does one of everything to a namespace with the objects 0 to 2, so that
// round 0 can be followed by others.
func (f *follower) change(t *testing.T, round int) {
	t.Helper()
	databases, ctx := f.direct.DataV1().Databases(f.namespace), within(t)
	db, err := databases.Get(ctx, "db-0000", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	db.Spec.StorageGi++
	if db, err = databases.Update(ctx, db, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	db.Status.Phase, db.Status.ObservedGeneration = datav1.DatabaseReady, db.Generation
	if _, err := databases.UpdateStatus(ctx, db, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := databases.Delete(ctx, "db-0001", metav1.DeleteOptions{}); err != nil { // and again
		t.Fatal(err)
	}
	for _, name := range []string{"db-0001", fmt.Sprintf("new-%d", round)} {
		if _, err := databases.Create(ctx, database(name, 1), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFaults has one fault a case, while the collection changes.
func TestFaults(t *testing.T) {
	const never cache.Reason = ""
	for _, test := range []struct {
		name string
		rule faults.Rule
		// reason is what Status says while it lasts; never if the informer does not
		// hear of it, because client-go mends it or because it is none.
		reason cache.Reason
		// waits is set where the fault lasts until the test ends it.
		waits bool
		// relists is set where the watch cannot go on from where it was.
		relists bool
		// again is set where net/http may repeat the request by itself.
		again bool
	}{
		{name: "list cut", rule: once(faults.Lists, faults.Cut()), reason: never, again: true},
		{name: "list truncated", rule: once(faults.Lists, faults.Truncate(700)), reason: status.Unreachable},
		{name: "list delayed", rule: once(faults.Lists, faults.Delay(300*time.Millisecond)), reason: never},
		{name: "list stalled", rule: once(faults.Lists, faults.Stall(700)), reason: status.Unreachable, waits: true},
		{name: "list 500", rule: once(faults.Lists, faults.Status(http.StatusInternalServerError, 0)), reason: status.ServerError},
		{name: "list 429", rule: once(faults.Lists, faults.Status(http.StatusTooManyRequests, 0)), reason: status.TooManyRequests},
		{name: "list 429 with Retry-After", rule: once(faults.Lists, faults.Status(http.StatusTooManyRequests, time.Second)), reason: status.TooManyRequests},
		{name: "list 410", rule: once(faults.Lists, faults.Gone()), reason: status.Expired},
		{name: "watch cut", rule: once(faults.Watches, faults.Cut()), reason: never},
		{name: "watch truncated at its first event", rule: once(faults.Watches, faults.Truncate(0)), reason: status.Unreachable},
		{name: "watch truncated after events", rule: once(faults.Watches, faults.Truncate(2000)), reason: never},
		{name: "watch ended inside an event", rule: once(faults.Watches, faults.EndEarly(0)), reason: status.Unreachable},
		{name: "watch delayed", rule: once(faults.Watches, faults.Delay(300*time.Millisecond)), reason: never},
		{name: "watch stalled", rule: once(faults.Watches, faults.Stall(0)), reason: status.Unreachable, waits: true},
		{name: "watch stalled inside an event", rule: once(faults.Watches, faults.Stall(100)), reason: status.Unreachable, waits: true},
		{name: "watch 500", rule: once(faults.Watches, faults.Status(http.StatusInternalServerError, 0)), reason: status.ServerError},
		{name: "watch 503", rule: once(faults.Watches, faults.Status(http.StatusServiceUnavailable, 0)), reason: status.ServerError},
		{name: "watch 429", rule: once(faults.Watches, faults.Status(http.StatusTooManyRequests, 0)), reason: status.TooManyRequests},
		{name: "watch 410", rule: once(faults.Watches, faults.Gone()), reason: status.Expired, relists: true},
		{name: "watch 410 as its first event", rule: once(faults.Watches, faults.GoneEvent(0)), reason: status.Expired, relists: true},
		{name: "watch 410 after events", rule: once(faults.Watches, faults.GoneEvent(2)), reason: status.Expired, relists: true},
		{name: "stream cut", rule: once(faults.Streams, faults.Cut()), reason: status.Unreachable, again: true},
		{name: "stream truncated", rule: once(faults.Streams, faults.Truncate(700)), reason: status.Unreachable},
		{name: "stream ended inside an object", rule: once(faults.Streams, faults.EndEarly(700)), reason: status.Unreachable},
		{name: "stream delayed", rule: once(faults.Streams, faults.Delay(300*time.Millisecond)), reason: never},
		{name: "stream stalled", rule: once(faults.Streams, faults.Stall(700)), reason: status.Unreachable, waits: true},
		{name: "stream 500", rule: once(faults.Streams, faults.Status(http.StatusInternalServerError, 0)), reason: status.ServerError},
		{name: "stream 429", rule: once(faults.Streams, faults.Status(http.StatusTooManyRequests, 0)), reason: status.TooManyRequests},
		{name: "stream 410", rule: once(faults.Streams, faults.Gone()), reason: status.Expired},
		{name: "stream 410 as its first event", rule: once(faults.Streams, faults.GoneEvent(0)), reason: status.Expired},
		{name: "stream 410 after an object", rule: once(faults.Streams, faults.GoneEvent(1)), reason: status.Expired},
		{name: "watch 403", rule: once(faults.Watches, faults.Status(http.StatusForbidden, 0)), reason: status.Forbidden},
		{name: "watch 404", rule: once(faults.Watches, faults.Status(http.StatusNotFound, 0)), reason: status.NotFound, relists: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			namespace := strings.ReplaceAll(strings.ToLower("fault-"+test.name), " ", "-")
			create(t, clientOf(t, shared).DataV1().Databases(namespace).Create, 3)
			t.Cleanup(func() { clean(t, namespace) })
			rules := []faults.Rule{test.rule}
			if test.rule.Match != faults.Streams {
				rules = append(rules, noStreams())
			}
			f, struck := follow(t, shared, namespace, rules...)
			if test.rule.Match == faults.Watches {
				f.awaitSync(t)
			}
			f.change(t, 0)
			await(t, "the fault", struck[0])
			if test.waits {
				if s := f.informer.Status(); s.Err != nil {
					t.Errorf("status is %v while nothing is known to be wrong", s)
				}
				f.change(t, 1)
				if n := f.proxy.CutAll(); n != 1 {
					t.Errorf("%d answers were cut", n)
				}
			}
			f.awaitSync(t)
			f.change(t, 2)
			f.awaitWatch(t)
			f.catchUp(t, within(t))

			reasons := f.reasons(t)
			if want := []cache.Reason{test.reason}; test.reason == never && len(reasons) > 0 || test.reason != never && !slices.Equal(reasons, want) {
				t.Errorf("status gave the reasons %q, want %q", reasons, test.reason)
			}
			lists := 1
			if test.relists || test.rule.Match != faults.Watches && !test.rule.Fault.Passes() {
				lists = 2
			}
			match := faults.Lists
			if test.rule.Match == faults.Streams {
				match |= faults.Streams
			}
			if n := f.proxy.Requests(match); n < lists || n > lists && !test.again {
				t.Errorf("%d lists were asked for, want %d", n, lists)
			}
		})
	}
}

// clean leaves the shared server as it was, for the tests that list all of it.
func clean(t *testing.T, namespace string) {
	t.Helper()
	ctx, cancel := progress.Follow(context.Background())
	defer cancel()
	if err := clientOf(t, shared).DataV1().Databases(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}

// TestListFaultsOnALaterPage lets the first page of a list pass.
func TestListFaultsOnALaterPage(t *testing.T) {
	t.Parallel()
	const namespace = "fault-pages"
	create(t, clientOf(t, shared).DataV1().Databases(namespace).Create, 700)
	t.Cleanup(func() { clean(t, namespace) })
	for name, test := range map[string]struct {
		fault  faults.Fault
		reason cache.Reason
	}{
		"410":       {faults.Gone(), status.Expired},
		"500":       {faults.Status(http.StatusInternalServerError, 0), status.ServerError},
		"truncated": {faults.Truncate(50_000), status.Unreachable},
	} {
		f, struck := follow(t, shared, namespace, noStreams(), tooLarge(), once(faults.Lists, faults.Delay(0)), once(faults.Lists, test.fault))
		await(t, name, struck[3])
		f.awaitSync(t)
		f.awaitWatch(t)
		f.catchUp(t, within(t))
		if got := f.reasons(t); !slices.Equal(got, []cache.Reason{status.ServerError, test.reason}) {
			t.Errorf("%s: status gave the reasons %q, want %q", name, got, test.reason)
		}
		if n := f.proxy.Requests(faults.Lists); n != 1+3 { // of the last two, one is in one piece, or both are pages
			t.Errorf("%s: %d lists were asked for", name, n)
		}
	}
}

// TestRetryAfterIsHonoured answers 429 several times. The informer waits, not the
// client, and says so.
func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	const namespace = "fault-patience"
	create(t, clientOf(t, shared).DataV1().Databases(namespace).Create, 3)
	t.Cleanup(func() { clean(t, namespace) })
	begin := time.Now()
	f, struck := follow(t, shared, namespace,
		faults.Rule{Match: faults.Lists, Fault: faults.Status(http.StatusTooManyRequests, 2*time.Second), Times: 2}, noStreams())
	await(t, "the fault", struck[0])
	f.awaitSync(t)
	if took := time.Since(begin); took < 4*time.Second {
		t.Errorf("twice two seconds were asked for, and %v waited", took)
	}
	f.awaitWatch(t)
	f.catchUp(t, within(t))
	if got := f.reasons(t); !slices.Equal(got, []cache.Reason{status.TooManyRequests, status.TooManyRequests}) {
		t.Errorf("status gave the reasons %q", got)
	}
}

// TestOpenWatchIsCut cuts a watch that has been of use: it goes on from where it
// was, at once.
func TestOpenWatchIsCut(t *testing.T) {
	t.Parallel()
	const namespace = "fault-open"
	create(t, clientOf(t, shared).DataV1().Databases(namespace).Create, 3)
	t.Cleanup(func() { clean(t, namespace) })
	f, _ := follow(t, shared, namespace)
	f.awaitSync(t)
	for round := range 3 {
		f.change(t, round)
		f.awaitWatch(t)
		if n := f.proxy.CutAll(); n != 1 {
			t.Errorf("%d answers were cut", n)
		}
	}
	f.change(t, 3)
	f.awaitWatch(t)
	f.catchUp(t, within(t))
	if got := f.reasons(t); len(got) > 0 {
		t.Errorf("status gave the reasons %q", got)
	}
	if lists, watches := f.proxy.Requests(faults.Lists|faults.Streams), f.proxy.Requests(faults.Watches); lists != 1 || watches != 3 {
		t.Errorf("%d lists and %d watches were asked for, want 1 and 3", lists, watches)
	}
}

// TestCompactionExpires takes the history away from under a list in pages and
// under a watch: the 410 are the server's own.
func TestCompactionExpires(t *testing.T) {
	t.Parallel()
	server := testserver.Start(t, testserver.WithoutWatchCache())
	install(t, server)
	const namespace = "compacted"
	create(t, clientOf(t, server).DataV1().Databases(namespace).Create, 700)
	compact := func() {
		t.Helper()
		if err := server.Compact(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	f, struck := follow(t, server, namespace, noStreams(), tooLarge(), once(faults.Lists, faults.Delay(0)), once(faults.Lists, faults.Delay(time.Hour)))
	await(t, "the second page", struck[3])
	f.change(t, 0)
	compact()
	f.proxy.CutAll() // and client-go asks for the page again
	f.awaitSync(t)
	f.awaitWatch(t)
	f.catchUp(t, within(t))
	early := f.reasons(t)
	if !slices.Equal(early, []cache.Reason{status.ServerError, status.Expired}) {
		t.Errorf("status gave the reasons %q", early)
	}

	lists := f.proxy.Requests(faults.Lists)
	away := f.proxy.Set(faults.Rule{Match: faults.Watches, Fault: faults.Status(http.StatusServiceUnavailable, 0)})
	f.proxy.CutAll()
	await(t, "the watch", away)
	f.change(t, 1)
	compact()
	f.proxy.Clear()
	f.awaitWatch(t)
	f.catchUp(t, within(t))
	if got := f.reasons(t)[len(early):]; len(got) == 0 || got[len(got)-1] != status.Expired || !slices.Contains(got, status.ServerError) {
		t.Errorf("status gave the reasons %q", got)
	}
	if f.proxy.Requests(faults.Lists) == lists {
		t.Error("it did not list anew")
	}
}

// TestRestartUnderWriters restarts the server on its data while it is written to.
func TestRestartUnderWriters(t *testing.T) {
	t.Parallel()
	server := testserver.Start(t)
	install(t, server)
	f, _ := follow(t, server, "")
	w := &writers{client: f.direct, objects: 200, seed: 1}
	w.fill(t, 0, w.objects)
	f.awaitSync(t)
	for range 2 {
		churning, stop := w.start(t, 4)
		w.awaitWrites(t, 200)
		w.restart(t, server)
		w.awaitWrites(t, 200)
		stop()
		churning.Wait()
		f.awaitWatch(t)
		f.catchUp(t, within(t))
	}
	got := f.reasons(t)
	if len(got) == 0 {
		t.Error("the restarts went unnoticed")
	}
	for _, reason := range got {
		if !slices.Contains([]cache.Reason{status.ServerError, status.Unreachable, status.TooManyRequests, status.Expired, status.ClosedEarly}, reason) {
			t.Errorf("status gave the reasons %q", got)
		}
	}
	t.Logf("reasons: %q", got)
}
