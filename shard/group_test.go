package shard

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/apitest"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// object is the kind that these tests are about.
type object = *metav1.PartialObjectMetadata

// group is a server, a collection of objects, and the processes that divide it.
type group struct {
	t          *testing.T
	server     *apitest.Server
	collection *collection
	members    map[string]*process

	mu     sync.Mutex
	owners map[types.UID][]*process // who works on an object now
	old    []*process               // that others have replaced
}

func newGroup(t *testing.T, objects int) *group {
	g := &group{t: t, server: apitest.Start(t, apitest.WithScheme(scheme.Scheme)), collection: &collection{objects: map[string]object{}, end: make(chan struct{})}, members: map[string]*process{}, owners: map[types.UID][]*process{}}
	t.Cleanup(func() { close(g.collection.end) })
	random := rand.New(rand.NewPCG(1, 2))
	for i := range objects {
		g.collection.put(fmt.Sprintf("object-%d", i), types.UID(fmt.Sprintf("%016x-%016x", random.Uint64(), random.Uint64())))
	}
	return g
}

// process is a process with a Coordinator, an informer and a handler.
type process struct {
	*Coordinator
	informer *testInformer
	recorder *recorder[object]
	line     *line
	stop     context.CancelFunc
	done     chan struct{}
	err      error // of Run
}

// options are those of the members.
func options(identity string) Options {
	return Options{Namespace: "default", Name: "web", Identity: identity, Slots: 32}
}

// prepare returns a process that does not run yet.
func (g *group) prepare(o Options) *process {
	g.t.Helper()
	p := &process{line: &line{next: g.server}, recorder: &recorder[object]{}, done: make(chan struct{})}
	client, err := coordinationv1client.NewForConfig(&rest.Config{Host: g.server.URL(), Transport: p.line, QPS: -1})
	if err != nil {
		g.t.Fatal(err)
	}
	if p.Coordinator, err = New(client, o); err != nil {
		g.t.Fatal(err)
	}
	p.informer = g.collection.inform()
	if err := p.Follow(p.informer); err != nil {
		g.t.Fatal(err)
	}
	if _, err := AddEventHandler[object](p.Coordinator, p.informer, p.recorder); err != nil {
		g.t.Fatal(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.members[o.Identity] = p
	return p
}

// start adds a process to the group.
func (g *group) start(o Options) *process {
	g.t.Helper()
	g.prepare(o)
	return g.run(o.Identity)
}

// run runs a process that was prepared.
func (g *group) run(identity string) *process {
	p := g.members[identity]
	var ctx context.Context
	ctx, p.stop = context.WithCancel(quiet(g.t.Context()))
	go func() {
		defer close(p.done)
		p.err = p.Run(ctx)
	}()
	g.t.Cleanup(func() { p.stop(); <-p.done })
	return p
}

// quiet returns a context without log messages.
func quiet(ctx context.Context) context.Context { return klog.NewContext(ctx, klog.Logger{}) }

// end ends a process in the regular way.
func (g *group) end(identity string) *process {
	p := g.members[identity]
	p.stop()
	<-p.done
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.members, identity)
	return p
}

// work lets a process work on an object for a while, if it may. It fails the test if another process does so.
func (g *group) work(p *process, obj object, d time.Duration) {
	ctx, done, ok := p.Begin(g.t.Context(), obj)
	if !ok {
		return
	}
	defer done()
	g.mu.Lock()
	for _, by := range g.owners[obj.UID] {
		if by != p {
			g.t.Errorf("a process of %s and one of %s work on %s", by.options.Identity, p.options.Identity, obj.Name)
		}
	}
	g.owners[obj.UID] = append(g.owners[obj.UID], p)
	g.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	g.mu.Lock()
	at := slices.Index(g.owners[obj.UID], p)
	g.owners[obj.UID] = slices.Delete(g.owners[obj.UID], at, at+1)
	g.mu.Unlock()
}

// workers work on random objects in random processes, until end is closed.
func (g *group) workers(all []string, end <-chan struct{}) *sync.WaitGroup {
	var workers sync.WaitGroup
	objects := slices.Collect(maps.Values(g.collection.all()))
	for range 8 {
		workers.Go(func() {
			for !isClosed(end) {
				g.mu.Lock()
				processes := slices.Clone(g.old)
				for _, identity := range all {
					if p := g.members[identity]; p != nil {
						processes = append(processes, p)
					}
				}
				g.mu.Unlock()
				g.work(processes[rand.IntN(len(processes))], objects[rand.IntN(len(objects))], rand.N(3*time.Second))
				time.Sleep(rand.N(50 * time.Millisecond))
			}
		})
	}
	return &workers
}

// settled fails the test unless each object has exactly one owner, whose cache and handler have it.
func (g *group) settled(alive ...string) {
	g.t.Helper()
	synctest.Wait()
	counts := map[string]int{}
	for name, obj := range g.collection.all() {
		var owners []string
		for _, identity := range alive {
			p := g.members[identity]
			if !p.Owns(obj) {
				continue
			}
			owners = append(owners, identity)
			if !p.informer.has(name) || !p.recorder.has(name) {
				g.t.Errorf("%s owns %s, but its cache or its handler does not have it", identity, name)
			}
		}
		if len(owners) != 1 {
			g.t.Errorf("%q own %s, want one", owners, name)
			continue
		}
		counts[owners[0]]++
	}
	slots := 0
	for _, identity := range alive {
		status := g.members[identity].Status()
		if status.Err != nil || status.Syncing+status.Draining > 0 {
			g.t.Errorf("Status of %s: %+v", identity, status)
		}
		slots += status.Owned
		if least := status.Slots / len(alive); status.Owned < least || status.Owned > least+1 {
			g.t.Errorf("%s owns %d of %d slots, with %d members", identity, status.Owned, status.Slots, len(alive))
		}
	}
	if slots != g.members[alive[0]].Status().Slots {
		g.t.Errorf("the members own %d slots", slots)
	}
}

// line is the connection of a process to the server.
type line struct {
	next                http.RoundTripper
	cut                 atomic.Bool
	late                atomic.Int64 // how much later a write arrives
	latency             atomic.Int64 // how long each way of a message takes at most
	requests, conflicts atomic.Int64
}

func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	l.requests.Add(1)
	if l.cut.Load() {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if late := l.late.Load(); late > 0 && r.Method != http.MethodGet {
		return nil, l.delay(r, time.Duration(late))
	}
	l.travel()
	response, err := l.next.RoundTrip(r)
	l.travel()
	if err == nil && response.StatusCode == http.StatusConflict {
		l.conflicts.Add(1)
	}
	return response, err
}

func (l *line) travel() {
	if latency := l.latency.Load(); latency > 0 {
		time.Sleep(time.Duration(rand.Int64N(latency)))
	}
}

// delay lets a request arrive later, although its sender does not wait for it any more.
func (l *line) delay(r *http.Request, late time.Duration) error {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return err
		}
		r.Body.Close()
	}
	later := r.Clone(context.Background())
	later.Body = io.NopCloser(bytes.NewReader(body))
	time.AfterFunc(late, func() {
		if response, err := l.next.RoundTrip(later); err == nil {
			response.Body.Close()
		}
	})
	<-r.Context().Done()
	return r.Context().Err()
}

