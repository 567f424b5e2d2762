package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/protobuf"
)

// largeMetadataOf is an object of at least size bytes, named like that of largeMetadata.
func largeMetadataOf(size int) *metadata {
	return &metadata{TypeMeta: metadataKind, ObjectMeta: metav1.ObjectMeta{
		Name: "large", Namespace: "a", UID: "u", ResourceVersion: "7",
		Annotations: map[string]string{"text": strings.Repeat("\x0a\x05larg", size/6)},
	}}
}

func TestLargeObjectsInProtobufAreSkipped(t *testing.T) {
	before, after := messageOf(newMetadata(1)), messageOf(newMetadata(2))
	for _, limit := range []int{1000, 10_000} {
		for _, size := range []int{limit, 3 * limit, blockSize + limit, blockSize + 12*limit} {
			options := Options{SkipUndecodable: true, MaxObjectBytes: limit}
			large := largeMetadataOf(size)
			list := inEnvelope(listKind, field(1, field(2, "9"))+field(2, before)+field(2, messageOf(large))+field(2, messageOf(large))+field(2, after)+field(2, messageOf(large)))
			for arrival, body := range arrivals(list) {
				what := fmt.Sprintf("list, limit %d, size %d, %s", limit, size, arrival)
				page, err := newMetadataDecoder(options).List(t.Context(), body)
				if err != nil || len(objectsOf(page)) != 2 || len(undecodableOf(page)) != 3 || objectsOf(page)[1].GetName() != "widget-2" || page.ResourceVersion != "9" {
					t.Errorf("%s: %v, %+v", what, err, page)
					continue
				}
				checkLarge(t, what, undecodableOf(page)[2])
			}
			kinds := []watch.EventType{watch.Added, watch.Modified, watch.Deleted, watch.Modified, watch.Added}
			var frames strings.Builder
			for i, kind := range kinds {
				m := large
				if i == 0 || i == 3 {
					m = newMetadata(i)
				}
				frames.WriteString(frameOfMetadata(kind, m))
			}
			for arrival, body := range arrivals(frames.String()) {
				what := fmt.Sprintf("watch, limit %d, size %d, %s", limit, size, arrival)
				got, err := readAll(t, newMetadataDecoder(options).Watch(t.Context(), body))
				if err != io.EOF || len(got) != len(kinds) {
					t.Errorf("%s: %v after %d events", what, err, len(got))
					continue
				}
				for i, want := range kinds {
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
			for _, err := range []error{
				func() error {
					_, err := newMetadataDecoder(Options{MaxObjectBytes: limit}).List(t.Context(), bodyOf(list))
					return err
				}(),
				func() error {
					_, err := readAll(t, newMetadataDecoder(Options{MaxObjectBytes: limit}).Watch(t.Context(), bodyOf(frames.String())))
					return err
				}(),
			} {
				var got *TooLargeError
				if !errors.As(err, &got) || got.Limit != limit || got.Name != "large" || got.Namespace != "a" {
					t.Errorf("limit %d, size %d: %v", limit, size, err)
				}
			}
		}
	}
}

// TestLargeObjectsInProtobufThatCannotBeSkipped is about objects that cannot be told, and other
// parts of a body.
func TestLargeObjectsInProtobufThatCannotBeSkipped(t *testing.T) {
	const limit = 2000
	options := Options{SkipUndecodable: true, MaxObjectBytes: limit, Kind: schema.GroupKind{Group: "meta.k8s.io", Kind: "PartialObjectMetadata"}}
	large := strings.Repeat("x", 80_000)
	isLarge := func(err error) bool { return errors.As(err, new(*TooLargeError)) }
	for what, object := range map[string]string{
		"name after the limit":      field(1, field(12, large)+field(1, "large")),
		"namespace after the limit": field(1, field(1, "large")+field(5, "u")+field(6, "7")+field(12, large)+field(3, "a")),
		"name across the limit":     field(1, field(3, "a")+field(5, "u")+field(6, "7")+field(1, large)),
		"no name":                   field(1, field(3, "a")) + field(9, large),
		"no metadata":               field(9, large),
		"metadata after the limit":  field(9, large) + messageOf(newMetadata(1)),
		"text":                      large,
	} {
		if _, err := newMetadataDecoder(options).List(t.Context(), bodyOf(inEnvelope(listKind, field(1, field(2, "1"))+field(2, object)))); !isLarge(err) {
			t.Errorf("%s, list: %v", what, err)
		}
		if _, err := readAll(t, newMetadataDecoder(options).Watch(t.Context(), bodyOf(frameOf(watch.Added, inEnvelope(metadataKind, object))))); !isLarge(err) {
			t.Errorf("%s, watch: %v", what, err)
		}
	}
	object := inEnvelope(metadataKind, messageOf(largeMetadataOf(80_000)))
	for what, text := range map[string]string{
		"bookmark": frameOf(watch.Bookmark, object), "error": frameOf(watch.Error, object), "no magic": frameOf(watch.Added, "x"+object[1:]),
		"a type across the limit": frameOf(watch.EventType(large), object),
	} {
		if _, err := readAll(t, newMetadataDecoder(options).Watch(t.Context(), bodyOf(text))); !isLarge(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	other := frameOf(watch.Added, inEnvelope(metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}, messageOf(largeMetadataOf(80_000))))
	if _, err := readAll(t, newMetadataDecoder(options).Watch(t.Context(), bodyOf(other))); !errors.As(err, new(*KindError)) {
		t.Errorf("another kind: %v", err)
	}
	for what, text := range map[string]string{
		"metadata": inEnvelope(listKind, field(1, field(2, large))), "kind": inEnvelope(metav1.TypeMeta{Kind: large}, ""),
		"Status": inEnvelope(metav1.TypeMeta{Kind: "Status"}, field(3, large)),
	} {
		if _, err := newMetadataDecoder(options).List(t.Context(), bodyOf(text)); !isLarge(err) {
			t.Errorf("%s of a list: %v", what, err)
		}
	}
	// An unknown field is not held, so it has no limit.
	if page, err := newMetadataDecoder(options).List(t.Context(), bodyOf(protobuf.Magic+field(9, large)+field(2, field(7, large)+field(1, field(2, "1"))))); err != nil || page.ResourceVersion != "1" {
		t.Errorf("unknown fields: %+v, %v", page, err)
	}
	// Secrets are not shown.
	_, err := newMetadataDecoder(Options{MaxObjectBytes: limit, WithoutObjectTextInErrors: true}).List(t.Context(), bodyOf(inEnvelope(listKind, field(2, field(9, large)))))
	if !isLarge(err) || strings.Contains(err.Error(), "xx") {
		t.Errorf("hidden: %v", err)
	}
}

// TestRestOfALargeObjectInProtobufIsNotHeld reads an object of 32 MB, and one that claims to
// have 2 GB.
func TestRestOfALargeObjectInProtobufIsNotHeld(t *testing.T) {
	const limit, size = 100_000, 32 << 20
	head := func(number uint64, length int) string {
		return string(binary.AppendUvarint(binary.AppendUvarint(nil, number<<3|2), uint64(length)))
	}
	wrap := func(begin string, length int, number uint64) (string, int) {
		h := head(number, length)
		return h + begin, length + len(h)
	}
	names := field(1, "large") + field(3, "a") + field(5, "u") + field(6, "7")
	for _, watches := range []bool{false, true} {
		for _, claimed := range []int{size, math.MaxInt32 - 1000} {
			begin, length := wrap("", claimed, 2) // the value of an annotation
			begin, length = wrap(begin, length, 12)
			begin, length = wrap(names+begin, length+len(names), 1)
			if watches {
				begin, length = wrap(begin, length, 2) // Raw
				begin, length = wrap(protobuf.Magic+begin, length+len(protobuf.Magic), 1)
				begin, length = wrap(begin, length, 2)
				added := field(1, "ADDED")
				begin = string(binary.BigEndian.AppendUint32(nil, uint32(length+len(added)))) + added + begin
				begin = frameOfMetadata(watch.Bookmark, bookmarkOf("1", false)) + begin // no stream begins with 2 GB
			} else {
				begin, length = wrap(begin, length, 2) // an item
				meta := field(1, field(2, "1"))
				begin, _ = wrap(meta+begin, length+len(meta), 2)
				begin = protobuf.Magic + begin
			}
			text := &body{Reader: io.MultiReader(strings.NewReader(begin), io.LimitReader(&repeating{text: xs}, size))}
			decoder := newMetadataDecoder(Options{SkipUndecodable: true, MaxObjectBytes: limit})
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			var states []*DecodeError
			var err error
			if watches {
				var got []Event
				got, err = readAll(t, decoder.Watch(t.Context(), text))
				for _, e := range got {
					if e.Err != nil {
						states = append(states, e.Err)
					}
				}
				if err == io.EOF {
					err = nil
				}
			} else {
				var page Page
				page, err = decoder.List(t.Context(), text)
				states = undecodableOf(page)
			}
			goruntime.ReadMemStats(&after)
			if claimed == size && (err != nil || len(states) != 1) || claimed > size && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("watch %v, %d bytes: %v, %v", watches, claimed, states, err)
			}
			for _, state := range states {
				checkLarge(t, fmt.Sprintf("watch %v", watches), state)
			}
			if made := after.TotalAlloc - before.TotalAlloc; made > 20*limit {
				t.Errorf("watch %v: %d bytes were allocated", watches, made)
			}
		}
	}
}

// TestIdleWatchesOfProtobufHoldLittle is TestIdleWatchesHoldLittle after one event.
func TestIdleWatchesOfProtobufHoldLittle(t *testing.T) {
	const streams, limit = 500, 5 << 10
	frame := frameOfMetadata(watch.Modified, newMetadata(1))
	makeGoroutines(2 * streams)
	for range 10 { // what a process makes once, for all watches
		readAll(t, newMetadataDecoder(Options{}).Watch(t.Context(), bodyOf(frame)))
	}
	synctest.Test(t, func(t *testing.T) {
		decoder := newMetadataDecoder(Options{})
		readers, writers, open := make([]*io.PipeReader, streams), make([]*io.PipeWriter, streams), make([]*Stream, streams)
		for i := range streams {
			readers[i], writers[i] = io.Pipe()
		}
		heap, _ := inUse()
		for i := range streams {
			open[i] = decoder.Watch(t.Context(), readers[i])
			go func() { _, _ = io.WriteString(writers[i], frame) }()
			if _, err := open[i].Next(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		heapNow, _ := inUse()
		if each := (heapNow - heap) / streams; each > limit {
			t.Errorf("an idle watch holds %d bytes, want at most %d", each, limit)
		}
		for _, s := range open {
			s.Stop()
		}
	})
}
