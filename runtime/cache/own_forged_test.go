package cache

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// farAhead is a version that no server reaches, and that is still a number.
const farAhead = "18446744073709553"

var forged = map[string]string{"content": "forged", "in": "scope"}

// forgedResponse returns a response that no server has sent.
func forgedResponse(name string, uid types.UID, version string, labels map[string]string) writes.Write {
	obj := cachetest.NewSource().Set("a", name, labels)
	obj.UID, obj.ResourceVersion = uid, version
	return cachetest.ResponseTo(obj)
}

// forgery is a server with one object, an informer that was sent something wrong, and what follows.
type forgery struct {
	t        *testing.T
	src      *cachetest.Source
	informer *SharedIndexInformer[object]
	heard    *mirror
}

// mirror is a handler that believes what it hears.
type mirror struct {
	t     *testing.T
	mu    sync.Mutex // guards known
	known map[ObjectName]object
}

func (m *mirror) OnAdd(obj object, _ bool) { m.hear("add", nil, obj) }

func (m *mirror) OnUpdate(last, obj object) { m.hear("update", last, obj) }

func (m *mirror) OnDelete(obj object, _ bool) { m.hear("delete", obj, nil) }

func (m *mirror) hear(what string, last, obj object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := MetaObjectToName(cmp.Or(last, obj))
	if known := m.known[name]; (known == nil) != (last == nil) || what == "update" && (!packingtest.IsState(known, last) || last.UID != obj.UID) {
		m.t.Errorf("the handler hears %s of %v, and knows %v", what, cmp.Or(obj, last), known)
	}
	if m.known[name] = obj; obj == nil {
		delete(m.known, name)
	}
}

func newForgery(t *testing.T, options ...SharedInformerOption) *forgery {
	f := &forgery{t: t, src: cachetest.NewSource(), heard: &mirror{t: t, known: map[ObjectName]object{}}}
	f.src.Set("a", "one", map[string]string{"in": "scope"})
	other := cachetest.NewSource()
	f.informer = newOwn(t, func(namespace string) bodies.OpenFunc {
		if namespace == "b" {
			return cachetest.OpenerOf(other)
		}
		return cachetest.OpenerOf(f.src)
	}, append(options, WithWatchErrorHandler(quiet))...)
	cachetest.Run(t, f.informer.Run)
	if _, err := f.informer.AddEventHandler(f.heard); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return f
}

func (f *forgery) wrote(w writes.Write) {
	time.Sleep(time.Millisecond)
	w.Sent = time.Now()
	time.Sleep(time.Millisecond)
	inside(f.informer).own.Wrote(w)
	synctest.Wait()
}

// minutes passes, each with a bookmark.
func (f *forgery) minutes(n int) {
	for range n {
		time.Sleep(time.Minute)
		f.src.Bookmark()
		synctest.Wait()
	}
}

// want checks that the cache and the handler have what the server has, and how many lists there were.
func (f *forgery) want(lists, unconfirmed int, when string) {
	f.t.Helper()
	synctest.Wait()
	f.src.Mu.Lock()
	truth := f.src.Objects[ObjectName{"a", "one"}]
	f.src.Mu.Unlock()
	cached := f.informer.GetStore().List()
	switch {
	case truth == nil && len(cached) != 0, truth != nil && len(cached) != 1,
		truth != nil && (cached[0].UID != truth.UID || cached[0].ResourceVersion != truth.ResourceVersion || cached[0].Labels["content"] != truth.Labels["content"]):
		f.t.Errorf("%s: cached is %v, the server has %v", when, cached, truth)
	}
	now := f.informer.Status()
	if now.Unconfirmed != unconfirmed || now.PendingWrites != 0 || now.Phase != status.Watching {
		f.t.Errorf("%s: the status is %v, %d unconfirmed, want %d", when, now, now.Unconfirmed, unconfirmed)
	}
	if got := f.src.Count("list"); got != lists {
		f.t.Errorf("%s: %d lists, want %d", when, got, lists)
	}
	f.heard.mu.Lock()
	defer f.heard.mu.Unlock()
	if len(f.heard.known) != len(cached) || len(cached) == 1 && !packingtest.IsState(f.heard.known[ObjectName{"a", "one"}], cached[0]) {
		f.t.Errorf("%s: the handler knows %v, cached is %v", when, f.heard.known, cached)
	}
}