// collection is a collection of objects, as a server has it.
type collection struct {
	mu        sync.Mutex
	objects   map[string]object
	informers []*testInformer
	end       chan struct{} // closed at the end of the test
}

func (c *collection) all() map[string]object {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.objects)
}

func (c *collection) put(name string, uid types.UID) object {
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: uid}}
	c.change(name, obj)
	return obj
}

func (c *collection) change(name string, obj object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if delete(c.objects, name); obj != nil {
		c.objects[name] = obj
	}
	for _, informer := range c.informers {
		informer.apply(c.objects)
	}
}

func (c *collection) inform() *testInformer {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := &testInformer{of: c, cached: map[string]object{}, synced: make(chan struct{})}
	c.informers = append(c.informers, i)
	return i
}

// testInformer follows the objects of its scopes. A new scope takes a second to list.
type testInformer struct {
	cache.SharedInformer[object] // nil
	of                           *collection

	mu       sync.Mutex
	scopes   map[string]bool // whether a shard is listed
	cached   map[string]object
	handlers []*listener
	synced   chan struct{}
	sets     int
	refuse   error
	ended    chan struct{} // nil for an informer that goes on
}

func (i *testInformer) SetScopes(scopes ...cache.Scope) error {
	i.of.mu.Lock()
	defer i.of.mu.Unlock()
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.refuse != nil {
		return i.refuse
	}
	i.sets++
	next := map[string]bool{}
	fresh := false
	for _, s := range scopes {
		next[s.ShardSelector] = i.scopes[s.ShardSelector]
		fresh = fresh || !i.scopes[s.ShardSelector]
	}
	i.scopes = next
	i.applyLocked(i.of.objects)
	if !fresh {
		if !isClosed(i.synced) {
			close(i.synced)
		}
		return nil
	}
	if isClosed(i.synced) {
		i.synced = make(chan struct{})
	}
	time.AfterFunc(time.Second, func() {
		i.of.mu.Lock()
		defer i.of.mu.Unlock()
		i.mu.Lock()
		defer i.mu.Unlock()
		all := true
		for s := range i.scopes {
			if _, ok := next[s]; ok {
				i.scopes[s] = true
			}
			all = all && i.scopes[s]
		}
		i.applyLocked(i.of.objects)
		if all && !isClosed(i.synced) {
			close(i.synced)
		}
	})
	return nil
}

func (i *testInformer) apply(objects map[string]object) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.applyLocked(objects)
}

