package pack

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"github.com/typedinformers/informer-gen/runtime/compression"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// ends is a Compression that leaves out of a text the beginning and the end that it has in common with the dictionary.
type ends struct{ text []byte }

func (ends) NewDictionary(text, _ []byte) compression.Dictionary { return ends{bytes.Clone(text)} }

func (e ends) Reading() compression.Dictionary { return e }

func (e ends) Compress(buffer, text []byte) []byte {
	first, last, most := 0, 0, min(len(text), len(e.text))
	for first < most && text[first] == e.text[first] {
		first++
	}
	for last < most-first && text[len(text)-1-last] == e.text[len(e.text)-1-last] {
		last++
	}
	buffer = binary.AppendUvarint(binary.AppendUvarint(buffer[:0], uint64(first)), uint64(last))
	return append(buffer, text[first:len(text)-last]...)
}

func (e ends) Decompress(buffer, compressed []byte) ([]byte, error) {
	first, n := binary.Uvarint(compressed)
	last, m := binary.Uvarint(compressed[n:])
	buffer = append(append(buffer[:0], e.text[:first]...), compressed[n+m:]...)
	return append(buffer, e.text[len(e.text)-int(last):]...), nil
}

type object = *metav1.PartialObjectMetadata

// newObject returns an object with some text, which resembles that of other objects of the same kind of text.
func newObject(n int, kind string, length int) object {
	random := rand.New(rand.NewPCG(uint64(len(kind)), 1))
	text := make([]byte, length)
	for i := range text {
		text[i] = byte('a' + random.IntN(26))
	}
	obj := &metav1.PartialObjectMetadata{}
	obj.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata"))
	obj.Namespace, obj.Name, obj.UID, obj.ResourceVersion = "a", fmt.Sprintf("%s-%d", kind, n), "u", fmt.Sprint(n)
	obj.Annotations = map[string]string{"text": string(text)}
	return obj
}

func newPacking() *Packing {
	return New(ends{})
}

var reader = wire.NewDecoder(reflect.TypeFor[object](), wire.Options{}, nil)

// pack packs an object as a Decoder does that has decoded it.
func pack(p *Packing, obj object) *Object {
	var text bytes.Buffer
	if err := json.NewSerializerWithOptions(json.DefaultMetaFactory, nil, nil, json.SerializerOptions{}).Encode(obj, &text); err != nil {
		panic(err)
	}
	return p.Pack(obj, wire.Text{Bytes: bytes.TrimSpace(text.Bytes()), Reader: reader}, false).(*Object)
}

// TestOneTextForAnObject packs objects of many sizes, and reads them while others are packed.
func TestOneTextForAnObject(t *testing.T) {
	p := newPacking()
	var running sync.WaitGroup
	for part := range 4 {
		running.Go(func() {
			var all []*Object
			var want []object
			for n := range 100 {
				obj := newObject(n+1000*part, "kind", n*n*37%30_000)
				all, want = append(all, Of(pack(p, obj.DeepCopy()).Text())), append(want, obj)
			}
			for i, packed := range all {
				if got := packed.Open(); !reflect.DeepEqual(got, want[i]) {
					t.Errorf("got %v, want %v", got, want[i])
				}
				if packed.GetName() != want[i].Name || packed.GetNamespace() != "a" || packed.GetUID() != "u" || packed.GetResourceVersion() != want[i].ResourceVersion {
					t.Errorf("the names of %v are %v", want[i], packed.identity())
				}
				if packed.GetAnnotations()["text"] != want[i].Annotations["text"] {
					t.Errorf("%s has other annotations", want[i].Name)
				}
			}
		})
	}
	running.Wait()
}

