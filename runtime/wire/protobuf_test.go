package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/protobuf"
)

// metadata is a type that has protobuf.
type metadata = metav1.PartialObjectMetadata

var metadataKind = metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"}

// newMetadata is the metadata of the widget with a number.
func newMetadata(i int) *metadata {
	return &metadata{TypeMeta: metadataKind, ObjectMeta: reread(&testing.T{}, newWidget(i)).ObjectMeta}
}

// marshaler is what generated types have.
type marshaler interface{ Marshal() ([]byte, error) }

func messageOf(m marshaler) string {
	b, err := m.Marshal()
	if err != nil {
		panic(err) // a message that is in memory can always be written
	}
	return string(b)
}

// inEnvelope returns a message as a server writes it.
func inEnvelope(meta metav1.TypeMeta, message string) string {
	return protobuf.Magic + messageOf(&runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: meta.APIVersion, Kind: meta.Kind}, Raw: []byte(message)})
}

// frameOf returns a frame of a watch.
func frameOf(kind watch.EventType, object string) string {
	event := messageOf(&metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: []byte(object)}})
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(event)))) + event
}

func frameOfMetadata(kind watch.EventType, m *metadata) string {
	return frameOf(kind, inEnvelope(m.TypeMeta, messageOf(m)))
}

// field returns a field with a length.
func field(number uint64, content string) string {
	head := binary.AppendUvarint(binary.AppendUvarint(nil, number<<3|2), uint64(len(content)))
	return string(head) + content
}

var listKind = metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1"}

// listMessage is the message of a list of the metadata with the numbers 0 to n-1.
func listMessage(n int) string {
	list := metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "77", Continue: "more"}}
	for i := range n {
		list.Items = append(list.Items, *newMetadata(i))
	}
	return messageOf(&list)
}

func listInProtobuf(n int) string { return inEnvelope(listKind, listMessage(n)) }

func newMetadataDecoder(options Options) *Decoder {
	return NewDecoder(reflect.TypeFor[*metadata](), options, nil)
}

// checkMetadata checks the objects with the numbers 0 to n-1 of a list. hasKind is set if the list has its kind before them.
func checkMetadata(t *testing.T, page Page, n int, hasKind bool) {
	t.Helper()
	if page.ResourceVersion != "77" || page.Continue != "more" || len(page.Items) != n {
		t.Fatalf("the page has version %q, token %q and %d items, want %d", page.ResourceVersion, page.Continue, len(page.Items), n)
	}
	for i, got := range objectsOf(page) {
		want := newMetadata(i)
		if !hasKind {
			want.TypeMeta = metav1.TypeMeta{}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("item %d is\n%+v\nwant\n%+v", i, got, want)
		}
	}
}

func TestProtobufListReadsItemsInOrderHoweverTheyArrive(t *testing.T) {
	const n = 500
	for name, body := range arrivals(listInProtobuf(n)) {
		page, err := newMetadataDecoder(Options{}).List(t.Context(), body)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkMetadata(t, page, n, true)
		if !body.closed.Load() {
			t.Errorf("%s: the body is not closed", name)
		}
	}
	small := listInProtobuf(2)
	for size := 1; size < len(small); size++ {
		page, err := newMetadataDecoder(Options{}).List(t.Context(), &body{Reader: &pieces{small, size}})
		if err != nil {
			t.Fatalf("pieces of %d bytes: %v", size, err)
		}
		checkMetadata(t, page, 2, true)
	}
}

// bookmarkOf is the object of a bookmark.
func bookmarkOf(version string, isEnd bool) *metadata {
	m := &metadata{TypeMeta: metadataKind, ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}}
	if isEnd {
		m.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	return m
}

