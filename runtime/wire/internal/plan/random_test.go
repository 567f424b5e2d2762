package plan

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// randomType returns a type of any form.
func randomType(r *rand.Rand, depth int) reflect.Type {
	if depth == 0 {
		return leaves[r.IntN(len(leaves))]
	}
	switch r.IntN(12) {
	case 0, 1:
		return reflect.SliceOf(randomType(r, depth-1))
	case 2:
		return reflect.ArrayOf(r.IntN(4), randomType(r, depth-1))
	case 3, 4:
		return reflect.MapOf(keys[r.IntN(len(keys))], randomType(r, depth-1))
	case 5:
		return reflect.PointerTo(randomType(r, depth-1))
	case 6:
		return reflect.PointerTo(reflect.PointerTo(randomType(r, depth-1)))
	case 7, 8, 9:
		return randomStruct(r, depth-1)
	}
	return randomType(r, 0)
}

var (
	fieldNames = []string{"A", "B", "C", "D", "Name", "Inner"}
	fieldTags  = []string{
		"", "", `json:"a"`, `json:"b"`, `json:"c"`, `json:"d"`, `json:"name"`, `json:"C"`, `json:"a,omitempty"`, `json:"b,omitzero"`, `json:",inline"`, `json:",string"`,
		`json:"a,string"`, `json:"-"`, `json:"-,"`, `json:"inner,omitempty,string"`, `json:"é"`, `json:"a b"`, `json:"$ref"`, `json:""`, `json`,
	}
)

// randomStruct returns a struct whose fields often have one name, and are often
// embedded. Fields that reflect cannot make are left out.
func randomStruct(r *rand.Rand, depth int) reflect.Type {
	var fields []reflect.StructField
	made := reflect.TypeFor[struct{}]()
	for _, i := range r.Perm(len(fieldNames))[:r.IntN(len(fieldNames)+1)] {
		f := reflect.StructField{Name: fieldNames[i], Type: randomType(r, depth), Tag: reflect.StructTag(fieldTags[r.IntN(len(fieldTags))])}
		if depth > 0 && r.IntN(4) == 0 {
			f.Anonymous, f.Type = true, randomStruct(r, depth-1)
			if r.IntN(3) == 0 {
				f.Type = reflect.PointerTo(f.Type)
			}
		}
		func() {
			defer func() { _ = recover() }() // of StructOf, which does not make all that Go has
			made = reflect.StructOf(append(fields, f))
			fields = append(fields, f)
		}()
	}
	return made
}

// oddValues are values that fit few types, or none.
var oddValues = []string{
	`null`, `true`, `0`, `-0`, `1`, `-1`, `1.5`, `1e2`, `1E400`, `01`, `128`, `256`, `65536`, `2147483648`, `9223372036854775808`, `18446744073709551616`, `""`, `"a"`, `"1"`, `"-1"`, `"true"`, `"null"`,
	`"\u0061\n"`, `"\ud83d"`, "\"\xff\"", `"YWI="`, `"2024-02-29T01:02:03Z"`, `"1h"`, `"127.0.0.1"`, `"\"a\""`, `{}`, `[]`, `[1,2,3,4]`, `["a",null]`, `{"a":1}`, `{"a":{"a":"b"},"a":null}`, `{"1":"2"}`, `{"":[]}`, `tru`, ``, `[1,]`, `{"a"}`, `[[],[[]]]`,
}

// textMaker makes texts. left is how many more values it makes to fit.
type textMaker struct {
	r    *rand.Rand
	left int
}

func (m *textMaker) space() string {
	if m.r.IntN(20) == 0 {
		return " \n\t"
	}
	return ""
}