// TestKindOfAList packs items that have their kind only in the list.
func TestKindOfAList(t *testing.T) {
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "9"}}
	list.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadataList"))
	for n := range 3 {
		obj := newObject(n, "kind", 100)
		obj.TypeMeta = metav1.TypeMeta{}
		list.Items = append(list.Items, *obj)
	}
	var inJSON, inProtobuf bytes.Buffer
	if err := json.NewSerializerWithOptions(json.DefaultMetaFactory, nil, nil, json.SerializerOptions{}).Encode(list, &inJSON); err != nil {
		t.Fatal(err)
	}
	if err := protobuf.NewSerializer(nil, nil).Encode(list, &inProtobuf); err != nil {
		t.Fatal(err)
	}
	p := newPacking()
	decoder := wire.NewDecoder(reflect.TypeFor[object](), wire.Options{Packer: p}, nil)
	for _, body := range []*bytes.Buffer{&inJSON, &inProtobuf} {
		page, err := decoder.List(t.Context(), io.NopCloser(body))
		if err != nil {
			t.Fatal(err)
		}
		for n, item := range page.Items {
			again := Of(item.Object.(*Object).Text()) // without its decoded form
			if want := newObject(n, "kind", 100); !reflect.DeepEqual(again.Open(), want) {
				t.Errorf("read again, object %d is %+v, want %+v", n, again.Open(), want)
			}
		}
	}
}

// TestSizes: a rounded size is at least the size, and not much larger.
func TestSizes(t *testing.T) {
	var c classes
	last, lastSize := 0, 0
	for n := 17; n < 64<<20; n += 1 + n/200 {
		at, class, rounded := roundedSize(n)
		if rounded < n || rounded > n+max(24, n/32+8) {
			t.Errorf("%d bytes are rounded to %d", n, rounded)
		}
		if number := 100*at + class; number < last || (number == last) != (rounded == lastSize) || at >= len(c.levels) || class > 64 {
			t.Errorf("the class of %d bytes is %d of level %d", n, class, at)
		} else {
			last, lastSize = number, rounded
		}
		if n < 100_000 {
			if size := int(c.typeOf(roundedSize(n)).Size()); size != rounded {
				t.Errorf("the type for %d bytes has %d, and not %d", n, size, rounded)
			}
		}
	}
}

// TestDictionaryFollowsTheObjects: when the objects become different, a dictionary of them is made, and the garbage collector
// frees one that no object uses.
func TestDictionaryFollowsTheObjects(t *testing.T) {
	p := newPacking()
	fill := func(kind string, count int) (all []*Object, packed, raw int) {
		for n := range count {
			obj := pack(p, newObject(n, kind, 1000))
			size, text := obj.Text().sizes()
			all, packed, raw = append(all, Of(obj.Text())), size, text
		}
		return all, packed, raw
	}
	first, packed, raw := fill("one", 5000)
	if packed*4 > raw {
		t.Errorf("the last of the first objects has %d of %d bytes", packed, raw)
	}
	second, packed, raw := fill("another", 10_000)
	if packed*4 > raw {
		t.Errorf("the last of the other objects has %d of %d bytes", packed, raw)
	}
	for _, obj := range []*Object{first[0], first[4999], second[0], second[9999]} {
		if text := obj.Open().(object).Annotations["text"]; len(text) != 1000 {
			t.Errorf("%s has a text of %d bytes", obj.GetName(), len(text))
		}
	}
	l := p.last.Load()
	made := len(l.made)
	if made < 3 || made > maxDictionaries {
		t.Errorf("%d dictionaries were made", made)
	}
	runtime.KeepAlive(first)
	first, second = nil, nil
	runtime.GC()
	runtime.GC()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hasRoomLocked()
	if len(l.made) > 1 { // that of the next objects
		t.Errorf("%d of %d dictionaries are kept without an object", len(l.made), made)
	}
}

// redacted is an object whose text lacks what it has.
type redacted struct{ metav1.PartialObjectMetadata }

func (*redacted) MarshalJSON() ([]byte, error) { return []byte(`{"metadata":{"name":"one"}}`), nil }

// TestObjectWithoutText is kept as it is, because its own text could be another one. A reader gets a copy.
func TestObjectWithoutText(t *testing.T) {
	p := New(ends{})
	of := &redacted{}
	of.Name, of.Labels = "one", map[string]string{"a": "b"}
	packed := p.Keep(of, false)
	got := Of(packed.Text())
	if got.GetName() != "one" || got.GetLabels()["a"] != "b" || got.Open().GetLabels()["a"] != "b" || got.Open() == of.DeepCopyObject() {
		t.Errorf("got %v", got.Open())
	}
	if size, raw := packed.Text().sizes(); size == 0 || raw != 0 || packed.text.format.object == nil {
		t.Errorf("it has %d of %d bytes", size, raw)
	}
}

