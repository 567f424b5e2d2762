package cache

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// testServer is a Kind.Server.
type testServer string

func (s testServer) String() string { return string(s) }

// followOwn runs an informer that reads bodies, and reads its own writes.
func followOwn(t *testing.T, sources map[string]*cachetest.Source, options ...SharedInformerOption) *SharedIndexInformer[object] {
	t.Helper()
	s := newOwn(t, func(namespace string) bodies.OpenFunc { return cachetest.OpenerOf(sources[namespace]) },
		append(options, WithScopes(disjoint(slices.Collect(maps.Keys(sources)))...), WithWatchErrorHandler(quiet))...)
	cachetest.Run(t, s.Run)
	return s
}

func newOwn(t *testing.T, open func(namespace string) bodies.OpenFunc, options ...SharedInformerOption) *SharedIndexInformer[object] {
	t.Helper()
	own := &writes.Observer{}
	own.Transport(http.DefaultTransport)
	kind := Kind[object]{Resource: widgets, Namespaced: true, Server: testServer("https://test"), Open: open}
	s, err := kind.NewInformer(append(options, WithReadYourWrites(own))...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ownWriter delivers the responses to writes.
type ownWriter struct {
	t        *testing.T
	informer *SharedIndexInformer[object] // nil if there are no own writes
	// mode tells how the response to the next write comes.
	mode byte
	late []writes.Write
	// selects is set if the informer has a selector.
	selects bool
}

const (
	fromOthers byte = iota
	answeredAtOnce
	answeredLate
	answeredMeanwhile
)

func (w *ownWriter) wrote(obj object) { w.deliver(cachetest.ResponseTo(obj)) }

func (w *ownWriter) removed(obj object) { w.deliver(cachetest.Deletion(obj)) }

func (w *ownWriter) deliver(write writes.Write) {
	if w.informer == nil {
		return
	}
	switch w.mode {
	case answeredAtOnce:
		inside(w.informer).own.Wrote(write)
		w.check(write)
	case answeredLate:
		w.late = append(w.late, write)
	case answeredMeanwhile:
		go inside(w.informer).own.Wrote(write)
	}
}

// flush delivers late responses, in any order.
func (w *ownWriter) flush() {
	for i, write := range w.late {
		if i%2 == 0 {
			inside(w.informer).own.Wrote(write)
		} else {
			defer inside(w.informer).own.Wrote(write)
		}
	}
	w.late = nil
}

// check checks that a write can be read at once: it is the last one.
func (w *ownWriter) check(write writes.Write) {
	inside(w.informer).core.Change(func(uint64) {
		if isListed(w.informer, MetaObjectToName(&write.Object)) {
			w.checkCached(&write)
		}
	})
}

// isListed reports whether the scope that has an object is listed. It is called within a step.
func isListed(s *SharedIndexInformer[object], name ObjectName) bool {
	id, isOwned := inside(s).core.Owner(listed.Name(name))
	return isOwned && slices.ContainsFunc(inside(s).core.Scopes(), func(scope *informer.Scope) bool {
		return scope.ID == id && scope.Frontier.IsListed() && !scope.Rule.Excludes(name.Namespace, name.Name) &&
			(scope.Namespace == "" || scope.Namespace == name.Namespace)
	})
}

func (w *ownWriter) checkCached(write *writes.Write) {
	s := w.informer
	cached, found := s.GetStore().Get(MetaObjectToName(&write.Object))
	switch {
	case write.Gone && found && cached.UID == write.Object.UID:
		w.t.Errorf("%s is still there after it was deleted", cached.UID)
	case w.selects && !write.Gone && !cachetest.InSelection(&write.Object):
		if found && cached.UID == write.Object.UID {
			w.t.Errorf("%s@%s is outside of the scope, cached is %s", cached.UID, write.Object.ResourceVersion, cached.ResourceVersion)
		}
	case !write.Gone && (!found || cached.ResourceVersion != write.Object.ResourceVersion || cached.UID != write.Object.UID):
		w.t.Errorf("%s@%s was written, cached is %v", write.Object.UID, write.Object.ResourceVersion, cached)
	}
}

// after returns what a handler has heard when nothing more happens.
func after(heard *cachetest.Recorder) []string {
	synctest.Wait()
	return heard.Drain()
}

// TestReadYourWrites goes through the life of an object.
func TestReadYourWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		s := followOwn(t, map[string]*cachetest.Source{"": src})
		heard, _ := listen(t, s)
		synctest.Wait()
		src.SetSilent(true) // the watch is behind
		src.EndWatches(io.EOF)
		synctest.Wait()
		one := src.Set("a", "one", nil)
		inside(s).own.Wrote(cachetest.ResponseTo(one))
		cachetest.WantLines(t, after(heard), "add a/one@101 initial=false")
		inside(s).own.Wrote(cachetest.ResponseTo(src.Set("a", "one", map[string]string{"x": "y"})))
		inside(s).own.Wrote(cachetest.ResponseTo(one)) // late, and in vain
		if status := s.Status(); status.PendingWrites != 1 || status.Objects != 1 {
			t.Errorf("the status is %+v", status)
		}
		cachetest.WantLines(t, after(heard), "update a/one@101->102")
		last := src.Objects[ObjectName{"a", "one"}]
		src.Remove("a", "one")
		inside(s).own.Wrote(cachetest.Deletion(last))
		if got := s.GetStore().Len(); got != 0 {
			t.Errorf("%d objects are there after the delete", got)
		}
		cachetest.WantLines(t, after(heard), "delete a/one@102 unknown=true")
		inside(s).own.Wrote(cachetest.ResponseTo(src.Set("a", "one", nil)))
		cachetest.WantLines(t, after(heard), "add a/one@104 initial=false")
		src.SetSilent(false)
		src.EndWatches(io.EOF)
		synctest.Wait()
		time.Sleep(time.Minute)
		synctest.Wait()
		cachetest.WantLines(t, after(heard)) // nothing twice
		if status := s.Status(); status.PendingWrites != 0 {
			t.Errorf("%d writes are pending after the watch has told", status.PendingWrites)
		}
	})
}

// TestMistakesWithOwnWrites: a program learns why it cannot read its own writes, whatever it calls
// first.
func TestMistakesWithOwnWrites(t *testing.T) {
	attached := &writes.Observer{}
	attached.Transport(http.DefaultTransport)
	open := func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) }
	for want, of := range map[string]struct {
		own  *writes.Observer
		kind Kind[object]
	}{
		"the Observer is nil":                   {nil, Kind[object]{Resource: widgets, Server: testServer("https://test"), Open: open}},
		"call config.Wrap(own.Transport) befor": {&writes.Observer{}, Kind[object]{Resource: widgets, Server: testServer("https://test"), Open: open}},
		"has no Server":                         {attached, Kind[object]{Resource: widgets, Open: open}},
	} {
		if _, err := of.kind.NewInformer(WithReadYourWrites(of.own)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("NewInformer returns %v, want %q", err, want)
		}
		factory := NewSharedInformerFactory(0, WithReadYourWrites(of.own))
		s := InformerFor(factory, of.kind)
		if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("AddEventHandler returns %v, want %q", err, want)
		}
		if err := factory.WaitForCacheSync(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("WaitForCacheSync returns %v, want %q", err, want)
		}
	}
	fake := Kind[object]{Resource: widgets, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](cachetest.NewSource()) }}
	if _, err := fake.NewInformer(WithReadYourWrites(&writes.Observer{})); err != nil {
		t.Errorf("with a fake: %v", err)
	}
}
