package plan

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
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

// fast decodes text by the plan of T alone, and then twice as an object that no one writes to,
// with the same result.
func fast[T any](t *testing.T, text string, mask *fieldmask.Mask) (obj *T, ok bool) {
	t.Helper()
	obj, ok = fastAs[T](t, text, mask, 0)
	for range 2 {
		if shared, sharedOK := fastAs[T](t, text, mask, 1); sharedOK != ok || ok && !reflect.DeepEqual(shared, obj) {
			t.Errorf("%s: decoded with shared parts\n%+v, %t\nwithout\n%+v, %t", text, shared, sharedOK, obj, ok)
		}
	}
	return obj, ok
}

func fastAs[T any](t *testing.T, text string, mask *fieldmask.Mask, sharer memory.Sharer) (obj *T, ok bool) {
	t.Helper()
	s := takeScratch()
	s.sharer = sharer
	defer s.release()
	obj = new(T)
	frame := []byte(text)
	end := For(reflect.TypeFor[T](), mask).decode(s, frame, memory.SlotOf(reflect.ValueOf(obj)))
	ok = end != gaveUp
	if ok && end != len(frame) {
		t.Errorf("%s: the end is %d", text, end)
	}
	if ok {
		clear(frame)
		want := new(T)
		if err := Unmarshal([]byte(text), want); err != nil {
			t.Errorf("%s: decoded, but %v", text, err)
		} else if mask == nil && !reflect.DeepEqual(obj, want) {
			t.Errorf("%s: decoded\n%+v\nwant\n%+v", text, obj, want)
		}
	}
	for _, left := range leftovers(s) {
		t.Errorf("%s: stays in the scratch: %s", text, left)
	}
	s.Discard = true
	For(reflect.TypeFor[T](), mask).decode(s, []byte(text), memory.SlotOf(reflect.ValueOf(new(T))))
	for _, left := range leftovers(s) {
		t.Errorf("%s: stays in the scratch after a check: %s", text, left)
	}
	return obj, ok
}

