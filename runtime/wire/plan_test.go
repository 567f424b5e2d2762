package wire

import (
	"fmt"
	"math/bits"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
	"weak"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// These tests are about when the fast path is taken, and how it is compiled. That it
// decodes the same as apimachinery is proved in test/decoding, for all kinds.

// planned has what is special in plans.
type planned struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Text   string             `json:"text"`
	Int    int32              `json:"int"`
	Uint   uint64             `json:"uint"`
	Float  float64            `json:"float"`
	Yes    *bool              `json:"yes"`
	Bytes  []byte             `json:"bytes"`
	Any    any                `json:"any"`
	Next   *planned           `json:"next"`
	List   []planned          `json:"list"`
	Map    map[string]planned `json:"map"`
	Port   intstr.IntOrString `json:"port"`
	Micro  metav1.MicroTime   `json:"micro"`
	Quoted int                `json:"quoted,string"`
	Array  [1]int             `json:"array"`

	Empty   struct{}   `json:"empty"`
	Empties []struct{} `json:"empties"`

	Set map[string]struct{} `json:"set"`
}

// fast decodes text by the plan of T alone.
func fast[T any](t *testing.T, text string, drop *dropped) (obj *T, ok bool) {
	t.Helper()
	s := takeScratch()
	defer s.give()
	obj = new(T)
	frame := []byte(text)
	end, ok := compile(reflect.TypeFor[T](), drop).decode(frame, 0, unsafe.Pointer(obj), s)
	if ok && end != len(frame) {
		t.Errorf("%s: the end is %d", text, end)
	}
	if ok {
		clear(frame)
		want := new(T)
		if err := unmarshal([]byte(text), want); err != nil {
			t.Errorf("%s: decoded, but %v", text, err)
		} else if drop.nothing() && !reflect.DeepEqual(obj, want) {
			t.Errorf("%s: decoded\n%+v\nwant\n%+v", text, obj, want)
		}
	}
	for _, left := range leftovers(s) {
		t.Errorf("%s: stays in the scratch: %s", text, left)
	}
	return obj, ok
}

// leftovers are what a scratch holds, but should not between two objects.
func leftovers(s *scratch) (found []string) {
	elements := func(what string, slice reflect.Value) {
		slice = slice.Slice(0, slice.Cap())
		for i := range slice.Len() {
			if !slice.Index(i).IsZero() {
				found = append(found, fmt.Sprintf("%s[%d]: %v", what, i, slice.Index(i)))
			}
		}
	}
	inSlice := func(b *sliceBuffer) {
		elements("elements", b.slice)
		elements("those that were made", b.made)
	}
	for field, v := range reflect.ValueOf(s).Elem().Fields() {
		switch field.Name {
		case "depth", "private", "unquoted", "written", "guesses", "remembered", "boxes", "metStrings", "metBoxes", "agedAt", "shelved":
		case "shelves":
			var bytes uintptr
			for _, free := range s.shelves {
				elements("shelves", reflect.ValueOf(free[len(free):]))
				for _, b := range free {
					bytes += b.bytes()
					switch b := b.(type) {
					case *sliceBuffer:
						inSlice(b)
					case *mapBuffer:
						inSlice(b.values)
						elements("keys", reflect.ValueOf(b.keys))
						if !b.key.IsZero() {
							found = append(found, "key: "+b.key.String())
						}
					}
				}
			}
			if bytes != s.shelved {
				found = append(found, fmt.Sprintf("%d bytes on the shelves, of which it knows %d", bytes, s.shelved))
			}
		default:
			elements(field.Name, v)
		}
	}
	return found
}

