package conformance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/writes"
)

// object is the kind that all scenarios are about.
type object = *metav1.PartialObjectMetadata

var (
	widgets    = schema.GroupVersionResource{Group: "test.example.com", Version: "v1", Resource: "widgets"}
	widgetKind = schema.GroupKind{Group: widgets.Group, Kind: "Widget"}
)

// server is an API server of one collection, and the typed client for it. Objects
// are named by "namespace/name".
type server struct {
	// wholeAtZero is the habit of API servers with a watch cache: a list at
	// resourceVersion 0 comes in one piece, whatever its limit.
	wholeAtZero bool
	// own sees the writes of stage.write.
	own writes.Observer

	mu        sync.Mutex // guards what follows
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

type request struct {
	verb    string
	options metav1.ListOptions
}

func newServer() *server {
	return &server{
		wholeAtZero: true,
		version:     100,
		objects:     map[string]object{},
		rest:        map[string]page{},
		watches:     map[*watching]struct{}{},
		changed:     make(chan struct{}),
	}
}

// put creates or updates an object. Labels are "key=value".
func (s *server) put(key string, labels ...string) object {
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
func (s *server) defaultTo(key string, labels ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	obj := newObject(key, labels...)
	obj.UID, obj.ResourceVersion = s.objects[key].UID, s.objects[key].ResourceVersion
	s.objects[key] = obj
	s.version++ // of something else, so that no watch goes on
}

// remove deletes an object.
func (s *server) remove(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.objects[key].DeepCopy()
	delete(s.objects, key)
	s.version++
	last.ResourceVersion = strconv.Itoa(s.version)
	s.recordLocked(watch.Deleted, last)
}

// bookmark tells watchers of a version at which nothing happened to them.
func (s *server) bookmark() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	obj := &metav1.PartialObjectMetadata{}
	obj.ResourceVersion = strconv.Itoa(s.version)
	s.recordLocked(watch.Bookmark, obj)
}

// send makes watchers see an event that no state stands behind.
func (s *server) send(kind watch.EventType, obj object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordLocked(kind, obj)
}

func (s *server) recordLocked(kind watch.EventType, obj object) {
	s.history = append(s.history, change{s.version, watch.Event{Type: kind, Object: obj}})
	s.announceLocked()
}

func (s *server) announceLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// compact forgets the history: only lists lead to the present.
func (s *server) compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compacted = s.version
}

// restore makes an earlier version the newest, as a backup of the server does.
// Objects stay what they are.
func (s *server) restore(version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.history = version, nil
}

// endWatches ends the open watches before anything else reaches them: with an
// ERROR event if there is an error, and in good order otherwise.
func (s *server) endWatches(err apierrors.APIStatus) {
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

// expire makes clients list again and find there what change does.
func (s *server) expire(change func()) {
	s.endWatches(apierrors.NewResourceExpired("too old resource version"))
	change()
	s.compact()
}

// answerWith sets what requests are answered with, if not with nil.
func (s *server) answerWith(answer func(request) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// asked returns the requests since it was last called, as lines.
func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, r := range s.requests {
		line := fmt.Sprintf("%s rv=%s", r.verb, r.options.ResourceVersion)
		if r.options.Limit > 0 {
			line += fmt.Sprintf(" limit=%d", r.options.Limit)
		}
		if r.options.Continue != "" {
			line += " continue"
		}
		lines = append(lines, line)
	}
	s.requests = nil
	return lines
}

// truth is the collection as "namespace/name@version", sorted.
func (s *server) truth() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return describe(slices.Collect(maps.Values(s.objects)))
}

func (s *server) begin(ctx context.Context, verb string, options metav1.ListOptions) error {
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
func (s *server) List(ctx context.Context, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
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
func (s *server) IsWatchListSemanticsUnSupported() bool { return true }

func tooLargeVersion() error {
	err := apierrors.NewTimeoutError("Too large resource version", 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	return err
}

func newObject(key string, labels ...string) object {
	namespace, name, _ := strings.Cut(key, "/")
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	for _, label := range labels {
		key, value, _ := strings.Cut(label, "=")
		metav1.SetMetaDataLabel(&obj.ObjectMeta, key, value)
	}
	return obj
}

func keyOf(obj object) string { return obj.Namespace + "/" + obj.Name }

// describe returns objects as "namespace/name@version", sorted.
func describe(objs []object) []string {
	lines := make([]string, len(objs))
	for i, obj := range objs {
		lines[i] = keyOf(obj) + "@" + obj.ResourceVersion
	}
	slices.Sort(lines)
	return lines
}
