package ownwrites

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

type object = *metav1.PartialObjectMetadata

// state returns a state of an object: "u1@5" has the UID u1 and the version 5. All are named "one".
func state(text string) object {
	uid, version, ok := cut(text)
	if !ok {
		panic(text)
	}
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "one", UID: types.UID(uid), ResourceVersion: version}}
}

func cut(text string) (uid, version string, ok bool) {
	for i := range text {
		if text[i] == '@' {
			return text[:i], text[i+1:], true
		}
	}
	return "", "", false
}

// simulated is a cache of one name, with its Table.
type simulated struct {
	t      *testing.T
	table  Table
	cached wire.Object // nil if there is none
	// order counts the responses, and began is its value before the list was requested.
	order, began uint64
}

func isSame(e *Entry, item *wire.Item) bool {
	return e.Item.Object.GetLabels()["content"] == item.Object.GetLabels()["content"]
}

// step plays one step: "write u1@5", "leave u1@5" for a write that moves the object out of the scope,
// "end u1" for a delete, "event u1@5", "deleted u1@7", "begin" and "list 6 u1@5" for a list, and "reach 9" for an
// event of another object.
func (s *simulated) step(step string) {
	var verb, arg, rest string
	_, _ = fmt.Sscan(step, &verb, &arg, &rest)
	switch verb {
	case "write", "leave":
		obj := state(arg)
		version, _ := frontier.Parse(obj.ResourceVersion)
		s.order++
		e := Entry{Name: listed.Name{Name: "one"}, UID: obj.UID, Version: version, OutOfScope: verb == "leave", Response: Response{Order: s.order}}
		if !e.OutOfScope {
			e.Item = wire.Item{Object: obj}
		}
		switch s.table.Offer(e, s.cached, s.cached != nil) {
		case Store:
			s.cached = obj
		case Remove:
			s.cached = nil
		}
	case "end":
		s.order++
		d := Deletion{Name: listed.Name{Name: "one"}, UID: types.UID(arg), Response: Response{Order: s.order}}
		if s.table.End(d, s.cached, s.cached != nil && s.cached.GetUID() == d.UID) {
			s.cached = nil
		}
	case "event", "deleted":
		obj := state(arg)
		if isNews, _ := s.table.Admit(&wire.Item{Object: obj}, verb == "deleted", isSame); isNews {
			s.cached = nil
			if verb == "event" {
				s.cached = obj
			}
		}
		s.reach(obj.ResourceVersion)
	case "begin":
		s.began = s.order
	case "list":
		version, _ := strconv.ParseUint(arg, 10, 64)
		var items []wire.Item
		if rest != "" {
			items = append(items, wire.Item{Object: state(rest)})
		}
		items = s.table.Replace(items, version, s.began)
		s.cached = nil
		if len(items) > 1 {
			s.t.Errorf("%q: a list has %d states of one object", step, len(items))
		}
		if len(items) == 1 {
			s.cached = items[0].Object
		}
	case "reach":
		s.reach(arg)
	default:
		s.t.Fatalf("step %q", step)
	}
}

func (s *simulated) reach(version string) {
	n, _ := frontier.Parse(version)
	for _, e := range s.table.Reach(n) {
		if s.cached == e.Item.Object {
			s.cached = e.Reported.Object
		}
	}
}

func (s *simulated) String() string {
	if s.cached == nil {
		return "nothing"
	}
	return string(s.cached.GetUID()) + "@" + s.cached.GetResourceVersion()
}