func TestPlanTakes(t *testing.T) {
	for _, value := range []string{
		`"text":""`, `"text":"a\"\\\/\b\f\n\r\t\u0041é\ud83d\ude00"`, `"text":null`,
		`"int":0`, `"int":-0`, `"int":-2147483648`, `"uint":9223372036854775807`, `"float":-1.5e-3`, `"float":0`,
		`"yes":true`, `"yes":null`, `"bytes":""`, `"bytes":"aGVsbG8="`, `"bytes":null`,
		`"any":{"a":[1,-0,1.0,1e3,9223372036854775808,"x",true,null,{},[]]}`,
		`"next":{"next":{"next":null}}`, `"list":[]`, `"list":[{},null,{"list":[{},{}]}]`, `"map":{}`, `"map":{"a":{"map":{"b":{}}},"a":null}`,
		`"port":8080`, `"port":"http"`, `"port":null`, `"micro":"2024-02-29T01:02:03.456789Z"`, `"micro":null`,
		`"empty":{}`, `"empty":null`, `"empty":{"":1}`, `"empty":{"":1,"":2,"a":{}}`, `"empties":[{},{"":[]},null]`, `"set":{"a":{},"b":null,"c":{"a":1}}`, `"":1`,
		`"unknown":{"a":[1e400,"\ud83d",{"b":[[]]}]}`, `"é":1`, `"Text":1`,
		`"metadata":{"creationTimestamp":"2024-02-29T23:59:59Z","deletionTimestamp":"2024-03-01T00:00:00+01:00","labels":{"a":null},"finalizers":["a",null],"managedFields":[{"fieldsV1":{"f:a":{}}}]}`,
	} {
		text := `{"kind":"Planned",` + value + `}`
		if _, ok := fast[planned](t, text, &dropped{}); !ok {
			t.Errorf("%s: gave up", text)
		}
		spaced := strings.NewReplacer(`{`, "{ \n", `}`, "\t} ", `[`, "[ ", `]`, " ]", `,`, " ,\r").Replace(text)
		if _, ok := fast[planned](t, strings.TrimSpace(spaced), &dropped{}); !ok {
			t.Errorf("%s: gave up", spaced)
		}
	}
}

func TestPlanGivesUp(t *testing.T) {
	for _, text := range []string{
		``, `null`, `[]`, `{`, `{"text"`, `{"text":`, `{"text":"a`, `{"text":"a"`, `{"text":"a",`, `{"text":"a",}`, `{"text":"a"]`,
		`{"text":"a" "int":1}`, `{"text":"a","text":"b"}`, `{"text":1}`, "{\"text\":\"\xff\"}", `{"text":"\ud83d"}`, "{\"text\":\"\n\"}", `{"text":"\x"}`, `{"te\u0078t":"a"}`,
		`{"int":2147483648}`, `{"int":1.0}`, `{"int":1e3}`, `{"int":01}`, `{"int":-}`, `{"int":"1"}`, `{"uint":-1}`, `{"uint":-0}`, `{"float":1e400}`, `{"float":1.}`,
		`{"yes":tru}`, `{"yes":1}`, `{"bytes":"a"}`, `{"bytes":[1]}`, `{"next":[]}`, `{"list":{}}`, `{"list":[{},]}`, `{"map":[]}`, `{"map":{"a":1}}`,
		"{\"empty\":{\x00 5}}", `{"empty":{"" 5}}`, `{"empty":{"":}}`, `{"empties":[{5}]}`,
		`{"unknown":nul}`, `{"unknown":01}`, `{"unknown":"\u12"}`, `{"unknown":{"a"}}`, `{"unknown":[1,]}`,
		`{"quoted":"1"}`, `{"array":[1]}`, `{"port":true}`, `{"port":1.5}`, `{"metadata":{"creationTimestamp":"2023-02-29T00:00:00Z"}}`,
		`{"unknown":` + strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1) + `}`,
		strings.Repeat(`{"next":`, maxDepth+1) + `{}` + strings.Repeat("}", maxDepth+1),
	} {
		if obj, ok := fast[planned](t, text, &dropped{}); ok {
			t.Errorf("%s: decoded %+v", text, obj)
		}
	}
}

func TestPlanDrops(t *testing.T) {
	const text = `{"kind":"Planned","metadata":{"name":"a","annotations":{"kept":"b","dropped":"c"},"managedFields":[{"manager":"d"}]},` +
		`"next":{"metadata":{"annotations":{"dropped":"c"},"managedFields":[{"manager":"d"}]}}}`
	drop := &dropped{managedFields: true, annotations: map[string]bool{"dropped": true}}
	obj, ok := fast[planned](t, text, drop)
	if !ok {
		t.Fatal("gave up")
	}
	var want planned
	if err := unmarshal(drop.cut([]byte(text)), &want); err != nil || !reflect.DeepEqual(obj, &want) {
		t.Errorf("decoded\n%+v\nwant\n%+v, %v", obj, want, err)
	}
	if len(obj.Next.Annotations) != 1 || len(obj.Next.ManagedFields) != 1 {
		t.Errorf("metadata of no object was left out: %+v", obj.Next)
	}
	u, ok := fast[unstructured.Unstructured](t, text, drop)
	if !ok {
		t.Fatal("gave up")
	}
	wantUntyped := &unstructured.Unstructured{}
	if err := unmarshal(drop.cut([]byte(text)), wantUntyped); err != nil || !reflect.DeepEqual(u, wantUntyped) {
		t.Errorf("decoded\n%+v\nwant\n%+v, %v", u, wantUntyped, err)
	}
}

