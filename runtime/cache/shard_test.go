package cache

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// names returns the keys of the cached objects, sorted.
func names(s *SharedIndexInformer[object]) (all []string) {
	for _, obj := range s.GetStore().List() {
		all = append(all, MetaObjectToName(obj).String())
	}
	slices.Sort(all)
	return all
}

// shardOf returns the shard of some values.
func shardOf(t *testing.T, key sharding.Key, values ...string) sharding.Selector {
	t.Helper()
	var ranges []sharding.Range
	for _, value := range values {
		ranges = append(ranges, sharding.Range{First: sharding.Hash(value), Last: sharding.Hash(value)})
	}
	shard, err := sharding.New(key, ranges...)
	if err != nil {
		t.Fatal(err)
	}
	return shard
}

// TestShardLeavesOutOtherObjects follows the shard of one object, with a server that ignores shards.
func TestShardLeavesOutOtherObjects(t *testing.T) {
	for _, streams := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			src := cachetest.NewSource()
			src.Streams = streams
			mine := src.Set("a", "mine", nil)
			src.Set("a", "other", nil)
			src.Set("b", "another", nil)
			options := []SharedInformerOption{WithShard(shardOf(t, sharding.UID, string(mine.UID)))}
			if streams {
				options = append(options, WithStreamingList())
			}
			s := followAll(t, map[string]*cachetest.Source{"": src}, options...)
			heard, _ := listen(t, s)
			cachetest.WantLines(t, after(heard), "add a/mine@101 initial=true")

			src.Set("a", "mine", nil)
			src.Set("a", "other", nil)
			src.Remove("b", "another")
			src.Set("b", "new", nil)
			cachetest.WantLines(t, after(heard), "update a/mine@101->104")
			observed := inside(s).observed()
			if stats := observed.Stats; stats.Dropped != 5 || stats.Added+stats.Deleted+stats.Bookmarks != 0 || stats.Updated != 1 {
				t.Errorf("the counters are %+v", stats)
			}
			if status := observed.Status; status.ResourceVersion != "107" || status.Objects != 1 || len(status.Undecodable) != 0 {
				t.Errorf("the status is %+v", status)
			}
			src.Bookmark()
			src.Remove("a", "mine")
			src.Set("a", "mine", nil) // with another UID
			cachetest.WantLines(t, after(heard), "delete a/mine@109 unknown=false")
			if stats := inside(s).monitor.Stats(); stats.Bookmarks != 1 || stats.Dropped != 6 {
				t.Errorf("the counters are %+v", stats)
			}
			for _, r := range src.Requests {
				want := shardOf(t, sharding.UID, string(mine.UID)).String()
				if got, known := shardSelector(r.Options); known && got != want {
					t.Errorf("%s with the shard %q, want %q", r.Verb, got, want)
				}
			}
		})
	}
}

// TestShardByNamespace follows the shard of two namespaces.
func TestShardByNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		for _, namespace := range []string{"a", "b", "c"} {
			src.Set(namespace, "one", nil)
		}
		s := followAll(t, map[string]*cachetest.Source{"": src}, WithShard(shardOf(t, sharding.Namespace, "a", "c")))
		synctest.Wait()
		src.Set("b", "two", nil)
		src.Set("c", "two", nil)
		synctest.Wait()
		cachetest.WantLines(t, names(s), "a/one", "c/one", "c/two")
	})
}

