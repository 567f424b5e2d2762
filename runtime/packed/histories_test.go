package packed_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/packed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

var histories = flag.Int("histories", 50, "number of random histories")

// Odd is a kind whose values are not the same after they were encoded and decoded again.
type Odd struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec OddSpec `json:"spec"`
}

// OddSpec has fields of types that lose something in JSON, or that have several texts for one value.
type OddSpec struct {
	Password Password                     `json:"password,omitempty"`
	Level    Level                        `json:"level,omitempty"`
	CPU      resource.Quantity            `json:"cpu,omitempty"`
	Limits   map[string]resource.Quantity `json:"limits,omitempty"`
	At       metav1.Time                  `json:"at,omitempty"`
	Exact    *metav1.MicroTime            `json:"exact,omitempty"`
	Port     intstr.IntOrString           `json:"port,omitempty"`
	Raw      runtime.RawExtension         `json:"raw,omitempty"`
	Any      Any                          `json:"any,omitempty"`
	Number   int64                        `json:"number,omitempty"`
	Ratio    float64                      `json:"ratio,omitempty"`
	Names    []string                     `json:"names,omitempty"`
}

// Password is never written.
type Password string

func (Password) MarshalJSON() ([]byte, error) { return []byte(`"<secret>"`), nil }

// Level has a method to read it, and none to write it.
type Level int

func (l *Level) UnmarshalJSON(text []byte) error {
	*l = map[string]Level{`"low"`: 1, `"high"`: 2}[string(text)]
	return nil
}

// Any is any value.
type Any struct{ Value any }

func (a *Any) UnmarshalJSON(text []byte) error {
	return kjson.UnmarshalCaseSensitivePreserveInts(text, &a.Value)
}

func (a Any) MarshalJSON() ([]byte, error) { return json.Marshal(a.Value) }

func (o *Odd) DeepCopyObject() runtime.Object {
	copied := *o
	copied.ObjectMeta = *o.ObjectMeta.DeepCopy()
	return &copied // no reader writes to a Spec
}

// randomSpec returns the text of a Spec, with members that the Go type does not have.
func randomSpec(random *rand.Rand) string {
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	members := []string{
		`"password":` + pick(`"p0"`, `"p1"`), `"level":` + pick(`"low"`, `"high"`, `"odd"`),
		`"cpu":` + pick(`"0.5"`, `"500m"`, `"1"`, `"1000m"`, `"1e3"`, `0.5`), `"limits":{"memory":` + pick(`"1Gi"`, `"1024Mi"`, `"0.001"`) + `}`,
		`"at":` + pick(`"2026-11-29T10:00:00Z"`, `"2026-11-29T10:00:00.25Z"`, `"2026-11-29T12:00:00+02:00"`, `null`),
		`"exact":` + pick(`"2026-11-29T10:00:00.123456Z"`, `null`), `"port":` + pick(`8080`, `"http"`, `"8080"`),
		`"raw":` + pick(`{"b":1,"a":2}`, `{ "a" : 2 , "b" : 1 }`, `null`, `{"<":"\u003c"}`), `"any":` + pick(`1`, `1.0`, `9007199254740993`, `[1,2.5,"x"]`, `{"a":null}`, `"\ud83d\ude00"`),
		`"number":` + pick(`9223372036854775807`, `-1`, `0`), `"ratio":` + pick(`1`, `0.1`, `1e300`, `-0.0`), `"names":` + pick(`[]`, `null`, `["a","a"]`),
		`"later":` + pick(`{"x":[1,2,{"y":null}]}`, `"text"`),
	}
	random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members[:random.IntN(len(members)+1)], ",") + "}"
}

// texts is a server of objects that are texts.
type texts struct {
	mu      sync.Mutex
	version int
	objects map[string]string
	events  []string          // at the index of their version - 1
	states  map[string]string // all texts, by version
	lost    int               // versions before it are gone
	changed chan struct{}
	cut     chan struct{}
}

