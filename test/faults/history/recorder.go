package history

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/progress"
)

// Recorder is a handler that follows what it is told and notes what cannot be.
type Recorder[T cache.Object] struct {
	store cache.Store[T]

	mu     sync.Mutex // guards the fields below
	known  map[cache.ObjectName]T
	latest map[cache.ObjectName]string // the version of the last state, also of what is gone
	ended  map[types.UID]bool
	// loose leaves versions out of account.
	loose bool
	// replays lets what has ended come back.
	replays  bool
	events   int
	begun    bool // an event came that was not initial
	late     int  // calls after Leave
	left     bool
	faults   []string
	want     map[cache.ObjectName]string // of the Await that is under way
	differ   int                         // names whose known version is not the wanted one
	changed  chan struct{}               // closed by the next event, if somebody waits for it
	awaiting sync.Mutex                  // held by Await, for want is one
}

// NewRecorder returns a handler for the informer of that cache.
func NewRecorder[T cache.Object](store cache.Store[T]) *Recorder[T] {
	return &Recorder[T]{
		store:  store,
		known:  map[cache.ObjectName]T{},
		latest: map[cache.ObjectName]string{},
		ended:  map[types.UID]bool{},
	}
}

// IgnoreVersions makes r accept states in any version, and a cache that seems to be behind: for servers whose versions
// are wrong, or that change the content of one. Call it before r is registered.
func (r *Recorder[T]) IgnoreVersions() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loose = true
}

// AllowReplays is IgnoreVersions for servers that send a part of the history again, as one whose events claim an earlier
// version than theirs does: what was deleted is added and deleted once more.
func (r *Recorder[T]) AllowReplays() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loose, r.replays = true, true
}

// OnAdd takes a new object.
func (r *Recorder[T]) OnAdd(obj T, isInInitialList bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := r.hear(obj)
	if isInInitialList && r.begun {
		r.faultLocked("add of %s is initial, and comes after others", name)
	}
	r.begun = r.begun || !isInInitialList
	if _, ok := r.known[name]; ok {
		r.faultLocked("add of %s, which is known", name)
	}
	if r.ended[obj.GetUID()] && !r.replays {
		r.faultLocked("add of %s, which has ended (UID %s)", name, obj.GetUID())
	}
	r.advanceLocked("add", name, obj)
	r.setLocked(name, obj)
}

// OnUpdate takes a new state.
func (r *Recorder[T]) OnUpdate(oldObj, newObj T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := r.hear(newObj)
	r.begun = true
	known, ok := r.known[name]
	switch {
	case !ok:
		r.faultLocked("update of %s, which is not known", name)
	case !packingtest.IsState(known, oldObj):
		r.faultLocked("update of %s from version %s, and the last one told was %s", name, oldObj.GetResourceVersion(), known.GetResourceVersion())
	case oldObj.GetUID() != newObj.GetUID():
		r.faultLocked("update of %s into another object", name)
	}
	r.advanceLocked("update", name, newObj)
	r.setLocked(name, newObj)
}

// OnDelete takes the end of an object.
func (r *Recorder[T]) OnDelete(obj T, finalStateUnknown bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := r.hear(obj)
	r.begun = true
	known, ok := r.known[name]
	switch {
	case !ok:
		r.faultLocked("delete of %s, which is not known", name)
	case known.GetUID() != obj.GetUID() && !r.replays:
		r.faultLocked("delete of %s as another object", name)
	case finalStateUnknown && !packingtest.IsState(known, obj):
		r.faultLocked("delete of %s with unknown final state in version %s, and the last one told was %s", name, obj.GetResourceVersion(), known.GetResourceVersion())
	case !finalStateUnknown:
		r.advanceLocked("delete", name, obj)
	}
	r.ended[obj.GetUID()] = true
	r.countLocked(name, -1)
	delete(r.known, name)
	r.countLocked(name, 1)
	r.tellLocked()
}

// Leave is called when RemoveEventHandler has returned: the handler may then be in one more call.
func (r *Recorder[T]) Leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = true
}

// Faults returns what was wrong, the first few.
func (r *Recorder[T]) Faults() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.faults)
}

// Events returns how many calls there were.
func (r *Recorder[T]) Events() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events
}

// Known returns what the handler believes there is.
func (r *Recorder[T]) Known() map[cache.ObjectName]T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.known)
}

// AwaitEvents blocks until there were so many calls.
func (r *Recorder[T]) AwaitEvents(ctx context.Context, count int) error {
	return r.until(ctx, func() bool { return r.events >= count }, func() string {
		return fmt.Sprintf("%d events of %d", r.events, count)
	})
}

