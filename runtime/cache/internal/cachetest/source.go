package cachetest

import (
	"context"
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
)

// Source is an API server for one collection: it keeps a history, serves lists in pages and watches from any version that it has
// not forgotten, and fails when a test wants that. It implements Lister.
type Source struct {
	Mu        sync.Mutex // guards the fields below
	Version   int
	Objects   map[Name]Object
	History   []Event[Object]
	forgotten int // no watch can start below this version
	// changedContent is the version before which no watch can resume.
	changedContent int
	changed        chan struct{}
	cut            chan struct{} // closed to end all watches
	cutErr         error         // with which they end

	// Requests are all lists and watches.
	Requests []Request
	// fail is called before each request is served.
	fail func(Request) error
	// OpenWith, and then OpenErr, is all that a watch has if OpenErr is set.
	OpenWith []Event[Object]
	OpenErr  error
	// Opening makes OpenWith for each watch.
	Opening func() []Event[Object]
	// Streams is set if a watch can begin with a list. NoBookmark leaves out the end of it.
	Streams, NoBookmark bool
	// Silent is set if watches neither have events nor end when their time is over.
	Silent bool
	// Selects, if it is not nil, is a label selector. An object that leaves it is deleted for a watch,
	// with its last state in the scope and the version of the change.
	Selects func(Object) bool
	// SelectsByLabels is set if the label selector of a request counts too.
	SelectsByLabels bool
	// Open counts the watches that were not stopped.
	Open int
}

// Request is a list or a watch.
type Request struct {
	Verb    string
	Options metav1.ListOptions
}

// NewSource returns a Source without objects. The first change has the version 101.
func NewSource() *Source {
	return &Source{Version: 100, Objects: map[Name]Object{}, changed: make(chan struct{}), cut: make(chan struct{})}
}

// Set adds or changes an object.
func (s *Source) Set(namespace, name string, labels map[string]string) Object {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	key := Name{Namespace: namespace, Name: name}
	old := s.Objects[key]
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}}
	kind := watch.Modified
	if old == nil {
		kind = watch.Added
		obj.UID = types.UID("uid-" + strconv.Itoa(s.Version+1))
	} else {
		obj.UID = old.UID
	}
	s.Objects[key] = obj
	s.RecordLocked(kind, obj)
	return obj
}

// Remove removes an object.
func (s *Source) Remove(namespace, name string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	key := Name{Namespace: namespace, Name: name}
	last := s.Objects[key].DeepCopy()
	delete(s.Objects, key)
	s.RecordLocked(watch.Deleted, last)
}

// SetOwner gives an object an owner, which is its controller or not. The object is added if it does not
// exist.
func (s *Source) SetOwner(namespace, name, owner string, isController bool) Object {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	key := Name{Namespace: namespace, Name: name}
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(fmt.Sprint("uid-", s.Version+1))}}
	kind := watch.Added
	if old := s.Objects[key]; old != nil {
		obj.UID, kind = old.UID, watch.Modified
	}
	obj.OwnerReferences = []metav1.OwnerReference{{Kind: "Widget", Name: owner, UID: types.UID(owner), Controller: &isController}}
	s.Objects[key] = obj
	s.RecordLocked(kind, obj)
	return obj
}

// Bookmark sends watchers a version without a change of their objects.
func (s *Source) Bookmark() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.RecordLocked(watch.Bookmark, nil)
}

// RecordLocked adds an event to the history, with the next version, which obj gets too. The caller holds Mu.
func (s *Source) RecordLocked(kind watch.EventType, obj Object) {
	s.Version++
	version := strconv.Itoa(s.Version)
	if obj != nil {
		obj.ResourceVersion = version
	}
	s.History = append(s.History, Event[Object]{Type: kind, Item: ItemOf(obj), ResourceVersion: version})
	close(s.changed)
	s.changed = make(chan struct{})
}

// Repeat sends the last state of an object again, and a bookmark of an earlier
// version, as no good server does.
func (s *Source) Repeat(namespace, name string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if obj := s.Objects[Name{namespace, name}]; obj != nil {
		version := obj.ResourceVersion
		again := obj.DeepCopy()
		s.RecordLocked(watch.Modified, again)
		again.ResourceVersion = version
		s.History[len(s.History)-1].ResourceVersion = version
	}
	s.RecordLocked(watch.Bookmark, nil)
	s.History[len(s.History)-1].ResourceVersion = strconv.Itoa(max(101, s.Version-7))
}