// TestLastObjectDropsTheDictionary: what is in a dictionary goes with the last object of its form.
func TestLastObjectDropsTheDictionary(t *testing.T) {
	p := newPacking()
	for round := range 3 {
		var all []*Text
		for n := range 100 {
			all = append(all, pack(p, newObject(n, fmt.Sprint("round", round), 1000)).Text())
			p.Count(unsafe.Pointer(all[n]), 1)
		}
		l := p.last.Load()
		if d := *l.current.Load().dictionary.Load(); len(d.(ends).text) == 0 {
			t.Error("there is no dictionary")
		}
		for _, text := range all {
			p.Count(unsafe.Pointer(text), -1)
		}
		if d := *l.current.Load().dictionary.Load(); len(d.(ends).text) != 0 || len(l.samples) != 0 {
			t.Errorf("after the last object, the dictionary has %d bytes, and %d are sampled", len(d.(ends).text), len(l.samples))
		}
	}
}

// counted counts the dictionaries that are made.
type counted struct {
	ends
	made *int
}

func (c counted) NewDictionary(text, start []byte) compression.Dictionary {
	*c.made++
	return c.ends.NewDictionary(text, start)
}

// TestNoDictionaryForOneObject: an object that comes and goes makes no dictionary each time.
func TestNoDictionaryForOneObject(t *testing.T) {
	made := 0
	p := New(counted{made: &made})
	for n := range 10 {
		text := pack(p, newObject(n, "kind", 1000)).Text()
		p.Count(unsafe.Pointer(text), 1)
		p.Count(unsafe.Pointer(text), -1)
	}
	if made != 1 || len(p.last.Load().samples) != 0 {
		t.Errorf("%d dictionaries were made, and %d bytes are sampled", made, len(p.last.Load().samples))
	}
}

// TestBuffersAreEmpty: a buffer keeps nothing of an object.
func TestBuffersAreEmpty(t *testing.T) {
	p := newPacking()
	for n := range 40 {
		large, small := pack(p, newObject(n, "large", 10_000)), Of(pack(p, newObject(n, "small", 100)).Text())
		large.Open()
		small.Open()
		_, _ = small.GetLabels(), small.GetName()
		if buffer := p.buffer(); len(bytes.Trim((*buffer)[:cap(*buffer)], "\x00")) > 0 {
			t.Fatalf("a buffer has %q", (*buffer)[:cap(*buffer)])
		}
	}
}

// TestTextThatDoesNotShrink is stored as it is.
func TestTextThatDoesNotShrink(t *testing.T) {
	p := newPacking()
	obj := newObject(1, "random", 0)
	text := make([]byte, 4000)
	for i := range text {
		text[i] = byte('!' + rand.IntN(94))
	}
	obj.Annotations = map[string]string{"text": strings.NewReplacer(`"`, "a", `\`, "b", "<", "c", ">", "d", "&", "e").Replace(string(text))}
	packed := pack(p, obj.DeepCopy())
	size, raw := packed.Text().sizes()
	if size > raw*21/20+64 {
		t.Errorf("%d bytes of text take %d", raw, size)
	}
	if got := Of(packed.Text()).Open(); !reflect.DeepEqual(got, obj) {
		t.Errorf("got %v", got)
	}
}

// BenchmarkOpen reads a small object, also after a large one was packed, whose buffer is used again.
func BenchmarkOpen(b *testing.B) {
	for name, length := range map[string]int{"small": 1000, "afterLarge": 200_000} {
		b.Run(name, func(b *testing.B) {
			p := newPacking()
			pack(p, newObject(1, "large", length))
			packed := Of(pack(p, newObject(2, "small", 1000)).Text())
			for b.Loop() {
				packed.Open()
			}
		})
	}
}

// TestPackedObjectIsReadOnly calls a method that sets something.
func TestPackedObjectIsReadOnly(t *testing.T) {
	packed := pack(newPacking(), newObject(1, "kind", 10))
	defer func() {
		if recover() == nil {
			t.Error("SetName does not panic")
		}
	}()
	packed.SetName("another")
}