// TestOrders plays a write, events and lists in the orders in which they may come.
func TestOrders(t *testing.T) {
	for _, test := range []struct {
		name  string
		steps []string
		want  string
		left  int // entries
	}{
		{"a created object", []string{"write u1@5"}, "u1@5", 1},
		{"its event", []string{"write u1@5", "event u1@5"}, "u1@5", 0},
		{"the event first", []string{"event u1@5", "write u1@5"}, "u1@5", 0},
		{"an earlier event", []string{"event u1@3", "write u1@5", "event u1@4"}, "u1@5", 1},
		{"two writes in the wrong order", []string{"write u1@6", "write u1@5"}, "u1@6", 1},
		{"a late response", []string{"event u1@7", "write u1@5"}, "u1@7", 0},
		{"a late response to the creation of a deleted object", []string{"event u1@5", "deleted u1@6", "write u1@5"}, "nothing", 0},
		{"the same after a bookmark", []string{"reach 9", "write u1@5"}, "nothing", 0},
		{"a later write of another program", []string{"write u1@5", "event u1@6"}, "u1@6", 0},
		{"deleted by another program", []string{"write u1@5", "deleted u1@6"}, "nothing", 0},
		{"deleted with the version of the last state", []string{"write u1@5", "deleted u1@5"}, "nothing", 0},

		{"a delete", []string{"event u1@3", "end u1"}, "nothing", 1},
		{"its event", []string{"event u1@3", "end u1", "deleted u1@6"}, "nothing", 0},
		{"its event first", []string{"event u1@3", "deleted u1@6", "end u1"}, "nothing", 0},
		{"an event from before the delete", []string{"event u1@3", "end u1", "event u1@5"}, "nothing", 1},
		{"the response to an update after that to a delete", []string{"event u1@3", "end u1", "write u1@5"}, "nothing", 2},
		{"created again", []string{"event u1@3", "end u1", "write u2@8"}, "u2@8", 2},
		{"the events of that", []string{"event u1@3", "end u1", "write u2@8", "event u1@5", "deleted u1@6", "event u2@8"}, "u2@8", 0},
		{"another object has the name", []string{"event u2@8", "end u1"}, "u2@8", 1},
		{"a delete that is forgotten after a bookmark does not come back", []string{"event u1@3", "end u1", "reach 9"}, "nothing", 1},
		{"left the scope and came back, then deleted", []string{"event u1@3", "deleted u1@4", "write u1@5", "end u1"}, "nothing", 2},

		{"a list that began before a write", []string{"event u1@3", "begin", "write u1@5", "list 4 u1@3"}, "u1@5", 1},
		{"the same, and the list has the write", []string{"event u1@3", "begin", "write u1@5", "list 6 u1@5"}, "u1@5", 0},
		{"the same, with a new object", []string{"begin", "write u1@5", "list 4"}, "u1@5", 1},
		{"the same, with a deleted one", []string{"event u1@3", "begin", "end u1", "list 4 u1@3"}, "nothing", 1},
		{"a list that began after the delete", []string{"event u1@3", "end u1", "begin", "list 7"}, "nothing", 0},
		{"a restored server", []string{"event u1@900", "write u1@905", "begin", "list 500 u1@490"}, "u1@490", 0},
		{"a restored server has a deleted object again", []string{"event u1@900", "end u1", "begin", "list 500 u1@490"}, "u1@490", 0},
		{"and it is deleted again", []string{"event u1@900", "deleted u1@910", "begin", "list 500 u1@490", "end u1"}, "nothing", 1},
		{"a write to it after that", []string{"event u1@900", "begin", "list 500 u1@490", "write u1@501"}, "u1@501", 1},
		{"before the first list", []string{"write u1@5"}, "u1@5", 1},

		{"out of the scope", []string{"event u1@3", "leave u1@5"}, "nothing", 1},
		{"its events", []string{"event u1@3", "leave u1@5", "event u1@4", "deleted u1@5"}, "nothing", 0},
		{"in the scope at the same version, because another scope has the name now", []string{"event u1@3", "leave u1@5", "write u1@5"}, "u1@5", 1},
		{"the same, after a delete", []string{"event u1@3", "end u1", "leave u1@5", "write u1@5"}, "nothing", 2},
		{"back in the scope", []string{"event u1@3", "leave u1@5", "write u1@7", "deleted u1@5"}, "u1@7", 1},
		{"back by another program", []string{"event u1@3", "leave u1@5", "deleted u1@5", "event u1@7"}, "u1@7", 0},
		{"never in the scope", []string{"leave u1@5", "reach 6"}, "nothing", 0},
		{"in the scope for the server", []string{"event u1@3", "leave u1@5", "event u1@5"}, "u1@5", 0},
		{"not in the scope for the server", []string{"write u1@5", "event u9@7"}, "u9@7", 0},
		{"the same, which a bookmark shows", []string{"write u1@5", "reach 7"}, "nothing", 0},
		{"the same, in place of another object", []string{"event u0@3", "write u1@5", "deleted u0@4", "reach 7"}, "nothing", 0},
		{"moved out by a list in between", []string{"event u1@3", "begin", "leave u1@5", "list 4 u1@3"}, "nothing", 1},
	} {
		s := &simulated{t: t}
		s.table.Selects = strings.Contains(strings.Join(test.steps, " "), "leave") || strings.Contains(test.name, "the scope")
		s.step("list 1")
		for _, step := range test.steps {
			s.step(step)
		}
		if got := s.String(); got != test.want || s.table.Size() != test.left {
			t.Errorf("%s: %q: cached is %s, with %d entries, want %s, %d", test.name, test.steps, got, s.table.Size(), test.want, test.left)
		}
		checkOrder(t, &s.table)
	}
}