// TestForgedResponse: a proxy answers a write with something else. The cache has what the server has two minutes and two
// bookmarks later, after one list, and Status names the version.
func TestForgedResponse(t *testing.T) {
	gone := func(obj object) writes.Write { return cachetest.Deletion(obj) }
	for name, forge := range map[string]func(obj object) writes.Write{
		"far ahead":                func(obj object) writes.Write { return forgedResponse("one", obj.UID, farAhead, forged) },
		"the highest version":      func(obj object) writes.Write { return forgedResponse("one", obj.UID, "18446744073709551615", forged) },
		"another UID":              func(object) writes.Write { return forgedResponse("one", "forged", farAhead, forged) },
		"an object that never was": func(object) writes.Write { return forgedResponse("two", "forged", farAhead, forged) },
		"out of the scope": func(obj object) writes.Write {
			return forgedResponse("one", obj.UID, farAhead, map[string]string{"in": "no"})
		},
		"a delete": gone,
		"a delete with a version": func(obj object) writes.Write {
			w := gone(obj)
			w.Object.ResourceVersion = obj.ResourceVersion
			return w
		},
	} {
		for scopes, options := range map[string][]SharedInformerOption{
			"":          nil,
			"selector":  {WithLabelSelector("in=scope")},
			"namespace": {WithNamespaces("a", "b")},
		} {
			if name == "out of the scope" && scopes != "selector" {
				continue
			}
			t.Run(name+"/"+scopes, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newForgery(t, options...)
					f.wrote(forge(f.src.Objects[ObjectName{"a", "one"}]))
					f.src.Set("a", "one", map[string]string{"in": "scope", "content": "changed"}) // by another program
					f.minutes(1)
					if got := f.src.Count("list"); got != 1 {
						t.Errorf("%d lists after a minute", got)
					}
					f.minutes(2)
					f.want(2, 1, "after three minutes")
					if last := f.informer.Status().LastUnconfirmed; last.Namespace != "a" || !strings.Contains(f.informer.Status().String(), "1 version not confirmed, the last: ") {
						t.Errorf("the status is %v", f.informer.Status())
					}
					f.wrote(cachetest.ResponseTo(f.src.Set("a", "one", map[string]string{"in": "scope", "content": "again"})))
					f.minutes(10)
					f.want(2, 1, "in the end")
				})
			})
		}
	}
}

// TestForgedResponseIsPassed: the version is near, so the watch passes it, and shows that the server has another state. That needs
// no list.
func TestForgedResponseIsPassed(t *testing.T) {
	for name, forge := range map[string]func(obj object) writes.Write{
		"another content":          func(obj object) writes.Write { return forgedResponse("one", obj.UID, "105", forged) },
		"another UID":              func(object) writes.Write { return forgedResponse("one", "forged", "105", forged) },
		"an object that never was": func(object) writes.Write { return forgedResponse("two", "forged", "105", forged) },
		"out of the scope": func(obj object) writes.Write {
			return forgedResponse("one", obj.UID, "105", map[string]string{"in": "no"})
		},
	} {
		for _, isChanged := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, changed=%v", name, isChanged), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newForgery(t, WithLabelSelector("in=scope"))
					f.wrote(forge(f.src.Objects[ObjectName{"a", "one"}]))
					if isChanged {
						f.src.Set("a", "one", map[string]string{"in": "scope", "content": "changed"})
					}
					for range 5 {
						f.src.Bookmark()
					}
					f.want(1, 1, "after the version")
				})
			})
		}
	}
}

