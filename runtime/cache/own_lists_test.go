package cache

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// These tests count lists: on a healthy server each scope lists once, whatever this program writes.

// newOwnOfCluster returns an informer that reads the writes of c.client.
func newOwnOfCluster(c *cachetest.Cluster, options ...SharedInformerOption) *SharedIndexInformer[object] {
	c.Helper()
	kind := Kind[object]{Resource: widgets, Namespaced: true, Server: testServer(c.Server.URL()), Open: func(namespace string) bodies.OpenFunc { return c.Open(namespace, cachetest.InJSON) }}
	s, err := kind.NewInformer(append(options, WithReadYourWrites(&c.Own), WithWatchErrorHandler(quiet))...)
	if err != nil {
		c.Fatal(err)
	}
	return s
}

// write creates a widget, or changes its labels, by a client of this program, and checks that it can be read at once.
func write(c *cachetest.Cluster, s *SharedIndexInformer[object], name ObjectName, letters string) {
	c.Helper()
	request := cachetest.Call{Method: http.MethodPost, Path: cachetest.PathOf(name.Namespace, ""), Body: cachetest.NewWidget(name, "", "red")}
	if letters != "" {
		request = cachetest.Call{Method: http.MethodPatch, Path: cachetest.PathOf(name.Namespace, name.Name), ContentType: "application/merge-patch+json",
			Body: map[string]any{"metadata": map[string]any{"labels": map[string]string{"letters": letters}}}}
	}
	if code, body := c.Send(c.Context(), c.Client, request); code/100 != 2 {
		c.Fatalf("%d: %s", code, body)
	}
	if obj, found := s.GetIndexer().Get(name); !found || obj.Labels["letters"] != letters {
		c.Errorf("%v was written with letters=%q, and is %v", name, letters, obj)
	}
}

// wantLists checks the number of lists, and that none came after the first ones.
func wantLists(t *testing.T, s *SharedIndexInformer[object], want uint64) {
	t.Helper()
	if all := inside(s).monitor.Stats(); all.Lists != want || len(all.Relists) != 0 {
		t.Errorf("there were %d lists, want %d; again: %v", all.Lists, want, all.Relists)
	}
}

func TestOwnCreateInOneOfTwoNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cachetest.NewCluster(t)
		s := newOwnOfCluster(c, WithNamespaces("x", "y"))
		cachetest.Run(t, s.Run)
		time.Sleep(time.Second)
		c.Server.LagWatches(widgets.Resource, 10*time.Millisecond)
		write(c, s, ObjectName{"x", "one"}, "")
		time.Sleep(10 * time.Minute)
		wantLists(t, s, 2)
		for i := range 50 {
			write(c, s, ObjectName{"x", "one"}, fmt.Sprint("of-", i))
			time.Sleep(time.Second)
		}
		time.Sleep(10 * time.Minute)
		wantLists(t, s, 2)
		if now := s.Status(); now.PendingWrites != 0 || now.Unconfirmed != 0 || now.Phase != status.Watching {
			t.Errorf("in the end: %v", now)
		}
	})
}

func TestOwnWritesInRangesOfHashes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cachetest.NewCluster(t)
		for i := range 200 {
			cachetest.Create(c, "x", fmt.Sprint("w", i))
		}
		var ranges []sharding.Range
		for _, i := range []int{0, 2, 4, 6} {
			ranges = append(ranges, sharding.Split(sharding.UID, 8)[i].Ranges()...)
		}
		shard, err := sharding.New(sharding.UID, ranges...)
		if err != nil {
			t.Fatal(err)
		}
		s := newOwnOfCluster(c, WithShard(shard))
		cachetest.Run(t, s.Run)
		time.Sleep(time.Second)
		c.Server.LagWatches(widgets.Resource, 10*time.Millisecond)
		objs := s.GetStore().List()
		if len(objs) < 50 {
			t.Fatalf("the shard has %d objects", len(objs))
		}
		for i := range 100 {
			write(c, s, MetaObjectToName(objs[i%len(objs)]), fmt.Sprint("of-", i))
			time.Sleep(time.Second)
		}
		time.Sleep(10 * time.Minute)
		wantLists(t, s, 1)
	})
}