// framesOf is the body of a streaming list and watch in protobuf.
func framesOf(n int) (text string, want []Event) {
	var frames strings.Builder
	add := func(kind watch.EventType, i int) {
		frames.WriteString(frameOfMetadata(kind, newMetadata(i)))
		want = append(want, Event{Type: kind, Item: Item{Object: newMetadata(i)}, ResourceVersion: fmt.Sprint(1000 + i)})
	}
	for i := range n {
		add(watch.Added, i)
	}
	for _, isEnd := range []bool{true, false} {
		frames.WriteString(frameOfMetadata(watch.Bookmark, bookmarkOf("7000", isEnd)))
		want = append(want, Event{Type: watch.Bookmark, ResourceVersion: "7000", InitialEventsEnd: isEnd})
	}
	for i := range n {
		add(watch.Modified, i)
		add(watch.Deleted, i)
	}
	return frames.String(), want
}

func checkEvents(t *testing.T, got, want []Event) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d events, want %d", len(got), len(want))
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("event %d is\n%+v\nwant\n%+v", i, got[i], want[i])
		}
	}
}

func TestProtobufWatchReadsEventsInOrderHoweverTheyArrive(t *testing.T) {
	text, want := framesOf(200)
	for name, body := range arrivals(text) {
		got, err := readAll(t, newMetadataDecoder(Options{}).Watch(t.Context(), body))
		if err != io.EOF || !body.closed.Load() {
			t.Fatalf("%s: %v", name, err)
		}
		checkEvents(t, got, want)
	}
	text, want = framesOf(1)
	for size := 1; size < len(text); size++ {
		got, err := readAll(t, newMetadataDecoder(Options{}).Watch(t.Context(), &body{Reader: &pieces{text, size}}))
		if err != io.EOF {
			t.Fatalf("pieces of %d bytes: %v", size, err)
		}
		checkEvents(t, got, want)
	}
}

func TestProtobufWatchDeliversALoneEventAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reading, writing := io.Pipe()
		s := newMetadataDecoder(Options{}).Watch(t.Context(), reading)
		defer s.Stop()
		for i := range 3 {
			go func() { _, _ = io.WriteString(writing, frameOfMetadata(watch.Added, newMetadata(i))) }()
			if got, err := s.Next(t.Context(), nil); err != nil || len(got) != 1 || got[0].Object.GetName() != newMetadata(i).Name {
				t.Fatalf("%v, %v", got, err)
			}
		}
	})
}

// TestProtobufThatIsCutOffSaysSo cuts a list and a watch at each byte.
func TestProtobufThatIsCutOffSaysSo(t *testing.T) {
	list := protobuf.Magic + field(1, field(1, listKind.APIVersion)+field(2, listKind.Kind)) + field(2, listMessage(2))
	boundaries := map[int]bool{len(protobuf.Magic): true, len(list) - len(field(2, listMessage(2))): true} // of the envelope, which has no length
	for n := range len(list) {
		page, err := newMetadataDecoder(Options{SkipUndecodable: true}).List(t.Context(), bodyOf(list[:n]))
		if isSyntax := errors.As(err, new(*SyntaxError)); isSyntax != boundaries[n] || !isSyntax && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("a list cut after %d bytes: %+v, %v", n, page, err)
		}
	}
	frame := frameOfMetadata(watch.Added, newMetadata(1))
	for n := range len(frame) {
		want := io.ErrUnexpectedEOF
		if n == 0 {
			want = io.EOF
		}
		got, err := readAll(t, newMetadataDecoder(Options{SkipUndecodable: true}).Watch(t.Context(), bodyOf(frame+frame[:n])))
		if len(got) != 1 || !errors.Is(err, want) {
			t.Fatalf("a frame cut after %d bytes: %v after %d events", n, err, len(got))
		}
		// A frame that is whole, with an event that is cut.
		if n >= 4 {
			short := string(binary.BigEndian.AppendUint32(nil, uint32(n-4))) + frame[4:n]
			if got, err = readAll(t, newMetadataDecoder(Options{}).Watch(t.Context(), bodyOf(short))); len(got) > 0 || !IsDecodeError(err) {
				t.Fatalf("an event cut after %d bytes: %v, %v", n-4, got, err)
			}
		}
	}
}

