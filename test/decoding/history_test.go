package decoding

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/compression"
	"github.com/typedinformers/informer-gen/runtime/packed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

var histories = flag.Int("histories", 60, "number of random histories of packed objects")

// readers are types of objects, of which some are views of the messages.
var readers = []struct {
	play func(t *testing.T, r *rand.Rand)
	name string
}{
	{playKinds, "any kind"},
	{playTyped[corev1.Pod], "Pod"},
	{playTyped[corev1.Secret], "Secret"},
	{playTyped[appsv1.Deployment], "Deployment"},
	{playTyped[appsv1.ControllerRevision], "ControllerRevision"},
	{playTyped[metav1.PartialObjectMetadata], "metadata"},
	{playView[metav1.PartialObjectMetadata, corev1.Pod], "metadata of whole objects"},
	{playView[podView, corev1.Pod], "view"},
	{playView[viewOf[corev1.PodSpec], corev1.Pod], "view with the same specification"},
	{playView[configView, corev1.ConfigMap], "view of data"},
	{playView[viewOf[jsonSpec], corev1.Pod], "view that is decoded as JSON"},
}

// jsonSpec has a field that is decoded from JSON.
type jsonSpec struct {
	NodeName loud                `json:"nodeName"`
	Overhead corev1.ResourceList `json:"overhead"`
}

// TestPackedHistories compares what readers, indexes and handlers get from packed objects with what they get from others, and with
// what the server has sent. The texts that are compressed have each byte that the server has sent, but for what is left out.
func TestPackedHistories(t *testing.T) {
	for seed := range *histories {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewSource(int64(seed)))
			reader := readers[seed%len(readers)]
			reader.play(t, r)
			if t.Failed() {
				t.Logf("the seed is %d, and the reader %s", seed, reader.name)
			}
		})
		if t.Failed() {
			return
		}
	}
}

// playKinds plays a history of any kind of the API, whose Go type is erased.
func playKinds(t *testing.T, r *rand.Rand) {
	all := protobufKinds()
	of := all[r.Intn(len(all))]
	t.Log(of)
	play(t, r, &history[cache.Object]{messages: newMessages(of, of.theirMessage), isSame: isSame[cache.Object]})
}

func playTyped[T any, P interface {
	*T
	wire.Object
}](t *testing.T, r *rand.Rand) {
	of := kindOfType(reflect.TypeFor[T]())
	play(t, r, &history[P]{messages: newMessages(of, of.theirMessage), isSame: isSame[P]})
}

// playView plays a history of objects of the type W that are decoded as a view.
func playView[V, W any, P interface {
	*V
	wire.Object
}](t *testing.T, r *rand.Rand) {
	of := kindOfType(reflect.TypeFor[W]())
	play(t, r, &history[P]{
		messages: newMessages(of, func(raw []byte) (runtime.Object, error) {
			view, err := viewByJSON[V](raw, of.new().(message))
			return P(view), err
		}),
		isSame: func(got, want P) bool { return withoutEmpty(t, got) == withoutEmpty(t, want) },
	})
}

// isSame compares an object with the one of the server, of which something was left out: then the annotations may be empty, or nil.
func isSame[T cache.Object](got, want T) bool {
	if annotations := got.GetAnnotations(); len(annotations) == 0 && len(want.GetAnnotations()) == 0 {
		want.SetAnnotations(annotations)
	}
	return reflect.DeepEqual(got, want)
}

// history is a server with two informers: one of plain objects, and one of packed ones.
type history[T cache.Object] struct {
	*messages
	// isSame compares an object with the one of the server.
	isSame func(got, want T) bool

	withoutFields, withoutNote, withoutKind, streams bool
	// packing has the texts of the second informer.
	packing   *recorded
	informers [2]*cache.SharedIndexInformer[T]
	handlers  [2]calls[T]
}

