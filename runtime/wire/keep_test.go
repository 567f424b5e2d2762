package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// thirds returns a Keep for the objects whose UID has a hash with the remainder n.
func thirds(n uint64) func(Head) bool {
	return func(h Head) bool { return remainder(h.UID) == n }
}

func remainder[S ~string | ~[]byte](uid S) uint64 {
	sum := uint64(0)
	for i := range len(uid) {
		sum = sum*31 + uint64(uid[i])
	}
	return sum % 3
}

// keptEvents returns all as a decoder delivers them that keeps a third: without the others, which
// are counted in the next event.
func keptEvents(all []Event, third uint64) (kept []Event, dropped int) {
	waiting := int32(0)
	for _, e := range all {
		switch {
		case e.Type != watch.Bookmark && remainder(e.Object.GetUID()) != third:
			waiting++
			dropped++
			continue
		case e.Type == watch.Bookmark:
			waiting = 0 // an event before it has them
		}
		e.Dropped, waiting = waiting, 0
		kept = append(kept, e)
	}
	return kept, dropped
}

// joinDropped removes the events that only have a number of others, and adds the number to the next
// event with an object.
func joinDropped(t *testing.T, all []Event) (events []Event, dropped int) {
	t.Helper()
	waiting := int32(0)
	for _, e := range all {
		dropped += int(e.Dropped)
		switch e.Type {
		case LeftOut:
			if e.ResourceVersion == "" || e.Dropped == 0 {
				t.Errorf("%d events are left out up to version %q", e.Dropped, e.ResourceVersion)
			}
			waiting += e.Dropped
			continue
		case watch.Bookmark:
			waiting = 0
		default:
			e.Dropped, waiting = e.Dropped+waiting, 0
		}
		events = append(events, e)
	}
	return events, dropped
}

// TestKeepEqualsAFilterAfterDecoding reads lists and watches in both encodings, however they arrive.
func TestKeepEqualsAFilterAfterDecoding(t *testing.T) {
	const n = 300
	list, message := listOf(t, n), listInProtobuf(n)
	events, want := watchOf(t, n, "\n")
	oneLine, _ := watchOf(t, n, " ")
	frames, wantFrames := framesOf(n)
	for third := range uint64(3) {
		options := Options{Keep: thirds(third)}
		for arrival, body := range arrivals(list) {
			page, err := NewDecoder(reflect.TypeFor[*widget](), options, nil).List(t.Context(), body)
			checkThird(t, "JSON, "+arrival, page, err, n, third)
		}
		for arrival, body := range arrivals(message) {
			page, err := newMetadataDecoder(options).List(t.Context(), body)
			checkThird(t, "protobuf, "+arrival, page, err, n, third)
		}
		for _, text := range []string{events, oneLine} {
			for arrival, body := range arrivals(text) {
				got, err := readAll(t, NewDecoder(reflect.TypeFor[*widget](), options, nil).Watch(t.Context(), body))
				checkKept(t, "JSON, "+arrival, got, err, want, third)
			}
		}
		for arrival, body := range arrivals(frames) {
			got, err := readAll(t, newMetadataDecoder(options).Watch(t.Context(), body))
			checkKept(t, "protobuf, "+arrival, got, err, wantFrames, third)
		}
	}
}

func checkThird(t *testing.T, name string, page Page, err error, n int, third uint64) {
	t.Helper()
	var got, want []string
	for _, item := range page.Items {
		got = append(got, item.Object.GetName())
	}
	for i := range n {
		if w := newWidget(i); remainder(w.UID) == third {
			want = append(want, w.Name)
		}
	}
	if err != nil || !slices.Equal(got, want) || page.Dropped != n-len(want) || page.First != "team-0/widget-0" || page.ResourceVersion != "77" {
		t.Errorf("%s: %d items, %d left out, first %q, %v; want %d", name, len(got), page.Dropped, page.First, err, len(want))
	}
}

func checkKept(t *testing.T, name string, all []Event, err error, of []Event, third uint64) {
	t.Helper()
	want, wantDropped := keptEvents(of, third)
	got, dropped := joinDropped(t, all)
	if err != io.EOF || dropped != wantDropped || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %d events, %d left out, %v; want %d and %d", name, len(got), dropped, err, len(want), wantDropped)
		for i := range min(len(got), len(want)) {
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Errorf("event %d is\n%+v\nwant\n%+v", i, got[i], want[i])
				break
			}
		}
	}
}