// textsOf returns the texts in a value.
func textsOf(v reflect.Value) (found []string) {
	switch v.Kind() {
	case reflect.String:
		if v.Len() > 0 {
			found = append(found, v.String())
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() || v.Type() == reflect.TypeFor[*time.Location]() {
			return nil
		}
		return textsOf(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			found = append(found, textsOf(v.Field(i))...)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			found = append(found, textsOf(v.Index(i))...)
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			found = append(append(found, textsOf(key)...), textsOf(value)...)
		}
	case reflect.Uint8:
		if v.Uint() != 0 {
			found = append(found, fmt.Sprint("a byte ", v.Uint()))
		}
	}
	return found
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
	inSlice := func(b *sliceBuffer) { elements("elements", b.slice) }
	all := reflect.ValueOf(s).Elem()
	for i := range all.NumField() {
		field, v := all.Type().Field(i), all.Field(i)
		switch field.Name {
		case "depth", "unquoted", "written", "guesses", "Strings", "parts", "sharer", "ahead", "freeBytes":
		case "discarded":
			for _, pointer := range s.discarded {
				if pointer.IsValid() {
					found = append(found, textsOf(pointer)...)
				}
			}
		case "free":
			var bytes uintptr
			for _, free := range s.free {
				elements("free", reflect.ValueOf(free[len(free):]))
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
			if bytes != s.freeBytes {
				found = append(found, fmt.Sprintf("%d bytes are free, of which it knows %d", bytes, s.freeBytes))
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
		if _, ok := fast[planned](t, text, nil); !ok {
			t.Errorf("%s: gave up", text)
		}
		spaced := strings.NewReplacer(`{`, "{ \n", `}`, "\t} ", `[`, "[ ", `]`, " ]", `,`, " ,\r").Replace(text)
		if _, ok := fast[planned](t, strings.TrimSpace(spaced), nil); !ok {
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
		if obj, ok := fast[planned](t, text, nil); ok {
			t.Errorf("%s: decoded %+v", text, obj)
		}
	}
}

func TestPlanDrops(t *testing.T) {
	const text = `{"kind":"Planned","metadata":{"name":"a","annotations":{"kept":"b","dropped":"c"},"managedFields":[{"manager":"d"}]},` +
		`"next":{"metadata":{"annotations":{"dropped":"c"},"managedFields":[{"manager":"d"}]}}}`
	mask := omitted(true, []string{"dropped"})
	obj, ok := fast[planned](t, text, mask)
	if !ok {
		t.Fatal("gave up")
	}
	if want, err := For(reflect.TypeFor[planned](), mask).Unmarshal([]byte(text)); err != nil || !reflect.DeepEqual(obj, want) || len(obj.Annotations) != 1 || obj.ManagedFields != nil {
		t.Errorf("decoded\n%+v\nwant\n%+v, %v", obj, want, err)
	}
	if len(obj.Next.Annotations) != 1 || len(obj.Next.ManagedFields) != 1 {
		t.Errorf("metadata of no object was left out: %+v", obj.Next)
	}
	u, ok := fast[unstructured.Unstructured](t, text, mask)
	if !ok {
		t.Fatal("gave up")
	}
	if want, err := For(reflect.TypeFor[unstructured.Unstructured](), mask).Unmarshal([]byte(text)); err != nil || !reflect.DeepEqual(u, want) || len(u.GetAnnotations()) != 1 || u.GetManagedFields() != nil {
		t.Errorf("decoded\n%+v\nwant\n%+v, %v", u, want, err)
	}
}

// TestPlansAreShared is about decoders that are made all day: that they make nothing
// grow.
func TestPlansAreShared(t *testing.T) {
	options := []struct {
		managedFields bool
		annotations   []string
	}{
		{}, {true, nil}, {false, []string{"a", "b"}}, {false, []string{"a b"}}, {false, []string{"a\" \"b"}}, {true, []string{"a"}},
	}
	made := map[*Plan]bool{}
	for _, o := range options {
		made[For(reflect.TypeFor[planned](), omitted(o.managedFields, o.annotations))] = true
	}
	if len(made) != len(options) {
		t.Errorf("%d plans for %d options", len(made), len(options))
	}
	untyped := reflect.TypeFor[unstructured.Unstructured]()
	made[For(untyped, omitted(false, options[2].annotations))] = true
	guesses, buffers := plans.guesses.Load(), plans.buffers.Load()
	for range 10 {
		for _, o := range options {
			slices.Reverse(o.annotations)
			if !made[For(reflect.TypeFor[planned](), omitted(o.managedFields, o.annotations))] {
				t.Errorf("another plan for %+v", o)
			}
		}
		if !made[For(untyped, omitted(false, options[2].annotations))] {
			t.Error("another plan for one of another type")
		}
	}
	if plans.guesses.Load() != guesses || plans.buffers.Load() != buffers {
		t.Error("the scratch has to grow")
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
		"elements": `"list":[` + repeated("{}", some) + `]`, "keys": `"set":{` + members(many) + `}`, "free": `"list":[` + deep + `]`,
	} {
		s := &scratch{}
		obj := new(planned)
		text := []byte(`{` + value + `}`)
		if For(reflect.TypeFor[planned](), nil).decode(s, text, memory.SlotOf(reflect.ValueOf(obj))) == gaveUp {
			t.Errorf("%s: gave up", what)
		}
		if s.grown() <= keptBytes {
			t.Errorf("%s: the scratch has grown by just %d bytes", what, s.grown())
		}
		if left := leftovers(s); len(left) > 0 {
			t.Errorf("%s: %d are left, as %s", what, len(left), left[0])
		}
		s.release()
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
	found, ok := FieldsOf(reflect.TypeFor[ambiguous]())
	var names []string
	for _, f := range found {
		names = append(names, fmt.Sprint(f.Name, "@", f.Offset))
	}
	if got, want := strings.Join(names, " "), fmt.Sprint("Named@", unsafe.Offsetof(ambiguous{}.right)+unsafe.Offsetof(right{}.Tagged), " Name@", unsafe.Offsetof(ambiguous{}.Name)); !ok || got != want {
		t.Errorf("fields %s, want %s", got, want)
	}
	if _, ok := fast[hiddenPointer](t, `{"text":"a"}`, nil); ok {
		t.Error("a type with an embedded pointer that cannot be set is decoded")
	}
}

func TestEmbeddedPointers(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"other":1}`, `{"metadata":{}}`, `{"metadata":null}`, `{"metadata":{"name":"a","labels":{"b":"c"}},"kind":"K"}`,
		`{"kind":null}`, `{"apiVersion":"v1","own":1,"kind":"K"}`, `{"A":1}`, `{"b":"c","A":2}`, `{"c":[1,2],"b":"d"}`, `{"b":null}`,
	} {
		if _, ok := fast[embeddedPointer](t, text, nil); !ok {
			t.Errorf("%s: the fast path has given up", text)
		}
	}
	// The annotation and the managed fields are dropped, however the metadata is declared.
	text := `{"metadata":{"name":"a","annotations":{"drop":"1","keep":"2"},"managedFields":[{"manager":"m"}]}}`
	mask := omitted(true, []string{"drop"})
	obj, ok := fast[embeddedPointer](t, text, mask)
	if !ok || obj.Name != "a" || len(obj.Annotations) != 1 || obj.Annotations["keep"] != "2" || obj.ManagedFields != nil {
		t.Errorf("decoded %+v, %t", obj.ObjectMeta, ok)
	}
	untyped, ok := fast[struct {
		Metadata map[string]any `json:"metadata"`
	}](t, text, mask)
	if want := map[string]any{"name": "a", "annotations": map[string]any{"keep": "2"}}; !ok || !reflect.DeepEqual(untyped.Metadata, want) {
		t.Errorf("decoded %+v, %t", untyped, ok)
	}
}

// TestPlanOfMethod is about types with a method of their own.
func TestPlanOfMethod(t *testing.T) {
	if obj, ok := fast[runtime.Unknown](t, `{"kind":"a"}`, nil); !ok || string(obj.Raw) != `{"kind":"a"}` {
		t.Errorf("got %+v", obj)
	}
	if _, ok := fast[runtime.Unknown](t, `{"kind":"a"}`, omitted(true, nil)); ok {
		t.Error("nothing says where its metadata is, but it is decoded without managedFields")
	}
	for text, want := range map[string]bool{
		`{"kind":"a"}`: true, `{"kind":""}`: false, `{"kind":1}`: false, `{}`: false,
		`{"kind":"a","apiVersion":"/"}`: true, `{"kind":"a","apiVersion":"a/b"}`: true, `{"kind":"a","apiVersion":"a/b/c"}`: false, `{"kind":"a","apiVersion":["a/b/c"]}`: true,
	} {
		if _, ok := fast[unstructured.Unstructured](t, text, nil); ok != want {
			t.Errorf("%s: %t", text, ok)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		c := compiler{decoders: map[reflect.Type]decoder{}}
		c.root(reflect.TypeFor[bulk](), omitted(true, nil))
	}
}
