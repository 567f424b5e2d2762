package reflector

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/scoping"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
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

var errNamed = errors.New("named")

func reflectorOf(to *sink, transform Transform) *Reflector {
	return New(Settings{
		Form: store.FormOf[object](), Source: source.Failing{}, Decode: &wire.Options{}, Transform: transform, Traffic: &stats.Traffic{}, Changes: &atomic.Uint64{},
		ObjectError: func(name listed.Name, err error) error { return fmt.Errorf("%s: %w: %w", name, errNamed, err) },
	}, to)
}

func TestWatchNeverResumesEarlier(t *testing.T) {
	to := &sink{}
	r := reflectorOf(to, nil)
	in := protocol.Input{Verb: protocol.OpenWatch, ResourceVersion: "7"}
	events := []wire.Event{
		{Type: watch.Modified, Item: wire.Item{Object: named("1")}, ResourceVersion: "19"},
		{Type: watch.Deleted, Item: wire.Item{Object: named("2")}, ResourceVersion: "8"}, // the version of its last state
		{Type: watch.Bookmark, ResourceVersion: "9"},
	}
	if err := r.forward(t.Context(), events, &in); err != nil || in.ResourceVersion != "19" || !in.MadeProgress {
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
	r := reflectorOf(&sink{}, nil)
	in := protocol.Input{Verb: protocol.OpenStream}
	err := r.forward(t.Context(), []wire.Event{{Type: watch.Bookmark, InitialEventsEnd: true}}, &in)
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
		r := reflectorOf(&sink{}, nil)
		in := protocol.Input{Verb: protocol.OpenWatch, ResourceVersion: test.before}
		events := []wire.Event{{Type: watch.Modified, Item: wire.Item{Object: named("1")}, ResourceVersion: test.version}}
		if err := r.forward(t.Context(), events, &in); err != nil || in.ResourceVersion != test.want {
			t.Errorf("after %q and an event at %q the watch resumes at %q (%v), want %q", test.before, test.version, in.ResourceVersion, err, test.want)
		}
	}
}

// TestUndecodableObjectsAreThereBeforeTheList asks for the State as soon as the list can be applied.
func TestUndecodableObjectsAreThereBeforeTheList(t *testing.T) {
	to, told := &sink{}, false
	r := reflectorOf(to, nil)
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

func TestGateRefuses(t *testing.T) {
	rename := func(obj wire.Object) (wire.Object, error) {
		obj.SetName("other")
		return obj, nil
	}
	for name, test := range map[string]struct {
		transform Transform
		obj       wire.Object
		want      string
	}{
		"another type":                     {nil, &unstructured.Unstructured{Object: map[string]any{}}, "instead of a *v1.PartialObjectMetadata"},
		"a transform that renames":         {rename, named("1"), "a/1: named: transform: the function changed the name"},
		"a transform that returns nothing": {func(wire.Object) (wire.Object, error) { return nil, nil }, named("1"), "neither an object nor an error"},
		"a transform that fails":           {func(wire.Object) (wire.Object, error) { return nil, errors.New("no") }, named("1"), "transform: no"},
	} {
		t.Run(name, func(t *testing.T) {
			r := reflectorOf(&sink{}, test.transform)
			if _, err := r.gate.object(test.obj); !errors.Is(err, errNamed) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
		})
	}
}

// pages is a source of a list in pages. The token of a page is its number.
type pages struct {
	source.Failing
	items [][]wire.Item
	// changes is Settings.Changes. Each request comes with one.
	changes *atomic.Uint64
}

func (p pages) List(_ context.Context, options metav1.ListOptions) (wire.Page, error) {
	p.changes.Add(1)
	n, _ := strconv.Atoi(options.Continue)
	page := wire.Page{Items: p.items[n], ResourceVersion: "9"}
	if n++; n < len(p.items) {
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
	r := reflectorOf(to, nil)
	r.source = pages{changes: r.settings.Changes, items: [][]wire.Item{{{Object: named("1")}}, {{Object: named("2")}}, nil}}
	read(t, r)
	if to.list.Began != 0 || len(to.list.Items) != 2 {
		t.Errorf("the list with %d objects has begun after %d changes", len(to.list.Items), to.list.Began)
	}
}

// TestPagesOfOtherNamespacesAreNotEmpty reads pages of which only the last has an object of the scope. The others count as
// progress: an aggregated server that sends many empty pages would be made to wait, and refused in the end.
func TestPagesOfOtherNamespacesAreNotEmpty(t *testing.T) {
	to := &sink{}
	r := reflectorOf(to, nil)
	r.settings.Resource = &schema.GroupVersionResource{Resource: "widgets"}
	others := scoping.NewOthers()
	others.LeaveOut([]string{"b"})
	r.settings.Rule = &scoping.Rule{Others: others}
	from := pages{changes: r.settings.Changes}
	for n := range 2 * protocol.MaxEmptyPages {
		obj := named(strconv.Itoa(n))
		obj.Namespace = "b"
		from.items = append(from.items, []wire.Item{{Object: obj}})
	}
	from.items = append(from.items, []wire.Item{{Object: named("1")}})
	r.source = from
	for n, in := range read(t, r) {
		if in.Idle {
			t.Errorf("page %d counts as empty", n)
		}
	}
	if len(to.list.Items) != 1 {
		t.Errorf("the list has %d objects", len(to.list.Items))
	}
}
