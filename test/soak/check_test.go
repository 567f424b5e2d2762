package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// A ledger notices each history that is not legal.
func TestLedger(t *testing.T) {
	a := func(version, uid int) *datav1.Database {
		d := newDatabase(nameOf(1, 0), int32(version))
		d.ResourceVersion, d.UID = strconv.Itoa(version), types.UID("uid-"+strconv.Itoa(uid))
		return d
	}
	torn := a(7, 1)
	torn.Spec.StorageGi++
	type handler = ledger[*datav1.Database]
	for name, test := range map[string]struct {
		play func(*handler)
		want string
	}{
		"legal": {func(l *handler) {
			l.OnAdd(a(1, 1), true)
			l.OnUpdate(a(1, 1), a(2, 1))
			l.OnDelete(a(3, 1), false)
			l.OnAdd(a(4, 2), false)
			l.OnDelete(a(4, 2), true)
		}, ""},
		"add twice":            {func(l *handler) { l.OnAdd(a(1, 1), true); l.OnAdd(a(2, 1), true) }, "which is known"},
		"late initial add":     {func(l *handler) { l.OnAdd(a(1, 1), false); l.OnDelete(a(2, 1), false); l.OnAdd(a(3, 2), true) }, "comes after other events"},
		"return":               {func(l *handler) { l.OnAdd(a(1, 1), true); l.OnDelete(a(2, 1), false); l.OnAdd(a(3, 1), false) }, "which is gone since"},
		"successor before":     {func(l *handler) { l.OnAdd(a(2, 1), true); l.OnDelete(a(3, 1), false); l.OnAdd(a(1, 2), false) }, "which is gone since"},
		"unknown update":       {func(l *handler) { l.OnUpdate(a(1, 1), a(2, 1)) }, "update of"},
		"back":                 {func(l *handler) { l.OnAdd(a(2, 1), true); l.OnUpdate(a(2, 1), a(1, 1)) }, "to version 1"},
		"other old state":      {func(l *handler) { l.OnAdd(a(2, 1), true); l.OnUpdate(a(1, 1), a(3, 1)) }, "from version 1"},
		"into a successor":     {func(l *handler) { l.OnAdd(a(2, 1), true); l.OnUpdate(a(2, 1), a(3, 2)) }, "to version 3"},
		"unknown delete":       {func(l *handler) { l.OnDelete(a(1, 1), false) }, "delete of"},
		"delete of another":    {func(l *handler) { l.OnAdd(a(1, 1), true); l.OnDelete(a(2, 2), false) }, "delete of"},
		"unknown state, later": {func(l *handler) { l.OnAdd(a(1, 1), true); l.OnDelete(a(2, 1), true) }, "in an unknown state"},
		"two states in one":    {func(l *handler) { l.OnAdd(torn, true) }, "not an object of this program"},
		"after it was removed": {func(l *handler) { l.leave(); l.OnAdd(a(1, 1), true); l.OnUpdate(a(1, 1), a(2, 1)) }, "2 times after it was removed"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newAll(t).newLedger("tested")
			test.play(l)
			if wrong := strings.Join(l.errors(), "\n"); (wrong == "") != (test.want == "") || !strings.Contains(wrong, test.want) {
				t.Errorf("it notes %q, want %q", wrong, test.want)
			}
		})
	}
}

// A difference from the truth shows in the handler and in the cache.
func TestDifferences(t *testing.T) {
	f, truth := newAll(t), make([]state, 2*spellings)
	d := newDatabase(nameOf(1, 0), 5)
	d.ResourceVersion, d.UID = "5", "uid"
	s, err := stateOf(d, 5)
	if err != nil {
		t.Fatal(err)
	}
	truth[spellings] = s
	l := f.newLedger("tested")
	if n, _ := l.differ(truth); n != 1 {
		t.Errorf("a handler that has missed an object differs in %d", n)
	}
	if f.compare(truth, "team-01") == nil {
		t.Error("a cache without an object is the truth")
	}
	l.OnAdd(d, true)
	f.informer.(ours[*datav1.Database]).GetIndexer().Add(d)
	if n, first := l.differ(truth); n != 0 {
		t.Error(first)
	}
	if err := f.compare(truth, "team-01"); err != nil {
		t.Error(err)
	}
	truth[spellings].Version++
	if n, _ := l.differ(truth); n != 1 || f.compare(truth, "team-01") == nil {
		t.Error("an old state is the truth")
	}
	truth[spellings].IsAlive = false
	if n, _ := l.differ(truth); n != 1 || f.compare(truth, "team-01") == nil {
		t.Error("an object that is gone is the truth")
	}
}

// newAll returns the informer of all objects, which does not run.
func newAll(t *testing.T) *follower[*datav1.Database] {
	t.Helper()
	config, observer := &rest.Config{Host: "http://not.asked"}, new(writes.Observer)
	config.Wrap(observer.Transport)
	all, err := follow(config, observer, 2, new(atomic.Bool), rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return all.all
}

// counted is an informer with these counters.
type counted struct {
	following
	status.Informer
}

func (c counted) name() string            { return "all" }
func (c counted) status() status.Informer { return c.Informer }

func TestListsWithoutCause(t *testing.T) {
	for name, test := range map[string]struct {
		lists, unconfirmed int
		relists            map[cache.Reason]uint64
		expired            int64
		isWrong            bool
	}{
		"the first":              {lists: 1},
		"one after 410":          {lists: 2, relists: map[cache.Reason]uint64{status.Expired: 1}, expired: 1},
		"one too many":           {lists: 2, isWrong: true},
		"410 that no one sent":   {lists: 2, relists: map[cache.Reason]uint64{status.Expired: 1}, isWrong: true},
		"a write not confirmed":  {lists: 2, relists: map[cache.Reason]uint64{status.Unconfirmed: 1}, isWrong: true},
		"a version not of there": {lists: 1, unconfirmed: 1, isWrong: true},
	} {
		t.Run(name, func(t *testing.T) {
			of := counted{Informer: status.Informer{
				Stats: status.Stats{Lists: uint64(test.lists), Relists: test.relists}, Status: cache.Status{Unconfirmed: test.unconfirmed},
			}}
			s := soak{followers: &followers{each: []following{of}}}
			r := row{server: counts{Expired: test.expired}}
			if wrong := append(s.lists(&r), r.expired()...); (len(wrong) > 0) != test.isWrong {
				t.Errorf("wrong is %q", wrong)
			}
		})
	}
}

func TestDrift(t *testing.T) {
	for name, test := range map[string]struct {
		last row
		want string
	}{
		"none":                 {row{heap: 1020 << 20, goroutines: 60, descriptors: 15}, ""},
		"the heap grows":       {row{heap: 1040 << 20, goroutines: 60, descriptors: 15}, "heap"},
		"the heap falls":       {row{heap: 960 << 20, goroutines: 60, descriptors: 15}, "heap"},
		"goroutines are left":  {row{heap: 1000 << 20, goroutines: 90, descriptors: 15}, "goroutines"},
		"descriptors are left": {row{heap: 1000 << 20, goroutines: 60, descriptors: 20}, "descriptors"},
	} {
		t.Run(name, func(t *testing.T) {
			rows := make([]row, 30)
			rows[9], rows[29] = row{heap: 1000 << 20, goroutines: 60, descriptors: 15}, test.last
			wrong := strings.Join(drifts(rows), "\n")
			if (wrong == "") != (test.want == "") || !strings.HasPrefix(wrong, test.want) {
				t.Errorf("drifts are %q, want %q", wrong, test.want)
			}
		})
	}
}