// AwaitVersion blocks until an object is known in that version, or has been in a later one.
func (r *Recorder[T]) AwaitVersion(ctx context.Context, name cache.ObjectName, version string) error {
	reached := func() bool {
		order, err := resourceversion.CompareResourceVersion(r.latest[name], version)
		return err == nil && order >= 0
	}
	return r.until(ctx, reached, func() string {
		return fmt.Sprintf("%s is known in version %q, not %s", name, r.latest[name], version)
	})
}

// Await blocks until what is known is exactly this, by version.
func (r *Recorder[T]) Await(ctx context.Context, want map[cache.ObjectName]string) error {
	r.awaiting.Lock()
	defer r.awaiting.Unlock()
	r.mu.Lock()
	r.want, r.differ = want, 0
	for name := range r.known {
		if _, ok := want[name]; !ok {
			r.countLocked(name, 1)
		}
	}
	for name := range want {
		r.countLocked(name, 1)
	}
	r.mu.Unlock()
	return r.until(ctx, func() bool { return r.differ == 0 }, r.differenceLocked)
}

// until waits for cond, which is called under the lock, as what is, which says what was wanting.
func (r *Recorder[T]) until(ctx context.Context, cond func() bool, wanting func() string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !cond() {
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed := r.changed
		r.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		r.mu.Lock()
		if ctx.Err() != nil && !cond() {
			return fmt.Errorf("%w: %s", context.Cause(ctx), wanting())
		}
	}
	return nil
}

// differenceLocked names a few of the objects that are not as wanted.
func (r *Recorder[T]) differenceLocked() string {
	var lines []string
	note := func(name cache.ObjectName) {
		if r.versionLocked(name) != r.want[name] && len(lines) < 10 {
			lines = append(lines, fmt.Sprintf("%s is known in version %q, and is %q", name, r.versionLocked(name), r.want[name]))
		}
	}
	for name := range r.want {
		note(name)
	}
	for name := range r.known {
		if _, ok := r.want[name]; !ok {
			note(name)
		}
	}
	return fmt.Sprintf("%d objects differ:\n%s", r.differ, strings.Join(lines, "\n"))
}

// hear begins each call: it counts, and looks whether the cache has got as far.
func (r *Recorder[T]) hear(obj T) cache.ObjectName {
	name := cache.MetaObjectToName(obj)
	r.events++
	progress.Step()
	if r.left {
		if r.late++; r.late > 1 {
			r.faultLocked("call %d about %s after the handler was removed", r.late, name)
		}
	}
	if cached, ok := r.store.Get(name); ok && !r.loose {
		if order, err := resourceversion.CompareResourceVersion(cached.GetResourceVersion(), obj.GetResourceVersion()); err != nil {
			r.faultLocked("%s: %v", name, err)
		} else if order < 0 && cached.GetUID() == obj.GetUID() {
			r.faultLocked("%s is told in version %s while the cache has %s", name, obj.GetResourceVersion(), cached.GetResourceVersion())
		}
	}
	return name
}

// advanceLocked checks that obj is later than all that was told of its name.
func (r *Recorder[T]) advanceLocked(what string, name cache.ObjectName, obj T) {
	version := obj.GetResourceVersion()
	if before, ok := r.latest[name]; ok && !r.loose {
		if order, err := resourceversion.CompareResourceVersion(version, before); err != nil || order <= 0 {
			r.faultLocked("%s of %s in version %s after %s", what, name, version, before)
		}
	}
	r.latest[name] = version
}

func (r *Recorder[T]) setLocked(name cache.ObjectName, obj T) {
	r.countLocked(name, -1)
	r.known[name] = obj
	r.countLocked(name, 1)
	r.tellLocked()
}

// countLocked takes a name out of the differences, before it changes, or in again.
func (r *Recorder[T]) countLocked(name cache.ObjectName, n int) {
	if r.versionLocked(name) != r.want[name] {
		r.differ += n
	}
}

// versionLocked is empty for what is not known.
func (r *Recorder[T]) versionLocked(name cache.ObjectName) string {
	if obj, ok := r.known[name]; ok {
		return obj.GetResourceVersion()
	}
	return ""
}

func (r *Recorder[T]) tellLocked() {
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

func (r *Recorder[T]) faultLocked(format string, args ...any) {
	if len(r.faults) < 20 {
		r.faults = append(r.faults, fmt.Sprintf("event %d: ", r.events)+fmt.Sprintf(format, args...))
	}
}