// applyLocked tells the handlers the difference between the cache and the objects of the scopes.
func (i *testInformer) applyLocked(objects map[string]object) {
	for name, old := range i.cached {
		obj := objects[name]
		switch {
		case obj == nil || obj.UID != old.UID || !i.covers(obj, true):
			delete(i.cached, name)
			for _, h := range i.handlers {
				h.tell(func(h cache.ResourceEventHandler[object]) { h.OnDelete(old, false) })
			}
		case obj != old:
			i.cached[name] = obj
			for _, h := range i.handlers {
				h.tell(func(h cache.ResourceEventHandler[object]) { h.OnUpdate(old, obj) })
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		if obj := objects[name]; i.cached[name] == nil && i.covers(obj, false) {
			i.cached[name] = obj
			for _, h := range i.handlers {
				h.tell(func(h cache.ResourceEventHandler[object]) { h.OnAdd(obj, true) })
			}
		}
	}
}

// covers reports whether a scope has an object. unlisted counts the scopes that are not listed yet.
func (i *testInformer) covers(obj object, unlisted bool) bool {
	for text, listed := range i.scopes {
		shard, err := sharding.Parse(text)
		if err != nil {
			panic(err)
		}
		if (listed || unlisted) && shard.Contains(sharding.Hash(string(obj.UID))) {
			return true
		}
	}
	return false
}

func (i *testInformer) has(name string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.cached[name] != nil
}

func (i *testInformer) count() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.cached)
}

func (i *testInformer) AddEventHandler(h cache.ResourceEventHandler[object], _ ...cache.HandlerOption) (cache.ResourceEventHandlerRegistration, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	l := &listener{handler: h, wake: make(chan struct{}, 1)}
	go l.run(i.of.end)
	for _, obj := range i.cached {
		l.tell(func(h cache.ResourceEventHandler[object]) { h.OnAdd(obj, true) })
	}
	i.handlers = append(i.handlers, l)
	return registration{testInformer: i, listener: l}, nil
}

// listener calls one handler in a goroutine of its own, as an informer does.
type listener struct {
	handler cache.ResourceEventHandler[object]
	wake    chan struct{}

	mu    sync.Mutex
	queue []func(cache.ResourceEventHandler[object])
}

func (l *listener) tell(event func(cache.ResourceEventHandler[object])) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, event)
	signal(l.wake)
}

func (l *listener) run(end <-chan struct{}) {
	for {
		l.mu.Lock()
		queue := l.queue
		l.queue = nil
		l.mu.Unlock()
		for _, event := range queue {
			event(l.handler)
		}
		if len(queue) > 0 {
			continue
		}
		select {
		case <-l.wake:
		case <-end:
			return
		}
	}
}

func (i *testInformer) Synced() <-chan struct{} { i.mu.Lock(); defer i.mu.Unlock(); return i.synced }
func (i *testInformer) HasSynced() bool         { return isClosed(i.Synced()) }
func (i *testInformer) Ended() <-chan struct{}  { return i.ended }
func (i *testInformer) NotSyncedReason() string {
	if i.HasSynced() {
		return ""
	}
	return "the objects are not listed yet"
}

type registration struct {
	*testInformer
	*listener
}

// Synced is closed when the informer is synced, and the handler has returned from what it was told until then.
func (r registration) Synced() <-chan struct{} {
	synced, informed := make(chan struct{}), r.testInformer.Synced()
	go func() {
		select {
		case <-informed:
			r.tell(func(cache.ResourceEventHandler[object]) { close(synced) })
		case <-r.of.end:
		}
	}()
	return synced
}

func (r registration) HasSynced() bool     { return r.testInformer.HasSynced() }
func (registration) Gone() <-chan struct{} { return nil }
func (registration) Backlog() int          { return 0 }
func (registration) Name() string          { return "recorder" }

// recorder is a handler that keeps the objects that it knows, and what is wrong with the events.
type recorder[T cache.Object] struct {
	mu    sync.Mutex
	known map[string]T
	wrong []string
	ends  []string
}

func (r *recorder[T]) OnAdd(obj T, _ bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]T{}
	}
	r.known[obj.GetName()] = obj // an add of a known one: the slot was lost and taken again
}

func (r *recorder[T]) OnUpdate(oldObj, newObj T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if any(r.known[newObj.GetName()]) != any(oldObj) {
		r.wrong = append(r.wrong, "an update from an unknown state of "+newObj.GetName())
	}
	r.known[newObj.GetName()] = newObj
}

func (r *recorder[T]) OnDelete(obj T, _ bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if any(r.known[obj.GetName()]) != any(obj) {
		r.wrong = append(r.wrong, "a delete of an unknown state of "+obj.GetName())
	}
	delete(r.known, obj.GetName())
	r.ends = append(r.ends, obj.GetName())
}

func (r *recorder[T]) has(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.known[name]
	return ok
}

// take returns the names of the deleted objects, and the mistakes, since the last call.
func (r *recorder[T]) take() (ends, wrong []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ends, wrong = r.ends, r.wrong
	r.ends, r.wrong = nil, nil
	return ends, wrong
}