// value returns a text that most likely fits the type.
func (m *textMaker) value(t reflect.Type) string {
	r := m.r
	if m.left--; m.left < 0 || r.IntN(60) == 0 {
		return oddValues[r.IntN(len(oddValues))]
	}
	if r.IntN(25) == 0 {
		return "null"
	}
	switch t {
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[time.Time]():
		return `"2024-02-29T01:02:03Z"`
	}
	switch t.Kind() {
	case reflect.Pointer:
		return m.value(t.Elem())
	case reflect.Bool:
		return fmt.Sprint(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprint(r.IntN(250) - 125)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprint(r.IntN(250))
	case reflect.Float32, reflect.Float64:
		return fmt.Sprint(r.NormFloat64())
	case reflect.String:
		return []string{`"a"`, `""`, `"some text"`, `"\u00e9\"\\"`, `"é"`}[r.IntN(5)]
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 && r.IntN(2) == 0 {
			return `"YWI="`
		}
		var all []string
		for range r.IntN(5) {
			all = append(all, m.space()+m.value(t.Elem()))
		}
		return "[" + strings.Join(all, ",") + "]"
	case reflect.Map:
		var all []string
		for range r.IntN(4) {
			name := []string{"a", "b", "1", "2", "-3", "300", "", "é", "127.0.0.1", `\u0061`}[r.IntN(10)]
			all = append(all, `"`+name+`":`+m.space()+m.value(t.Elem()))
		}
		return "{" + strings.Join(all, ",") + m.space() + "}"
	case reflect.Struct:
		return m.object(t)
	}
	return oddValues[r.IntN(len(oddValues))]
}

// object returns a text for a struct: members of its fields, of embedded ones among
// them, in any order.
func (m *textMaker) object(t reflect.Type) string {
	r := m.r
	var all []string
	for _, f := range reflect.VisibleFields(t) {
		if r.IntN(3) == 0 {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			name = f.Name
		}
		value := m.value(f.Type)
		if strings.Contains(f.Tag.Get("json"), ",string") && r.IntN(2) == 0 {
			value = fmt.Sprintf("%q", value)
		}
		switch r.IntN(30) {
		case 0:
			name = strings.ToUpper(name)
		case 1:
			name = "unknown"
		}
		all = append(all, m.space()+fmt.Sprintf(`"%s"%s:%s`, name, m.space(), value))
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return "{" + strings.Join(all, ",") + "}"
}

// checkType decodes text in both ways, and reports whether the plan did not give up.
func checkType(t *testing.T, typ reflect.Type, text []byte) (decoded bool) {
	t.Helper()
	want, got := reflect.New(typ), reflect.New(typ)
	wantErr := Unmarshal(text, want.Interface())
	frame := bytes.Clone(text)
	s := takeScratch()
	end := For(typ, nil).decode(s, frame, memory.SlotOf(got))
	s.release()
	checkChecked(t, For(typ, nil), text, end != gaveUp && SkipSpace(text, end) == len(text))
	if end == gaveUp {
		return false
	}
	for i := range frame {
		frame[i] = 'x' // nothing of the object is part of it
	}
	switch {
	case end < len(text) && (wantErr != nil || SkipSpace(text, end) < len(text)):
		// The caller sees what is left.
	case wantErr != nil:
		t.Errorf("%v: %s: decoded, but %v", typ, text, wantErr)
	case !reflect.DeepEqual(got.Interface(), want.Interface()):
		t.Errorf("%v: %s: decoded\n%+v\nwant\n%+v", typ, text, got.Elem(), want.Elem())
	}
	return true
}

// checkChecked fails if Check refuses a text on which Decode does not give up, or accepts one that cannot be decoded, or if the
// head is another one, or if anything of the text is kept.
func checkChecked(t *testing.T, p *Plan, text []byte, decoded bool) {
	t.Helper()
	frame := bytes.Clone(text)
	head, ok := p.Check(frame)
	for i := range frame {
		frame[i] = 'x'
	}
	whole, err := p.Unmarshal(text)
	switch {
	case decoded && !ok:
		t.Errorf("%v: %s: is decoded, and Check refuses it", p.typ, text)
	case ok && err != nil:
		t.Errorf("%v: %s: Check accepts it, and it cannot be decoded: %v", p.typ, text, err)
	case ok:
		if want, is := whole.(metav1.Object); is {
			if got := head.(metav1.Object); got.GetName() != want.GetName() || got.GetNamespace() != want.GetNamespace() ||
				got.GetUID() != want.GetUID() || got.GetResourceVersion() != want.GetResourceVersion() {
				t.Errorf("%v: %s: the head is %+v, want %+v", p.typ, text, got, want)
			}
			if got, want := head.(runtime.Object).GetObjectKind().GroupVersionKind(), whole.(runtime.Object).GetObjectKind().GroupVersionKind(); got != want {
				t.Errorf("%v: %s: the kind is %v, want %v", p.typ, text, got, want)
			}
		}
	}
}

// randomCase returns a type and a text for it.
func randomCase(typeSeed, textSeed uint64) (reflect.Type, []byte) {
	r := rand.New(rand.NewPCG(typeSeed, 0))
	typ := catalog[r.IntN(len(catalog))]
	if r.IntN(3) > 0 {
		typ = randomStruct(r, 2)
	}
	m := textMaker{r: rand.New(rand.NewPCG(typeSeed, textSeed)), left: 60}
	return typ, []byte(m.object(typ))
}

const underGC = "WIRE_TEST_RANDOM_TYPES"

// TestRandomTypes compares the plans of many types with apimachinery's serializer,
// with a garbage collector that never rests, which finds pointers that are none.
func TestRandomTypes(t *testing.T) {
	if os.Getenv(underGC) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRandomTypes$", "-test.v", fmt.Sprint("-test.short=", testing.Short()))
		cmd.Env = append(os.Environ(), underGC+"=1", "GOGC=2")
		output, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(output, []byte("--- PASS: TestRandomTypes")) {
			t.Errorf("%v\n%s", err, output)
		}
		t.Logf("%s", output)
		return
	}
	types, texts := uint64(500), uint64(25)
	if testing.Short() {
		types = 120
	}
	decoded, all := 0, 0
	for typeSeed := range types {
		for textSeed := range texts {
			typ, text := randomCase(typeSeed, textSeed)
			all++
			if checkType(t, typ, text) {
				decoded++
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d of %d texts were decoded by a plan", decoded, all)
	if decoded < all/10 {
		t.Errorf("only %d of %d texts were decoded by a plan", decoded, all)
	}
}

// FuzzTypes decodes any text to a type of a few thousand. A text of 0 bytes is made
// for the type.
func FuzzTypes(f *testing.F) {
	for seed := range uint64(50) {
		_, text := randomCase(seed, seed)
		f.Add(uint16(seed), seed, text)
		f.Add(uint16(seed), seed, []byte{})
	}
	f.Fuzz(func(t *testing.T, typeSeed uint16, textSeed uint64, text []byte) {
		typ, made := randomCase(uint64(typeSeed%4096), textSeed) // types are never freed
		if len(text) == 0 {
			text = made
		}
		checkType(t, typ, text)
	})
}
