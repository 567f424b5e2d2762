package wire

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	goruntime "runtime"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

const largeMetadata = `"metadata":{"name":"large","namespace":"a","uid":"u","resourceVersion":"7","labels":{}}`

// largeText is a widget of at least size bytes.
func largeText(metadata string, size int) string {
	return `{"kind":"Widget","apiVersion":"example.com/v1",` + metadata + `,"spec":{"color":"` + strings.Repeat(`{x\"`, size/4) + `"}}`
}

func checkLarge(t *testing.T, what string, state *DecodeError) {
	t.Helper()
	var why *TooLargeError
	if state.Name != "large" || state.Namespace != "a" || state.UID != "u" || state.ResourceVersion != "7" || !errors.As(state, &why) {
		t.Errorf("%s: %+v", what, state)
	}
	if want := "object a/large has more than "; !strings.HasPrefix(state.Error(), want) {
		t.Errorf("%s: %v", what, state)
	}
}

func TestLargeObjectsAreSkipped(t *testing.T) {
	before, after := textOf(t, newWidget(1)), textOf(t, newWidget(2))
	for _, limit := range []int{2000, 10_000} {
		for _, size := range []int{limit, 3 * limit, blockSize + limit, blockSize + 12*limit} {
			large := largeText(largeMetadata, size)
			options := Options{SkipUndecodable: true, MaxObjectBytes: limit, Kind: schema.GroupKind{Group: "example.com", Kind: "Widget"}}
			list := `{"items":[` + strings.Join([]string{before, large, large, after, large}, ",") + `],"metadata":{"resourceVersion":"9"}}`
			for arrival, body := range arrivals(list) {
				what := fmt.Sprintf("list, limit %d, size %d, %s", limit, size, arrival)
				page, err := NewDecoder(reflect.TypeFor[*widget](), options, nil).List(t.Context(), body)
				if err != nil || len(objectsOf(page)) != 2 || len(undecodableOf(page)) != 3 || objectsOf(page)[1].GetName() != "widget-2" || page.ResourceVersion != "9" {
					t.Errorf("%s: %v, %d items, %d undecodable", what, err, len(objectsOf(page)), len(undecodableOf(page)))
					continue
				}
				checkLarge(t, what, undecodableOf(page)[2])
			}
			events := eventOf("ADDED", before) + "\n" + eventOf("MODIFIED", large) + "\n" + eventOf("DELETED", large) + eventOf("MODIFIED", after) + eventOf("ADDED", large)
			for arrival, body := range arrivals(events) {
				what := fmt.Sprintf("watch, limit %d, size %d, %s", limit, size, arrival)
				got, err := readAll(t, NewDecoder(reflect.TypeFor[*widget](), options, nil).Watch(t.Context(), body))
				if err != io.EOF || len(got) != 5 {
					t.Errorf("%s: %v after %d events", what, err, len(got))
					continue
				}
				for i, want := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted, watch.Modified, watch.Added} {
					if isLarge := got[i].Err != nil; got[i].Type != want || isLarge != (i != 0 && i != 3) {
						t.Errorf("%s: event %d is %+v", what, i, got[i])
					} else if isLarge {
						checkLarge(t, what, got[i].Err)
						if got[i].ResourceVersion != "7" {
							t.Errorf("%s: event %d is of version %s", what, i, got[i].ResourceVersion)
						}
					}
				}
			}
		}
	}
}

