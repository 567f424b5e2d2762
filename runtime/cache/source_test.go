package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
)

// object is the kind that these tests are about.
type object = cachetest.Object

var widgets = cachetest.Widgets

var (
	errGone      = apierrors.NewResourceExpired("too old resource version: 5 (9)")
	errForbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "widgets"}, "", errors.New("no right to list"))
	errNotFound  = apierrors.NewNotFound(schema.GroupResource{Resource: "widgets"}, "")
	errInternal  = apierrors.NewInternalError(errors.New("etcd is away"))
	errSlowDown  = apierrors.NewTooManyRequests("too many", 17)
	errCut       = io.ErrUnexpectedEOF
)

func errTooLarge() error {
	err := apierrors.NewTimeoutError("Too large resource version: 9, current: 5", 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	return err
}

// source is an API server for one collection: it keeps a history, serves lists in
// pages and watches from any version that it has not forgotten, and fails when it
// its test configures that.
type fakeSource struct {
	mu        sync.Mutex
	version   int
	objects   map[ObjectName]object
	history   []Event[object]
	forgotten int // no watch can start below this version
	// changedContent is the version before which no watch can resume.
	changedContent int
	changed        chan struct{}
	cut            chan struct{} // closed to end all watches
	cutErr         error         // what they end with

	// requests are all lists and watches, for tests to look at.
	requests []request
	// fail is called before each request is served.
	fail func(request) error
	// openWith, and then openErr, is all that a watch brings if openErr is set.
	openWith []Event[object]
	openErr  error
	// opening makes openWith for each watch.
	opening func() []Event[object]
	// streams is set if a watch can begin with a list; noBookmark leaves out its
	// end.
	streams, noBookmark bool
	// silent watches do not end when their time is over, nor say anything.
	silent bool
	// selects, if it is not nil, is a label selector. An object that leaves it is deleted for a watch,
	// with its last state in the scope and the version of the change.
	selects func(object) bool
	// selectsByLabels is set if the label selector of a request counts too.
	selectsByLabels bool
	// open counts the watches that were not stopped.
	open int
}

type request struct {
	verb    string
	options metav1.ListOptions
}

func newSource() *fakeSource {
	return &fakeSource{version: 100, objects: map[ObjectName]object{}, changed: make(chan struct{}), cut: make(chan struct{})}
}

func (s *fakeSource) set(namespace, name string, labels map[string]string) object {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := ObjectName{Namespace: namespace, Name: name}
	old := s.objects[key]
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}}
	kind := watch.Modified
	if old == nil {
		kind = watch.Added
		obj.UID = types.UID("uid-" + strconv.Itoa(s.version+1))
	} else {
		obj.UID = old.UID
	}
	s.objects[key] = obj
	s.recordLocked(kind, obj)
	return obj
}

func (s *fakeSource) remove(namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := ObjectName{Namespace: namespace, Name: name}
	last := s.objects[key].DeepCopy()
	delete(s.objects, key)
	s.recordLocked(watch.Deleted, last)
}

// bookmark sends watchers a version without a change of their objects.
func (s *fakeSource) bookmark() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordLocked(watch.Bookmark, nil)
}

func (s *fakeSource) recordLocked(kind watch.EventType, obj object) {
	s.version++
	version := strconv.Itoa(s.version)
	if obj != nil {
		obj.ResourceVersion = version
	}
	s.history = append(s.history, Event[object]{Type: kind, Item: itemOf(obj), ResourceVersion: version})
	close(s.changed)
	s.changed = make(chan struct{})
}

// repeat sends the last state of an object again, and a bookmark of an earlier
// version, as no good server does.
func (s *fakeSource) repeat(namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if obj := s.objects[ObjectName{namespace, name}]; obj != nil {
		version := obj.ResourceVersion
		again := obj.DeepCopy()
		s.recordLocked(watch.Modified, again)
		again.ResourceVersion = version
		s.history[len(s.history)-1].ResourceVersion = version
	}
	s.recordLocked(watch.Bookmark, nil)
	s.history[len(s.history)-1].ResourceVersion = strconv.Itoa(max(101, s.version-7))
}

// answerWith changes the content of an object at the version that it has, as a new default
// in a CRD does. Watches from before end.
func (s *fakeSource) answerWith(namespace, name string, labels map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := ObjectName{namespace, name}
	if old := s.objects[key]; old != nil {
		obj := old.DeepCopy()
		obj.Labels = labels
		for i := range s.history { // which may have it twice, see repeat
			if e := &s.history[i]; e.Object != nil && MetaObjectToName(e.Object) == key && e.Object.ResourceVersion == old.ResourceVersion {
				e.Object = obj
			}
		}
		s.objects[key] = obj
	}
	s.recordLocked(watch.Bookmark, nil)
	s.forgotten, s.changedContent = s.version, s.version
}