// TestBeforeTheFirstList: a write waits for the first list.
func TestBeforeTheFirstList(t *testing.T) {
	for want, steps := range map[string][]string{
		"u1@5":    {"begin", "write u1@5", "list 4"},
		"u1@6":    {"begin", "write u1@5", "list 7 u1@6"},
		"nothing": {"begin", "write u1@5", "end u1", "list 7 u1@6"},
		"u2@3":    {"write u1@5", "begin", "list 4 u2@3"}, // the list is later, whatever its version
	} {
		s := &simulated{t: t}
		for _, step := range steps {
			if s.cached != nil {
				t.Errorf("%q: %s is cached before the list", steps, s)
			}
			s.step(step)
		}
		if got := s.String(); got != want {
			t.Errorf("%q: cached is %s, want %s", steps, got, want)
		}
	}
}

// TestOtherContent: an event has other content than the response of the same version.
func TestOtherContent(t *testing.T) {
	s := &simulated{t: t}
	s.step("list 1")
	s.step("write u1@5")
	other := state("u1@5")
	other.Labels = map[string]string{"content": "other"}
	if isNews, _ := s.table.Admit(&wire.Item{Object: other}, false, isSame); !isNews {
		t.Error("other content is no news")
	}
	if s.table.Size() != 0 {
		t.Error("the entry stays")
	}
}

// TestVersionsThatAreNoNumbers: nothing can be compared, so all is left to the watch.
func TestVersionsThatAreNoNumbers(t *testing.T) {
	var table Table
	table.Replace(nil, 0, 0)
	obj := state("u1@5")
	if table.Offer(Entry{Name: listed.Name{Name: "one"}, UID: "u1", Version: 5, Item: wire.Item{Object: obj}}, nil, false) != Ignore || table.Size() != 0 {
		t.Error("a write is stored")
	}
	for _, version := range []string{"", "0", "-1", "5a", "18446744073709551616", "abc"} {
		if _, ok := frontier.Parse(version); ok {
			t.Errorf("%q is a version", version)
		}
	}
}

