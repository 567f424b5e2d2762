package cachetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

// Tap is a client without the tolerance of an informer: it lists, watches and resumes as long as it
// can, and each event has to be the one that follows from those before it.
type Tap struct {
	*Cluster
	Selects Selector

	mu sync.Mutex // guards the fields below
	// version is the version of the list or of the last event, 0 before a list.
	version uint64
	known   map[Name]*unstructured.Unstructured
	// limit is the last version that the server shows, 0 for no limit.
	limit uint64
	// Heard are the versions of events, and covered the spans from a list to the last event.
	Heard   map[uint64]bool
	covered []span
}

// span is the history after one version, up to another.
type span struct{ after, to uint64 }

// Follow runs until ctx ends.
func (p *Tap) Follow(ctx context.Context) {
	for ctx.Err() == nil {
		if p.version == 0 {
			p.relist()
		}
		if err := p.watch(ctx); ctx.Err() == nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
			p.Errorf("a watch ends with %v", err)
			return
		}
	}
}

func (p *Tap) relist() {
	list := p.Page(p.Selects.query())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version = p.number(list.GetResourceVersion())
	p.covered = append(p.covered, span{p.version, p.version})
	p.known = map[Name]*unstructured.Unstructured{}
	for i := range list.Items {
		p.known[NameOf(&list.Items[i])] = &list.Items[i]
	}
}

// watch reads a watch to its end. If its version has expired, a list follows.
func (p *Tap) watch(ctx context.Context) error {
	query := p.Selects.query()
	query.Set("watch", "true")
	query.Set("allowWatchBookmarks", "true")
	query.Set("timeoutSeconds", "400")
	query.Set("resourceVersion", strconv.FormatUint(p.version, 10))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Server.URL()+PathOf("", "")+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := p.Server.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("code %d", response.StatusCode)
	}
	for decoder := json.NewDecoder(response.Body); ; {
		var event struct {
			Type   watch.EventType
			Object map[string]any
		}
		if err := decoder.Decode(&event); err != nil {
			return err
		}
		if err := p.apply(event.Type, &unstructured.Unstructured{Object: event.Object}); err != nil {
			return err
		}
	}
}

// apply applies an event, or returns why it cannot be the next one.
func (p *Tap) apply(kind watch.EventType, obj *unstructured.Unstructured) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if kind == watch.Error {
		if code, _, _ := unstructured.NestedFloat64(obj.Object, "code"); code != http.StatusGone {
			return fmt.Errorf("an ERROR event: %v", obj.Object)
		}
		p.version = 0
		return io.EOF
	}
	version := p.number(obj.GetResourceVersion())
	if version < p.version || version == p.version && kind != watch.Bookmark {
		return fmt.Errorf("a %s event of version %d after %d", kind, version, p.version)
	}
	if kind != watch.Bookmark && p.limit != 0 && version > p.limit {
		return fmt.Errorf("a %s event of version %d, but watches are held at %d", kind, version, p.limit)
	}
	p.version = version
	p.covered[len(p.covered)-1].to = version
	if kind == watch.Bookmark {
		return nil
	}
	p.Heard[version] = true
	name := NameOf(obj)
	last := p.known[name]
	switch {
	case kind == watch.Added && last == nil && p.Selects.Has(obj), kind == watch.Modified && last != nil && last.GetUID() == obj.GetUID() && p.Selects.Has(obj):
		p.known[name] = obj
	case kind == watch.Deleted && last != nil && isLastState(obj, last):
		delete(p.known, name)
	default:
		return fmt.Errorf("a %s event of\n%v, known is\n%v", kind, obj.Object, last)
	}
	return nil
}

// SetLimit sets the last version that the server shows: the present one, or none.
func (p *Tap) SetLimit(limited bool) {
	var limit uint64
	if limited {
		limit = p.number(p.Page(nil).GetResourceVersion())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit = limit
}

// isLastState reports whether a deleted object has all of its last state besides the version.
func isLastState(deleted, last *unstructured.Unstructured) bool {
	deleted = deleted.DeepCopy()
	deleted.SetResourceVersion(last.GetResourceVersion())
	a, errA := json.Marshal(deleted.Object)
	b, errB := json.Marshal(last.Object)
	return errA == nil && errB == nil && string(a) == string(b)
}

func (p *Tap) number(version string) uint64 {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		p.Error(err)
	}
	return n
}

// Check compares the objects that the tap knows with those of the cluster.
func (p *Tap) Check() {
	p.mu.Lock()
	defer p.mu.Unlock()
	selected := maps.Clone(p.Objects)
	maps.DeleteFunc(selected, func(_ Name, obj *unstructured.Unstructured) bool { return !p.Selects.Has(obj) })
	for name, obj := range selected {
		if known := p.known[name]; known == nil || known.GetResourceVersion() != obj.GetResourceVersion() || known.GetUID() != obj.GetUID() {
			p.Errorf("a client that watches knows\n%v, the server has\n%v", known, obj)
		}
	}
	if len(p.known) != len(selected) {
		p.Errorf("a client that watches knows %d objects, the server has %d", len(p.known), len(selected))
	}
	if p.Selects.ByField {
		return // a state does not say whether it was selected
	}
	for _, states := range p.States {
		for _, state := range states {
			version := p.number(state.ResourceVersion)
			isCovered := slices.ContainsFunc(p.covered, func(s span) bool { return version > s.after && version <= s.to })
			if isCovered && !p.Heard[version] && (!p.Selects.ByLabel || InSelection(state)) {
				p.Errorf("a client that watches has not heard of\n%v", state)
			}
		}
	}
}
