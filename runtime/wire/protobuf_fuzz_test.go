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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/framer"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/protobuf"
)

const fuzzedLimit = 1 << 12

// errOdd is the error of the model for bodies that generated code takes, but no server sends.
// A Decoder may refuse them.
var errOdd = errors.New("odd")

// plainFields returns the contents of the fields with a length, by their numbers. It reports
// false for groups, numbers that generated code cuts, and fields up to last of another type.
func plainFields(b []byte, last uint64) (contents map[uint64][][]byte, order []uint64, ok bool) {
	contents = map[uint64][][]byte{}
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 || tag > math.MaxUint32 || tag&7 != 2 && tag>>3 <= last {
			return nil, nil, false
		}
		b = b[n:]
		size := uint64(0)
		switch tag & 7 {
		case 0:
			_, n = binary.Uvarint(b)
			if n <= 0 {
				return nil, nil, false
			}
			size = uint64(n)
		case 1:
			size = 8
		case 2:
			if size, n = binary.Uvarint(b); n <= 0 {
				return nil, nil, false
			}
			b = b[n:]
		case 5:
			size = 4
		default:
			return nil, nil, false
		}
		if size > uint64(len(b)) {
			return nil, nil, false
		}
		if tag&7 == 2 {
			contents[tag>>3] = append(contents[tag>>3], b[:size])
			order = append(order, tag>>3)
		}
		b = b[size:]
	}
	return contents, order, true
}

// modelEnvelope is what apimachinery's serializer makes of an envelope.
func modelEnvelope(b []byte) (u runtime.Unknown, contents map[uint64][][]byte, err error) {
	rest, ok := bytes.CutPrefix(b, []byte(protobuf.Magic))
	if !ok {
		return u, nil, errors.New("no magic")
	}
	if err := u.Unmarshal(rest); err != nil {
		return u, nil, err
	}
	contents, order, ok := plainFields(rest, 4)
	if !ok {
		return u, nil, errOdd
	}
	for _, encoding := range contents[3] {
		if len(encoding) > 0 {
			return u, nil, errOdd
		}
	}
	for _, content := range contents[4] {
		if len(content) > 0 && string(content) != runtime.ContentTypeProtobuf {
			return u, nil, errOdd
		}
	}
	for i, number := range order {
		if number == 1 {
			// A kind after the object, or a broken one that a later one hides.
			if i > 0 {
				return u, nil, errOdd
			}
			if _, _, ok := plainFields(contents[1][0], 2); !ok {
				return u, nil, errOdd
			}
		}
	}
	return u, contents, nil
}

// modelList decodes a list as a whole.
func modelList(text []byte) (list metav1.PartialObjectMetadataList, err error) {
	u, contents, err := modelEnvelope(text)
	if u.Kind == "Status" {
		return list, errors.New("a Status")
	}
	if wrong := list.Unmarshal(u.Raw); wrong != nil {
		return list, wrong
	}
	list.TypeMeta = metav1.TypeMeta{Kind: u.Kind, APIVersion: u.APIVersion}
	if err != nil {
		return list, err
	}
	parts, _, ok := plainFields(u.Raw, 2)
	if !ok || len(contents[2]) != 1 || list.ResourceVersion == "" {
		return list, errOdd
	}
	for _, all := range [][][]byte{contents[1], contents[3], contents[4], parts[1], parts[2]} {
		for _, part := range all {
			if len(part) > fuzzedLimit {
				return list, errOdd
			}
		}
	}
	for i := range list.Items {
		if list.Items[i].Name == "" {
			return list, errOdd
		}
	}
	return list, nil
}