// TestBounds fills a table. A write that comes then is left to the watch.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var table Table
		table.Replace(nil, 1, 0)
		offer := func(n int, outOfScope bool) Verdict {
			name := strconv.Itoa(n)
			obj := state("u" + name + "@" + strconv.Itoa(n+10))
			obj.Name = name
			return table.Offer(Entry{Name: listed.Name{Name: name}, UID: obj.UID, Version: uint64(n + 10), OutOfScope: outOfScope, Item: wire.Item{Object: obj}}, nil, false)
		}
		for n := range Max {
			offer(n, true)
		}
		if table.Size() != Max/2 {
			t.Errorf("%d objects outside of the scope have entries", table.Size())
		}
		for n := Max; table.Size() < Max; n++ {
			if offer(n, false) != Store {
				t.Fatal("a write is not stored")
			}
		}
		if offer(5*Max, false) != Ignore {
			t.Error("a write is stored in a full table")
		}
		for n := range 10 {
			table.End(deletion(strconv.Itoa(n)), nil, false)
		}
		if table.Size() != Max {
			t.Errorf("there are %d entries", table.Size())
		}
		checkOrder(t, &table)
		table.Reach(10 * Max)
		for n := range 3 * Max { // the oldest are forgotten
			table.End(deletion("g"+strconv.Itoa(n)), nil, false)
		}
		if table.Size() != Max/2 || len(table.ends) > 2*Max || table.gone[types.UID("g"+strconv.Itoa(3*Max-1))] == nil {
			t.Errorf("%d deleted objects are remembered, %d in order", table.Size(), len(table.ends))
		}
		for n := range 2*Max + 1 {
			name := "cached" + strconv.Itoa(n)
			if got := table.End(deletion(name), state(name+"@9"), true); got != (n < Max) {
				t.Fatalf("with %d entries, a cached object is hidden: %v", Max/2+n, got)
			}
		}
		table.Bookmarks(1)
		time.Sleep(2 * time.Minute)
		if overdue := table.Bookmarks(2); len(overdue) != Max || table.Size() != Max || table.Len() != Max {
			t.Errorf("%d deletes are overdue, and %d are left", len(overdue), table.Size())
		}
		if table.Replace(nil, 10*Max, 0); table.Size() != 0 || len(table.ends) != 0 || table.byVersion != nil {
			t.Errorf("after a list %d entries are left, %d in order", table.Size(), len(table.ends))
		}
	})
}

// deletion returns the response to a delete that is a Status.
func deletion(uid string) Deletion {
	return Deletion{Name: listed.Name{Name: "gone"}, UID: types.UID(uid), Response: Response{Claim: frontier.Claim{At: clock.Now()}}}
}

// checkOrder checks that the entries are in the order of their versions, each once.
func checkOrder(t *testing.T, table *Table) {
	t.Helper()
	if !slices.IsSortedFunc(table.byVersion, func(a, b *Entry) int { return int(a.Version) - int(b.Version) }) {
		t.Error("the entries are not in order")
	}
	if len(table.byVersion) != len(table.entries) {
		t.Errorf("%d entries are in order, of %d", len(table.byVersion), len(table.entries))
	}
	for _, e := range table.byVersion {
		if table.entries[e.Name] != e {
			t.Errorf("%v is in order, but is no entry", e.Name)
		}
	}
}