// TestChildrenFollowTheirOwner changes the controller of an object, which leaves the shard and returns.
func TestChildrenFollowTheirOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		parent := src.Set("a", "parent", nil)
		child := src.SetOwner("a", "child", string(parent.UID), true)
		src.SetOwner("a", "stranger", "none", true)
		s := followAll(t, map[string]*cachetest.Source{"": src}, WithShard(shardOf(t, sharding.Owner, string(parent.UID))))
		heard, _ := listen(t, s)
		lines := after(heard)
		slices.Sort(lines)
		cachetest.WantLines(t, lines, "add a/child@102 initial=true", "add a/parent@101 initial=true")

		src.SetOwner("a", "child", "none", true)
		src.SetOwner("a", "stranger", "none", true)
		cachetest.WantLines(t, after(heard), "delete a/child@102 unknown=true")
		if status := s.Status(); len(status.Undecodable) != 0 || status.ResourceVersion != "105" || status.Err != nil {
			t.Errorf("the status is %+v", status)
		}
		src.SetOwner("a", "child", string(parent.UID), true)
		src.Remove("a", "stranger")
		cachetest.WantLines(t, after(heard), "add a/child@106 initial=false")
		src.Remove("a", string(child.Name))
		cachetest.WantLines(t, after(heard), "delete a/child@108 unknown=false")
		if stats := inside(s).monitor.Stats(); stats.DecodeFailures != 0 || stats.Updated != 1 || stats.Deleted != 1 || stats.Dropped != 4 {
			t.Errorf("the counters are %+v", stats)
		}
		for _, r := range src.Requests {
			if got, _ := shardSelector(r.Options); got != "" {
				t.Errorf("%s with the shard %q, which no server knows", r.Verb, got)
			}
		}
	})
}

// TestChildLeavesItsOwnerAtItsEnd has the write that changes the controller of an object also delete it, because it removes the last
// finalizer. The only event has the new controller, which is in another shard.
func TestChildLeavesItsOwnerAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.SetOwner("a", "child", "parent", true)
		s := followAll(t, map[string]*cachetest.Source{"": src}, WithShard(shardOf(t, sharding.Owner, "parent")))
		heard, _ := listen(t, s)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add a/child@101 initial=true")
		src.Mu.Lock()
		last := src.Objects[ObjectName{"a", "child"}].DeepCopy()
		last.OwnerReferences[0].UID = "other"
		delete(src.Objects, ObjectName{"a", "child"})
		src.RecordLocked(watch.Deleted, last)
		src.Mu.Unlock()
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "delete a/child@101 unknown=true")
		if got := names(s); len(got) != 0 {
			t.Errorf("cached are %q", got)
		}
	})
}

// TestPagesOfOtherShards reads a list in pages of which most have nothing of the shard. No page counts as
// one without a result, after which the informer would wait.
func TestPagesOfOtherShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		for i := range 5000 {
			src.Set("a", fmt.Sprintf("%04d", i), nil)
		}
		mine := src.Set("b", "mine", nil)
		var first, last time.Time
		src.FailWith(func(r cachetest.Request) error {
			if r.Verb == "list" && r.Options.Limit == 0 {
				return errors.New("read tcp: connection reset")
			}
			if last = time.Now(); first.IsZero() {
				first = last
			}
			return nil
		})
		s := followAll(t, map[string]*cachetest.Source{"": src}, WithShard(shardOf(t, sharding.UID, string(mine.UID))))
		time.Sleep(time.Minute)
		synctest.Wait()
		if pages := src.Count("list"); pages < 10 {
			t.Fatalf("the list was read in %d requests", pages)
		}
		cachetest.WantLines(t, names(s), "b/mine")
		if took := last.Sub(first); took > 0 {
			t.Errorf("the pages took %v", took)
		}
	})
}

// TestStreamOfOtherShardsWithoutABookmark has a server that does not know streaming lists, and in which only
// objects of other shards change.
func TestStreamOfOtherShardsWithoutABookmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Streams, src.NoBookmark = true, true
		mine := src.Set("a", "mine", nil)
		s := followAll(t, map[string]*cachetest.Source{"": src}, WithStreamingList(), WithShard(shardOf(t, sharding.UID, string(mine.UID))))
		for range 20 {
			time.Sleep(5 * time.Second) // below the limit for the next event
			src.Set("a", "other", nil)
		}
		synctest.Wait()
		if !s.HasSynced() {
			t.Errorf("not synced after %d lists: %v", src.Count("list"), s.Status())
		}
	})
}

