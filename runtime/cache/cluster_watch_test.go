package cache

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
)

// newOfCluster returns an informer of the widgets of a cluster, which it reads over bodies.
func newOfCluster(c *cluster, form func(accept string) string, options ...SharedInformerOption) *SharedIndexInformer[object] {
	c.Helper()
	kind := Kind[object]{Resource: widgets, Namespaced: true, Open: func(namespace string) OpenFunc { return c.open(namespace, form) }}
	s, err := kind.NewInformer(append(options, WithWatchErrorHandler(quiet))...)
	if err != nil {
		c.Fatal(err)
	}
	return s
}

// watchedNamespaces describes the watches of an informer.
func watchedNamespaces(s *SharedIndexInformer[object]) string {
	var names []string
	for _, r := range inside(s).reflectors() {
		names = append(names, r.config.scope.String())
	}
	return strings.Join(names, ", ")
}

func teams(from, to int) (scopes []Scope) {
	for i := from; i < to; i++ {
		scopes = append(scopes, Scope{Namespace: fmt.Sprintf("team-%02d", i)})
	}
	return scopes
}

// TestClusterWatch changes the namespaces of an informer that follows them by one watch, or not.
func TestClusterWatch(t *testing.T) {
	if os.Getenv(overBodies) != "" {
		t.Skip("the cluster has bodies of its own")
	}
	for name, form := range map[string]func(string) string{"JSON": inJSON, "protobuf": inProtobuf} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t)
				for i := range 40 {
					create(c, fmt.Sprintf("team-%02d", i), "one")
				}
				s := newOfCluster(c, form, WithScopes(teams(0, 6)...), WithClusterWatch(5))
				heard, _ := listen(t, s)
				run(t, s.Run)
				for _, step := range []struct {
					scopes  []Scope
					watched string
					// heard are the numbers of adds and deletes.
					adds, deletes int
				}{
					{teams(0, 6), `"" limited to 6 namespaces`, 6, 0},
					{teams(0, 7), `"" limited to 6 namespaces, "team-06"`, 1, 0},
					{teams(1, 7), `"" limited to 5 namespaces, "team-06"`, 0, 1},
					{teams(0, 7), `"" limited to 5 namespaces, "team-00", "team-06"`, 1, 0},
					{teams(1, 7), `"" limited to 5 namespaces, "team-06"`, 0, 1},
					{teams(1, 24), `"" limited to 23 namespaces`, 17, 0},
					{teams(1, 4), `"" limited to 3 namespaces`, 0, 20},
					{teams(1, 3), `"team-01", "team-02"`, 0, 1},
					{nil, ``, 0, 2},
				} {
					if err := s.SetScopes(step.scopes...); err != nil {
						t.Fatal(err)
					}
					if err := WaitForCacheSync(t.Context(), s); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Minute)
					synctest.Wait()
					if watched := watchedNamespaces(s); watched != step.watched {
						t.Errorf("%d namespaces are watched as %s, want %s", len(step.scopes), watched, step.watched)
					}
					if !slices.Equal(s.Scopes(), step.scopes) {
						t.Errorf("the scopes are %v, want %v", s.Scopes(), step.scopes)
					}
					adds, deletes := 0, 0
					lines := heard.drain()
					for _, line := range lines {
						switch {
						case strings.HasPrefix(line, "add "):
							adds++
						case strings.HasPrefix(line, "delete "):
							deletes++
						default:
							t.Errorf("%d namespaces: %s", len(step.scopes), line)
						}
					}
					if adds != step.adds || deletes != step.deletes || s.GetStore().Len() != len(step.scopes) {
						t.Errorf("%d namespaces: %d objects, and the handler heard %q", len(step.scopes), s.GetStore().Len(), lines)
					}
				}
			})
		})
	}
}

// TestRemovedNamespaceIsNotListedAgain removes namespaces from one watch, and adds one again, while events
// of it may be in the queue.
func TestRemovedNamespaceIsNotListedAgain(t *testing.T) {
	if os.Getenv(overBodies) != "" {
		t.Skip("the cluster has bodies of its own")
	}
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		for i := range 10 {
			create(c, fmt.Sprintf("team-%02d", i), "one")
		}
		s := newOfCluster(c, inJSON, WithScopes(teams(0, 10)...), WithClusterWatch(5))
		heard, _ := listen(t, s)
		run(t, s.Run)
		synctest.Wait()
		heard.drain()
		lists := inside(s).stats().Lists
		setScopes(t, s, teams(3, 10)...)
		if !s.HasSynced() {
			t.Error("not synced after namespaces were removed")
		}
		synctest.Wait()
		for i, line := range sortedLines(heard) {
			if want := fmt.Sprintf("delete team-%02d/one@", i); !strings.HasPrefix(line, want) || !strings.HasSuffix(line, "unknown=true") {
				t.Errorf("the handler has heard %q, want %s", line, want)
			}
		}
		create(c, "team-00", "two")
		create(c, "team-03", "two")
		synctest.Wait()
		if lines := heard.drain(); len(lines) != 1 || !strings.HasPrefix(lines[0], "add team-03/two@") || s.GetStore().Len() != 8 {
			t.Errorf("%d objects, and the handler heard %q", s.GetStore().Len(), lines)
		}
		if now := inside(s).stats().Lists; now != lists {
			t.Errorf("%d lists, and %d before namespaces were removed", now, lists)
		}
		setScopes(t, s, teams(2, 10)...)
		synctest.Wait()
		if now := inside(s).stats().Lists; now != lists+1 || s.GetStore().Len() != 9 {
			t.Errorf("%d objects after one more namespace, and %d lists", s.GetStore().Len(), now-lists)
		}
	})
}

