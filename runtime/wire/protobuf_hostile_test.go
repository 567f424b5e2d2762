package wire

import (
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
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/protobuf"
)

// varintOf returns an integer, for lengths that are wrong.
func varintOf(v uint64) string { return string(binary.AppendUvarint(nil, v)) }

func TestProtobufListThatIsNoListSaysSo(t *testing.T) {
	item := messageOf(&metadata{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	meta := field(1, field(2, "77"))
	unknown := func(u runtime.Unknown) string { return protobuf.Magic + messageOf(&u) }
	raw := []byte(meta + field(2, item))
	texts := map[string]string{
		"wrong magic":            "k8s\x01" + listInProtobuf(1)[4:],
		"text":                   "kubernetes is down",
		"nothing after magic":    protobuf.Magic,
		"no list":                unknown(runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: "XList"}}),
		"content type":           unknown(runtime.Unknown{Raw: raw, ContentType: "application/json"}),
		"encoding":               unknown(runtime.Unknown{Raw: raw, ContentEncoding: "gzip"}),
		"two lists":              protobuf.Magic + field(2, string(raw)) + field(2, string(raw)),
		"no version":             protobuf.Magic + field(2, field(2, item)),
		"trailing byte":          listInProtobuf(1) + "\x00",
		"trailing text":          listInProtobuf(1) + "\n",
		"another list after it":  listInProtobuf(1) + listInProtobuf(1),
		"number 0":               protobuf.Magic + field(0, "x") + field(2, string(raw)),
		"number 0 in the list":   protobuf.Magic + field(2, meta+field(0, "x")),
		"integer as kind":        protobuf.Magic + "\x08\x01" + field(2, string(raw)),
		"integer as item":        protobuf.Magic + field(2, meta+"\x10\x01"),
		"integer as list":        protobuf.Magic + "\x10\x01",
		"group":                  protobuf.Magic + field(2, meta+"\x1B\x1C"),
		"type 7":                 protobuf.Magic + field(2, meta+"\x1F"),
		"number above 32 bits":   protobuf.Magic + field(2, meta+varintOf((1<<32+2)<<3|2)+varintOf(uint64(len(item)))+item),
		"broken metadata":        protobuf.Magic + field(2, field(1, "\x10\x01")),
		"field out of the list":  protobuf.Magic + "\x12\x04" + meta,
		"fixed out of the list":  protobuf.Magic + "\x12\x03\x19\x01\x01" + strings.Repeat("\x00", 20),
		"integer of eleven byte": protobuf.Magic + strings.Repeat("\x80", 11),
		"broken kind":            protobuf.Magic + field(1, "\x12\x05a"),
	}
	for _, size := range []uint64{1 << 31, 1<<32 + 5, math.MaxInt64, 1 << 63, math.MaxUint64} {
		texts[fmt.Sprintf("item of %d bytes", size)] = protobuf.Magic + field(2, meta+"\x12"+varintOf(size)+item)
		texts[fmt.Sprintf("metadata of %d bytes", size)] = protobuf.Magic + field(2, "\x0A"+varintOf(size)+meta)
		texts[fmt.Sprintf("unknown field of %d bytes", size)] = protobuf.Magic + field(2, meta+"\x7A"+varintOf(size)+item)
	}
	for _, size := range []uint64{1 << 63, math.MaxUint64, math.MaxUint64 - 20} {
		texts[fmt.Sprintf("list of %d bytes", size)] = protobuf.Magic + "\x12" + varintOf(size) + string(raw)
		texts[fmt.Sprintf("kind of %d bytes", size)] = protobuf.Magic + "\x0A" + varintOf(size) + string(raw)
		texts[fmt.Sprintf("unknown field of %d bytes after the list", size)] = protobuf.Magic + field(2, string(raw)) + "\x7A" + varintOf(size)
	}
	for what, text := range texts {
		for arrival, body := range arrivals(text) {
			for _, hide := range []bool{false, true} {
				page, err := newMetadataDecoder(Options{SkipUndecodable: true, WithoutObjectTextInErrors: hide}).List(t.Context(), body)
				body.Reader = strings.NewReader(text)
				if !errors.As(err, new(*SyntaxError)) && !(what == "trailing text" && errors.Is(err, io.ErrUnexpectedEOF)) {
					t.Errorf("%s, %s: %+v, %v", what, arrival, page, err)
				} else if len(err.Error()) > 400 || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s, %s: %v", what, arrival, err)
				}
			}
		}
	}
	for what, text := range map[string]string{ // of a size that fits into an int
		"list": protobuf.Magic + "\x12" + varintOf(math.MaxInt32-1000) + string(raw), "item": protobuf.Magic + "\x12" + varintOf(math.MaxInt32-1000) + meta + "\x12" + varintOf(math.MaxInt32-2000) + item,
	} {
		if _, err := newMetadataDecoder(Options{}).List(t.Context(), bodyOf(text)); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s of 2 GB: %v", what, err)
		}
	}
}