// TestOwnWritesToOtherShards writes objects that the informer never has.
func TestOwnWritesToOtherShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		mine, other := src.Set("a", "mine", nil), src.Set("a", "other", nil)
		s := followOwn(t, map[string]*cachetest.Source{"": src}, WithShard(shardOf(t, sharding.UID, string(mine.UID))))
		synctest.Wait()
		src.SetSilent(true) // the watch is behind
		src.EndWatches(io.EOF)
		synctest.Wait()
		own := inside(s).own
		own.Wrote(cachetest.ResponseTo(src.Set("a", "mine", map[string]string{"written": ""})))
		own.Wrote(cachetest.ResponseTo(src.Set("a", "other", nil)))
		own.Wrote(cachetest.Deletion(other))
		if got := s.Status().PendingWrites; got != 1 {
			t.Errorf("%d writes wait for the watch, want 1", got)
		}
		cached, _ := s.GetStore().Get(ObjectName{"a", "mine"})
		if _, written := cached.Labels["written"]; !written || s.GetIndexer().Len() != 1 {
			t.Errorf("cached are %v, %v", names(s), cached)
		}
	})
}

// TestOwnWriteMovesToAnotherShard writes another owner, so that the object is no longer in the shard.
func TestOwnWriteMovesToAnotherShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.SetOwner("a", "child", "parent", true)
		s := followOwn(t, map[string]*cachetest.Source{"": src}, WithShard(shardOf(t, sharding.Owner, "parent")))
		heard, _ := listen(t, s)
		synctest.Wait()
		heard.Drain()
		inside(s).own.Wrote(cachetest.ResponseTo(src.SetOwner("a", "child", "other", true)))
		if got := names(s); len(got) != 0 {
			t.Errorf("cached are %q", got)
		}
		cachetest.WantLines(t, after(heard), "delete a/child@101 unknown=true")
		src.Bookmark()
		synctest.Wait()
		if got := s.Status().PendingWrites; got != 0 {
			t.Errorf("%d writes are pending", got)
		}
	})
}

func TestShardOptions(t *testing.T) {
	kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](cachetest.NewSource()) }}
	cluster := kind
	cluster.Namespaced = false
	half := sharding.Split(sharding.UID, 2)[0]
	byNamespace := sharding.Split(sharding.Namespace, 2)[0]
	for _, test := range []struct {
		name    string
		kind    Kind[object]
		options []SharedInformerOption
		want    string
	}{
		{"twice", kind, []SharedInformerOption{WithShard(half), WithShard(half)}, "WithShard for *v1.PartialObjectMetadata: it is set twice"},
		{"a scope that cannot be parsed", kind, []SharedInformerOption{WithScopes(Scope{ShardSelector: "0-4"})}, `"0-4" is not a shard selector: write shardRange(`},
		{"an empty range", kind, []SharedInformerOption{WithScopes(Scope{ShardSelector: "shardRange(object.metadata.uid, '0x8000000000000000', '0x8000000000000000')"})}, "is empty"},
		{"namespaces of a cluster-scoped kind", cluster, []SharedInformerOption{WithShard(byNamespace)}, "widgets.test.example.com is cluster-scoped, so all its objects have the same hash of object.metadata.namespace; use object.metadata.uid for it"},
	} {
		_, err := test.kind.NewInformer(test.options...)
		if mistake := (*OptionError)(nil); !errors.As(err, &mistake) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", test.name, err, test.want)
		}
	}
	for _, options := range [][]SharedInformerOption{
		{WithShard(half)}, {WithShard(byNamespace)}, {WithShard(sharding.Selector{})}, {WithScopes(Scope{ShardSelector: half.String()})},
	} {
		if _, err := kind.NewInformer(options...); err != nil {
			t.Error(err)
		}
	}
	of := newOptions(nil, []SharedInformerOption{WithShard(half)})
	whole := newOptions(of.object, []SharedInformerOption{WithShard(sharding.Selector{})})
	for _, test := range []struct {
		of, own *options
		scope   Scope
		want    sharding.Selector
	}{
		{of, &options{}, Scope{}, half},
		{of, whole, Scope{}, sharding.Selector{}},
		{&options{}, of, Scope{}, half},
		{of, of, Scope{ShardSelector: byNamespace.String()}, byNamespace},
	} {
		if got, err := erasedKind(&kind).shardOf(test.of, test.own, test.scope); err != nil || got.String() != test.want.String() {
			t.Errorf("the shard is %v, %v; want %v", got, err, test.want)
		}
	}
	if err := sameOptions(of, whole); err == nil {
		t.Error("two calls with other shards are the same")
	}
}

