package wire

import (
	"io"
	"strings"
	"testing"
)

// TestContentHashIsOfTheContent compares the texts of one state, and those of others.
func TestContentHashIsOfTheContent(t *testing.T) {
	const rest = `"metadata":{"name":"a","resourceVersion":"1"},"spec":{"kind":"x"}}`
	want := contentHash([]byte("{" + rest))
	for text, same := range map[string]bool{
		`{"kind":"Widget","apiVersion":"v1",` + rest:                true, // built-in kinds in a WATCH
		`{"apiVersion":"v1","kind":"Widget",` + rest:                true, // custom resources
		"{ \"kind\" : \"Widget\" ,\n\"apiVersion\":\"v1\", " + rest: true,
		`{"kind":"Widget",` + rest:                                  true,
		`{"kind2":"Widget",` + rest:                                 false,
		`{"spec":{"kind":"x"},"metadata":{"name":"a"}}`:             false,
		"{" + strings.Replace(rest, `"x"`, `"y"`, 1):                false,
		"{" + strings.Replace(rest, `"x"`, `"x" `, 1):               false, // of other texts it says nothing
	} {
		if got := contentHash([]byte(text)); (got == want) != same {
			t.Errorf("%s: the hash is that of %s: %v", text, rest, got == want)
		}
	}
	// Whatever the text, there is a hash.
	for _, text := range []string{"", " ", "[", "{", "{}", `{"kind"`, `{"kind":`, `{"kind":"x`, `{"kind":"x"`, `{"kind":"x",`, `{"kind":"x"}`, `{5`} {
		if contentHash([]byte(text)) == 0 {
			t.Errorf("%q has no hash", text)
		}
	}
}

// TestContentHashIsDelivered reads one object from a LIST and from a WATCH, in usual and
// unusual form.
func TestContentHashIsDelivered(t *testing.T) {
	w := newWidget(1)
	withKind := textOf(t, w)
	w.Kind, w.APIVersion = "", ""
	withoutKind := textOf(t, w)
	want := contentHash([]byte(withoutKind))
	list := `{"kind":"WidgetList","metadata":{"resourceVersion":"1"},"items":[` + withoutKind + `]}`
	stream := eventOf("ADDED", withKind) + eventOf("MODIFIED", withKind) + eventOf("DELETED", withKind) +
		`{"object":` + withKind + `,"type":"ADDED"}{"object":` + withKind + `,"type":"MODIFIED"}` + eventOf("BOOKMARK", withKind)
	for _, asked := range []bool{true, false} {
		var cached Cached[*widget]
		if asked {
			cached = cachedOf()
		}
		decoder := NewDecoder(Options{}, cached)
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
