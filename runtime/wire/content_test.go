package wire

import (
	"io"
	"reflect"
	"testing"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

// TestContentHashIsDelivered reads one object from a LIST and from a WATCH, in usual and
// unusual form.
func TestContentHashIsDelivered(t *testing.T) {
	w := newWidget(1)
	withKind := textOf(t, w)
	w.Kind, w.APIVersion = "", ""
	withoutKind := textOf(t, w)
	want := plan.ContentHash([]byte(withoutKind))
	list := `{"kind":"WidgetList","metadata":{"resourceVersion":"1"},"items":[` + withoutKind + `]}`
	stream := eventOf("ADDED", withKind) + eventOf("MODIFIED", withKind) + eventOf("DELETED", withKind) +
		`{"object":` + withKind + `,"type":"ADDED"}{"object":` + withKind + `,"type":"MODIFIED"}` + eventOf("BOOKMARK", withKind)
	for _, asked := range []bool{true, false} {
		var cached Cached
		if asked {
			cached = cachedOf()
		}
		decoder := NewDecoder(reflect.TypeFor[*widget](), Options{}, cached)
		page, err := decoder.List(t.Context(), bodyOf(list))
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Items) != 1 || asked && page.Items[0].ContentHash != want || !asked && page.Items[0].ContentHash != 0 {
			t.Errorf("asked %v: a page has %+v, want the hash %x", asked, page.Items, want)
		}
		events, err := readAll(t, decoder.Watch(t.Context(), bodyOf(stream)))
		if err != io.EOF || len(events) != 6 {
			t.Fatal(err, len(events))
		}
		for i, e := range events {
			if known := asked && e.Object != nil; known && e.ContentHash != want || !known && e.ContentHash != 0 {
				t.Errorf("asked %v: the hash of event %d is %x, want %x", asked, i, e.ContentHash, want)
			}
		}
	}
}