// FuzzShard plays a random history of a collection to an informer that follows half of it: by UIDs, by
// namespaces in two ways, or by owners, which change. The server knows shards or ignores them. Some of the writes are
// those of this program.
func FuzzShard(f *testing.F) {
	for n, script := range scripts(17, 48, 300) {
		f.Add(script, byte(n))
	}
	f.Fuzz(func(t *testing.T, script []byte, mode byte) {
		if len(script) > 600 {
			return
		}
		synctest.Test(t, func(t *testing.T) { playShard(t, script, mode) })
	})
}

func playShard(t *testing.T, script []byte, mode byte) {
	key := []sharding.Key{sharding.UID, sharding.Namespace, sharding.Owner, sharding.SpreadNamespace}[mode%4]
	shard := sharding.Split(key, 2)[mode>>2&1]
	src := cachetest.NewSource()
	src.Streams = mode>>3&1 == 0
	if mode>>4&1 == 0 && key.OnServers() {
		src.Selects = func(obj object) bool { return shard.Matches(obj) }
	}
	follow := followAll
	ownWrites := mode>>5&1 == 0
	if ownWrites {
		follow = followOwn
	}
	options := []SharedInformerOption{WithShard(shard), WithIndexers(Indexers[object]{"letters": cachetest.ByLetters})}
	if src.Streams {
		options = append(options, WithStreamingList())
	}
	s := follow(t, map[string]*cachetest.Source{"": src}, options...)
	wrote := func(obj object) {
		if ownWrites {
			inside(s).own.Wrote(cachetest.ResponseTo(obj))
		}
	}
	h := &historian{t: t, known: map[ObjectName]object{}, scoped: key == sharding.Owner}
	reg, err := s.AddEventHandler(h)
	if err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	h.registration = reg
	h.mu.Unlock()
	for ; len(script) >= 2; script = script[2:] {
		what, arg := script[0]%12, script[1]
		namespace, name := string("ab"[arg>>3&1]), fmt.Sprint(arg%8)
		last, exists := src.Objects[ObjectName{namespace, name}]
		switch what {
		case 0, 1:
			wrote(src.Set(namespace, name, map[string]string{"letters": "xyz"[:arg>>6]}))
		case 2:
			wrote(src.SetOwner(namespace, name, fmt.Sprint("owner-", arg>>6), arg&0x10 == 0))
		case 3, 4:
			if exists {
				src.Remove(namespace, name)
				if ownWrites && what == 3 {
					inside(s).own.Wrote(cachetest.Deletion(last))
				}
			}
		case 5:
			src.Bookmark()
		case 6:
			src.EndWatches([]error{io.EOF, io.ErrUnexpectedEOF, cachetest.ErrGone}[arg%3])
		case 7:
			src.Forget()
		case 8:
			src.FailWith(failures(arg))
		case 9:
			time.Sleep(time.Duration(arg) * 4 * time.Second)
		case 10:
			src.SetSilent(arg&1 == 0)
		case 11:
			src.AnswerWith(namespace, name, map[string]string{"default": fmt.Sprint(arg >> 4 & 1)})
		}
		if arg&0x20 != 0 {
			synctest.Wait()
		}
	}
	src.FailWith(nil)
	src.SetSilent(false)
	src.EndWatches(io.EOF)
	time.Sleep(15 * time.Minute)
	for range 5 {
		src.Bookmark()
		time.Sleep(time.Minute)
	}
	synctest.Wait()
	objects := map[ObjectName]object{}
	for name, obj := range src.Objects {
		if shard.Matches(obj) {
			objects[name] = obj
		}
	}
	checkEnd(t, s, objects, []*historian{h})
	if dropped := inside(s).monitor.Stats().Dropped; src.Selects != nil && dropped != 0 && key == sharding.UID {
		t.Errorf("%d objects of a server that knows shards were left out", dropped)
	}
}

// shardSelector returns the ShardSelector of a request. apimachinery v0.35 and older do not know it.
func shardSelector(options metav1.ListOptions) (selector string, known bool) {
	field := reflect.ValueOf(options).FieldByName("ShardSelector")
	if !field.IsValid() {
		return "", false
	}
	return field.String(), true
}
