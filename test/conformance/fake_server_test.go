package conformance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// fakeServer is a server that does what a scenario wants, also what no API server does.
type fakeServer struct {
	// wholeAtZero is the habit of API servers with a watch cache: a list at
	// resourceVersion 0 comes in one piece, whatever its limit.
	wholeAtZero bool

	mu        sync.Mutex // guards the fields below
	version   int
	objects   map[string]object
	history   []change
	compacted int                    // no watch can start before this version
	rest      map[string]page        // what a continue token stands for
	watches   map[*watching]struct{} // open ones
	changed   chan struct{}          // closed and replaced at each change
	requests  []request
	// answer is asked before a request is served, without the lock. An error is
	// the answer.
	answer func(request) error
}

// change is one step of the history. Several may have one version, if a scenario
// sends an event twice.
type change struct {
	version int
	event   watch.Event
}

type page struct {
	version int
	items   []object
}

func newFakeServer(c config) *fakeServer {
	return &fakeServer{
		wholeAtZero: !c.pages,
		version:     100,
		objects:     map[string]object{},
		rest:        map[string]page{},
		watches:     map[*watching]struct{}{},
		changed:     make(chan struct{}),
	}
}

func (s *fakeServer) put(key string, labels ...string) object {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind, uid := watch.Modified, types.UID("")
	if old := s.objects[key]; old != nil {
		uid = old.UID
	} else {
		kind, uid = watch.Added, types.UID("uid-"+strconv.Itoa(s.version+1))
	}
	obj := newObject(key, labels...)
	obj.UID = uid
	s.version++
	obj.ResourceVersion = strconv.Itoa(s.version)
	s.objects[key] = obj
	s.recordLocked(kind, obj)
	return obj.DeepCopy()
}

// defaultTo adds labels to an object at the version that it has.
func (s *fakeServer) defaultTo(key string, labels ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	obj := newObject(key, labels...)
	obj.UID, obj.ResourceVersion = s.objects[key].UID, s.objects[key].ResourceVersion
	s.objects[key] = obj
	s.version++ // of something else, so that no watch goes on
}

func (s *fakeServer) remove(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.objects[key].DeepCopy()
	delete(s.objects, key)
	s.version++
	last.ResourceVersion = strconv.Itoa(s.version)
	s.recordLocked(watch.Deleted, last)
}

func (s *fakeServer) bookmark() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	obj := &metav1.PartialObjectMetadata{}
	obj.ResourceVersion = strconv.Itoa(s.version)
	s.recordLocked(watch.Bookmark, obj)
}

// send makes watchers see an event that no state stands behind.
func (s *fakeServer) send(kind watch.EventType, obj object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordLocked(kind, obj)
}

func (s *fakeServer) recordLocked(kind watch.EventType, obj object) {
	s.history = append(s.history, change{s.version, watch.Event{Type: kind, Object: obj}})
	s.announceLocked()
}

func (s *fakeServer) announceLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *fakeServer) compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compacted = s.version
}

func (s *fakeServer) restore(version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	keep := slices.IndexFunc(s.history, func(c change) bool { return c.version > version })
	s.version, s.history = version, s.history[:keep]
	clear(s.objects)
	for _, c := range s.history {
		obj := c.event.Object.(object)
		switch c.event.Type {
		case watch.Added, watch.Modified:
			s.objects[keyOf(obj)] = obj
		case watch.Deleted:
			delete(s.objects, keyOf(obj))
		}
	}
}

func (s *fakeServer) endWatches(err apierrors.APIStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		w.ended = true
		if err != nil {
			status := err.Status()
			w.last = &status
		}
	}
	s.announceLocked()
}

func (s *fakeServer) answerWith(answer func(request) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func (s *fakeServer) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := linesOf(s.requests)
	s.requests = nil
	return lines
}

func (s *fakeServer) has(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[key] != nil
}

func (s *fakeServer) truth() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return describe(slices.Collect(maps.Values(s.objects)))
}

func (s *fakeServer) begin(ctx context.Context, verb string, options metav1.ListOptions) error {
	if options.SendInitialEvents != nil {
		return apierrors.NewInvalid(widgetKind, "", nil) // no streaming list here
	}
	s.mu.Lock()
	r := request{verb, options}
	s.requests = append(s.requests, r)
	answer := s.answer
	s.mu.Unlock()
	if answer != nil {
		if err := answer(r); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// List serves the newest state, in pages that are all of the version of the first.
func (s *fakeServer) List(ctx context.Context, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	if err := s.begin(ctx, "list", options); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if wanted, _ := strconv.Atoi(options.ResourceVersion); wanted > s.version {
		return nil, tooLargeVersion()
	}
	all := page{version: s.version}
	if options.Continue != "" {
		var known bool
		if all, known = s.rest[options.Continue]; !known || all.version < s.compacted {
			return nil, apierrors.NewResourceExpired("the continue token is too old")
		}
	} else {
		for _, key := range slices.Sorted(maps.Keys(s.objects)) {
			all.items = append(all.items, s.objects[key])
		}
	}
	list := &metav1.PartialObjectMetadataList{}
	list.ResourceVersion = strconv.Itoa(all.version)
	limit := int(options.Limit)
	if options.ResourceVersion == "0" && s.wholeAtZero {
		limit = 0
	}
	if limit > 0 && limit < len(all.items) {
		list.Continue = fmt.Sprintf("token-%d", len(s.rest))
		s.rest[list.Continue] = page{all.version, all.items[limit:]}
		all.items = all.items[:limit]
	}
	for _, obj := range all.items {
		list.Items = append(list.Items, *obj.DeepCopy())
	}
	return list, nil
}

// IsWatchListSemanticsUnSupported keeps client-go from asking for the streaming list.
func (s *fakeServer) IsWatchListSemanticsUnSupported() bool { return true }

func tooLargeVersion() error {
	err := apierrors.NewTimeoutError("Too large resource version", 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	return err
}
