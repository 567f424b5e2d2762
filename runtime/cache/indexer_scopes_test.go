package cache

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/ledger"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// step is one event or list in a short history of the object w. Scope 0 selects the label x and scope 1 the
// label y. Scope 2 is a third one.
type step struct {
	do      string // add, update, delete, list, reach, found, absent or close
	scope   scopeID
	version string
	uid     string // "one" if it is empty
	// listed is the version of the object in a list, empty if the list does not have it, and before that
	// which the scope had reached.
	listed, before string
	// want are the notifications, and the scopes that have to list again.
	want string
}

// TestObjectOfAnotherShard replaces an object by one of the same name in another shard. The list that no longer has
// the first one does not end the second one.
func TestObjectOfAnotherShard(t *testing.T) {
	x := NewIndexer[object](nil)
	split := sharding.Split(sharding.UID, 2)
	uids := map[int]string{} // by shard
	for i := 0; len(uids) < 2; i++ {
		uid := fmt.Sprint("uid-", i)
		for n, shard := range split {
			if shard.Contains(sharding.Hash(uid)) {
				uids[n] = uid
			}
		}
	}
	for id := range scopeID(2) {
		x.openScope(id, scopeTraits{Shard: split[id]})
	}
	x.apply(Deltas[object]{{Type: Added, scope: 0, Item: itemOf(version("w", "5", uids[0], ""))}})
	x.apply(Deltas[object]{{Type: Added, scope: 1, Item: itemOf(version("w", "8", uids[1], ""))}})
	notes := x.apply(Deltas[object]{{Type: Replaced, scope: 0, Collection: &Collection[object]{version: "9"}}})
	if obj, ok := x.Get(ObjectName{Name: "w"}); len(notes) > 0 || !ok || string(obj.UID) != uids[1] {
		t.Errorf("%d changes, and the cache has %v", len(notes), obj)
	}
	notes = x.apply(Deltas[object]{{Type: Deleted, scope: 1, Item: itemOf(version("w", "12", uids[1], ""))}})
	if len(notes) != 1 || x.Len() != 0 {
		t.Errorf("%d changes at the end, and the cache has %d objects", len(notes), x.Len())
	}
}