// TestClusterWatchUntilOthersTakeOver gives a namespace of the one watch other selectors, or a scope for each of its objects, which
// the server refuses. The one watch goes on with it, also over a relist.
func TestClusterWatchUntilOthersTakeOver(t *testing.T) {
	for _, next := range [][]Scope{
		{{Namespace: "a", LabelSelector: "x!=y"}},
		{{Namespace: "a", FieldSelector: "metadata.name=one"}, {Namespace: "a", FieldSelector: "metadata.name=two"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &worlds{}
			both := func(do func(*fakeSource)) {
				do(w.of(""))
				do(w.of("a"))
			}
			both(func(src *fakeSource) { src.set("a", "one", nil) })
			s := w.informer(t, WithNamespaces("a", "b", "c"), WithClusterWatch(1))
			run(t, s.Run)
			heard, _ := listen(t, s)
			synctest.Wait()
			w.of("a").failWith(func(request) error { return errForbidden })
			setScopes(t, s, append(in("b", "c"), next...)...)
			both(func(src *fakeSource) { src.set("a", "two", nil) })
			synctest.Wait()
			wantLines(t, heard.drain(), "add a/one@101 initial=true", "add a/two@102 initial=false")
			w.of("").forget()
			w.of("").endWatches(errGone)
			time.Sleep(time.Minute)
			synctest.Wait()
			wantLines(t, heard.drain())
			if n := w.of("").count("list"); n != 2 {
				t.Errorf("the one watch has listed %d times", n)
			}
			w.of("a").failWith(nil)
			time.Sleep(time.Minute)
			synctest.Wait()
			if !s.HasSynced() {
				t.Errorf("not synced: %v", s.Status())
			}
			both(func(src *fakeSource) { src.remove("a", "two") })
			synctest.Wait()
			wantLines(t, heard.drain(), "delete a/two@103 unknown=false")
			if len(next) == 1 && inside(s).reflectors()[0].config.rule.Among.Has("a") {
				t.Error("the one watch still hears of the namespace")
			}
		})
	}
}

// create creates a widget, and remove removes it.
func create(c *cluster, namespace, name string) {
	c.Helper()
	if code, body := c.send(c.Context(), c.others, call{method: http.MethodPost, path: pathOf(namespace, ""), body: newWidget(ObjectName{namespace, name}, "", "red")}); code != http.StatusCreated {
		c.Fatalf("%d: %s", code, body)
	}
}

func remove(c *cluster, namespace, name string) {
	c.Helper()
	if code, body := c.send(c.Context(), c.others, call{method: http.MethodDelete, path: pathOf(namespace, name)}); code != http.StatusOK {
		c.Fatalf("%d: %s", code, body)
	}
}

// TestClusterWatchLeavesOutOtherNamespaces counts what is not decoded.
func TestClusterWatchLeavesOutOtherNamespaces(t *testing.T) {
	if os.Getenv(overBodies) != "" {
		t.Skip("the cluster has bodies of its own")
	}
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		for i := range 40 {
			create(c, fmt.Sprintf("team-%02d", i), "one")
		}
		s := newOfCluster(c, inJSON, WithScopes(teams(0, 6)...), WithClusterWatch(5))
		heard, _ := listen(t, s)
		run(t, s.Run)
		synctest.Wait()
		create(c, "team-30", "two")
		create(c, "team-05", "two")
		synctest.Wait()
		if lines := heard.drain(); len(lines) != 7 || s.GetStore().Len() != 7 {
			t.Errorf("%d objects, and the handler heard %q", s.GetStore().Len(), lines)
		}
		if dropped := inside(s).stats().Dropped; dropped != 34+1 {
			t.Errorf("%d objects were left out, want 35", dropped)
		}
		if name := s.Status().String(); !strings.HasPrefix(name, "Watching") {
			t.Error(name)
		}
	})
}

