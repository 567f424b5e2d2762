package pack

import (
	"context"
	"io"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/internal/packing"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// client is a source of a number of objects, which a client has decoded. A streaming list has them all in one batch, and its
// bookmark and one event in the next one.
type client int

func (c client) items() (items []wire.Item) {
	for n := range int(c) {
		items = append(items, wire.Item{Object: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: strconv.Itoa(n)}}})
	}
	return items
}

func (c client) List(context.Context, metav1.ListOptions) (wire.Page, error) {
	return wire.Page{Items: c.items()}, nil
}

func (c client) Watch(context.Context, metav1.ListOptions) (source.Stream, error) {
	var initial []wire.Event
	for _, item := range c.items() {
		initial = append(initial, wire.Event{Type: watch.Added, Item: item})
	}
	return &clientStream{initial, {{Type: watch.Bookmark, InitialEventsEnd: true}, {Type: watch.Added, Item: client(1).items()[0]}}}, nil
}

type clientStream [][]wire.Event

func (s *clientStream) Next(context.Context, []wire.Event) ([]wire.Event, error) {
	if len(*s) == 0 {
		return nil, io.EOF
	}
	next := (*s)[0]
	*s = (*s)[1:]
	return next, nil
}

func (*clientStream) Stop() {}

// TestListsKeepFewDecodedObjects: thousands of objects wait until their list is complete.
func TestListsKeepFewDecodedObjects(t *testing.T) {
	const extra = 10
	kept := int(packing.KeptOfList)
	s := &Source{client(kept - extra), newPacking()}
	decoded := func(item *wire.Item) (n int) {
		if item.Object != nil && item.Object.(*Object).decoded != nil {
			n++
		}
		return n
	}
	list := func(options metav1.ListOptions) (n int) {
		page, err := s.List(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		for i := range page.Items {
			n += decoded(&page.Items[i])
		}
		return n
	}
	for range 2 {
		if first, second, third := list(metav1.ListOptions{}), list(metav1.ListOptions{Continue: "2"}), list(metav1.ListOptions{Continue: "3"}); first != kept-extra || second != extra || third != 0 {
			t.Errorf("%d, %d and %d decoded objects of the pages of a list, want %d together", first, second, third, kept)
		}
	}
	s.Source = client(kept + extra)
	isInitial := true
	for _, want := range []int{kept, kept + extra} {
		stream, err := s.Watch(t.Context(), metav1.ListOptions{SendInitialEvents: &isInitial})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{want, 1} {
			events, err := stream.Next(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for i := range events {
				n += decoded(&events[i].Item)
			}
			if n != want {
				t.Errorf("initial %v: %d of %d events have decoded objects, want %d", isInitial, n, len(events), want)
			}
		}
		isInitial = false
	}
}