// TestWritesAfterAForgedResponse: what the program or others do to the name ends the forged state.
func TestWritesAfterAForgedResponse(t *testing.T) {
	for name, test := range map[string]struct {
		change func(f *forgery)
		// unconfirmed is set if Status counts the version at once.
		unconfirmed int
	}{
		"an own write": {func(f *forgery) {
			f.wrote(cachetest.ResponseTo(f.src.Set("a", "one", map[string]string{"in": "scope"})))
		}, 1},
		"an own write that changes nothing": {func(f *forgery) {
			f.wrote(cachetest.ResponseTo(f.src.Objects[ObjectName{"a", "one"}]))
		}, 1},
		"an own delete": {func(f *forgery) {
			obj := f.src.Objects[ObjectName{"a", "one"}]
			f.src.Remove("a", "one")
			f.wrote(cachetest.Deletion(obj))
		}, 1},
		"deleted by another program": {func(f *forgery) { f.src.Remove("a", "one") }, 1},
		"recreated by another program": {func(f *forgery) {
			f.src.Remove("a", "one")
			f.src.Set("a", "one", map[string]string{"in": "scope"})
		}, 1},
		"recreated": {func(f *forgery) {
			f.src.Remove("a", "one")
			f.wrote(cachetest.ResponseTo(f.src.Set("a", "one", map[string]string{"in": "scope"})))
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newForgery(t)
				f.wrote(forgedResponse("one", f.src.Objects[ObjectName{"a", "one"}].UID, farAhead, forged))
				test.change(f)
				f.want(1, test.unconfirmed, "at once")
				f.minutes(10)
				f.want(1, test.unconfirmed, "later")
			})
		})
	}
}

// TestForgedResponseThenDeleted: the object of a forged state ends, or another one has its name, with any scopes.
func TestForgedResponseThenDeleted(t *testing.T) {
	for scopes, options := range map[string][]SharedInformerOption{
		"":                       nil,
		"selector":               {WithLabelSelector("in=scope")},
		"namespaces":             {WithNamespaces("a", "b")},
		"namespaces, a selector": {WithNamespaces("a", "b"), WithLabelSelector("in=scope")},
	} {
		for _, what := range []string{"deleted", "recreated", "recreated by this program"} {
			t.Run(what+"/"+scopes, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newForgery(t, options...)
					f.wrote(forgedResponse("one", f.src.Objects[ObjectName{"a", "one"}].UID, farAhead, forged))
					f.src.Remove("a", "one")
					if what != "deleted" {
						obj := f.src.Set("a", "one", map[string]string{"in": "scope"})
						if strings.HasSuffix(what, "program") {
							f.wrote(cachetest.ResponseTo(obj))
						}
					}
					f.minutes(5)
					lists := f.src.Count("list")
					f.want(lists, 1, "after five minutes")
					if lists > 3 || scopes == "" && lists > 1 {
						t.Errorf("%d lists", lists)
					}
				})
			})
		}
	}
}

// TestForgedDeleteHidesEvents: the cache is the same without the delete of an object that it does not have, until events of the
// object come, which the delete hides.
func TestForgedDeleteHidesEvents(t *testing.T) {
	for name, play := range map[string]func(f *forgery){
		"the UID comes later": func(f *forgery) {
			f.src.Remove("a", "one")
			synctest.Wait()
			f.wrote(cachetest.Deletion(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one", UID: "uid-103"}}))
			f.src.Set("a", "one", map[string]string{"in": "scope"})
		},
		"it leaves the scope and returns": func(f *forgery) {
			f.src.Mu.Lock()
			f.src.SelectsByLabels = true
			f.src.Mu.Unlock()
			f.src.EndWatches(io.EOF)
			synctest.Wait()
			f.wrote(cachetest.Deletion(f.src.Objects[ObjectName{"a", "one"}]))
			f.src.Set("a", "one", map[string]string{"in": "no"})
			synctest.Wait()
			f.src.Set("a", "one", map[string]string{"in": "scope"})
		},
		"this program writes it": func(f *forgery) {
			f.wrote(cachetest.Deletion(f.src.Objects[ObjectName{"a", "one"}]))
			f.wrote(cachetest.ResponseTo(f.src.Set("a", "one", map[string]string{"in": "scope"})))
			f.want(2, 1, "after the write")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newForgery(t, WithLabelSelector("in=scope"))
				play(f)
				f.minutes(5)
				f.want(2, 1, "in the end")
			})
		})
	}
}

// TestLowBookmarks: a server whose bookmarks are always low makes a scope list once in two minutes, and not more often.
func TestLowBookmarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newForgery(t)
		for range 400 { // 20 minutes
			time.Sleep(3 * time.Second)
			f.src.Mu.Lock()
			f.src.RecordLocked(watch.Bookmark, nil)
			f.src.History[len(f.src.History)-1].ResourceVersion = "7"
			f.src.Mu.Unlock()
			synctest.Wait()
		}
		if got := f.src.Count("list"); got > 11 {
			t.Errorf("%d lists in 20 minutes", got)
		}
	})
}