// TestWatchOfOthersMakesProgress reads events that are all left out. They arrive one by one.
func TestWatchOfOthersMakesProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		s := NewDecoder(reflect.TypeFor[*widget](), Options{Keep: func(Head) bool { return false }}, nil).Watch(t.Context(), reader)
		defer s.Stop()
		for i := range 3 {
			go func() { _, _ = io.WriteString(writer, eventOf("MODIFIED", textOf(t, newWidget(i)))+"\n") }()
			batch, err := s.Next(t.Context(), nil)
			want := []Event{{Type: LeftOut, ResourceVersion: fmt.Sprint(1000 + i), Dropped: 1}}
			if err != nil || !reflect.DeepEqual(batch, want) {
				t.Errorf("%+v, %v; want %+v", batch, err, want)
			}
		}
	})
}

// TestBusyWatchOfOthersReturns has an endless body of which all is left out.
func TestBusyWatchOfOthersReturns(t *testing.T) {
	event := eventOf("MODIFIED", textOf(t, newWidget(1))) + "\n"
	s := NewDecoder(reflect.TypeFor[*widget](), Options{Keep: func(Head) bool { return false }}, nil).Watch(t.Context(), &body{Reader: &endless{text: event}})
	defer s.Stop()
	for range 100 {
		batch, err := s.Next(t.Context(), nil)
		if err != nil || len(batch) != 1 || batch[0].Dropped == 0 {
			t.Fatalf("%+v, %v", batch, err)
		}
	}
}

// endless is a body that repeats a text until it is closed.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		copied := copy(p[n:], e.text[e.at:])
		n, e.at = n+copied, (e.at+copied)%len(e.text)
	}
	return n, nil
}

// TestOthersMayBeUndecodable leaves out objects that cannot be decoded, or are too large.
func TestOthersMayBeUndecodable(t *testing.T) {
	broken := `{"metadata":{"name":"broken","uid":"other","resourceVersion":"9"},"spec":4}`
	large := `{"metadata":{"name":"large","uid":"other","resourceVersion":"9"},"spec":{"color":"` + strings.Repeat("x", 5000) + `"}}`
	largeMessage := &metadata{TypeMeta: metadataKind, ObjectMeta: metav1.ObjectMeta{Name: "large", UID: "other", ResourceVersion: "9"}}
	options := Options{MaxObjectBytes: 4000, Keep: func(h Head) bool { return string(h.UID) != "other" }}
	decoder := NewDecoder(reflect.TypeFor[*widget](), options, nil)
	fine := textOf(t, newWidget(1))

	page, err := decoder.List(t.Context(), bodyOf(`{"metadata":{"resourceVersion":"1"},"items":[`+broken+","+fine+","+large+"]}"))
	if err != nil || len(page.Items) != 1 || page.Dropped != 2 || page.First != "/broken" {
		t.Errorf("the list: %d items, %d left out, first %q, %v", len(page.Items), page.Dropped, page.First, err)
	}
	got, err := readAll(t, decoder.Watch(t.Context(), bodyOf(eventOf("MODIFIED", broken)+"\n"+eventOf("MODIFIED", large)+"\n"+eventOf("MODIFIED", fine)+"\n")))
	if events, dropped := joinDropped(t, got); err != io.EOF || len(events) != 1 || dropped != 2 {
		t.Errorf("the watch: %+v, %v", got, err)
	}
	options.MaxObjectBytes = 300
	frames := frameOfMetadata(watch.Added, largeMessage) + frameOf(watch.Modified, inEnvelope(metadataKind, messageOf(largeMessage)+field(1000, strings.Repeat("x", 400))))
	gotFrames, err := readAll(t, newMetadataDecoder(options).Watch(t.Context(), bodyOf(frames)))
	if events, dropped := joinDropped(t, gotFrames); err != io.EOF || len(events) != 0 || dropped != 2 {
		t.Errorf("the watch in protobuf: %+v, %v", gotFrames, err)
	}
}

// TestOthersWhoseMetadataIsTooLarge leaves out an object by its UID, which comes before an annotation above the limit. It keeps
// an object if only the controller could tell.
func TestOthersWhoseMetadataIsTooLarge(t *testing.T) {
	for name, test := range map[string]struct {
		keep func(Head) bool
		left int
	}{
		"by the UID": {func(h Head) bool { return string(h.UID) != "other" }, 1},
		"by the controller": {func(h Head) bool {
			if !h.IsPartial() {
				t.Error("all of the metadata is known")
			}
			return h.IsPartial()
		}, 0},
	} {
		options := Options{MaxObjectBytes: 300, SkipUndecodable: true, Keep: test.keep}
		of := metav1.ObjectMeta{Namespace: "a", Name: "large", UID: "other", ResourceVersion: "9", Annotations: map[string]string{"x": strings.Repeat("x", 400)}}
		message := &metadata{TypeMeta: metadataKind, ObjectMeta: of}
		inJSON := `{"metadata":{"namespace":"a","name":"large","uid":"other","resourceVersion":"9","annotations":{"x":"` + strings.Repeat("x", 1<<20) + `"}}}`
		page, err := NewDecoder(reflect.TypeFor[*widget](), options, nil).List(t.Context(), bodyOf(`{"metadata":{"resourceVersion":"1"},"items":[`+inJSON+"]}"))
		if err != nil || page.Dropped != test.left || len(page.Items) != 1-test.left {
			t.Errorf("%s: a list in JSON leaves out %d, has %d, %v", name, page.Dropped, len(page.Items), err)
		}
		for encoding, read := range map[string]func() ([]Event, error){
			"JSON": func() ([]Event, error) {
				return readAll(t, NewDecoder(reflect.TypeFor[*widget](), options, nil).Watch(t.Context(), bodyOf(eventOf("MODIFIED", inJSON)+"\n")))
			},
			"protobuf": func() ([]Event, error) {
				return readAll(t, newMetadataDecoder(options).Watch(t.Context(), bodyOf(frameOfMetadata(watch.Modified, message))))
			},
		} {
			got, err := read()
			if events, dropped := joinDropped(t, got); err != io.EOF || dropped != test.left || len(events) != 1-test.left {
				t.Errorf("%s: a watch in %s leaves out %d: %+v, %v", name, encoding, dropped, got, err)
			}
		}
	}
}

