package history

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/watch"
)

func database(namespace, name string) Key {
	return Key{GroupResource: databases, Namespace: namespace, Name: name}
}

func TestPutLeavesItsArgument(t *testing.T) {
	t.Parallel()
	h := New(0)
	metadata := map[string]any{"name": "x"}
	spec := map[string]any{"size": int64(1)}
	given := map[string]any{"metadata": metadata, "spec": spec}
	first := h.Put(database("a", "x"), given)
	second := h.Put(database("a", "x"), first.Object)
	if len(metadata) != 1 || len(given) != 2 {
		t.Errorf("Put changed its argument: %v", given)
	}
	if got := first.Object["metadata"].(map[string]any)["resourceVersion"]; got != "2" {
		t.Errorf("the first state has version %v after the second was written, want 2", got)
	}
	spec["size"] = int64(2)
	if got := second.Object["spec"].(map[string]any)["size"]; got != int64(2) {
		t.Error("Put copied a map that it does not change")
	}
}

func TestPutAddsMetadata(t *testing.T) {
	t.Parallel()
	state := New(0).Put(database("a", "x"), nil)
	if got := state.Object["metadata"].(map[string]any)["resourceVersion"]; got != "2" {
		t.Errorf("resourceVersion is %v, want 2", got)
	}
}

func TestDeleteOfNothingPanics(t *testing.T) {
	t.Parallel()
	h := New(0)
	key := database("a", "x")
	h.Put(key, nil)
	h.Delete(key)
	defer func() {
		if got, want := fmt.Sprint(recover()), "history: delete databases.example.com a/x, which does not exist"; got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
		if h.Version() != 3 {
			t.Errorf("version is %d after a delete of nothing, want 3", h.Version())
		}
	}()
	h.Delete(key)
}