// TestObjectMovesBetweenScopes has two scopes tell the history of one object in several orders.
func TestObjectMovesBetweenScopes(t *testing.T) {
	for name, test := range map[string][]step{
		"the new scope tells first": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "add", scope: 1, version: "10", want: "update 5-10"},
			{do: "delete", scope: 0, version: "10"},
			{do: "reach", scope: 0, version: "20"},
			{do: "reach", scope: 1, version: "20"},
		},
		"the old scope tells first": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "delete", scope: 0, version: "10"},
			{do: "reach", scope: 1, version: "9"},
			{do: "add", scope: 1, version: "10", want: "update 5-10"},
			{do: "delete", scope: 1, version: "11"},
			{do: "reach", scope: 0, version: "11", want: "delete 11"},
		},
		"it has moved nowhere": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "delete", scope: 0, version: "10"},
			{do: "reach", scope: 1, version: "9"},
			{do: "reach", scope: 1, version: "10", want: "delete 10"},
			{do: "add", scope: 1, version: "12", want: "add 12"},
		},
		"a late scope tells that it had the object": {
			{do: "add", scope: 1, version: "7", want: "add 7"},
			{do: "update", scope: 1, version: "9", want: "update 7-9"},
			{do: "delete", scope: 1, version: "10"},
			{do: "add", scope: 0, version: "7"},
			{do: "delete", scope: 0, version: "8"},
			{do: "reach", scope: 0, version: "9"},
			{do: "add", scope: 0, version: "10", want: "update 9-10"},
		},
		"a list came between": { // y at 10, and x again at 13
			{do: "add", scope: 0, version: "8", want: "add 8"},
			{do: "list", scope: 1, version: "14"},
			{do: "delete", scope: 0, version: "10"},
			{do: "add", scope: 0, version: "13", want: "update 8-13"},
		},
		"it is created again under the name": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "delete", scope: 0, version: "10"},
			{do: "add", scope: 1, version: "12", uid: "two", want: "delete 10 add 12"},
			{do: "delete", scope: 0, version: "10"},
			{do: "delete", scope: 1, version: "14", uid: "two"},
			{do: "reach", scope: 0, version: "14", want: "delete 14"},
		},
		"the end of its predecessor is repeated": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "delete", scope: 0, version: "10"},
			{do: "add", scope: 0, version: "12", uid: "two", want: "delete 10 add 12"},
			{do: "reach", scope: 1, version: "20"},
			{do: "delete", scope: 0, version: "10"},
			{do: "delete", scope: 0, version: "13", uid: "two", want: "delete 13"},
		},
		"a request finds nothing": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "delete", scope: 0, version: "10"},
			{do: "absent", scope: 1, version: "9"},
			{do: "absent", scope: 1, version: "10", want: "delete 10"},
			{do: "add", scope: 1, version: "7"}, // it has ended since
			{do: "delete", scope: 1, version: "8"},
			{do: "add", scope: 1, version: "11", want: "add 11"},
		},
		"its scope is closed": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "close", scope: 0},
			{do: "add", scope: 0, version: "6"},
			{do: "list", scope: 1, version: "20", want: "delete 5?"},
			{do: "close", scope: 1},
		},
		"the scope that is awaited is closed": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "delete", scope: 0, version: "10"},
			{do: "close", scope: 1, want: "delete 10"},
		},
		"versions are no numbers": {
			{do: "add", scope: 0, version: "five", want: "add five"},
			{do: "list", scope: 1, version: "nine"},
			{do: "add", scope: 1, version: "ten", want: "update five-ten"},
			{do: "delete", scope: 0, version: "ten"},
			{do: "delete", scope: 1, version: "eleven", want: "delete eleven"},
		},
		"the server is restored": {
			{do: "add", scope: 0, version: "50", want: "add 50"},
			{do: "add", scope: 1, version: "60", want: "update 50-60"},
			{do: "list", scope: 0, version: "40", want: "stale 1"},
			{do: "list", scope: 1, version: "41"},
			{do: "reach", scope: 0, version: "41", want: "delete 60?"},
			{do: "add", scope: 0, version: "42", want: "add 42"},
		},
		"the server is restored, and the watch of a late scope goes on": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "add", scope: 1, version: "50", want: "update 5-50"}, // it is in both
			{do: "list", scope: 1, version: "40", want: "stale 0"},
			{do: "reach", scope: 0, version: "45"},
			{do: "list", scope: 0, version: "45", listed: "5", want: "update 50-5"},
			{do: "delete", scope: 0, version: "46"},
			{do: "reach", scope: 1, version: "46", want: "delete 46"},
		},
		"the server is restored, and no scope that lists has the object": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "add", scope: 1, version: "50", want: "update 5-50"},
			{do: "close", scope: 1},
			{do: "reach", scope: 2, version: "50"},
			{do: "list", scope: 2, version: "40", want: "stale 0"},
			{do: "list", scope: 0, version: "45", listed: "5", want: "update 50-5"},
		},
		"a scope that lists late does not undo what another has listed": {
			{do: "add", scope: 0, version: "50", want: "add 50"},
			{do: "reach", scope: 1, version: "60"},
			{do: "list", scope: 1, version: "40", listed: "30", want: "update 50-30 stale 0"},
			{do: "update", scope: 0, version: "51"},
			{do: "delete", scope: 0, version: "52"},
			{do: "delete", scope: 1, version: "53"},
			{do: "reach", scope: 1, version: "60"},
			{do: "list", scope: 0, version: "60", want: "delete 30?"},
		},
		"the server is restored, and the scope that is awaited is closed": {
			{do: "add", scope: 0, version: "10", want: "add 10"},
			{do: "list", scope: 1, version: "3"},
			{do: "list", scope: 0, version: "3", want: "stale 1"},
			{do: "close", scope: 1, want: "delete 10?"},
		},
		"the server is restored, and has a state as before": {
			{do: "add", scope: 0, version: "19", want: "add 19"},
			{do: "reach", scope: 1, version: "30"},
			{do: "list", scope: 1, version: "25", listed: "19", want: "stale 0"},
			{do: "list", scope: 2, version: "17", listed: "9"}, // it was late
		},
		"the server is restored to the last version of an event": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "add", scope: 1, version: "10", want: "update 5-10"},
			{do: "list", scope: 1, version: "10", before: "20", want: "stale 0"},
			{do: "list", scope: 0, version: "11", listed: "5", want: "update 10-5"},
		},
		"a watch tells what a request has told": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "delete", scope: 0, version: "10"},
			{do: "found", scope: 1, version: "21", want: "update 5-21"},
			{do: "add", scope: 1, version: "14"},
			{do: "add", scope: 1, version: "21"},
			{do: "reach", scope: 1, version: "24"},
		},
		"the server is restored, and only a request has told what it lost": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "delete", scope: 0, version: "10"},
			{do: "found", scope: 1, version: "21", want: "update 5-21"},
			{do: "add", scope: 1, version: "14"}, // its watch was late, and goes on
			{do: "reach", scope: 1, version: "20"},
			{do: "reach", scope: 1, version: "24", want: "stale 0 1"},
			{do: "list", scope: 1, version: "25", listed: "14", want: "update 21-14"},
			{do: "list", scope: 0, version: "25"},
			{do: "reach", scope: 1, version: "26"},
		},
		"the server is restored, and another scope has what only a request has told": {
			{do: "add", scope: 0, version: "5", want: "add 5"},
			{do: "delete", scope: 0, version: "10"},
			{do: "found", scope: 1, version: "21", want: "update 5-21"},
			{do: "list", scope: 2, version: "12", listed: "5"},
			{do: "reach", scope: 1, version: "24", want: "stale 0 1 2"},
			{do: "list", scope: 1, version: "25"},
			{do: "list", scope: 2, version: "25", listed: "5", want: "update 21-5"},
		},
		"the server is restored while an object leaves": {
			{do: "add", scope: 0, version: "50", want: "add 50"},
			{do: "reach", scope: 1, version: "70"},
			{do: "reach", scope: 2, version: "40"},
			{do: "delete", scope: 0, version: "60"},
			{do: "list", scope: 0, version: "45", want: "stale 1 2"},
			{do: "reach", scope: 2, version: "70"},
			{do: "list", scope: 2, version: "46"},
			{do: "list", scope: 1, version: "47", listed: "41", want: "update 50-41"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := NewIndexer[object](nil)
			scopes := scopeID(2)
			for _, s := range test {
				scopes = max(scopes, s.scope+1)
			}
			for id := range scopes {
				x.openScope(id, scopeTraits{Moves: true})
			}
			for i, s := range test {
				obj := version("w", s.version, cmp.Or(s.uid, "one"), "")
				if s.do == "add" || s.do == "update" || s.do == "found" {
					obj.Labels = map[string]string{"version": s.version}
				}
				var notes []processor.Notification[object]
				d := Delta[object]{scope: s.scope, Item: itemOf(obj)}
				switch s.do {
				case "reach":
					notes = x.reachScope(s.scope, s.version)
				case "found":
					d.Type, d.aside = Updated, true
					notes = x.apply(Deltas[object]{d})
				case "absent":
					notes = x.absentFrom(s.scope, listed.Name{Name: "w"}, ledger.Parse(s.version))
				case "close":
					notes = x.closeScope(s.scope)
				case "list":
					d = Delta[object]{Type: Replaced, scope: s.scope, Collection: &Collection[object]{version: s.version, before: s.before}}
					if s.listed != "" {
						listed := version("w", s.listed, "one", "")
						listed.Labels = map[string]string{"version": s.listed}
						d.Collection.Items = []Item[object]{itemOf(listed)}
					}
					notes = x.apply(Deltas[object]{d})
				default:
					d.Type = map[string]DeltaType{"add": Added, "update": Updated, "delete": Deleted}[s.do]
					notes = x.apply(Deltas[object]{d})
				}
				var got []string
				for _, n := range notes {
					switch {
					case n.Kind == processor.Add:
						got = append(got, "add "+n.Obj.ResourceVersion)
					case n.Kind == processor.Update:
						got = append(got, "update "+n.Old.ResourceVersion+"-"+n.Obj.ResourceVersion)
					case n.FinalStateUnknown:
						got = append(got, "delete "+n.Obj.ResourceVersion+"?")
					default:
						got = append(got, "delete "+n.Obj.ResourceVersion)
					}
				}
				if stale := x.staleScopes(); len(stale) > 0 {
					slices.Sort(stale)
					got = append(got, "stale "+strings.Trim(fmt.Sprint(stale), "[]"))
				}
				if got := strings.Join(got, " "); got != s.want {
					t.Errorf("step %d, %+v: got %s", i, s, got)
				}
			}
		})
	}
}