// TestObjectWithoutANameIsNotLeftOut reads objects that no shard could report.
func TestObjectWithoutANameIsNotLeftOut(t *testing.T) {
	decoder := NewDecoder(reflect.TypeFor[*widget](), Options{Keep: func(Head) bool { return false }}, nil)
	for _, object := range []string{`{"metadata":{"uid":"a"}}`, `{}`, `{"metadata":null}`} {
		if _, err := decoder.List(t.Context(), bodyOf(`{"metadata":{"resourceVersion":"1"},"items":[`+object+"]}")); !errors.Is(err, errNoName) {
			t.Errorf("the list of %s: %v", object, err)
		}
		if _, err := readAll(t, decoder.Watch(t.Context(), bodyOf(eventOf("ADDED", object)))); !errors.Is(err, errNoName) {
			t.Errorf("the event of %s: %v", object, err)
		}
	}
}

// TestKeepChanges reads an object that changes its controller.
func TestKeepChanges(t *testing.T) {
	options := Options{KeepChanges: true, Keep: func(h Head) bool { return string(h.Controller()) == "mine" }}
	yes, no := true, false
	owned := func(owner, version string) *metadata {
		return &metadata{TypeMeta: metadataKind, ObjectMeta: metav1.ObjectMeta{
			Namespace: "a", Name: "b", UID: "c", ResourceVersion: version,
			OwnerReferences: []metav1.OwnerReference{{Name: "x", UID: "none"}, {Name: "y", UID: types.UID(owner), Controller: &yes}, {UID: "z", Controller: &no}},
		}}
	}
	states := []struct {
		kind  watch.EventType
		state *metadata
	}{
		{watch.Added, owned("other", "1")}, {watch.Modified, owned("mine", "2")}, {watch.Modified, owned("other", "3")},
		{watch.Modified, owned(`mi\ne`, "4")}, {watch.Deleted, owned("mine", "5")}, {watch.Deleted, owned("other", "6")},
	}
	var lines, frames strings.Builder
	for _, s := range states {
		fmt.Fprintln(&lines, eventOf(string(s.kind), textOf(t, s.state)))
		frames.WriteString(frameOfMetadata(s.kind, s.state))
	}
	for name, text := range map[string]string{"JSON": lines.String(), "protobuf": frames.String()} {
		got, err := readAll(t, newMetadataDecoder(options).Watch(t.Context(), bodyOf(text)))
		var short []string
		for _, e := range got {
			text := string(e.Type) + " " + e.ResourceVersion
			if e.Type == NoLongerKept {
				if !errors.Is(e.Err, ErrNotKept) || e.Err.Namespace != "a" || e.Err.Name != "b" || e.Err.UID != "c" || e.Err.ResourceVersion != e.ResourceVersion {
					t.Errorf("%s: %+v", name, e.Err)
				}
			}
			if e.Dropped > 0 {
				text += fmt.Sprint(" after ", e.Dropped)
			}
			short = append(short, text)
		}
		want := []string{"MODIFIED 2 after 1", "NO_LONGER_KEPT 3", "NO_LONGER_KEPT 4", "DELETED 5", "NO_LONGER_KEPT 6"}
		if err != io.EOF || !slices.Equal(short, want) {
			t.Errorf("%s: %q, %v; want %q", name, short, err, want)
		}
	}
}