func TestObjectsInProtobufComeFromTheCache(t *testing.T) {
	type state struct{ namespace, name, version string }
	held := map[state]Item{}
	decoder := NewDecoder(reflect.TypeFor[*metadata](), Options{}, func(namespace, name, version []byte, hash uint64) (Object, bool) {
		i, ok := held[state{string(namespace), string(name), string(version)}]
		return i.Object, ok && i.ContentHash == hash
	})
	page, err := decoder.List(t.Context(), bodyOf(listInProtobuf(100)))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range page.Items {
		if i.Held || i.ContentHash == 0 {
			t.Fatalf("%+v", i)
		}
	}
	for _, i := range page.Items {
		held[state{i.Object.GetNamespace(), i.Object.GetName(), i.Object.GetResourceVersion()}] = i
	}
	text, _ := framesOf(100)
	events, err := readAll(t, decoder.Watch(t.Context(), bodyOf(text)))
	if err != io.EOF {
		t.Fatal(err)
	}
	for i, e := range events {
		if e.Type == watch.Bookmark {
			continue
		}
		known := held[state{e.Object.GetNamespace(), e.Object.GetName(), e.Object.GetResourceVersion()}]
		if e.ContentHash != known.ContentHash || e.Held != (e.Type == watch.Added) || e.Held != (e.Object == known.Object) {
			t.Fatalf("event %d is %+v, the cache has %+v", i, e, known)
		}
	}
	other := newMetadata(3) // at the same version
	other.Labels["more"] = "labels"
	list := metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "78"}, Items: []metadata{*newMetadata(2), *other}}
	if page, err = decoder.List(t.Context(), bodyOf(inEnvelope(listKind, messageOf(&list)))); err != nil || !page.Items[0].Held || page.Items[1].Held || page.Items[1].Object.GetLabels()["more"] == "" {
		t.Errorf("a relist: %+v, %v", page, err)
	}
	for i := range list.Items {
		list.Items[i].TypeMeta = metav1.TypeMeta{}
	}
	list.TypeMeta = listKind
	again, err := decoder.List(t.Context(), bodyOf(textOf(t, &list)))
	if err != nil || again.Items[0].Held || !reflect.DeepEqual(objectsOf(again), objectsOf(page)) {
		t.Errorf("the same relist in JSON: %+v, %v", again, err)
	}
}