func play[T cache.Object](t *testing.T, r *rand.Rand, h *history[T]) {
	h.isOdd = r.Intn(3) == 0
	h.packing = &recorded{texts: map[string]bool{}}
	h.withoutFields, h.withoutNote, h.withoutKind, h.streams = r.Intn(2) == 0, r.Intn(2) == 0, r.Intn(4) == 0, r.Intn(3) == 0
	for range r.Intn(30) {
		h.step(t, r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	h.start(ctx, t, &running)
	synctest.Wait()
	for range 40 {
		if h.step(t, r) || r.Intn(2) == 0 {
			time.Sleep(2 * time.Minute) // longer than each wait after a failure
		}
		synctest.Wait()
	}
	time.Sleep(time.Minute)
	synctest.Wait()
	h.checkObjects(t)
	h.checkReaders(t)
	h.checkTexts(t)
	h.checkCalls(t, &h.handlers)
	var late [2]calls[T]
	for i, informer := range h.informers {
		if _, err := informer.AddEventHandler(&late[i]); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Wait()
	h.checkCalls(t, &late)
	cancel()
	running.Wait()
}

// start runs both informers.
func (h *history[T]) start(ctx context.Context, t *testing.T, running *sync.WaitGroup) {
	options := []cache.SharedInformerOption{cache.WithoutUpdateGuard()}
	if h.withoutFields {
		options = append(options, cache.WithoutFields("metadata.managedFields"))
	}
	if h.withoutNote {
		options = append(options, cache.WithoutFields("metadata.annotations["+droppedAnnotation+"]"))
	}
	if h.withoutKind {
		options = append(options, cache.WithoutTypeMeta())
	}
	if h.streams {
		options = append(options, cache.WithStreamingList())
	}
	options = append(options, cache.WithIndexers(cache.Indexers[T]{"content": contentOf[T]}))
	whole := h.of.new()
	k := cache.Kind[T]{Resource: resourceOf(h.gvk), Kind: h.gvk.Kind, Namespaced: true, Protobuf: whole, Object: whole, Open: func(string) bodies.OpenFunc { return h.open }}
	for i, set := range [][]cache.SharedInformerOption{options, append(slices.Clip(options), cache.WithPacking(h.packing))} {
		informer, err := k.NewInformer(set...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := informer.AddEventHandler(&h.handlers[i]); err != nil {
			t.Fatal(err)
		}
		h.informers[i] = informer
		running.Go(func() { informer.Run(ctx) })
	}
}

// contentOf is an index function of all that an object has.
func contentOf[T cache.Object](obj T) []string {
	text, _ := json.Marshal(obj) // a text that is no JSON is no error for protobuf
	sum := sha256.Sum256(text)
	return []string{string(sum[:]), fmt.Sprint(obj.GetLabels())}
}

// want returns the object that a message of the server is read as.
func (h *history[T]) want(t *testing.T, raw []byte) T {
	obj, err := h.decoded(raw)
	if err != nil {
		t.Fatal(err)
	}
	meta := obj.(metav1.Object)
	if h.withoutFields {
		meta.SetManagedFields(nil)
	}
	if h.withoutNote {
		leaveOutNote(meta)
	}
	if _, isMetadata := obj.(*metav1.PartialObjectMetadata); !h.withoutKind || isMetadata {
		obj.GetObjectKind().SetGroupVersionKind(h.gvk)
	}
	return obj.(T)
}

// isEqual compares an object with a packed one. A view of an odd message may be decoded from JSON, without bytes
// that are no text.
func (h *history[T]) isEqual(a, packed T) bool {
	return reflect.DeepEqual(a, packed) || h.isOdd && h.isSame(a, packed)
}

// checkObjects compares what both caches have with the objects of the server.
func (h *history[T]) checkObjects(t *testing.T) {
	for i, informer := range h.informers {
		if n := informer.GetIndexer().Len(); n != len(h.objects) {
			t.Errorf("cache %d has %d objects, and the server %d", i, n, len(h.objects))
		}
	}
	for name, raw := range h.objects {
		want := h.want(t, raw)
		var got [2]T
		for i, informer := range h.informers {
			var ok bool
			if got[i], ok = informer.GetIndexer().Get(cache.ObjectName{Namespace: "a", Name: name}); !ok {
				t.Fatalf("cache %d does not have %s", i, name)
			}
			if !h.isSame(got[i], want) {
				t.Errorf("cache %d: %s is\n%s, want\n%s of\n%q", i, name, shown(got[i]), shown(want), raw)
			}
			found, err := informer.GetIndexer().ByIndex("content", contentOf(got[i])[0])
			if err != nil || len(found) != 1 || !reflect.DeepEqual(found[0], got[i]) {
				t.Errorf("cache %d: the index has %v, %v, want %s", i, found, err, name)
			}
		}
		if !h.isEqual(got[0], got[1]) {
			t.Errorf("%s is\n%s, packed\n%s of\n%q", name, shown(got[0]), shown(got[1]), raw)
		}
	}
}

// checkReaders compares what both caches return.
func (h *history[T]) checkReaders(t *testing.T) {
	for name, read := range map[string]func(*cache.SharedIndexInformer[T]) ([]T, error){
		"List": func(i *cache.SharedIndexInformer[T]) ([]T, error) { return i.GetIndexer().List(), nil },
		"All":  func(i *cache.SharedIndexInformer[T]) ([]T, error) { return slices.Collect(i.GetIndexer().All()), nil },
		"ByIndex": func(i *cache.SharedIndexInformer[T]) ([]T, error) {
			return i.GetIndexer().ByIndex("content", fmt.Sprint(map[string]string{"even": "true"}))
		},
		"selector": func(i *cache.SharedIndexInformer[T]) ([]T, error) {
			return cache.NewLister(i.GetIndexer(), resourceOf(h.gvk).GroupResource()).List(labels.SelectorFromSet(labels.Set{"even": "true"}))
		},
	} {
		var got [2][]T
		for i, informer := range h.informers {
			var err error
			if got[i], err = read(informer); err != nil {
				t.Error(err)
			}
			slices.SortFunc(got[i], func(a, b T) int { return bytes.Compare([]byte(a.GetName()), []byte(b.GetName())) })
		}
		if !slices.EqualFunc(got[0], got[1], h.isEqual) {
			t.Errorf("%s returns\n%v, packed\n%v", name, got[0], got[1])
		}
	}
}

// checkTexts compares the texts that were compressed with the messages of the server. One in another form than servers of today write,
// such as with an unknown field in a time, stays whole.
func (h *history[T]) checkTexts(t *testing.T) {
	if h.isOdd {
		return
	}
	expected := map[string]bool{}
	for _, raw := range h.sent {
		expected[string(h.text(raw))], expected[string(raw)] = true, true
	}
	for text := range h.packing.texts {
		if !expected[text] {
			t.Errorf("a text of %d bytes is not that of the server: %q", len(text), text)
		}
	}
	for name, raw := range h.objects {
		if !h.packing.texts[string(h.text(raw))] && !h.packing.texts[string(raw)] {
			t.Errorf("the text of %s was not packed", name)
		}
	}
	if bytes.Contains(h.packing.dictionaries, []byte(secretText)) {
		t.Error("a dictionary has text of a Secret")
	}
	for status := range h.informers[1].Statuses() {
		if status.Stats.Packed.Values > 0 {
			t.Errorf("%d objects are not packed", status.Stats.Packed.Values)
		}
	}
}

// text returns a message of the server without what options leave out.
func (h *history[T]) text(raw []byte) []byte {
	if h.withoutFields {
		raw = withoutManagedFields(raw)
	}
	if h.withoutNote {
		raw = withoutAnnotation(raw, droppedAnnotation)
	}
	return raw
}

// checkCalls compares what the handlers of both caches heard with what the server sent, and with each other. Informers connect
// again at different times, so one may hear of states that the other never reads.
func (h *history[T]) checkCalls(t *testing.T, of *[2]calls[T]) {
	sent := map[string][]byte{}
	for _, raw := range h.sent {
		sent[metaOf(t, raw).ResourceVersion] = raw
	}
	heard := map[string]T{} // by the version, from a plain object
	for i := range of {
		known := map[string]T{}
		for n, call := range of[i].all {
			name, version := call.obj.GetName(), call.obj.GetResourceVersion()
			if want := h.want(t, sent[version]); !h.isSame(call.obj, want) {
				t.Errorf("handler %d, call %d, %s:\n%s, want\n%s of\n%q", i, n, call.what, shown(call.obj), shown(want), sent[version])
			}
			last := call.obj
			switch call.what {
			case "update":
				last = call.old
				fallthrough
			case "delete true":
				if !reflect.DeepEqual(last, known[name]) {
					t.Errorf("handler %d, call %d, %s: before it was\n%v, and it knew\n%v", i, n, call.what, last, known[name])
				}
			}
			if known[name] = call.obj; strings.HasPrefix(call.what, "delete") {
				delete(known, name)
			}
			if plain, has := heard[version]; has && !h.isEqual(plain, call.obj) {
				t.Errorf("handler %d, call %d, %s: packed\n%v, plain\n%v", i, n, call.what, call.obj, plain)
			}
			heard[version] = call.obj
		}
		if len(known) != len(h.objects) {
			t.Errorf("handler %d knows %d objects, and the server has %d", i, len(known), len(h.objects))
		}
	}
}

// calls are those of a handler.
type calls[T cache.Object] struct {
	mu  sync.Mutex
	all []call[T]
}

type call[T cache.Object] struct {
	what     string
	old, obj T
}

func (c *calls[T]) add(what string, old, obj T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, call[T]{what, old, obj})
}

func (c *calls[T]) OnAdd(obj T, initial bool)    { c.add(fmt.Sprint("add ", initial), *new(T), obj) }
func (c *calls[T]) OnUpdate(old, obj T)          { c.add("update", old, obj) }
func (c *calls[T]) OnDelete(obj T, unknown bool) { c.add(fmt.Sprint("delete ", unknown), *new(T), obj) }

// recorded is packed.Compression that has all texts.
type recorded struct {
	packed.Compression

	mu           sync.Mutex
	texts        map[string]bool
	dictionaries []byte
}

func (r *recorded) NewDictionary(text, start []byte) compression.Dictionary {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dictionaries = slices.Concat(r.dictionaries, text, start)
	return recordedDictionary{r.Compression.NewDictionary(text, start), r}
}

type recordedDictionary struct {
	compression.Dictionary
	of *recorded
}

func (d recordedDictionary) Compress(buffer, text []byte) []byte {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	d.of.texts[string(text)] = true
	return d.Dictionary.Compress(buffer, text)
}