// TestUndecodableStateKeepsAnObject has an object move to a scope in a state that cannot be decoded.
func TestUndecodableStateKeepsAnObject(t *testing.T) {
	x := NewIndexer[object](nil)
	for id := range scopeID(2) {
		x.openScope(id, scopeTraits{Moves: true})
	}
	apply := func(scope scopeID, d Delta[object]) []processor.Notification[object] {
		d.scope = scope
		return x.apply(Deltas[object]{d})
	}
	bad := Item[object]{Err: &DecodeError{Name: "w", UID: "one", ResourceVersion: "10"}}
	apply(0, Delta[object]{Type: Added, Item: itemOf(version("w", "5", "one", ""))})
	apply(0, Delta[object]{Type: Deleted, Item: itemOf(version("w", "10", "one", ""))})
	if notes := apply(1, Delta[object]{Type: Updated, Item: bad}); len(notes) > 0 || x.Len() != 1 || x.leaving() != 0 {
		t.Errorf("an undecodable state causes %v, %d objects are left", notes, x.Len())
	}
	bad.Err.ResourceVersion = "11"
	apply(1, Delta[object]{Type: Deleted, Item: bad})
	if notes := x.reachScope(0, "11"); len(notes) != 1 || !notes[0].FinalStateUnknown || x.Len() != 0 {
		t.Errorf("its end causes %v", notes)
	}
}