// TestSelection evaluates selectors as a server does.
func TestSelection(t *testing.T) {
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "one", Labels: map[string]string{"app": "web"}}}
	for _, test := range []struct {
		labels, fields  string
		selected, known bool
	}{
		{"", "", true, true},
		{"app=web", "", true, true},
		{"app in (db)", "", false, true},
		{"!app", "", false, true},
		{"", "metadata.name=one", true, true},
		{"", "metadata.name=two", false, true},
		{"app=web", "metadata.namespace!=ns", false, true},
		{"", "spec.nodeName=a", false, false},
		{"app=db", "metadata.name=one,status.phase!=Failed", false, false},
		{"a in (", "", false, false},
		{"", "a", false, false},
	} {
		set := func(request *metav1.ListOptions) {
			request.LabelSelector, request.FieldSelector = test.labels, test.fields
		}
		s := NewSelection(set, sharding.Selector{})
		selected, known := s.Matches(obj)
		if selected != test.selected || known != test.known || (s.Unknown() == "") != known {
			t.Errorf("labels %q fields %q: %v, known %v, unknown %q", test.labels, test.fields, selected, known, s.Unknown())
		}
		test.labels, test.fields = "app=other", "" // a tweak may change its mind
		if selected, known := s.Matches(obj); selected || !known {
			t.Errorf("after a change: %v, %v", selected, known)
		}
	}
	var tweaked metav1.ListOptions
	s := NewSelection(func(request *metav1.ListOptions) { *request = tweaked }, sharding.Selector{})
	for _, name := range []string{"one", "two", "one"} {
		tweaked.FieldSelector = "metadata.name=" + name // the labels stay
		if selected, known := s.Matches(obj); selected != (name == "one") || !known {
			t.Errorf("the object one and %s: %v, %v", tweaked.FieldSelector, selected, known)
		}
	}
	if selected, known := (*Selection)(nil).Matches(obj); !selected || !known {
		t.Error("no selector selects all objects")
	}
}

// TestLateWatch: what a late watch tells does not bring a deleted object back, however late it is without a bookmark, and
// however much it tells before.
func TestLateWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, selects := range []bool{false, true} {
			s := &simulated{t: t}
			s.table.Selects = selects
			for _, step := range []string{"list 1", "event u1@3", "end u1", "event u9@4"} {
				s.step(step)
			}
			for n := range 500 {
				time.Sleep(time.Second)
				s.step("reach " + strconv.Itoa(5+n)) // events of other objects
			}
			if s.step("event u1@505"); s.String() != "u9@4" {
				t.Errorf("selector %v: cached is %s, which was deleted", selects, s)
			}
			if s.step("deleted u1@506"); s.table.Len() != 0 || s.table.Size() != 0 && !selects {
				t.Errorf("selector %v: %d of %d entries count in the end", selects, s.table.Len(), s.table.Size())
			}
		}
	})
}

// TestDeletedInSelection: with a selector, the watch reports an end when an object leaves the scope,
// too.
func TestDeletedInSelection(t *testing.T) {
	for _, steps := range [][]string{
		{"event u1@3", "end u1", "deleted u1@4", "event u1@5", "deleted u1@6"},
		{"event u1@3", "deleted u1@4", "end u1", "event u1@5", "deleted u1@6"},
		{"event u1@3", "deleted u1@4", "event u1@5", "end u1", "deleted u1@6"},
	} {
		s := &simulated{t: t}
		s.table.Selects = true
		s.step("list 1")
		ended := false
		for _, step := range steps {
			s.step(step)
			if ended = ended || step == "end u1"; ended && s.cached != nil {
				t.Errorf("%q: after %q, cached is %s", steps, step, s)
			}
		}
		if s.table.Len() != 0 {
			t.Errorf("%q: %d entries count", steps, s.table.Len())
		}
	}
}

// TestManyDeletes next to one that the watch does not confirm.
func TestManyDeletes(t *testing.T) {
	var table Table
	table.Replace(nil, 1, 0)
	table.End(deletion("outside"), nil, false)
	for n := range 10 * Max {
		obj := state("u" + strconv.Itoa(n) + "@" + strconv.Itoa(n+10))
		table.End(deletion(string(obj.UID)), obj, true)
		table.Admit(&wire.Item{Object: obj}, true, isSame)
	}
	if table.Size() != 1 || len(table.ends) > 2*maxEnded {
		t.Errorf("there are %d entries, %d in order", table.Size(), len(table.ends))
	}
}

