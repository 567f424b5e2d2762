package reflector

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

type object = *metav1.PartialObjectMetadata

func named(name string) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name}}
}

// sink keeps what it is told.
type sink struct {
	positions []frontier.Position
	// list is the last one.
	list   *deltafifo.Collection
	onList func()
}

func (s *sink) Failed(context.Context, error) {}
func (s *sink) Changed()                      {}

func (s *sink) Listed(list *deltafifo.Collection, _ frontier.Position) {
	if s.list = list; s.onList != nil {
		s.onList()
	}
}

func (s *sink) Events(_ []deltafifo.Delta, at frontier.Position) clock.Stamp {
	s.positions = append(s.positions, at)
	return clock.Now()
}

func reflectorOf(to *sink, from source.Source) *Reflector {
	return New(Settings{Source: from, Observer: &stats.Traffic{}, Changes: &atomic.Uint64{}}, to)
}

// batch is a Stream of the same events again and again.
type batch []wire.Event

func (b batch) Next(context.Context, []wire.Event) ([]wire.Event, error) { return b, nil }
func (b batch) Stop()                                                    {}

func TestWatchNeverResumesEarlier(t *testing.T) {
	to := &sink{}
	r := reflectorOf(to, source.Failing{})
	in := protocol.Input{ResourceVersion: "7"}
	events := []wire.Event{
		{Type: watch.Modified, Item: wire.Item{Object: named("1")}, ResourceVersion: "19"},
		{Type: watch.Deleted, Item: wire.Item{Object: named("2")}, ResourceVersion: "8"}, // the version of its last state
		{Type: watch.Bookmark, ResourceVersion: "9"},
	}
	if err := r.next(t.Context(), batch(events), &in); err != nil || in.ResourceVersion != "19" || !in.MadeProgress {
		t.Errorf("resumes at %s, useful %v, error %v", in.ResourceVersion, in.MadeProgress, err)
	}
	if len(to.positions) != 1 || to.positions[0] != (frontier.Position{Version: "19", Bookmarks: 1}) {
		t.Errorf("the positions are %v", to.positions)
	}
	for i := range events {
		if events[i].Object != nil {
			t.Error("the memory of a batch keeps its objects alive")
		}
	}
	if memory := r.freeDeltas.Take(1); cap(memory) == 0 || memory[:1][0].Object != nil {
		t.Error("the memory of deltas keeps their objects alive")
	}
}

func TestBookmarkWithoutAVersionFailsTheList(t *testing.T) {
	r := reflectorOf(&sink{}, source.Failing{})
	var in protocol.Input
	err := r.addInitial(t.Context(), []wire.Event{{Type: watch.Bookmark, InitialEventsEnd: true}}, &in)
	if err == nil || in.Listed || protocol.ReasonOf(err) != protocol.ServerError {
		t.Errorf("listed %v, error %v", in.Listed, err)
	}
}

func TestMalformedVersionsDoNotMoveTheResumePoint(t *testing.T) {
	for _, test := range []struct{ before, version, want string }{
		{"19", "0", "19"},
		{"19", "007", "19"},
		{"19", "abc", "19"},
		{"19", "", "19"},
		{"19", "20", "20"},
		{"", "007", "007"},
		{"abc", "def", "def"}, // of a server that is not Kubernetes
		{"abc", "5", "5"},
		{"0", "5", "5"},
	} {
		r := reflectorOf(&sink{}, source.Failing{})
		in := protocol.Input{ResourceVersion: test.before}
		events := []wire.Event{{Type: watch.Modified, Item: wire.Item{Object: named("1")}, ResourceVersion: test.version}}
		if r.forward(t.Context(), events, &in); in.ResourceVersion != test.want {
			t.Errorf("after %q and an event at %q the watch resumes at %q, want %q", test.before, test.version, in.ResourceVersion, test.want)
		}
	}
}

// TestUndecodableObjectsAreThereBeforeTheList asks for the State as soon as the list can be applied.
func TestUndecodableObjectsAreThereBeforeTheList(t *testing.T) {
	to, told := &sink{}, false
	r := reflectorOf(to, source.Failing{})
	to.onList = func() {
		told = true
		if states := r.State().Undecodable; len(states) != 1 || states[0].Name != "b" {
			t.Errorf("the Sink has the list, and undecodable are %v", states)
		}
	}
	r.leaveFirst = func() {}
	r.beginList("")
	r.partial.listed.AddPage([]wire.Item{{Err: &wire.DecodeError{Namespace: "a", Name: "b", Path: "/spec"}}})
	r.commit("9")
	if !told {
		t.Error("the Sink has no list")
	}
}

// pages is a source of a list in pages. The token of a page is its number.
type pages struct {
	source.Failing
	pages []wire.Page
	// requests counts the calls of List, unless it is nil.
	requests *atomic.Uint64
}

func (p pages) List(_ context.Context, options metav1.ListOptions) (wire.Page, error) {
	if p.requests != nil {
		p.requests.Add(1)
	}
	n, _ := strconv.Atoi(options.Continue)
	page := p.pages[n]
	page.ResourceVersion = "9"
	if n++; n < len(p.pages) {
		page.Continue = strconv.Itoa(n)
	}
	return page, nil
}

// read reads a list in pages, and returns what is known of each page.
func read(t *testing.T, r *Reflector) (all []protocol.Input) {
	t.Helper()
	r.leaveFirst = func() {}
	r.beginList("")
	for next := (protocol.Action{Verb: protocol.ListPage}); ; {
		var in protocol.Input
		if r.list(t.Context(), &next, &in); in.Err != nil {
			t.Fatal(in.Err)
		}
		all = append(all, in)
		if next.Options.Continue = in.ContinueToken; in.ContinueToken == "" {
			r.commit(in.ResourceVersion)
			return all
		}
	}
}

// TestListBeginsWithItsFirstPage: a write between two pages may not be in the first one.
func TestListBeginsWithItsFirstPage(t *testing.T) {
	to := &sink{}
	changes := &atomic.Uint64{} // one with each request
	r := reflectorOf(to, pages{pages: []wire.Page{{Items: []wire.Item{{Object: named("1")}}}, {Items: []wire.Item{{Object: named("2")}}}, {}}, requests: changes})
	r.settings.Changes = changes
	read(t, r)
	if to.list.Began != 0 || len(to.list.Items) != 2 {
		t.Errorf("the list with %d objects has begun after %d changes", len(to.list.Items), to.list.Began)
	}
}

// TestPagesOfOtherNamespacesAreNotEmpty reads pages of which only the last has an object of the scope. The others count as
// progress: an aggregated server that sends many empty pages would be made to wait, and refused in the end.
func TestPagesOfOtherNamespacesAreNotEmpty(t *testing.T) {
	from := pages{}
	for n := range 2 * protocol.MaxEmptyPages {
		from.pages = append(from.pages, wire.Page{First: "b/" + strconv.Itoa(n)})
	}
	from.pages = append(from.pages, wire.Page{Items: []wire.Item{{Object: named("1")}}})
	to := &sink{}
	r := reflectorOf(to, from)
	r.settings.Resource = &schema.GroupVersionResource{Resource: "widgets"}
	for n, in := range read(t, r) {
		if in.Idle {
			t.Errorf("page %d counts as empty", n)
		}
	}
	if len(to.list.Items) != 1 {
		t.Errorf("the list has %d objects", len(to.list.Items))
	}
}