func TestStatusInProtobuf(t *testing.T) {
	status := &metav1.Status{Status: "Failure", Message: "too old resource version", Reason: metav1.StatusReasonExpired, Code: 410}
	statusKind := metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	expired := inEnvelope(statusKind, messageOf(status))
	for name, body := range arrivals(expired) {
		if _, err := newMetadataDecoder(Options{Kind: schema.GroupKind{Kind: "Pod"}}).List(t.Context(), body); !apierrors.IsResourceExpired(err) || err.Error() != status.Message {
			t.Errorf("list, %s: %v", name, err)
		}
	}
	_, err := newMetadataDecoder(Options{}).List(t.Context(), bodyOf(inEnvelope(statusKind, "")))
	if err == nil || !strings.Contains(err.Error(), "a Status without a message") {
		t.Errorf("an empty Status: %v", err)
	}
	added := frameOfMetadata(watch.Added, newMetadata(1))
	for _, before := range []int{0, 1, 200} {
		got, err := readAll(t, newMetadataDecoder(Options{}).Watch(t.Context(), bodyOf(strings.Repeat(added, before)+frameOf(watch.Error, expired)+added)))
		if len(got) != before || !apierrors.IsResourceExpired(err) {
			t.Errorf("%d events, then %v", len(got), err)
		}
	}
	for what, object := range map[string]string{
		"another kind": inEnvelope(metadataKind, messageOf(newMetadata(1))), "nothing": inEnvelope(metav1.TypeMeta{}, ""), "a broken one": inEnvelope(statusKind, "\x01"),
	} {
		if _, err := readAll(t, newMetadataDecoder(Options{}).Watch(t.Context(), bodyOf(frameOf(watch.Error, object)))); !errors.As(err, new(*SyntaxError)) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestProtobufListInOddForms takes what generated code takes.
func TestProtobufListInOddForms(t *testing.T) {
	message := listMessage(3)
	kind := field(2, listKind.Kind)
	unknown := "\x28\x05" + "\x31" + strings.Repeat("\x07", 8) + field(9, "more") + "\x3D\x01\x02\x03\x04"
	for what, text := range map[string]string{
		"no kind":         protobuf.Magic + field(2, message),
		"kind twice":      protobuf.Magic + field(1, field(1, listKind.APIVersion)) + field(1, kind) + field(2, message),
		"kind at the end": protobuf.Magic + field(2, message) + field(1, field(1, listKind.APIVersion)+kind),
		"unknown fields":  protobuf.Magic + unknown + field(2, unknown+message+unknown) + unknown,
		"content type":    protobuf.Magic + field(2, message) + field(4, runtime.ContentTypeProtobuf) + field(3, ""),
		"metadata split":  protobuf.Magic + field(2, strings.Replace(message, field(1, field(1, "")+field(2, "77")+field(3, "more")), field(1, field(2, "77")), 1)+field(1, field(3, "more"))),
		"long length":     protobuf.Magic + "\x92\x80\x80\x00" + varintOf(uint64(len(message)))[:1] + varintOf(uint64(len(message)))[1:] + message,
	} {
		for arrival, body := range arrivals(text) {
			page, err := newMetadataDecoder(Options{Kind: schema.GroupKind{Group: "meta.k8s.io", Kind: "PartialObjectMetadata"}}).List(t.Context(), body)
			if err != nil {
				t.Errorf("%s, %s: %v", what, arrival, err)
				continue
			}
			checkMetadata(t, page, 3, strings.HasPrefix(what, "kind twice"))
		}
	}
}

func TestProtobufOfAnotherKindIsRefused(t *testing.T) {
	options := Options{SkipUndecodable: true, Kind: schema.GroupKind{Group: "apps", Kind: "Deployment"}}
	if _, err := newMetadataDecoder(options).List(t.Context(), bodyOf(inEnvelope(metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, listMessage(2)))); !errors.As(err, new(*KindError)) {
		t.Error(err)
	}
	// Its items never end.
	endless := io.MultiReader(strings.NewReader(protobuf.Magic+field(1, field(2, "PodList")+field(1, "v1"))+"\x12"+varintOf(math.MaxInt32)), &repeating{text: []byte(field(2, messageOf(newMetadata(1))))})
	if _, err := newMetadataDecoder(options).List(t.Context(), &body{Reader: endless}); !errors.As(err, new(*KindError)) {
		t.Error(err)
	}
	object, other := newMetadata(1), newMetadata(2)
	object.Kind, object.APIVersion = "Deployment", "apps/v1"
	other.Kind, other.APIVersion = "Pod", "v1"
	text := frameOfMetadata(watch.Added, object) + frameOfMetadata(watch.Bookmark, bookmarkOf("8", false)) + frameOfMetadata(watch.Added, other)
	got, err := readAll(t, newMetadataDecoder(options).Watch(t.Context(), bodyOf(text)))
	if len(got) != 2 || got[0].Object.GetObjectKind().GroupVersionKind().String() != "apps/v1, Kind=Deployment" || !errors.As(err, new(*KindError)) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestAnswersInJSONAreTakenToo: JSON is behind protobuf in the Accept header.
func TestAnswersInJSONAreTakenToo(t *testing.T) {
	decoder := newMetadataDecoder(Options{})
	if accept := decoder.Accept(true); !strings.HasPrefix(accept, "application/vnd.kubernetes.protobuf;") || !strings.Contains(accept, ",application/json;") {
		t.Errorf("Accept is %q", accept)
	}
	page, err := decoder.List(t.Context(), bodyOf(listOf(t, 3)))
	if err != nil || len(page.Items) != 3 || page.Items[2].Object.GetName() != "widget-2" {
		t.Errorf("%+v, %v", page, err)
	}
	events, err := readAll(t, decoder.Watch(t.Context(), bodyOf(eventOf("ADDED", textOf(t, newWidget(1)))+"\n")))
	if err != io.EOF || len(events) != 1 || events[0].Object.GetName() != "widget-1" {
		t.Errorf("%+v, %v", events, err)
	}
	// Each watch of a Decoder may have another encoding.
	text, want := framesOf(3)
	if events, err = readAll(t, decoder.Watch(t.Context(), bodyOf(text))); err != io.EOF {
		t.Error(err)
	}
	checkEvents(t, events, want)
}

// TestUndecodableProtobufIsSkipped breaks one item and one event.
func TestUndecodableProtobufIsSkipped(t *testing.T) {
	bad := newMetadata(7)
	broken := field(1, messageOf(&bad.ObjectMeta)+"\x08\x01") // an integer as name
	list := field(1, field(2, "77")) + field(2, messageOf(newMetadata(1))) + field(2, broken) + field(2, messageOf(newMetadata(2)))
	text := frameOfMetadata(watch.Added, newMetadata(1)) + frameOf(watch.Modified, inEnvelope(metadataKind, broken)) + frameOfMetadata(watch.Deleted, newMetadata(2))
	check := func(err error) {
		t.Helper()
		var got *DecodeError
		if !errors.As(err, &got) || got.Name != "widget-7" || got.Namespace != "team-7" || got.UID != "uid-7" || got.ResourceVersion != "1007" || got.Path != "/metadata/name" {
			t.Errorf("%#v", err)
		}
	}
	for _, skip := range []bool{false, true} {
		decoder := newMetadataDecoder(Options{SkipUndecodable: skip})
		page, err := decoder.List(t.Context(), bodyOf(inEnvelope(listKind, list)))
		events, end := readAll(t, decoder.Watch(t.Context(), bodyOf(text)))
		if !skip {
			check(err)
			check(end)
			continue
		}
		if err != nil || len(page.Items) != 3 || end != io.EOF || len(events) != 3 || events[1].Type != watch.Modified || events[1].ResourceVersion != "1007" {
			t.Fatalf("%v, %d items, %v, %d events", err, len(page.Items), end, len(events))
		}
		check(page.Items[1].Err)
		check(events[1].Err)
	}
}

// TestMetadataIsLeftOutOfProtobuf compares what Options leave out with taking it out.
func TestMetadataIsLeftOutOfProtobuf(t *testing.T) {
	decoder := newMetadataDecoder(Options{WithoutFields: []string{"metadata.managedFields", "metadata.annotations[note]"}})
	for name, raw := range map[string]string{
		"by the plan":   messageOf(newMetadata(1)),
		"by the method": messageOf(newMetadata(1)) + field(1, ""), // metadata twice, which is merged
	} {
		got, err := decoder.Decode([]byte(inEnvelope(metadataKind, raw)))
		want := newMetadata(1)
		want.ManagedFields = nil
		delete(want.Annotations, "note")
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if !strings.Contains(decoder.Accept(false), ";drop=metadata.managedFields,") {
		t.Errorf("Accept is %q", decoder.Accept(false))
	}
}

// TestDecodedProtobufSharesNothingWithItsText overwrites the text.
func TestDecodedProtobufSharesNothingWithItsText(t *testing.T) {
	m := newMetadata(1)
	m.UID = types.UID(strings.Repeat("u", 1000))
	text := []byte(inEnvelope(metadataKind, messageOf(m)))
	got, err := newMetadataDecoder(Options{}).Decode(text)
	copy(text, bytes.Repeat([]byte("x"), len(text)))
	if err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%+v, %v", got, err)
	}
}