// TestOwnWritesMoveBetweenShards has two informers of two shards of owners, as two processes have. Each sees the writes of
// its own program, which move an object to the shard of the other one and back. Their watches are late.
func TestOwnWritesMoveBetweenShards(t *testing.T) {
	for lag := range 3 {
		synctest.Test(t, func(t *testing.T) {
			owners, split := ownersIn(2), sharding.Split(sharding.Owner, 2)
			src := cachetest.NewSource()
			src.SetOwner("a", "child", owners[0], true)
			var informers [2]*SharedIndexInformer[object]
			var witnesses [2]*scopeWitness
			for i := range informers {
				s := newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(src) }, WithWatchErrorHandler(quiet), WithShard(split[i]))
				cachetest.Run(t, s.Run)
				witnesses[i] = newScopeWitness(t)
				if _, err := s.AddEventHandler(witnesses[i]); err != nil {
					t.Fatal(err)
				}
				informers[i] = s
			}
			synctest.Wait()
			for turn := range 6 {
				if turn%(lag+1) == 0 {
					src.SetSilent(turn%2 == 0)
					src.EndWatches(io.EOF)
					synctest.Wait()
				}
				to := (turn + 1) % 2
				obj := src.SetOwner("a", "child", owners[to], true)
				inside(informers[turn%2]).own.Wrote(cachetest.ResponseTo(obj)) // by the process that has the object
				if got := names(informers[turn%2]); len(got) != 0 {
					t.Errorf("turn %d: the process that has written the object away still has %q", turn, got)
				}
			}
			src.SetSilent(false)
			src.EndWatches(io.EOF)
			time.Sleep(time.Minute)
			for range 5 {
				src.Bookmark()
				time.Sleep(time.Minute)
			}
			for i, s := range informers {
				if got := names(s); len(got) != 1-i || s.Status().PendingWrites != 0 {
					t.Errorf("in the end informer %d has %q: %v", i, got, s.Status())
				}
				wantLists(t, s, 1)
			}
		})
	}
}

// TestOwnWriteNextToAnUndecodableObject writes an object whose scope cannot be listed any more, because of another object.
// This program reads it at once, also while the namespace changes to a scope that cannot list either. WaitFor says why it waits.
func TestOwnWriteNextToAnUndecodableObject(t *testing.T) {
	for _, change := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			src, other := cachetest.NewSource(), cachetest.NewSource()
			src.Set("a", "mine", nil)
			sources := map[string]*cachetest.Source{"a": src, "b": other}
			s := newOwn(t, func(namespace string) bodies.OpenFunc { return cachetest.OpenerOf(sources[namespace]) }, WithNamespaces("a", "b"), WithWatchErrorHandler(quiet), WithMaxObjectBytes(4096))
			cachetest.Run(t, s.Run)
			synctest.Wait()
			src.Set("a", "neighbor", map[string]string{"letters": strings.Repeat("x", 5000)})
			time.Sleep(time.Minute)
			if now := s.Status(); now.Reason != status.Decode {
				t.Fatalf("with an undecodable object: %v", now)
			}
			if change {
				setScopes(t, s, Scope{Namespace: "a", LabelSelector: "!no"}, Scope{Namespace: "b"})
				time.Sleep(time.Minute)
			}
			obj := src.Set("a", "mine", map[string]string{"letters": "new"})
			inside(s).own.Wrote(cachetest.ResponseTo(obj))
			if got, _ := s.GetIndexer().Get(ObjectName{"a", "mine"}); got == nil || got.ResourceVersion != obj.ResourceVersion {
				t.Errorf("change %v: written was version %s, read is %v", change, obj.ResourceVersion, got)
			}
			time.Sleep(10 * time.Minute)
			if got, _ := s.GetIndexer().Get(ObjectName{"a", "mine"}); got == nil || got.ResourceVersion != obj.ResourceVersion {
				t.Errorf("change %v: ten minutes later read is %v", change, got)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := s.WaitFor(ctx, obj.ResourceVersion); err == nil || !strings.Contains(err.Error(), "neighbor") {
				t.Errorf("change %v: WaitFor: %v", change, err)
			}
			src.Remove("a", "neighbor")
			time.Sleep(10 * time.Minute)
			for range 3 {
				src.Bookmark()
				other.Bookmark()
				time.Sleep(time.Minute)
			}
			if now := s.Status(); now.Phase != status.Watching || now.PendingWrites != 0 || now.Unconfirmed != 0 || !s.HasSynced() {
				t.Errorf("change %v: in the end: %v", change, now)
			}
		})
	}
}