// AnswerWith changes the content of an object at the version that it has, as a new default
// in a CRD does. Watches from before end.
func (s *Source) AnswerWith(namespace, name string, labels map[string]string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	key := Name{namespace, name}
	if old := s.Objects[key]; old != nil {
		obj := old.DeepCopy()
		obj.Labels = labels
		for i := range s.History { // which may have it twice, see Repeat
			if e := &s.History[i]; e.Object != nil && NameOf(e.Object) == key && e.Object.ResourceVersion == old.ResourceVersion {
				e.Object = obj
			}
		}
		s.Objects[key] = obj
	}
	s.RecordLocked(watch.Bookmark, nil)
	s.forgotten, s.changedContent = s.Version, s.Version
}

// Forget makes every version before now too old to watch from.
func (s *Source) Forget() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.forgotten = s.Version
}

// EndWatches ends all open watches with err.
func (s *Source) EndWatches(err error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.cutErr = err
	close(s.cut)
	s.cut = make(chan struct{})
}

// SetSilent sets Silent.
func (s *Source) SetSilent(silent bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Silent = silent
}

// FailWith calls fail before each request, which fails with the result. fail may be nil.
func (s *Source) FailWith(fail func(Request) error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.fail = fail
}

// Count returns the number of requests with a verb, list or watch.
func (s *Source) Count(verb string) int {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	n := 0
	for _, r := range s.Requests {
		if r.Verb == verb {
			n++
		}
	}
	return n
}

// Since returns the requests of a source after the first n.
func (s *Source) Since(n int) []Request {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return append([]Request(nil), s.Requests[n:]...)
}

// Last returns the options of the last request with a verb.
func (s *Source) Last(verb string) metav1.ListOptions {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, r := range slices.Backward(s.Requests) {
		if r.Verb == verb {
			return r.Options
		}
	}
	return metav1.ListOptions{}
}

// Begin records a request, and returns the error with which it fails.
func (s *Source) Begin(verb string, options metav1.ListOptions) error {
	s.Mu.Lock()
	r := Request{verb, options}
	s.Requests = append(s.Requests, r)
	fail := s.fail
	s.Mu.Unlock()
	if fail != nil {
		return fail(r)
	}
	return nil
}

