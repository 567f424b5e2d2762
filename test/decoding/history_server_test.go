package decoding

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// messages is a server of objects that are messages of one kind. It sends the kind of an object in its envelope.
type messages struct {
	of  kind
	gvk schema.GroupVersionKind
	// decoded is what a message is to be read as.
	decoded func(raw []byte) (runtime.Object, error)
	// isOdd is set if some of the messages have a form that no server writes.
	isOdd bool

	mu      sync.Mutex
	objects map[string][]byte
	events  [][]byte // framed; the index of a version less firstMessage
	sent    [][]byte // all objects
	lost    int      // the number of events that are gone
	changed chan struct{}
	cut     chan struct{}
}

// firstMessage is the first version. All versions have as many digits, so that one can be replaced in a message.
const firstMessage = 300_000_001

// secretText is in all that no dictionary may have.
const secretText = "hidden-from-dictionaries"

func newMessages(of kind, decoded func(raw []byte) (runtime.Object, error)) *messages {
	gvk := schema.GroupVersionKind{Group: metav1.GroupName, Version: "v1", Kind: "PartialObjectMetadata"}
	if found, _, err := scheme.Scheme.ObjectKinds(of.new()); err == nil {
		gvk = found[0]
	}
	return &messages{of: of, gvk: gvk, decoded: decoded, objects: map[string][]byte{}, changed: make(chan struct{}), cut: make(chan struct{})}
}

// step makes a random change, or cuts the watches before some, after which the informers have to list again half of the times.
func (s *messages) step(t *testing.T, r *rand.Rand) (isCut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isCut = r.Intn(10) == 0; !isCut {
		s.write(t, r)
		return false
	}
	close(s.cut)
	s.cut = make(chan struct{})
	if r.Intn(2) == 0 {
		s.lost = len(s.events)
	}
	for range r.Intn(4) { // both informers read these after the cut, so they hear of the same states
		s.write(t, r)
	}
	return true
}

func (s *messages) write(t *testing.T, r *rand.Rand) {
	version := fmt.Sprint(firstMessage + len(s.events))
	name := fmt.Sprint("object-", r.Intn(8))
	old, exists := s.objects[name]
	if exists && r.Intn(4) == 0 {
		delete(s.objects, name)
		s.send("DELETED", bytes.Replace(old, []byte(metaOf(t, old).ResourceVersion), []byte(version), 1))
		return
	}
	meta := metav1.ObjectMeta{Namespace: "a", Name: name, ResourceVersion: version, UID: types.UID(fmt.Sprint("uid-", len(s.events)))}
	of := "ADDED"
	if exists {
		of, meta.UID = "MODIFIED", metaOf(t, old).UID
	}
	s.objects[name] = s.message(t, r, meta)
	s.send(of, s.objects[name])
}

// message returns a random object with the names, the UID and the version of given.
func (s *messages) message(t *testing.T, r *rand.Rand, given metav1.ObjectMeta) []byte {
	obj := s.of.filled(r).(metav1.Object)
	obj.SetNamespace(given.Namespace)
	obj.SetName(given.Name)
	obj.SetUID(given.UID)
	obj.SetResourceVersion(given.ResourceVersion)
	if r.Intn(2) == 0 {
		obj.SetLabels(map[string]string{"even": fmt.Sprint(r.Intn(2) == 0)})
	}
	switch r.Intn(4) {
	case 0:
		obj.SetAnnotations(nil)
	case 1:
		obj.SetAnnotations(map[string]string{droppedAnnotation: randomText(r)})
	case 2:
		obj.SetAnnotations(map[string]string{droppedAnnotation: "dropped", "kept": randomText(r), corev1.LastAppliedConfigAnnotation: secretText})
	}
	if r.Intn(3) == 0 {
		obj.SetManagedFields(nil)
	}
	fields := obj.GetManagedFields()
	for i := range fields {
		fields[i].FieldsType = "FieldsV1" // the only type
	}
	if secret, ok := obj.(*corev1.Secret); ok {
		secret.Data, secret.StringData = map[string][]byte{"key": []byte(secretText)}, map[string]string{"other": secretText}
	}
	raw := s.of.message(t, obj.(runtime.Object))
	if r.Intn(2) == 0 {
		raw = s.accepted(raw, newerMessage(r, raw, s.of.typ), given)
	}
	if s.isOdd && r.Intn(2) == 0 {
		raw = s.accepted(raw, mutatedMessage(r, raw), given)
	}
	return raw
}

// accepted returns changed if it can be read as an object with the names, the UID and the version of given, and raw otherwise.
func (s *messages) accepted(raw, changed []byte, given metav1.ObjectMeta) []byte {
	obj, err := s.decoded(changed)
	if err != nil {
		return raw
	}
	meta := obj.(metav1.Object)
	if meta.GetNamespace() != given.Namespace || meta.GetName() != given.Name || meta.GetUID() != given.UID || meta.GetResourceVersion() != given.ResourceVersion {
		return raw
	}
	return changed
}

// newerMessage adds fields with numbers of a later version of the API to a message of a struct type, also to messages in it.
func newerMessage(r *rand.Rand, message []byte, of reflect.Type) []byte {
	fields := splitMessage(message)
	for i := range fields {
		if f := &fields[i]; f.wire == 2 && r.Intn(2) == 0 {
			if inner := messageType(of, f.number); inner != nil {
				*f = delimitedField(f.number, newerMessage(r, f.content(), inner))
			}
		}
	}
	for range r.Intn(2) {
		values := []wireField{{0, 0, binary.AppendUvarint(nil, r.Uint64())}, {0, 1, make([]byte, 8)}, {0, 5, make([]byte, 4)}, delimitedField(0, []byte(randomText(r)))}
		f := values[r.Intn(len(values))]
		f.number = uint64(900 + r.Intn(5000))
		fields = append(fields, f)
	}
	return joinMessage(fields)
}