func TestChangedIsOfOneResource(t *testing.T) {
	t.Parallel()
	h := New(0)
	closed := func(c <-chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	mine, other := h.Changed(databases).Wait(), h.Changed(nodes).Wait()
	if h.Changed(databases).Wait() != mine {
		t.Error("two watches of one resource got two channels")
	}
	h.Put(database("a", "x"), nil)
	if !closed(mine) || closed(other) {
		t.Errorf("after a write of a database: databases %v, nodes %v, want true and false", closed(mine), closed(other))
	}
	mine = h.Changed(databases).Wait()
	if closed(mine) {
		t.Error("the next channel is closed before a write")
	}
	h.Delete(database("a", "x"))
	if !closed(mine) {
		t.Error("a delete left the channel open")
	}
	mine = h.Changed(databases).Wait()
	h.Wake()
	if !closed(mine) || !closed(other) {
		t.Error("Wake left a channel open")
	}
}

// A channel for which no one waits is not closed, because that may be in another bubble.
func TestLeftSignal(t *testing.T) {
	t.Parallel()
	var s Signal
	first, second := s.Wait(), s.Wait()
	s.Leave(first)
	if third := s.Wait(); third != first {
		t.Error("a goroutine waits, and its channel was dropped")
	}
	s.Leave(first)
	s.Leave(second)
	s.Send()
	select {
	case <-first:
		t.Error("Send closed a channel that all have left")
	default:
	}
	next := s.Wait()
	s.Leave(first)
	s.Send()
	select {
	case <-next:
	default:
		t.Error("a channel was left by a goroutine that waits for another one")
	}
}

// A watch that runs goes on after Compact, which expires its version for a new watch.
func TestCompactKeepsEvents(t *testing.T) {
	t.Parallel()
	h := New(0)
	h.Put(database("a", "x"), nil)
	h.Put(database("a", "x"), nil)
	h.Compact()
	if events, err := h.Events(databases, 1); len(events) != 2 || err != nil {
		t.Errorf("Events(1) = %d events, %v after Compact, want 2", len(events), err)
	}
	if _, err := h.List(databases, "", 3); err != ErrExpired {
		t.Errorf("List at 3, the last write: %v after Compact, want ErrExpired", err)
	}
	if states, err := h.List(databases, "", 4); len(states) != 1 || err != nil {
		t.Errorf("List at 4, the version of Compact: %d objects, %v", len(states), err)
	}
	if got := h.Oldest(nodes); got != 4 {
		t.Errorf("Oldest of another resource = %d after Compact at 4", got)
	}
}

func TestDeletedStateHasItsVersion(t *testing.T) {
	t.Parallel()
	h := New(0)
	key := database("a", "x")
	first := h.Put(key, object("first"))
	gone := h.Delete(key)
	events, err := h.Events(databases, first.Version)
	if err != nil || len(events) != 1 {
		t.Fatalf("Events = %v, %v", events, err)
	}
	event := events[0]
	if event.Type != watch.Deleted || event.State != gone || event.Before != first {
		t.Errorf("event is %+v", event)
	}
	if got := gone.Object["metadata"].(map[string]any)["resourceVersion"]; got != "3" || value(gone) != "first" {
		t.Errorf("the deleted object is %v, want the first one with version 3", gone.Object)
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	state := New(0).Put(database("a", "x"), object("v"))
	later := state.At(9)
	if later.Version != 9 || later.Key != state.Key || value(later) != "v" {
		t.Errorf("At(9) = %+v", later)
	}
	if got := later.Object["metadata"].(map[string]any)["resourceVersion"]; got != "9" {
		t.Errorf("resourceVersion is %v, want 9", got)
	}
}

// The slots of deleted objects would otherwise pile up in a test that runs for hours.
func TestDeletedObjectsLeaveTheIndex(t *testing.T) {
	t.Parallel()
	h := New(10)
	for i := range 1000 {
		key := database("a", fmt.Sprint("d", i))
		h.Put(key, nil)
		h.Delete(key)
	}
	entries := 0
	for range h.resources[databases].index.from("") {
		entries++
	}
	if entries > 10 {
		t.Errorf("the index has %d entries after 1000 deletions and a limit of 10", entries)
	}
}

// The states of an object that is written again and again would otherwise pile up too.
func TestOldStatesAreDropped(t *testing.T) {
	t.Parallel()
	h := New(10)
	key := database("a", "x")
	for range 1000 {
		h.Put(key, nil)
	}
	states := 0
	for state := h.Get(key); state != nil; state = state.before {
		states++
	}
	if states > 11 {
		t.Errorf("%d states are kept with a limit of 10", states)
	}
}

func TestRestoreForgetsDeletedObjects(t *testing.T) {
	t.Parallel()
	h := New(1)
	h.Put(database("a", "x"), nil)
	deleted := h.Delete(database("a", "x"))
	h.Put(database("a", "x"), nil)
	if err := h.Restore(deleted.Version); err != nil {
		t.Fatal(err)
	}
	for path := range h.resources[databases].index.from("") {
		t.Errorf("%s is in the index, and no event is left that would remove it", path)
	}
}

func TestIndexInAnyOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, order := range []string{"up", "down", "random"} {
		var paths []string
		for i := range 5000 {
			paths = append(paths, fmt.Sprintf("%06d", i))
		}
		want := slices.Clone(paths)
		switch order {
		case "down":
			slices.Reverse(paths)
		case "random":
			random.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		}
		var x index
		for _, path := range paths {
			*x.slot(path) = &State{Key: Key{Name: path}}
		}
		var got []string
		for path, state := range x.from("") {
			got = append(got, path)
			if state.Name != path {
				t.Fatalf("%s: %s has the state of %s", order, path, state.Name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the index is not in order", order)
		}
		if order == "up" && len(x.blocks) != 5000/blockSize+1 {
			t.Errorf("%s: %d blocks for 5000 entries", order, len(x.blocks))
		}
		random.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		for i, path := range paths {
			x.remove(path)
			if x.get(path) != nil {
				t.Fatalf("%s: %s is there after remove", order, path)
			}
			if i < len(paths)-1 && x.get(paths[i+1]) == nil {
				t.Fatalf("%s: %s went with %s", order, paths[i+1], path)
			}
		}
		if len(x.blocks) != 0 {
			t.Errorf("%s: %d blocks are left", order, len(x.blocks))
		}
	}
}

func TestJSONIsThatOfEncodingJSON(t *testing.T) {
	t.Parallel()
	many := map[string]any{}
	for i := range 40 {
		many[fmt.Sprint("k", i)] = int64(i)
	}
	for _, value := range []any{
		nil, true, false, "", "plain", "<a&b>", "tab\t", "\x7f", "é\u2028", "\xff", int64(math.MinInt64), 5, 1.0, 1e21, json.Number("7"),
		[]any(nil), []any{}, map[string]any(nil), map[string]any{}, many, []string{"a"}, map[string]string{"b": "c"},
		map[string]any{"z": []any{int64(1), "x"}, "a\"": map[string]any{"": nil}},
	} {
		want, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := appendJSON(nil, value); err != nil || string(got) != string(want) {
			t.Errorf("appendJSON(%#v) = %s, %v, want %s", value, got, err, want)
		}
	}
	if _, err := (&State{Object: map[string]any{"a": []any{math.NaN()}}}).JSON(); err == nil {
		t.Error("NaN was encoded")
	}
}

func TestJSONIsEncodedOnce(t *testing.T) {
	t.Parallel()
	state := New(0).Put(database("a", "x"), object("v"))
	first, err := state.JSON()
	if err != nil {
		t.Fatal(err)
	}
	second, _ := state.JSON()
	if &first[0] != &second[0] {
		t.Error("the object was encoded twice")
	}
	if want := `{"metadata":{"name":"x","resourceVersion":"2"},"value":"v"}`; string(first) != want {
		t.Errorf("JSON() = %s, want %s", first, want)
	}
}
