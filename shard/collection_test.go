package shard

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

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

// testInformer follows the objects of one scope. A new scope takes a second to list, and the one before goes on until then.
type testInformer struct {
	cache.SharedInformer[object] // nil
	of                           *collection

	mu       sync.Mutex
	wanted   string             // the shard of the last SetScopes, or empty
	shard    *sharding.Selector // the shard that is listed, or nil
	sets     []string           // all of them
	cached   map[string]object
	handlers []*listener
	synced   chan struct{}
	refuse   error
	ended    chan struct{} // nil for an informer that goes on
}

// Scopes are those of an informer without options, before Follow sets others.
func (i *testInformer) Scopes() []cache.Scope { return []cache.Scope{{}} }

func (i *testInformer) SetScopes(scopes ...cache.Scope) error {
	i.of.mu.Lock()
	defer i.of.mu.Unlock()
	i.mu.Lock()
	defer i.mu.Unlock()
	wanted := ""
	switch {
	case i.refuse != nil:
		return i.refuse
	case len(scopes) > 1:
		return fmt.Errorf("the scopes %v overlap", scopes)
	case len(scopes) == 1:
		wanted = scopes[0].ShardSelector
	}
	if wanted == i.wanted {
		return nil
	}
	i.wanted = wanted
	i.sets = append(i.sets, wanted)
	if wanted == "" {
		i.listed(nil)
		return nil
	}
	if isClosed(i.synced) {
		i.synced = make(chan struct{})
	}
	shard, err := sharding.Parse(wanted)
	if err != nil {
		return err
	}
	set := len(i.sets)
	time.AfterFunc(time.Second, func() {
		i.of.mu.Lock()
		defer i.of.mu.Unlock()
		i.mu.Lock()
		defer i.mu.Unlock()
		if len(i.sets) == set {
			i.listed(&shard)
		}
	})
	return nil
}

// listed lets a shard take over. The locks are held.
func (i *testInformer) listed(shard *sharding.Selector) {
	i.shard = shard
	i.applyLocked(i.of.objects)
	if !isClosed(i.synced) {
		close(i.synced)
	}
}

func (i *testInformer) apply(objects map[string]object) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.applyLocked(objects)
}

// applyLocked tells the handlers the difference between the cache and the objects of the shard.
func (i *testInformer) applyLocked(objects map[string]object) {
	for name, old := range i.cached {
		obj := objects[name]
		switch {
		case obj == nil || obj.UID != old.UID || !i.covers(obj):
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
		if obj := objects[name]; i.cached[name] == nil && i.covers(obj) {
			i.cached[name] = obj
			for _, h := range i.handlers {
				h.tell(func(h cache.ResourceEventHandler[object]) { h.OnAdd(obj, true) })
			}
		}
	}
}

func (i *testInformer) covers(obj object) bool {
	return i.shard != nil && i.shard.Contains(sharding.Hash(string(obj.UID)))
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