// TestScopesKeepNoMemory has many objects move to and fro, and end, while one scope is never listed.
func TestScopesKeepNoMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := NewIndexer[object](nil)
		x.openScope(0, scopeTraits{Moves: true})
		x.openScope(1, scopeTraits{})
		x.openScope(2, scopeTraits{Namespace: "forbidden"})
		at := 0
		apply := func(scope scopeID, what DeltaType, name string) {
			at++
			obj := version(name, strconv.Itoa(at), name, "")
			obj.Namespace = "forbidden"
			x.apply(Deltas[object]{{Type: what, scope: scope, Item: itemOf(obj)}})
		}
		for i := range 20_000 {
			name := strconv.Itoa(i)
			apply(0, Added, name)
			apply(0, Deleted, name)
			apply(1, Updated, name)
			apply(1, Deleted, name) // it has no selector
			time.Sleep(time.Second)
		}
		x.reachScope(0, strconv.Itoa(at))
		if records, waits := x.scopes.Size(); x.Len() != 0 || records > 2000 || waits > 4000 {
			t.Errorf("%d objects, %d records and %d waits are left", x.Len(), records, waits)
		}
		x.closeScope(2)
		if records, waits := x.scopes.Size(); records != 0 || waits != 0 {
			t.Errorf("%d records and %d waits are left after all scopes are synced", records, waits)
		}
	})
}

// TestScopesAllocateOnlyNotifications applies events of several scopes.
func TestScopesAllocateOnlyNotifications(t *testing.T) {
	x := NewIndexer[object](nil)
	batches := [2]Deltas[object]{}
	for id := range scopeID(3) {
		x.openScope(id, scopeTraits{Moves: true})
		for i := range 2 * 100 {
			obj := version(strconv.Itoa(i/2), strconv.Itoa(i%2+1), "one", "")
			obj.Namespace = strconv.Itoa(int(id))
			batches[i%2] = append(batches[i%2], Delta[object]{Type: Updated, scope: id, Item: itemOf(obj)})
		}
	}
	round := 0
	apply := func() {
		if notes := x.apply(batches[round%2]); len(notes) != 300 {
			t.Fatalf("%d of 300 events cause a notification", len(notes))
		}
		round++
	}
	apply()
	if got := testing.AllocsPerRun(100, apply); got != 1 {
		t.Errorf("a batch of three scopes allocates %v times, want 1", got)
	}
}