// TestPlansAreShared is about decoders that are made all day: that they make nothing
// grow, and that nothing keeps them.
func TestPlansAreShared(t *testing.T) {
	options := []Options{
		{}, {WithoutManagedFields: true}, {WithoutAnnotations: []string{"a", "b"}}, {WithoutAnnotations: []string{"a b"}}, {WithoutAnnotations: []string{"a\" \"b"}},
		{WithoutManagedFields: true, WithoutAnnotations: []string{"a"}},
	}
	made := map[*plan]bool{}
	for _, o := range options {
		made[NewDecoder[*widget](o, nil).plan] = true
	}
	if len(made) != len(options) {
		t.Errorf("%d plans for %d options", len(made), len(options))
	}
	made[NewDecoder[*unstructured.Unstructured](options[2], nil).plan] = true
	guesses, shelves := plans.guesses.Load(), plans.shelves.Load()
	for range 10 {
		for _, o := range options {
			slices.Reverse(o.WithoutAnnotations)
			if !made[NewDecoder[*widget](o, nil).plan] {
				t.Errorf("another plan for %+v", o)
			}
		}
		decoder := NewDecoder[*unstructured.Unstructured](options[2], nil)
		if !made[decoder.plan] {
			t.Error("another plan for one of another type")
		}
	}
	if plans.guesses.Load() != guesses || plans.shelves.Load() != shelves {
		t.Error("the scratch has to grow")
	}
}

func TestPlansKeepNoDecoder(t *testing.T) {
	var kept weak.Pointer[Decoder[*unstructured.Unstructured]]
	func() {
		decoder := NewDecoder[*unstructured.Unstructured](Options{WithoutAnnotations: []string{t.Name()}}, nil)
		kept = weak.Make(decoder)
	}()
	if goruntime.GC(); kept.Value() != nil {
		t.Error("a decoder is kept that nobody has")
	}
}