// TestLargeObjectsThatCannotBeSkipped is about those of which it is not sure which they
// are.
func TestLargeObjectsThatCannotBeSkipped(t *testing.T) {
	const limit = 2000
	options := Options{SkipUndecodable: true, MaxObjectBytes: limit, Kind: schema.GroupKind{Group: "example.com", Kind: "Widget"}}
	annotations := `"annotations":{"a":"` + strings.Repeat("x", 80_000) + `"}`
	isLarge := func(err error) bool { return errors.As(err, new(*TooLargeError)) }
	for what, test := range map[string]struct {
		object string
		is     func(error) bool
	}{
		"name after the limit":      {largeText(`"metadata":{`+annotations+`,"name":"large"}`, 10), isLarge},
		"namespace after the limit": {largeText(`"metadata":{"name":"large","resourceVersion":"1","uid":"u",`+annotations+`,"namespace":"a"}`, 10), isLarge},
		"no name":                   {largeText(`"metadata":{"namespace":"a"}`, 80_000), isLarge},
		"no metadata":               {largeText(`"a":{}`, 80_000), isLarge},
		"a name that is too long":   {largeText(`"metadata":{"name":"`+strings.Repeat("x", 1500)+`"}`, 80_000), isLarge},
		"another kind":              {strings.Replace(largeText(largeMetadata, 80_000), "Widget", "Gadget", 1), func(err error) bool { return errors.As(err, new(*KindError)) }},
		"cut off":                   {strings.TrimRight(largeText(largeMetadata, 80_000), `"}`), func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
	} {
		if _, err := NewDecoder(reflect.TypeFor[*widget](), options, nil).List(t.Context(), bodyOf(`{"metadata":{"resourceVersion":"1"},"items":[`+test.object+`]}`)); !test.is(err) {
			t.Errorf("%s, list: %v", what, err)
		}
		if _, err := readAll(t, NewDecoder(reflect.TypeFor[*widget](), options, nil).Watch(t.Context(), bodyOf(eventOf("ADDED", test.object)))); !test.is(err) {
			t.Errorf("%s, watch: %v", what, err)
		}
	}
	// All that matters stands before the limit.
	object := largeText(`"metadata":{"name":"large","namespace":"a","uid":"u","resourceVersion":"7",`+annotations+`}`, 10)
	page, err := NewDecoder(reflect.TypeFor[*widget](), options, nil).List(t.Context(), bodyOf(`{"metadata":{"resourceVersion":"1"},"items":[`+object+`]}`))
	if err != nil || len(undecodableOf(page)) != 1 {
		t.Fatal(err)
	}
	checkLarge(t, "annotations after the limit", undecodableOf(page)[0])
	large := largeText(largeMetadata, 80_000)
	for what, text := range map[string]string{
		"bookmark": eventOf("BOOKMARK", large), "error": eventOf("ERROR", large), "type after the object": `{"object":` + large + `,"type":"ADDED"}`,
	} {
		if _, err := readAll(t, NewDecoder(reflect.TypeFor[*widget](), options, nil).Watch(t.Context(), bodyOf(text))); !isLarge(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestRestOfALargeObjectIsNotHeld reads an object of 32 MB.
func TestRestOfALargeObjectIsNotHeld(t *testing.T) {
	const limit, size = 100_000, 32 << 20
	options := Options{SkipUndecodable: true, MaxObjectBytes: limit}
	for _, watches := range []bool{false, true} {
		begin, end := `{"metadata":{"resourceVersion":"1"},"items":[{`+largeMetadata+`,"spec":{"color":"`, `"}}]}`
		if watches {
			begin, end = `{"type":"ADDED","object":{`+largeMetadata+`,"spec":{"color":"`, `"}}}`
		}
		text := &body{Reader: io.MultiReader(strings.NewReader(begin), io.LimitReader(&repeating{text: xs}, size), strings.NewReader(end))}
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		decoder := NewDecoder(reflect.TypeFor[*widget](), options, nil)
		if watches {
			got, err := readAll(t, decoder.Watch(t.Context(), text))
			if err != io.EOF || len(got) != 1 {
				t.Fatal(err)
			}
			checkLarge(t, "watch", got[0].Err)
		} else {
			page, err := decoder.List(t.Context(), text)
			if err != nil || len(undecodableOf(page)) != 1 {
				t.Fatal(err)
			}
			checkLarge(t, "list", undecodableOf(page)[0])
		}
		goruntime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 20*limit {
			t.Errorf("%d bytes were allocated", made)
		}
	}
}