// TestBookmarksBeforeAWriteDoNotCount: the informer was busy when the response came, and had no writes before.
func TestBookmarksBeforeAWriteDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newForgery(t)
		f.minutes(5)
		own := inside(f.informer).own
		done := make(chan struct{})
		obj := f.src.Objects[ObjectName{"a", "one"}].DeepCopy()
		obj.ResourceVersion = "5000"
		inside(f.informer).core.Change(func(uint64) { // a batch is processed
			go func() { defer close(done); own.Wrote(cachetest.ResponseTo(obj)) }()
		})
		<-done
		time.Sleep(3 * time.Minute)
		f.src.Bookmark()
		synctest.Wait()
		if n := f.informer.Status().Unconfirmed; n != 0 {
			t.Error("one bookmark is enough")
		}
		f.minutes(1)
		f.want(2, 1, "after the second bookmark")
	})
}

// TestForgedResponseOfADeletedObject: the UID has ended, so no write can leave a state of it.
func TestForgedResponseOfADeletedObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newForgery(t)
		uid := f.src.Objects[ObjectName{"a", "one"}].UID
		f.src.Remove("a", "one")
		synctest.Wait()
		f.wrote(forgedResponse("one", uid, farAhead, forged))
		f.want(1, 0, "after the response")
		f.src.Set("a", "one", nil)
		f.want(1, 0, "after it was created again")
	})
}

// TestForgedEvent: a watch tells a version that the server has not, in an event or a bookmark. Until two bookmarks have
// shown that, events count as ever.
func TestForgedEvent(t *testing.T) {
	for _, kind := range []watch.EventType{watch.Modified, watch.Bookmark} {
		for n, options := range [][]SharedInformerOption{nil, nil, {WithNamespaces("a", "b")}} {
			own := n > 0
			t.Run(fmt.Sprintf("%s, %d", kind, n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newForgery(t, options...)
					f.src.Mu.Lock()
					obj := f.src.Objects[ObjectName{"a", "one"}].DeepCopy()
					obj.Labels = forged
					if kind == watch.Bookmark {
						obj = nil
					}
					f.src.RecordLocked(kind, obj)
					if obj != nil {
						obj.ResourceVersion = farAhead
					}
					f.src.History[len(f.src.History)-1].ResourceVersion = farAhead
					f.src.Mu.Unlock()
					f.minutes(1)
					changed := f.src.Set("a", "one", map[string]string{"in": "scope", "content": "changed"})
					if own {
						f.wrote(cachetest.ResponseTo(changed))
					}
					f.want(1, 0, "after a minute")
					f.minutes(2)
					f.want(2, 1, "after three minutes")
					f.wrote(cachetest.ResponseTo(f.src.Set("a", "one", map[string]string{"in": "scope", "content": "again"})))
					f.minutes(10)
					f.want(2, 1, "in the end")
					if n := inside(f.informer).monitor.Stats().Relists[status.Unconfirmed]; n != 1 {
						t.Errorf("%d relists have the cause", n)
					}
				})
			})
		}
	}
}

// TestLateWatchIsNotForged: a watch without bookmarks, or one that is late by less than two minutes, costs no list.
func TestLateWatchIsNotForged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newForgery(t)
		f.src.SetSilent(true)
		f.src.EndWatches(io.EOF)
		synctest.Wait()
		f.wrote(cachetest.ResponseTo(f.src.Set("a", "one", map[string]string{"in": "scope"})))
		time.Sleep(4 * time.Minute)
		f.src.SetSilent(false)
		f.src.EndWatches(io.EOF)
		f.minutes(5)
		f.want(1, 0, "in the end")
	})
}

// TestOverdueWriteInABatchOfBookmarks has a write that no bookmark has confirmed. Several bookmarks come in one batch, because an index
// function is slow for example. The write is noted once.
func TestOverdueWriteInABatchOfBookmarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) })
		inside(s).core.Process(firstList(s, "10"))
		inside(s).own.Wrote(cachetest.ResponseTo(cachetest.NewSource().Set("a", "one", nil)))
		time.Sleep(5 * time.Minute)
		inside(s).core.Process(&deltafifo.Batch{Reached: reachedAt(s, "11", 5)})
		if n := s.Status().Unconfirmed; n != 1 {
			t.Errorf("%d versions are unconfirmed, want the one of the write", n)
		}
	})
}