func FuzzProtobufList(f *testing.F) {
	f.Add(listInProtobuf(2), 7)
	f.Add(protobuf.Magic+field(2, listMessage(1)), 100)
	f.Add(protobuf.Magic+field(9, "x")+field(2, field(9, "x")+listMessage(1)+"\x29"+strings.Repeat("a", 8))+"\x30\x01", 1)
	f.Add(inEnvelope(metav1.TypeMeta{Kind: "Status"}, messageOf(&metav1.Status{Code: 410})), 3)
	f.Add(protobuf.Magic+field(2, listMessage(1))+field(4, runtime.ContentTypeProtobuf)+field(1, field(2, "Status")), 3)
	f.Add(protobuf.Magic+field(2, field(1, field(2, "1"))+field(1, field(3, "2"))+field(2, messageOf(largeMetadataOf(2*fuzzedLimit)))), 1000)
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = 1 + max(0, size)%5000
		page, err := newMetadataDecoder(Options{MaxObjectBytes: fuzzedLimit}).List(t.Context(), &body{Reader: &pieces{text, size}})
		want, wantErr := modelList([]byte(text))
		switch {
		case err != nil && wantErr == nil, err == nil && wantErr != nil && wantErr != errOdd:
			t.Fatalf("error %v, want %v", err, wantErr)
		case err != nil:
			if err.Error() == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q", err)
			}
			return
		}
		if page.ResourceVersion != want.ResourceVersion || page.Continue != want.Continue {
			t.Errorf("version %q and token %q, want %q and %q", page.ResourceVersion, page.Continue, want.ResourceVersion, want.Continue)
		}
		var all []metadata
		for _, obj := range objectsOf(page) {
			item := *obj.(*metadata)
			if of := item.TypeMeta; of != (metav1.TypeMeta{}) && (of.Kind+"List" != want.Kind || of.APIVersion != want.APIVersion) {
				t.Errorf("an item of a list of %v is %v", want.TypeMeta, of)
			}
			item.TypeMeta = metav1.TypeMeta{}
			all = append(all, item)
		}
		if !reflect.DeepEqual(all, want.Items) && len(all)+len(want.Items) > 0 {
			t.Errorf("items are\n%v\nwant\n%v", all, want.Items)
		}
	})
}

// modelEvents returns the events of a watch up to the first error.
func modelEvents(text string) (events []Event, err error) {
	frames := framer.NewLengthDelimitedFrameReader(io.NopCloser(strings.NewReader(text)))
	frame := make([]byte, len(text)+1)
	for left := len(text); ; {
		n, err := frames.Read(frame)
		left -= 4 + n
		switch {
		case err == io.EOF && left > -4: // after the length of a frame
			return events, io.ErrUnexpectedEOF
		case err != nil:
			return events, err
		case n > fuzzedLimit:
			return events, errors.New("too large")
		}
		event, err := modelEvent(frame[:n])
		if err != nil {
			return events, err
		}
		events = append(events, event)
	}
}

func modelEvent(frame []byte) (event Event, err error) {
	var w metav1.WatchEvent
	if err := w.Unmarshal(frame); err != nil {
		return event, err
	}
	u, _, err := modelEnvelope(w.Object.Raw)
	if err != nil && err != errOdd {
		return event, err
	}
	kind := watch.EventType(w.Type)
	if !isChange(kind) && kind != watch.Bookmark {
		return event, fmt.Errorf("type %q", kind)
	}
	obj := &metadata{}
	if wrong := obj.Unmarshal(u.Raw); wrong != nil {
		return event, wrong
	}
	contents, _, ok := plainFields(frame, 2)
	for _, object := range contents[2] {
		_, _, plain := plainFields(object, 1)
		ok = ok && plain
	}
	if !ok || err != nil {
		err = errOdd
	}
	event = Event{Type: kind, ResourceVersion: obj.ResourceVersion}
	if kind == watch.Bookmark {
		event.InitialEventsEnd = obj.Annotations[metav1.InitialEventsAnnotationKey] == "true"
		return event, err
	}
	if obj.Name == "" {
		return event, errors.New("no name")
	}
	obj.Kind, obj.APIVersion = u.Kind, u.APIVersion
	event.Object = obj
	return event, err
}

func FuzzProtobufWatch(f *testing.F) {
	text, _ := framesOf(2)
	f.Add(text, 7)
	f.Add(frameOfMetadata(watch.Added, newMetadata(1))+frameOf(watch.Error, inEnvelope(metav1.TypeMeta{Kind: "Status"}, messageOf(&metav1.Status{Code: 410}))), 1)
	f.Add(frameOfMetadata(watch.Added, newMetadata(1))+frameOfMetadata(watch.Added, largeMetadataOf(2*fuzzedLimit)), 1000)
	f.Add("\x00\x00\x00\x00"+text, 3)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if text == "" || text[0] >= '\t' {
			return // a watch in JSON
		}
		size = 1 + max(0, size)%5000
		got, err := readAll(t, newMetadataDecoder(Options{MaxObjectBytes: fuzzedLimit}).Watch(t.Context(), &body{Reader: &pieces{text, size}}))
		if err == nil || err.Error() == "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("the error is %q", err)
		}
		want, wantErr := modelEvents(text)
		if wantErr == errOdd && len(got) > len(want) {
			return // the model has ended
		}
		if len(got) != len(want) || (err == io.EOF) != (wantErr == io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && wantErr != io.ErrUnexpectedEOF && wantErr.Error() != "too large" {
			t.Fatalf("%d events, then %v; want %d, then %v", len(got), err, len(want), wantErr)
		}
		for i := range got {
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Errorf("event %d is\n%+v\nwant\n%+v", i, got[i], want[i])
			}
		}
	})
}