// messageType returns the struct type of the values of a field; nil if they are no messages.
func messageType(of reflect.Type, number uint64) reflect.Type {
	for i := range of.NumField() {
		tag := strings.Split(of.Field(i).Tag.Get("protobuf"), ",")
		if len(tag) < 2 || tag[1] != fmt.Sprint(number) {
			continue
		}
		t := of.Field(i).Type
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() == reflect.Struct {
			return t
		}
	}
	return nil
}

func metaOf(t *testing.T, raw []byte) *metav1.ObjectMeta {
	t.Helper()
	var obj metav1.PartialObjectMetadata
	if err := obj.Unmarshal(raw); err != nil {
		t.Fatal(err)
	}
	return &obj.ObjectMeta
}

func (s *messages) send(of string, raw []byte) {
	s.sent = append(s.sent, raw)
	s.events = append(s.events, framed(of, s.gvk, raw))
	close(s.changed)
	s.changed = make(chan struct{})
}

// framed returns an event.
func framed(of string, gvk schema.GroupVersionKind, raw []byte) []byte {
	event := metav1.WatchEvent{Type: of, Object: runtime.RawExtension{Raw: enveloped(gvk.GroupVersion().String(), gvk.Kind, raw)}}
	text, err := event.Marshal()
	if err != nil {
		panic(err) // a Buffer can always be written to
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
}

// enveloped returns the envelope of a message, with its kind.
func enveloped(apiVersion, kind string, raw []byte) []byte {
	u := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: raw}
	b, err := u.Marshal()
	if err != nil {
		panic(err) // a Buffer can always be written to
	}
	return append([]byte("k8s\x00"), b...)
}

// open is a bodies.OpenFunc.
func (s *messages) open(ctx context.Context, options metav1.ListOptions, _ string) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	version := fmt.Sprint(firstMessage + len(s.events) - 1)
	if !options.Watch {
		meta := metav1.ListMeta{ResourceVersion: version}
		text, err := meta.Marshal()
		list := []wireField{delimitedField(1, text)}
		for _, name := range slices.Sorted(maps.Keys(s.objects)) {
			list = append(list, delimitedField(2, s.objects[name]))
		}
		return io.NopCloser(bytes.NewReader(enveloped(s.gvk.GroupVersion().String(), s.gvk.Kind+"List", joinMessage(list)))), err
	}
	var initial [][]byte
	from := len(s.events)
	if options.SendInitialEvents != nil {
		for _, name := range slices.Sorted(maps.Keys(s.objects)) {
			initial = append(initial, framed("ADDED", s.gvk, s.objects[name]))
		}
		end := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version, Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}}
		text, err := end.Marshal()
		if err != nil {
			return nil, err
		}
		initial = append(initial, framed("BOOKMARK", s.gvk, text))
	} else {
		fmt.Sscan(options.ResourceVersion, &from)
		if from -= firstMessage - 1; from < s.lost {
			return nil, apierrors.NewResourceExpired("it is gone")
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	reading, writing := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.follow(ctx, writing, initial, from)
	}()
	return watching{reading, func() { cancel(); reading.Close(); <-done }}, nil
}

// follow writes what comes first, and then the events after those of a number.
func (s *messages) follow(ctx context.Context, writing *io.PipeWriter, first [][]byte, from int) {
	defer writing.Close()
	for {
		s.mu.Lock()
		text, changed, cut := slices.Concat(first, s.events[from:]), s.changed, s.cut
		first, from = nil, len(s.events)
		s.mu.Unlock()
		if len(text) > 0 {
			if _, err := writing.Write(bytes.Join(text, nil)); err != nil {
				return
			}
		}
		select {
		case <-changed:
		case <-cut:
		case <-ctx.Done():
			return
		}
		select {
		case <-cut: // also if there were changes after it
			return
		default:
		}
	}
}

type watching struct {
	io.Reader
	close func()
}

func (w watching) Close() error { w.close(); return nil }

// withoutManagedFields returns a message without the managed fields of its metadata, and withoutAnnotation without one annotation.
// All other bytes stay.
func withoutManagedFields(raw []byte) []byte {
	return changedMetadata(raw, func(f wireField) bool { return f.number == 17 })
}

func withoutAnnotation(raw []byte, key string) []byte {
	return changedMetadata(raw, func(f wireField) bool {
		if f.number != 12 {
			return false
		}
		entry := splitMessage(f.content())
		return string(entry[0].content()) == key
	})
}

// changedMetadata returns a message without some fields of its metadata, which is the first field.
func changedMetadata(raw []byte, drop func(wireField) bool) []byte {
	fields := splitMessage(raw)
	for i, f := range fields {
		if f.number == 1 {
			fields[i] = delimitedField(1, joinMessage(slices.DeleteFunc(splitMessage(f.content()), drop)))
		}
	}
	return joinMessage(fields)
}

// resourceOf returns a resource of the kind. No server has to know its name.
func resourceOf(gvk schema.GroupVersionKind) schema.GroupVersionResource {
	return gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind) + "s")
}