func (s *texts) change(kind, name, text string) {
	s.states[strconv.Itoa(s.version)] = text
	s.events = append(s.events, fmt.Sprintf(`{"type":%q,"object":%s}`, kind, text))
	if s.objects[name] = text; kind == "DELETED" {
		delete(s.objects, name)
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// step makes a random change, or cuts the watches before some, after which the informers have to list again half of the times.
func (s *texts) step(random *rand.Rand) (isCut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isCut = random.IntN(10) == 0; !isCut {
		s.write(random)
		return false
	}
	close(s.cut)
	s.cut = make(chan struct{})
	if random.IntN(2) == 0 {
		s.lost = s.version + 1
	}
	for range 1 + random.IntN(3) { // both informers read these after the cut, so they hear of the same states
		s.write(random)
	}
	return true
}

func (s *texts) write(random *rand.Rand) {
	s.version++
	name := fmt.Sprint("w", random.IntN(8))
	old, exists := s.objects[name]
	if exists && random.IntN(4) == 0 {
		s.change("DELETED", name, withVersion(old, s.version))
		return
	}
	uid := fmt.Sprint("uid-", s.version)
	if exists {
		uid = uidOf(old)
	}
	metadata := fmt.Sprintf(`"name":%q,"namespace":"a","uid":%q,"resourceVersion":"%d"`, name, uid, s.version)
	if random.IntN(2) == 0 {
		metadata += fmt.Sprintf(`,"annotations":{"note":"%s"%s}`, strings.Repeat("n", random.IntN(50)), []string{"", `,"keep":"a"`, `,"keep":"b"`}[random.IntN(3)])
	}
	if random.IntN(2) == 0 {
		metadata += fmt.Sprintf(`,"managedFields":[{"manager":"m%d","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]`, s.version)
	}
	text := fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Odd","metadata":{%s},"spec":%s}`, metadata, randomSpec(random))
	kind := "MODIFIED"
	if !exists {
		kind = "ADDED"
	}
	s.change(kind, name, text)
}

func uidOf(text string) string {
	_, after, _ := strings.Cut(text, `"uid":"`)
	uid, _, _ := strings.Cut(after, `"`)
	return uid
}

// withVersion returns the text of an object in another version.
func withVersion(text string, version int) string {
	before, after, _ := strings.Cut(text, `"resourceVersion":"`)
	_, after, _ = strings.Cut(after, `"`)
	return fmt.Sprintf(`%s"resourceVersion":"%d"%s`, before, version, after)
}

func (s *texts) open(ctx context.Context, options metav1.ListOptions, _ string) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !options.Watch {
		var items []string
		for _, name := range slices.Sorted(maps.Keys(s.objects)) {
			items = append(items, s.objects[name])
		}
		return io.NopCloser(strings.NewReader(fmt.Sprintf(`{"kind":"OddList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`, s.version, strings.Join(items, ",")))), nil
	}
	var from int
	fmt.Sscan(options.ResourceVersion, &from)
	if from < s.lost {
		return nil, apierrors.NewResourceExpired("it is gone")
	}
	reading, writing := io.Pipe()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer writing.Close()
		for {
			s.mu.Lock()
			text, changed, cut := strings.Join(s.events[from:], "\n"), s.changed, s.cut
			from = len(s.events)
			s.mu.Unlock()
			if text != "" {
				if _, err := io.WriteString(writing, text+"\n"); err != nil {
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
	}()
	return body{reading, func() { cancel(); reading.Close(); <-done }}, nil
}

type body struct {
	io.Reader
	close func()
}

func (b body) Close() error { b.close(); return nil }

// heard is what a handler was called with.
type heard struct {
	mu    sync.Mutex
	calls []call
}

type call struct {
	what     string
	old, obj *Odd
}

func (h *heard) add(what string, old, obj *Odd) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, call{what, old, obj})
}

func (h *heard) OnAdd(obj *Odd, initial bool)    { h.add(fmt.Sprint("add ", initial), nil, obj) }
func (h *heard) OnUpdate(old, obj *Odd)          { h.add("update", old, obj) }
func (h *heard) OnDelete(obj *Odd, unknown bool) { h.add(fmt.Sprint("delete ", unknown), nil, obj) }

func byLevel(o *Odd) []string { return []string{fmt.Sprint(o.Spec.Level), string(o.Spec.Password)} }

// TestRandomHistories compares what readers, indexes and handlers get from packed objects, from plain ones, and from the server.
func TestRandomHistories(t *testing.T) {
	for seed := range *histories {
		synctest.Test(t, func(t *testing.T) { play(t, uint64(seed)) })
		if t.Failed() {
			t.Fatalf("the seed is %d", seed)
		}
	}
}

// check compares what a handler heard with what the server sent. Informers connect again at different times, so one may hear of states
// that the other never reads.
func (s *texts) check(t *testing.T, calls []call, want func(text string) *Odd) {
	known := map[string]*Odd{}
	for n, call := range calls {
		name := call.obj.Name
		if want := want(s.states[call.obj.ResourceVersion]); !reflect.DeepEqual(call.obj, want) {
			t.Errorf("call %d, %s: %+v, want %+v", n, call.what, call.obj, want)
		}
		last := call.obj
		switch call.what {
		case "update":
			last = call.old
			fallthrough
		case "delete true":
			if !reflect.DeepEqual(last, known[name]) {
				t.Errorf("call %d, %s: before it was %+v, and the handler knew %+v", n, call.what, last, known[name])
			}
		}
		if known[name] = call.obj; strings.HasPrefix(call.what, "delete") {
			delete(known, name)
		}
	}
	if len(known) != len(s.objects) {
		t.Errorf("the handler knows %d objects, and the server has %d", len(known), len(s.objects))
	}
}

func play(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	server := &texts{objects: map[string]string{}, states: map[string]string{}, changed: make(chan struct{}), cut: make(chan struct{})}
	kind := cache.Kind[*Odd]{Resource: foos, Kind: "Odd", Namespaced: true, Open: func(string) bodies.OpenFunc { return server.open }}
	options := []cache.SharedInformerOption{cache.WithoutUpdateGuard()}
	omitsFields, omitsNotes := random.IntN(2) == 0, random.IntN(2) == 0
	if omitsFields {
		options = append(options, cache.WithoutFields("metadata.managedFields"))
	}
	if omitsNotes {
		options = append(options, cache.WithoutFields("metadata.annotations[note]"))
	}
	keepsSome := random.IntN(3) == 0
	if keepsSome {
		options = append(options, cache.WithFields("spec.level", "spec.limits[memory]", "metadata.annotations", "metadata.managedFields"))
	}
	marking := wire.Options{MarkFields: random.IntN(4) == 0}
	if marking.MarkFields {
		options = append(options, cache.WithFieldDetector(), cache.WithoutFields("spec.names", "metadata.labels[a]"))
	}
	for range random.IntN(30) {
		server.step(random)
	}
	var informers [2]*cache.SharedIndexInformer[*Odd]
	var all [2]heard
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for i, set := range [][]cache.SharedInformerOption{options, append(slices.Clip(options), packed.WithPackedObjects())} {
		informer, err := kind.NewInformer(append(set, cache.WithIndexers(cache.Indexers[*Odd]{"level": byLevel}))...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := informer.AddEventHandler(&all[i]); err != nil {
			t.Fatal(err)
		}
		informers[i] = informer
		running.Go(func() { informer.Run(ctx) })
	}
	synctest.Wait()
	for range 40 {
		if server.step(random) || random.IntN(2) == 0 {
			time.Sleep(2 * time.Minute) // longer than each wait after a failure
		}
		synctest.Wait()
	}
	time.Sleep(time.Minute)
	synctest.Wait()

	plain, others := informers[0].GetIndexer(), informers[1].GetIndexer()
	if plain.Len() != len(server.objects) || others.Len() != len(server.objects) {
		t.Errorf("the caches have %d and %d objects, and the server %d", plain.Len(), others.Len(), len(server.objects))
	}
	want := func(text string) *Odd {
		obj := &Odd{}
		if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(text), obj); err != nil {
			t.Fatal(err)
		}
		if omitsFields {
			obj.ManagedFields = nil
		}
		if keepsSome {
			obj.Labels = nil
			limits := obj.Spec.Limits
			if memory, has := limits["memory"]; has {
				limits = map[string]resource.Quantity{"memory": memory}
			} else if len(limits) > 0 {
				limits = nil
			}
			obj.Spec = OddSpec{Level: obj.Spec.Level, Limits: limits}
		}
		if _, has := obj.Annotations["note"]; has && omitsNotes {
			if delete(obj.Annotations, "note"); len(obj.Annotations) == 0 {
				obj.Annotations = nil
			}
		}
		return obj
	}
	if marking.MarkFields { // each reader has the same marks as one that decodes the text alone
		if omitsFields {
			marking.WithoutFields = append(marking.WithoutFields, "metadata.managedFields")
		}
		if omitsNotes {
			marking.WithoutFields = append(marking.WithoutFields, "metadata.annotations[note]")
		}
		if keepsSome {
			marking.Fields = []string{"spec.level", "spec.limits[memory]", "metadata.annotations", "metadata.managedFields"}
		}
		marking.WithoutFields = append(marking.WithoutFields, "spec.names", "metadata.labels[a]")
		decoder := wire.NewDecoder(reflect.TypeFor[*Odd](), marking, nil)
		want = func(text string) *Odd {
			obj, err := decoder.Decode([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if marked := obj.(*Odd); len(marked.Spec.Names) != 1 || !strings.HasPrefix(marked.Spec.Names[0], wire.Unread) {
				t.Errorf("names are not marked in %+v", marked)
			}
			return obj.(*Odd)
		}
	}
	for name, text := range server.objects {
		want := want(text)
		for which, from := range map[string]*cache.Indexer[*Odd]{"plain": plain, "packed": others} {
			if got, ok := from.Get(cache.ObjectName{Namespace: "a", Name: name}); !ok || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, want %+v of %s", which, got, want, text)
			}
		}
		for _, value := range byLevel(want) {
			for which, from := range map[string]*cache.Indexer[*Odd]{"plain": plain, "packed": others} {
				found, err := from.ByIndex("level", value)
				if err != nil || !slices.ContainsFunc(found, func(o *Odd) bool { return reflect.DeepEqual(o, want) }) {
					t.Errorf("%s: the index has no %s at %q: %v", which, name, value, err)
				}
			}
		}
	}
	for i := range all {
		server.check(t, all[i].calls, want)
	}
	cancel()
	running.Wait()
}