func TestWatchesThatAreNoFramesSaySo(t *testing.T) {
	object := inEnvelope(metadataKind, messageOf(newMetadata(1)))
	good := frameOf(watch.Added, object)
	frame := func(event string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(len(event)))) + event
	}
	isSyntax := func(err error) bool { return errors.As(err, new(*SyntaxError)) }
	for what, test := range map[string]struct {
		text string
		is   func(error) bool
	}{
		"an empty frame":    {"\x00\x00\x00\x00", isSyntax},
		"no object":         {frame(field(1, "ADDED")), isSyntax},
		"no type":           {frame(field(2, field(1, object))), isSyntax},
		"unknown type":      {frameOf("PATCHED", object), isSyntax},
		"no magic":          {frameOf(watch.Added, object[1:]), isSyntax},
		"JSON in a frame":   {frameOf(watch.Added, `{"metadata":{"name":"a"}}`), isSyntax},
		"content type":      {frameOf(watch.Added, protobuf.Magic+messageOf(&runtime.Unknown{ContentType: "application/cbor"})), isSyntax},
		"encoding":          {frameOf(watch.Added, protobuf.Magic+messageOf(&runtime.Unknown{ContentEncoding: "gzip"})), isSyntax},
		"broken envelope":   {frameOf(watch.Added, protobuf.Magic+"\x12\x7F"), isSyntax},
		"broken bookmark":   {frameOf(watch.Bookmark, inEnvelope(metadataKind, "\x08")), isSyntax},
		"integer as object": {frame("\x10\x01"), isSyntax},
		"length overflows":  {frame("\x12" + varintOf(math.MaxUint64)), isSyntax},
		"number 0":          {frame(field(0, "")), isSyntax},
		"a frame of 4 GB":   {"\xFF\xFF\xFF\xFFxx", func(err error) bool { return isSyntax(err) || errors.Is(err, io.ErrUnexpectedEOF) }},
		"no name":           {frameOf(watch.Added, inEnvelope(metadataKind, messageOf(&metadata{}))), func(err error) bool { return errors.Is(err, errNoName) }},
		"broken object":     {frameOf(watch.Added, inEnvelope(metadataKind, "\x08")), func(err error) bool { return errors.As(err, new(*DecodeError)) }},
	} {
		for _, before := range []int{1, 200} {
			got, err := readAll(t, newMetadataDecoder(Options{SkipUndecodable: true}).Watch(t.Context(), bodyOf(strings.Repeat(good, before)+test.text+good)))
			if len(got) != before || !test.is(err) || len(err.Error()) > 400 {
				t.Errorf("%s after %d events: %v after %d", what, before, err, len(got))
			}
		}
	}
	for _, text := range []string{object, listInProtobuf(1)} {
		_, err := readAll(t, newMetadataDecoder(Options{}).Watch(t.Context(), bodyOf(text)))
		if want := "the answer to a watch is one object in protobuf"; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestTypesWithoutProtobufSaySo: a server may answer in protobuf unasked.
func TestTypesWithoutProtobufSaySo(t *testing.T) {
	decoder := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil)
	const want = "the answer is protobuf, not JSON, and the Go type of the objects has no protobuf"
	check := func(what string, err error) {
		t.Helper()
		if !errors.As(err, new(*SyntaxError)) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", what, err, want)
		}
	}
	for name, body := range arrivals(listInProtobuf(1)) {
		_, err := decoder.List(t.Context(), body)
		check("list, "+name, err)
	}
	_, err := readAll(t, decoder.Watch(t.Context(), bodyOf(frameOfMetadata(watch.Added, newMetadata(1)))))
	check("watch", err)
	_, err = decoder.Decode([]byte(inEnvelope(metadataKind, messageOf(newMetadata(1)))))
	check("object", err)
	if _, err := decoder.List(t.Context(), bodyOf("kubernetes is down")); err == nil || strings.Contains(err.Error(), "protobuf") {
		t.Errorf("a text that begins like it: %v", err)
	}
	if accept := decoder.Accept(false); accept != "application/json" {
		t.Errorf("Accept is %q", accept)
	}
}