// TestClusterWatchHistory sets random namespaces while objects come and go.
func TestClusterWatchHistory(t *testing.T) {
	if os.Getenv(overBodies) != "" {
		t.Skip("the cluster has bodies of its own")
	}
	for seed := range uint64(10) {
		synctest.Test(t, func(t *testing.T) {
			const namespaces, above = 30, 4
			random := rand.New(rand.NewPCG(seed, 23))
			c := newCluster(t)
			s := newOfCluster(c, inJSON, WithScopes(teams(0, 2)...), WithClusterWatch(above))
			heard, _ := listen(t, s)
			run(t, s.Run)
			present := map[ObjectName]bool{}
			scopes := teams(0, 2)
			for range 200 {
				name := ObjectName{teams(0, namespaces)[random.IntN(namespaces)].Namespace, fmt.Sprint("w", random.IntN(3))}
				switch random.IntN(8) {
				case 0, 1, 2, 3, 4:
					if present[name] {
						remove(c, name.Namespace, name.Name)
					} else {
						create(c, name.Namespace, name.Name)
					}
					present[name] = !present[name]
				case 5: // one more, or one less
					if at, found := slices.BinarySearchFunc(scopes, Scope{Namespace: name.Namespace}, Scope.compare); found {
						scopes = slices.Delete(slices.Clone(scopes), at, at+1)
					} else {
						scopes = slices.Insert(slices.Clone(scopes), at, Scope{Namespace: name.Namespace})
					}
					if err := s.SetScopes(scopes...); err != nil {
						t.Fatal(err)
					}
				case 6:
					if random.IntN(4) == 0 {
						from := random.IntN(namespaces)
						scopes = teams(from, from+random.IntN(namespaces-from+1))
						if err := s.SetScopes(scopes...); err != nil {
							t.Fatal(err)
						}
					}
				case 7:
					time.Sleep(time.Duration(random.IntN(1000)) * time.Millisecond)
				}
			}
			time.Sleep(5 * time.Minute)
			synctest.Wait()
			var want, got []string
			for name, is := range present {
				if _, found := slices.BinarySearchFunc(scopes, Scope{Namespace: name.Namespace}, Scope.compare); is && found {
					want = append(want, name.String())
				}
			}
			for obj := range s.GetStore().All() {
				got = append(got, MetaObjectToName(obj).String())
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("seed %d: the cache has %q, want %q", seed, got, want)
			}
			checkPresent(t, seed, heard.drain(), want)
		})
	}
}

// checkPresent fails unless each object was added before it was deleted, in turn, and those in want are
// present at the end.
func checkPresent(t *testing.T, seed uint64, lines, want []string) {
	t.Helper()
	present := map[string]bool{}
	for _, line := range lines {
		what, rest, _ := strings.Cut(line, " ")
		name, _, _ := strings.Cut(rest, "@")
		if present[name] != (what != "add") {
			t.Errorf("seed %d: %s, but present is %v", seed, line, present[name])
		}
		present[name] = what != "delete"
	}
	var got []string
	for name, is := range present {
		if is {
			got = append(got, name)
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("seed %d: the handler has heard of %q, want %q", seed, got, want)
	}
}

// TestClusterWatchIsBounded adds namespaces one by one. There are never more than `above` watches of one
// namespace, or 16, next to that of all, and everything is listed again only when one more would be added.
func TestClusterWatchIsBounded(t *testing.T) {
	if os.Getenv(overBodies) != "" {
		t.Skip("the cluster has bodies of its own")
	}
	for _, above := range []int{0, 5, 20} {
		synctest.Test(t, func(t *testing.T) {
			const namespaces = 100
			bound := max(above, 16)
			c := newCluster(t)
			s := newOfCluster(c, inJSON, WithScopes(teams(0, 1)...), WithClusterWatch(above))
			run(t, s.Run)
			var last *scoping.Namespaces
			wide := 0
			for n := 1; n <= namespaces; n++ {
				setScopes(t, s, teams(0, n)...)
				synctest.Wait()
				all := inside(s).reflectors()
				if n > above && len(all) > bound+1 || n <= above && len(all) != n || !s.HasSynced() {
					t.Fatalf("%d namespaces above %d have %d watches", n, above, len(all))
				}
				if among := all[0].config.scope.among; among != nil && among != last {
					wide, last = wide+1, among
				}
			}
			if want := 1 + (namespaces-above-1)/(bound+1); wide != want {
				t.Errorf("above %d everything was listed %d times, want %d", above, wide, want)
			}
			for range 50 { // one that comes and goes
				setScopes(t, s, teams(1, namespaces)...)
				setScopes(t, s, teams(0, namespaces)...)
				synctest.Wait()
			}
			if all := inside(s).reflectors(); all[0].config.scope.among != last || len(all) > bound+1 {
				t.Errorf("one namespace that comes and goes causes a list of all, or %d watches", len(all))
			}
		})
	}
}

func TestClusterWatchOfNoNumber(t *testing.T) {
	kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](newSource()) }}
	if _, err := kind.NewInformer(WithClusterWatch(-1)); err == nil || !strings.Contains(err.Error(), "-1 is not a number of namespaces; pass 0 or more") {
		t.Error(err)
	}
}
