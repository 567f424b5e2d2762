package hostile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// state is what the collection knows of a Database at one version.
type state struct {
	name      cache.ObjectName
	uid       string
	version   int
	class     string
	storageGi int
}

// change is one step of the history; a bookmark has no state.
type change struct {
	kind    watch.EventType
	state   state
	version int
}

const (
	firstVersion = 1000
	// maxHistory bounds the memory of a play. Older versions are compacted.
	maxHistory = 4000
)

// collection is the truth that an informer has to reach.
type collection struct {
	mu        sync.Mutex // guards the fields below
	version   int
	objects   map[cache.ObjectName]state
	history   []change
	compacted int             // no watch can start below this version
	snapshots map[int][]state // what continue tokens refer to, by version
	changed   chan struct{}   // closed and replaced at each change
	// replicas is the default of spec.replicas, which is not stored: it changes
	// what a version has for its content.
	replicas int
}

func newCollection() *collection {
	return &collection{
		version:   firstVersion,
		objects:   map[cache.ObjectName]state{},
		compacted: firstVersion,
		snapshots: map[int][]state{},
		changed:   make(chan struct{}),
	}
}

func nameOf(n int) cache.ObjectName {
	return cache.ObjectName{Namespace: "team-" + string(rune('a'+n%2)), Name: "db-" + strconv.Itoa(n)}
}

// set creates or updates object n.
func (c *collection) set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setLocked(n)
}

func (c *collection) setLocked(n int) {
	name := nameOf(n)
	s, known := c.objects[name]
	kind := watch.Modified
	if !known {
		kind = watch.Added
		s = state{name: name, uid: "uid-" + strconv.Itoa(c.version+1)}
	}
	s.class = "class-" + strconv.Itoa(c.version%5)
	s.storageGi++
	c.recordLocked(kind, s)
}

// remove deletes object n, and reports whether there was one.
func (c *collection) remove(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, known := c.objects[nameOf(n)]
	if known {
		c.recordLocked(watch.Deleted, s)
	}
	return known
}

// bookmark reaches another version without a change.
func (c *collection) bookmark() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recordLocked(watch.Bookmark, state{})
}

func (c *collection) recordLocked(kind watch.EventType, s state) {
	c.version++
	s.version = c.version
	switch kind {
	case watch.Added, watch.Modified:
		c.objects[s.name] = s
	case watch.Deleted:
		delete(c.objects, s.name)
	}
	c.history = append(c.history, change{kind, s, c.version})
	if extra := len(c.history) - maxHistory; extra > maxHistory/4 {
		c.compacted = c.history[extra-1].version
		c.history = slices.Delete(c.history, 0, extra)
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// forget compacts: no watch and no token from before now is served any more.
func (c *collection) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.compacted, c.history = c.version, nil
	clear(c.snapshots)
}

// setDefault changes the content of all objects, at the versions that they have.
func (c *collection) setDefault(replicas int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replicas = replicas
}

// since returns the changes after a version, and what is closed by the next one. It
// fails if the version is compacted or not reached.
func (c *collection) since(version int) (changes []change, changed <-chan struct{}, gone, tooLarge bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case version < c.compacted:
		return nil, nil, true, false
	case version > c.version:
		return nil, nil, false, true
	}
	first, _ := slices.BinarySearchFunc(c.history, version+1, func(ch change, v int) int { return cmp.Compare(ch.version, v) })
	return slices.Clone(c.history[first:]), c.changed, false, false
}

// snapshot returns all objects by name, and the version that they are of.
func (c *collection) snapshot() ([]state, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if all := c.snapshots[c.version]; all != nil {
		return all, c.version
	}
	all := slices.SortedFunc(maps.Values(c.objects), func(a, b state) int {
		return cmp.Or(strings.Compare(a.name.Namespace, b.name.Namespace), strings.Compare(a.name.Name, b.name.Name))
	})
	if len(c.snapshots) > 3 {
		clear(c.snapshots)
	}
	c.snapshots[c.version] = all
	return all, c.version
}

// snapshotAt returns the objects that a token refers to, and whether they are known.
func (c *collection) snapshotAt(version int) ([]state, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all, ok := c.snapshots[version]
	return all, ok
}

// appendJSON appends s as the server writes it. A version other than its own is a lie.
func (c *collection) appendJSON(text []byte, s state, version string) []byte {
	c.mu.Lock()
	replicas := c.replicas
	c.mu.Unlock()
	text = fmt.Appendf(text, `{"apiVersion":"data.example.com/v1","kind":"Database","metadata":{"name":%q,"namespace":%q,"uid":%q`, s.name.Name, s.name.Namespace, s.uid)
	if version != "" {
		text = fmt.Appendf(text, `,"resourceVersion":%q`, version)
	}
	text = fmt.Appendf(text, `},"spec":{"className":%q,"storageGi":%d`, s.class, s.storageGi)
	if replicas != 0 {
		text = fmt.Appendf(text, `,"replicas":%d`, replicas)
	}
	return append(text, "}}"...)
}

// truth returns what a cache has to hold.
func (c *collection) truth() map[cache.ObjectName]datav1.Database {
	c.mu.Lock()
	defer c.mu.Unlock()
	truth := make(map[cache.ObjectName]datav1.Database, len(c.objects))
	for name, s := range c.objects {
		var db datav1.Database
		db.Name, db.Namespace, db.UID, db.ResourceVersion = name.Name, name.Namespace, types.UID(s.uid), strconv.Itoa(s.version)
		db.Spec = datav1.DatabaseSpec{ClassName: s.class, StorageGi: int32(s.storageGi), Replicas: int32(c.replicas)}
		truth[name] = db
	}
	return truth
}