// List serves pages. A token is the version of the list and the next position.
func (s *Source) List(_ context.Context, options metav1.ListOptions) (Page[Object], error) {
	if err := s.Begin("list", options); err != nil {
		return Page[Object]{}, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	version, start := s.Version, 0
	if options.Continue != "" {
		if _, err := fmt.Sscanf(options.Continue, "%d:%d", &version, &start); err != nil {
			return Page[Object]{}, err
		}
		if version < s.forgotten {
			return Page[Object]{}, apierrors.NewResourceExpired("the continue token is too old")
		}
	}
	all := slices.SortedFunc(maps.Values(s.atLocked(version)), func(a, b Object) int {
		return slices.Compare([]string{a.Namespace, a.Name}, []string{b.Namespace, b.Name})
	})
	page := Page[Object]{ResourceVersion: strconv.Itoa(version)}
	end := len(all)
	if options.Limit > 0 && start+int(options.Limit) < end {
		end = start + int(options.Limit)
		page.Continue = fmt.Sprintf("%d:%d", version, end)
	}
	selects := s.Selection(options)
	for _, obj := range all[start:end] {
		if selects != nil && !selects(obj) {
			continue
		}
		page.Items = append(page.Items, ItemOf(obj.DeepCopy()))
	}
	return page, nil
}

// atLocked is the collection as it was at a version.
func (s *Source) atLocked(version int) map[Name]Object {
	at := map[Name]Object{}
	for i, e := range s.History {
		if 100+i+1 > version {
			break
		}
		switch e.Type {
		case watch.Added, watch.Modified:
			at[NameOf(e.Object)] = e.Object
		case watch.Deleted:
			delete(at, NameOf(e.Object))
		}
	}
	return at
}

// Watch serves the history after a version, and then the events that come.
func (s *Source) Watch(_ context.Context, options metav1.ListOptions) (EventStream[Object], error) {
	if err := s.Begin("watch", options); err != nil {
		return nil, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	lifetime := time.Duration(*options.TimeoutSeconds) * time.Second
	selects := s.Selection(options)
	if options.SendInitialEvents != nil {
		return s.streamLocked(lifetime, selects)
	}
	from, err := strconv.Atoi(options.ResourceVersion)
	switch {
	case err != nil:
		return nil, err
	case from < s.forgotten:
		return nil, apierrors.NewResourceExpired("too old resource version")
	case from > s.Version && s.Opening == nil:
		return nil, apierrors.NewTimeoutError("Too large resource version", 1)
	}
	if s.Opening != nil {
		s.OpenWith = s.Opening()
	}
	s.Open++
	return &sourceStream{source: s, selects: selects, next: from, cut: s.cut, opening: s.OpenWith, ends: time.Now().Add(lifetime)}, nil
}

// streamLocked serves a streaming list.
func (s *Source) streamLocked(lifetime time.Duration, selects func(Object) bool) (EventStream[Object], error) {
	if !s.Streams {
		return nil, apierrors.NewInvalid(schema.GroupKind{Kind: "ListOptions"}, "", nil)
	}
	s.Open++
	stream := &sourceStream{source: s, selects: selects, next: s.Version, cut: s.cut, ends: time.Now().Add(lifetime)}
	for _, obj := range s.atLocked(s.Version) {
		if selects != nil && !selects(obj) {
			continue
		}
		stream.opening = append(stream.opening, Event[Object]{Type: watch.Added, Item: ItemOf(obj.DeepCopy()), ResourceVersion: obj.ResourceVersion})
	}
	if !s.NoBookmark {
		stream.opening = append(stream.opening, Event[Object]{Type: watch.Bookmark, ResourceVersion: strconv.Itoa(s.Version), InitialEventsEnd: true})
	}
	return stream, nil
}

// Selection returns the selector of a request. It is nil for all objects.
func (s *Source) Selection(options metav1.ListOptions) func(Object) bool {
	if !s.SelectsByLabels || options.LabelSelector == "" {
		return s.Selects
	}
	selector, err := labels.Parse(options.LabelSelector)
	if err != nil {
		panic(err)
	}
	return func(obj Object) bool {
		return selector.Matches(labels.Set(obj.Labels)) && (s.Selects == nil || s.Selects(obj))
	}
}

type sourceStream struct {
	source *Source
	// selects is the selector of the request.
	selects func(Object) bool
	next    int // the version that was read last
	cut     chan struct{}
	ends    time.Time
	// opening events come first.
	opening []Event[Object]
	stopped bool
}

func (w *sourceStream) Next(ctx context.Context, reuse []Event[Object]) ([]Event[Object], error) {
	batch := reuse[:0]
	if len(w.opening) > 0 {
		n := min(len(w.opening), 3) // so that a list comes in several batches
		batch, w.opening = append(batch, w.opening[:n]...), w.opening[n:]
		return batch, nil
	}
	if w.source.OpenErr != nil {
		return batch, w.source.OpenErr
	}
	for {
		w.source.Mu.Lock()
		pending := slices.Clone(w.source.History[w.next-100:]) // answerWith changes entries
		changed := w.source.changed
		var ended <-chan time.Time
		if w.source.Silent {
			pending, changed = nil, nil
		} else {
			ended = time.After(time.Until(w.ends))
		}
		goesOn := w.next >= w.source.changedContent || w.source.Silent
		w.source.Mu.Unlock()
		if !goesOn {
			return batch, ErrGone
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
			w.source.Mu.Lock()
			defer w.source.Mu.Unlock()
			return batch, w.source.cutErr
		case <-ctx.Done():
			return batch, ctx.Err()
		}
	}
}

// at is the collection as it was at a version, nil if there is no selector.
func (w *sourceStream) at(version int) map[Name]Object {
	if w.selects == nil {
		return nil
	}
	w.source.Mu.Lock()
	defer w.source.Mu.Unlock()
	return w.source.atLocked(version)
}

// asSelected returns an event as a watch with the selector has it, without a type if it has none.
// before is the collection before it, which asSelected changes.
func (w *sourceStream) asSelected(before map[Name]Object, e Event[Object]) Event[Object] {
	if w.selects == nil || e.Object == nil {
		return e
	}
	name, obj := NameOf(e.Object), e.Object
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
	w.source.Mu.Lock()
	defer w.source.Mu.Unlock()
	if !w.stopped {
		w.stopped = true
		w.source.Open--
	}
}