// forget makes every version before now too old to watch from.
func (s *fakeSource) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgotten = s.version
}

// endWatches ends all open watches with err.
func (s *fakeSource) endWatches(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cutErr = err
	close(s.cut)
	s.cut = make(chan struct{})
}

func (s *fakeSource) setSilent(silent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = silent
}

func (s *fakeSource) failWith(fail func(request) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = fail
}

func (s *fakeSource) count(verb string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.requests {
		if r.verb == verb {
			n++
		}
	}
	return n
}

func (s *fakeSource) last(verb string) metav1.ListOptions {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range slices.Backward(s.requests) {
		if r.verb == verb {
			return r.options
		}
	}
	return metav1.ListOptions{}
}

func (s *fakeSource) begin(verb string, options metav1.ListOptions) error {
	s.mu.Lock()
	r := request{verb, options}
	s.requests = append(s.requests, r)
	fail := s.fail
	s.mu.Unlock()
	if fail != nil {
		return fail(r)
	}
	return nil
}

// List serves pages; a token is the version of the list and the next position.
func (s *fakeSource) List(_ context.Context, options metav1.ListOptions) (Page[object], error) {
	if err := s.begin("list", options); err != nil {
		return Page[object]{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	version, start := s.version, 0
	if options.Continue != "" {
		if _, err := fmt.Sscanf(options.Continue, "%d:%d", &version, &start); err != nil {
			return Page[object]{}, err
		}
		if version < s.forgotten {
			return Page[object]{}, apierrors.NewResourceExpired("the continue token is too old")
		}
	}
	all := slices.SortedFunc(maps.Values(s.atLocked(version)), func(a, b object) int {
		return slices.Compare([]string{a.Namespace, a.Name}, []string{b.Namespace, b.Name})
	})
	page := Page[object]{ResourceVersion: strconv.Itoa(version)}
	end := len(all)
	if options.Limit > 0 && start+int(options.Limit) < end {
		end = start + int(options.Limit)
		page.Continue = fmt.Sprintf("%d:%d", version, end)
	}
	selects := s.selection(options)
	for _, obj := range all[start:end] {
		if selects != nil && !selects(obj) {
			continue
		}
		page.Items = append(page.Items, itemOf(obj.DeepCopy()))
	}
	return page, nil
}

// atLocked is the collection as it was at a version.
func (s *fakeSource) atLocked(version int) map[ObjectName]object {
	at := map[ObjectName]object{}
	for i, e := range s.history {
		if 100+i+1 > version {
			break
		}
		switch e.Type {
		case watch.Added, watch.Modified:
			at[MetaObjectToName(e.Object)] = e.Object
		case watch.Deleted:
			delete(at, MetaObjectToName(e.Object))
		}
	}
	return at
}

// Watch serves the history after a version, and then what comes.
func (s *fakeSource) Watch(_ context.Context, options metav1.ListOptions) (EventStream[object], error) {
	if err := s.begin("watch", options); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	lifetime := time.Duration(*options.TimeoutSeconds) * time.Second
	selects := s.selection(options)
	if options.SendInitialEvents != nil {
		return s.streamLocked(lifetime, selects)
	}
	from, err := strconv.Atoi(options.ResourceVersion)
	switch {
	case err != nil:
		return nil, err
	case from < s.forgotten:
		return nil, apierrors.NewResourceExpired("too old resource version")
	case from > s.version && s.opening == nil:
		return nil, apierrors.NewTimeoutError("Too large resource version", 1)
	}
	if s.opening != nil {
		s.openWith = s.opening()
	}
	s.open++
	return &sourceStream{source: s, selects: selects, next: from, cut: s.cut, opening: s.openWith, ends: time.Now().Add(lifetime)}, nil
}

// streamLocked serves a streaming list.
func (s *fakeSource) streamLocked(lifetime time.Duration, selects func(object) bool) (EventStream[object], error) {
	if !s.streams {
		return nil, apierrors.NewInvalid(schema.GroupKind{Kind: "ListOptions"}, "", nil)
	}
	s.open++
	stream := &sourceStream{source: s, selects: selects, next: s.version, cut: s.cut, ends: time.Now().Add(lifetime)}
	for _, obj := range s.atLocked(s.version) {
		if selects != nil && !selects(obj) {
			continue
		}
		stream.opening = append(stream.opening, Event[object]{Type: watch.Added, Item: itemOf(obj.DeepCopy()), ResourceVersion: obj.ResourceVersion})
	}
	if !s.noBookmark {
		stream.opening = append(stream.opening, Event[object]{Type: watch.Bookmark, ResourceVersion: strconv.Itoa(s.version), InitialEventsEnd: true})
	}
	return stream, nil
}

// selection returns what a request selects. It is nil for all objects.
func (s *fakeSource) selection(options metav1.ListOptions) func(object) bool {
	if !s.selectsByLabels || options.LabelSelector == "" {
		return s.selects
	}
	selector, err := labels.Parse(options.LabelSelector)
	if err != nil {
		panic(err)
	}
	return func(obj object) bool {
		return selector.Matches(labels.Set(obj.Labels)) && (s.selects == nil || s.selects(obj))
	}
}

type sourceStream struct {
	source *fakeSource
	// selects is that of the request.
	selects func(object) bool
	next    int // the version that was read last
	cut     chan struct{}
	ends    time.Time
	// opening events come first.
	opening []Event[object]
	stopped bool
}

func (w *sourceStream) Next(ctx context.Context, reuse []Event[object]) ([]Event[object], error) {
	batch := reuse[:0]
	if len(w.opening) > 0 {
		n := min(len(w.opening), 3) // so that a list comes in several batches
		batch, w.opening = append(batch, w.opening[:n]...), w.opening[n:]
		return batch, nil
	}
	if w.source.openErr != nil {
		return batch, w.source.openErr
	}
	for {
		w.source.mu.Lock()
		pending := slices.Clone(w.source.history[w.next-100:]) // answerWith changes entries
		changed := w.source.changed
		var ended <-chan time.Time
		if w.source.silent {
			pending, changed = nil, nil
		} else {
			ended = time.After(time.Until(w.ends))
		}
		goesOn := w.next >= w.source.changedContent || w.source.silent
		w.source.mu.Unlock()
		if !goesOn {
			return batch, errGone
		}
		if len(pending) > 0 {
			before := w.at(w.next)
			w.next += len(pending)
			for _, e := range pending {
				if e = w.asSelected(before, e); e.Type == "" {
					continue
				}
				if e.Object != nil {
					e.Object = e.Object.DeepCopy()
				}
				batch = append(batch, e)
			}
			if len(batch) > 0 {
				return batch, nil
			}
			continue
		}
		select {
		case <-changed:
		case <-ended:
			return batch, io.EOF
		case <-w.cut:
			w.source.mu.Lock()
			defer w.source.mu.Unlock()
			return batch, w.source.cutErr
		case <-ctx.Done():
			return batch, ctx.Err()
		}
	}
}

// at is the collection as it was at a version, nil if there is no selector.
func (w *sourceStream) at(version int) map[ObjectName]object {
	if w.selects == nil {
		return nil
	}
	w.source.mu.Lock()
	defer w.source.mu.Unlock()
	return w.source.atLocked(version)
}

// asSelected returns an event as a watch with the selector has it, without a type if it has none.
// before is the collection before it, which asSelected changes.
func (w *sourceStream) asSelected(before map[ObjectName]object, e Event[object]) Event[object] {
	if w.selects == nil || e.Object == nil {
		return e
	}
	name, obj := MetaObjectToName(e.Object), e.Object
	old := before[name]
	before[name] = obj
	if e.Type == watch.Deleted {
		delete(before, name)
	}
	was, is := old != nil && w.selects(old), e.Type != watch.Deleted && w.selects(obj)
	switch {
	case was && is:
		e.Type = watch.Modified
	case is:
		e.Type = watch.Added
	case was:
		e.Type, e.Object = watch.Deleted, old.DeepCopy()
		e.Object.ResourceVersion = obj.ResourceVersion
	default:
		e.Type = ""
	}
	return e
}

func (w *sourceStream) Stop() {
	w.source.mu.Lock()
	defer w.source.mu.Unlock()
	if !w.stopped {
		w.stopped = true
		w.source.open--
	}
}

func itemOf[T Object](obj T) Item[T] { return Item[T]{Object: obj} }

func itemsOf[T Object](objs ...T) []Item[T] {
	items := make([]Item[T], len(objs))
	for i, obj := range objs {
		items[i].Object = obj
	}
	return items
}

func objectsOf[T Object](items []Item[T]) []T {
	objs := make([]T, len(items))
	for i := range items {
		objs[i] = items[i].Object
	}
	return objs
}

// since returns the requests of a source after the first n.
func (s *fakeSource) since(n int) []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.requests[n:]...)
}

// inside returns the machine of an informer.
func inside[T Object](s *SharedIndexInformer[T]) *sharedInformer { return s.machine.(*sharedInformer) }

// machineOf returns the machine of a cache.
func machineOf[T Object](x *Indexer[T]) *indexer.Indexer { return x.machine.(*indexer.Indexer) }