// TestScratchOfLargeObjects is about the memory that is kept of them.
func TestScratchOfLargeObjects(t *testing.T) {
	const words = 64 / bits.UintSize // values have pointers, so that 32 bits need twice as many for as many bytes
	const many, some, few = words << 16, words << 12, words << 3
	repeated := func(text string, n int) string { return strings.Repeat(text+",", n) + text }
	members := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"%d":{}`, i))
		}
		return strings.Join(all, ",")
	}
	deep := strings.Repeat(`{"list":[`, 200) + `{}` + strings.Repeat(","+repeated("{}", few)+"]}", 200)
	for what, value := range map[string]string{
		"unquoted": `"text":"` + strings.Repeat(`\n`, keptBytes+1) + `"`, "strings": `"metadata":{"finalizers":[` + repeated(`"a"`, many) + `]}`,
		"values": `"any":[` + repeated("1", many) + `]`, "entries": `"any":{` + members(many) + `}`,
		"elements": `"list":[` + repeated("{}", some) + `]`, "keys": `"set":{` + members(many) + `}`, "shelves": `"list":[` + deep + `]`,
	} {
		s := &scratch{}
		obj := new(planned)
		text := []byte(`{` + value + `}`)
		if _, ok := compile(reflect.TypeFor[planned](), &dropped{}).decode(text, 0, unsafe.Pointer(obj), s); !ok {
			t.Errorf("%s: gave up", what)
		}
		if s.grown() <= keptBytes {
			t.Errorf("%s: the scratch has grown by just %d bytes", what, s.grown())
		}
		if left := leftovers(s); len(left) > 0 {
			t.Errorf("%s: %d are left, as %s", what, len(left), left[0])
		}
		s.give()
		for range 100 {
			if takeScratch() == s {
				t.Errorf("%s: the scratch is used again", what)
			}
		}
	}
	kept := &scratch{unquoted: make([]byte, keptBytes)}
	if kept.grown() > keptBytes {
		t.Error("no scratch is used again")
	}
}

// embeddedPointer embeds pointers, one below the other.
type embeddedPointer struct {
	*metav1.TypeMeta   `json:",inline"`
	*metav1.ObjectMeta `json:"metadata"`
	*Outer
	Own int `json:"own"`
}

type Outer struct {
	A      int
	*Inner `json:",inline"`
}

type Inner struct {
	B string `json:"b"`
	C []int  `json:"c"`
}

// hiddenPointer is a type that no plan is made for.
type hiddenPointer struct {
	*planned
}

type ambiguous struct {
	left
	right
	Name string
}

type (
	left  struct{ Name, Both string }
	right struct {
		Both   string
		Tagged string `json:"Named"`
	}
)

func TestFields(t *testing.T) {
	found, ok := fields(reflect.TypeFor[ambiguous]())
	var names []string
	for _, f := range found {
		names = append(names, fmt.Sprint(f.name, "@", f.offset))
	}
	if got, want := strings.Join(names, " "), fmt.Sprint("Named@", unsafe.Offsetof(ambiguous{}.right)+unsafe.Offsetof(right{}.Tagged), " Name@", unsafe.Offsetof(ambiguous{}.Name)); !ok || got != want {
		t.Errorf("fields %s, want %s", got, want)
	}
	if _, ok := fast[hiddenPointer](t, `{"text":"a"}`, &dropped{}); ok {
		t.Error("a type with an embedded pointer that cannot be set is decoded")
	}
}

func TestEmbeddedPointers(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"other":1}`, `{"metadata":{}}`, `{"metadata":null}`, `{"metadata":{"name":"a","labels":{"b":"c"}},"kind":"K"}`,
		`{"kind":null}`, `{"apiVersion":"v1","own":1,"kind":"K"}`, `{"A":1}`, `{"b":"c","A":2}`, `{"c":[1,2],"b":"d"}`, `{"b":null}`,
	} {
		if _, ok := fast[embeddedPointer](t, text, &dropped{}); !ok {
			t.Errorf("%s: the fast path has given up", text)
		}
	}
	// The annotation and the managed fields are dropped, however the metadata is declared.
	text := `{"metadata":{"name":"a","annotations":{"drop":"1","keep":"2"},"managedFields":[{"manager":"m"}]}}`
	drop := &dropped{managedFields: true, annotations: map[string]bool{"drop": true}}
	obj, ok := fast[embeddedPointer](t, text, drop)
	if !ok || obj.Name != "a" || len(obj.Annotations) != 1 || obj.Annotations["keep"] != "2" || obj.ManagedFields != nil {
		t.Errorf("decoded %+v, %t", obj.ObjectMeta, ok)
	}
	if _, ok := fast[struct {
		Metadata map[string]any `json:"metadata"`
	}](t, text, drop); ok {
		t.Error("metadata in which nothing can be dropped is decoded")
	}
}

// TestPlanOfMethod is about types with a method of their own.
func TestPlanOfMethod(t *testing.T) {
	if obj, ok := fast[runtime.Unknown](t, `{"kind":"a"}`, &dropped{}); !ok || string(obj.Raw) != `{"kind":"a"}` {
		t.Errorf("got %+v", obj)
	}
	if _, ok := fast[runtime.Unknown](t, `{"kind":"a"}`, &dropped{managedFields: true}); ok {
		t.Error("nothing says where its metadata is, but it is decoded without managedFields")
	}
	for text, want := range map[string]bool{
		`{"kind":"a"}`: true, `{"kind":""}`: false, `{"kind":1}`: false, `{}`: false,
		`{"kind":"a","apiVersion":"/"}`: true, `{"kind":"a","apiVersion":"a/b"}`: true, `{"kind":"a","apiVersion":"a/b/c"}`: false, `{"kind":"a","apiVersion":["a/b/c"]}`: true,
	} {
		if _, ok := fast[unstructured.Unstructured](t, text, &dropped{}); ok != want {
			t.Errorf("%s: %t", text, ok)
		}
	}
}
