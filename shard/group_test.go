package shard

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/cache"
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
	if !p.informer.has(obj.Name) && workOf(ctx).valid() {
		g.t.Errorf("the cache of %s has dropped %s, although work on it goes on", p.options.Identity, obj.Name)
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

// recorder is a handler that keeps the objects that it knows, and what is wrong with the events.
type recorder[T cache.Object] struct {
	mu    sync.Mutex
	known map[string]T
	adds  map[string]int // by name
	wrong []string
	ends  []string
}

func (r *recorder[T]) OnAdd(obj T, _ bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known, r.adds = map[string]T{}, map[string]int{}
	}
	r.adds[obj.GetName()]++
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