func TestControllerOfOddMetadata(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                          "",
		`{"ownerReferences":null}`:    "",
		`{"ownerReferences":[]}`:      "",
		`{"ownerReferences":[null]}`:  "",
		`{"ownerReferences":[4, {}]}`: "",
		`{"ownerReferences":[{"uid":"a"},{"controller":false,"uid":"b"}]}`:                                "",
		`{"ownerReferences":[{"uid":"a"} , {"controller":true,"uid":"b"},{"controller":true,"uid":"c"}]}`: "b",
		`{"ownerReferences":[{"controller":true,"name":"]}","\u0075id":"b\u0062"}]}`:                      "bb",
		`{"ownerReferences":[{"controller":true,"uid":"b"`:                                                "b",
		`{"ownerReferences":[{"uid":"b","con`:                                                             "",
	} {
		h := Head{metadata: []byte(text)}
		if got := h.Controller(); string(got) != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestWhatIsLeftOutCostsNoMemory compares a list of which nothing is kept with one of all objects.
func TestWhatIsLeftOutCostsNoMemory(t *testing.T) {
	const n = 2000
	list, message := listOf(t, n), listInProtobuf(n)
	none := Options{Keep: func(h Head) bool { return bytes.HasPrefix(h.UID, []byte("mine")) }}
	for name, read := range map[string]func() (int, error){
		"JSON": func() (int, error) {
			page, err := NewDecoder(reflect.TypeFor[*widget](), none, nil).List(t.Context(), bodyOf(list))
			return page.Dropped, err
		},
		"protobuf": func() (int, error) {
			page, err := newMetadataDecoder(none).List(t.Context(), bodyOf(message))
			return page.Dropped, err
		},
	} {
		allocations := testing.AllocsPerRun(3, func() {
			if dropped, err := read(); dropped != n || err != nil {
				t.Fatal(dropped, err)
			}
		})
		if allocations > n/4 {
			t.Errorf("%s: %v allocations for %d items that are left out", name, allocations, n)
		}
	}
}

// FuzzKeep compares Keep with a filter of the decoded objects, for any text that a decoder reads and whose
// members occur once.
func FuzzKeep(f *testing.F) {
	f.Add(`{"metadata":{"name":"a","uid":"b","ownerReferences":[{"controller":true,"uid":"c"}]}}`, 7)
	f.Add(`{"spec":{"size":3},"metadata":{"uid":"\u0062","namespace":"n","annotations":{"uid":"x","name":"{"},"name":"a"}}`, 100)
	f.Add(`{"metadata" : {"labels":{},"name":"a","ownerReferences":[{"uid":"b","controller" : true},{"controller":false}],"resourceVersion":"4"}}`, 3)
	f.Fuzz(func(t *testing.T, object string, size int) {
		size = 1 + max(0, size)%5000
		text := `{"metadata":{"resourceVersion":"1"},"items":[` + object + `]}`
		all, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).List(t.Context(), bodyOf(text))
		if err != nil || len(all.Items) != 1 || repeatsMembers(object) || !utf8.ValidString(object) {
			return
		}
		obj := all.Items[0].Object
		owner := ""
		if ref := metav1.GetControllerOf(obj); ref != nil {
			owner = string(ref.UID)
		}
		seen := 0
		for _, keep := range []bool{false, true} {
			options := Options{Keep: func(h Head) bool {
				seen++
				if string(h.Namespace) != obj.GetNamespace() || string(h.Name) != obj.GetName() || string(h.UID) != string(obj.GetUID()) || string(h.Controller()) != owner {
					t.Errorf("the head is %q %q %q %q, want %q %q %q %q", h.Namespace, h.Name, h.UID, h.Controller(), obj.GetNamespace(), obj.GetName(), obj.GetUID(), owner)
				}
				return keep
			}}
			page, err := NewDecoder(reflect.TypeFor[*widget](), options, nil).List(t.Context(), &body{Reader: &pieces{text, size}})
			if err != nil || (len(page.Items) == 1) != keep || (page.Dropped == 0) != keep {
				t.Errorf("keep %v: %d items, %d left out, %v", keep, len(page.Items), page.Dropped, err)
			}
		}
		if seen != 2 {
			t.Errorf("Keep was called %d times for two items", seen)
		}
	})
}

// repeatsMembers reports whether an object in a valid text has a member twice.
func repeatsMembers(text string) bool {
	decoder := json.NewDecoder(strings.NewReader(text))
	var objects []map[string]bool // nil for an array
	isName := false
	for {
		token, err := decoder.Token()
		if err != nil {
			return false
		}
		switch token {
		case json.Delim('{'):
			objects, isName = append(objects, map[string]bool{}), true
			continue
		case json.Delim('['):
			objects = append(objects, nil)
		case json.Delim('}'), json.Delim(']'):
			objects = objects[:len(objects)-1]
		default:
			if name, ok := token.(string); ok && isName {
				if inner := objects[len(objects)-1]; inner[name] {
					return true
				} else {
					inner[name] = true
				}
				isName = false
				continue
			}
		}
		isName = len(objects) > 0 && objects[len(objects)-1] != nil
	}
}