// TestOtherServer: writes to a server that was replaced by a backup do not hide what the backup has.
func TestOtherServer(t *testing.T) {
	for _, steps := range [][]string{
		{"event u1@900", "begin", "write u1@905", "list 500 u1@490", "event u1@501"},
		{"event u1@900", "begin", "list 500 u1@490", "write u1@905", "event u1@501"},
		{"event u1@900", "begin", "write u2@905", "list 500 u1@490", "event u1@501"},
	} {
		s := &simulated{t: t}
		s.step("list 1")
		for _, step := range steps {
			s.step(step)
		}
		if s.String() != "u1@501" || s.table.Size() != 0 {
			t.Errorf("%q: cached is %s, with %d entries", steps, s, s.table.Size())
		}
		for _, step := range []string{"reach 900", "write u1@905"} { // the versions of the other server are reached again
			s.step(step)
		}
		if s.String() != "u1@905" {
			t.Errorf("%q: cached is %s in the end", steps, s)
		}
	}
}

// TestNotListed: what a list does not have leaves the cache when the watch does not tell of it either.
func TestNotListed(t *testing.T) {
	s := &simulated{t: t}
	for _, step := range []string{"list 1", "event u1@3", "begin", "write u1@9", "list 4"} {
		s.step(step)
	}
	if s.String() != "u1@9" {
		t.Errorf("cached is %s before the watch has reported it", s)
	}
	if s.step("reach 10"); s.String() != "nothing" || s.table.Size() != 0 {
		t.Errorf("cached is %s", s)
	}
}

// TestLen counts only entries that change the cache.
func TestLen(t *testing.T) {
	for _, test := range []struct {
		steps     []string
		len, size int
	}{
		{[]string{"write u1@5"}, 1, 1},
		{[]string{"leave u1@5"}, 0, 1},
		{[]string{"event u1@3", "leave u1@5"}, 1, 1},
		{[]string{"event u1@3", "leave u1@5", "leave u1@6"}, 1, 1},
		{[]string{"leave u1@5", "write u1@6"}, 1, 1},
		{[]string{"leave u1@5", "reach 6"}, 0, 0},
		{[]string{"end u1"}, 0, 1},
		{[]string{"event u1@3", "end u1"}, 1, 1},
		{[]string{"write u1@3", "end u1"}, 1, 2},
		{[]string{"write u1@3", "end u1", "deleted u1@5"}, 0, 0},
		{[]string{"leave u1@3", "end u1", "begin", "list 7"}, 0, 0},
		{[]string{"event u1@3", "end u1", "write u1@4", "deleted u1@6"}, 0, 0},
	} {
		s := &simulated{t: t}
		s.step("list 1")
		for _, step := range test.steps {
			s.step(step)
		}
		if s.table.Len() != test.len || s.table.Size() != test.size {
			t.Errorf("%q: %d of %d entries count, want %d of %d", test.steps, s.table.Len(), s.table.Size(), test.len, test.size)
		}
	}
}

// TestMovedEntryIsOverdue moves a write to a scope that has read fewer bookmarks, or more, than the one before. Two of its own
// bookmarks have to confirm the write.
func TestMovedEntryIsOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, counts := range [][2]int{{0, 0}, {20, 0}, {0, 20}} {
			var from, to Table
			from.Replace(nil, 1, 0)
			to.Replace(nil, 1, 0)
			from.Bookmarks(counts[0])
			name := listed.Name{Namespace: "ns", Name: "one"}
			e := Entry{Name: name, UID: "u", Version: 9, Item: wire.Item{Object: state("u@9")}, Response: Response{Claim: frontier.Claim{At: clock.Now(), Bookmarks: counts[0]}}}
			if verdict := from.Offer(e, nil, false); verdict != Store {
				t.Fatalf("the verdict is %v", verdict)
			}
			from.Move(&to, nil, counts[1], func(listed.Name) bool { return true })
			time.Sleep(time.Hour)
			first, second := to.Bookmarks(counts[1]+1), to.Bookmarks(counts[1]+2)
			if len(first) != 0 || len(second) != 1 || second[0] != (Unconfirmed{name, 9}) || from.Size() != 0 {
				t.Errorf("%v bookmarks: overdue are %v and then %v", counts, first, second)
			}
		}
	})
}
