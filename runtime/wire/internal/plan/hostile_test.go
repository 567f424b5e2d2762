package plan

import (
	"fmt"
	"net/netip"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/memory"
)

// bulk is a kind with one field for each way to make an object large. Bad is the last
// member of each object, and does not fit.
type bulk struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Labels            map[string]string            `json:"labels"`
	Times             []metav1.Time                `json:"times"`
	Quantities        []resource.Quantity          `json:"quantities"`
	QuantityMap       map[string]resource.Quantity `json:"quantityMap"`
	Ints              []int32                      `json:"ints"`
	Floats            []float64                    `json:"floats"`
	Bools             []bool                       `json:"bools"`
	Pointers          []*int64                     `json:"pointers"`
	Slices            [][]string                   `json:"slices"`
	Parts             []widgetPart                 `json:"parts"`
	PartMap           map[string]widgetPart        `json:"partMap"`
	IntKeys           map[int]string               `json:"intKeys"`
	Texts             []netip.Addr                 `json:"texts"`
	Either            []intstr.IntOrString         `json:"either"`
	Raw               []runtime.RawExtension       `json:"raw"`
	Own               []jsonStruct                 `json:"own"`
	Any               any                          `json:"any"`
	AnyMap            map[string]any               `json:"anyMap"`
	Nest              *nest                        `json:"nest"`
	Forest            forest                       `json:"forest"`
	Tree              tree                         `json:"tree"`
	Bytes             []byte                       `json:"bytes"`
	Wide              []wideEmbedded               `json:"wide"`
	Bad               int                          `json:"bad"`
}

// nest is as deep as its text.
type nest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Inner             *nest  `json:"inner,omitempty"`
	Size              int    `json:"size,omitempty"`
	Text              string `json:"text,omitempty"`
}

// widget is a small kind.
type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec widgetSpec `json:"spec,omitempty"`
}

type widgetSpec struct {
	Color string                          `json:"color,omitempty"`
	Size  int32                           `json:"size,omitempty"`
	Parts []widgetPart                    `json:"parts,omitempty"`
	Needs map[string]resource.Quantity    `json:"needs,omitempty"`
	Extra map[string]*metav1.Duration     `json:"extra,omitempty"`
	Any   map[string]runtime.RawExtension `json:"any,omitempty"`
}

type widgetPart struct {
	Name  string       `json:"name"`
	Count *int64       `json:"count,omitempty"`
	Since *metav1.Time `json:"since,omitempty"`
}

// wideEmbedded has many fields, embedded in each other.
type wideEmbedded struct {
	Deeper
	widgetSpec
	bulkFields
}

type bulkFields struct {
	F0, F1, F2, F3, F4, F5, F6, F7, F8, F9           *int
	G0, G1, G2, G3, G4, G5, G6, G7, G8, G9           *string
	H0, H1, H2, H3, H4, H5, H6, H7, H8, H9           []int
	Item0, Item1, Item2, Item3, Item4, Item5, Item6  map[string]int
	Other0, Other1, Other2, Other3, Other4, Other500 bool
}

// hostileBytes is how large the objects are.
var hostileBytes = 3 << 19 // what etcd takes in one request

// setHostileBytes makes the objects of a test smaller.
func setHostileBytes(t *testing.T, size int) {
	before := hostileBytes
	hostileBytes = size
	t.Cleanup(func() { hostileBytes = before })
}

// fill repeats a text, in which %d is a number, between two others.
func fill(before, each, after string) string {
	var text strings.Builder
	text.WriteString(before)
	for i := 0; text.Len() < hostileBytes; i++ {
		if i > 0 {
			text.WriteByte(',')
		}
		if strings.Contains(each, "%") {
			fmt.Fprintf(&text, each, i)
		} else {
			text.WriteString(each)
		}
	}
	text.WriteString(after)
	return text.String()
}

// nested is as many texts around each other as fit, at most depth at a time.
func nested(open, inner, end string, depth int) string {
	depth = min(depth, hostileBytes/(len(open)+len(end)))
	one := strings.Repeat(open, depth) + inner + strings.Repeat(end, depth)
	return one
}

// towers is many nested values.
func towers(open, inner, end string, depth int) string {
	return fill("[", nested(open, inner, end, depth), "]")
}

// hostileMembers are texts of one or more members of a bulk, or of an untyped object.
var hostileMembers = map[string]func() string{
	"unknown members":            func() string { return fill("", `"u%d":0`, "") },
	"short unknown members":      func() string { return fill("", `"a":0`, "") },
	"escaped unknown members":    func() string { return fill("", `"\n":0`, "") },
	"half surrogates as names":   func() string { return fill("", `"\ud800":0`, "") },
	"names that are no UTF-8":    func() string { return fill("", "\"\xff\":0", "") },
	"duplicates":                 func() string { return fill("", `"labels":{}`, "") },
	"duplicates of a struct":     func() string { return fill("", `"nest":{"size":1}`, "") },
	"duplicate metadata":         func() string { return fill("", `"metadata":{"annotations":{"a":"b"}}`, "") },
	"members that fail":          func() string { return fill("", `"ints":{}`, "") },
	"strings in a map":           func() string { return fill(`"labels":{`, `"k%d":"v"`, "}") },
	"escapes":                    func() string { return `"labels":{"a":"` + strings.Repeat(`\n`, hostileBytes/2) + `"}` },
	"surrogate pairs":            func() string { return `"labels":{"a":"` + strings.Repeat(`\ud83d\ude00`, hostileBytes/12) + `"}` },
	"half surrogates":            func() string { return `"labels":{"a":"` + strings.Repeat(`\ud83d`, hostileBytes/6) + `"}` },
	"no UTF-8":                   func() string { return `"labels":{"a":"` + strings.Repeat("\xff", hostileBytes) + `"}` },
	"short strings with escapes": func() string { return fill(`"labels":{`, `"\t%d":"\n"`, "}") },
	"a huge key":                 func() string { return `"labels":{"` + strings.Repeat("k", hostileBytes) + `":"v"}` },
	"a huge string":              func() string { return `"labels":{"k":"` + strings.Repeat("v", hostileBytes) + `"}` },
	"spaces":                     func() string { return `"labels":{` + strings.Repeat(" ", hostileBytes) + `}` },
	"integers":                   func() string { return fill(`"ints":[`, `0`, "]") },
	"integers that fail":         func() string { return fill(`"ints":[0,`, `""`, "]") },
	"floats":                     func() string { return fill(`"floats":[`, `1e9`, "]") },
	"long floats":                func() string { return fill(`"floats":[`, `1.`+strings.Repeat("123456789", 100), "]") },
	"a huge number":              func() string { return `"floats":[` + strings.Repeat("1", hostileBytes) + "]" },
	"a huge number of any type":  func() string { return `"any":[` + strings.Repeat("1", hostileBytes) + "]" },
	"a huge fraction":            func() string { return `"floats":[0.` + strings.Repeat("1", hostileBytes) + "]" },
	"booleans":                   func() string { return fill(`"bools":[`, `true`, "]") },
	"pointers":                   func() string { return fill(`"pointers":[`, `1`, "]") },
	"empty slices":               func() string { return fill(`"slices":[`, `[]`, "]") },
	"empty structs":              func() string { return fill(`"parts":[`, `{}`, "]") },
	"structs":                    func() string { return fill(`"parts":[`, `{"name":"a","count":%d}`, "]") },
	"map of structs":             func() string { return fill(`"partMap":{`, `"%d":{"name":"a"}`, "}") },
	"map of empty structs":       func() string { return fill(`"partMap":{`, `"%d":{}`, "}") },
	"wide structs":               func() string { return fill(`"wide":[`, `{"F9":1,"zzz":1}`, "]") },
	"wide empty structs":         func() string { return fill(`"wide":[`, `{}`, "]") },
	"integer keys":               func() string { return fill(`"intKeys":{`, `"%d":""`, "}") },
	"quantities":                 func() string { return fill(`"quantities":[`, `"1"`, "]") },
	"numbers as quantities":      func() string { return fill(`"quantities":[`, `1`, "]") },
	"map of quantities":          func() string { return fill(`"quantityMap":{`, `"%d":1`, "}") },
	"a huge quantity":            func() string { return `"quantities":[` + strings.Repeat("1", hostileBytes/15) + "]" },
	"times":                      func() string { return fill(`"times":[`, `"2024-02-29T01:02:03Z"`, "]") },
	"unusual times":              func() string { return fill(`"times":[`, `"2024-02-29T01:02:03+01:00"`, "]") },
	"null times":                 func() string { return fill(`"times":[`, `null`, "]") },
	"texts":                      func() string { return fill(`"texts":[`, `"::1"`, "]") },
	"integers or strings":        func() string { return fill(`"either":[`, `1`, "]") },
	"raw values":                 func() string { return fill(`"raw":[`, `{}`, "]") },
	"a huge raw value":           func() string { return fill(`"raw":[{"a":[`, `0`, "]}]") },
	"values with methods":        func() string { return fill(`"own":[`, `0`, "]") },
	"integers of any type":       func() string { return fill(`"any":[`, `0`, "]") },
	"strings of any type":        func() string { return fill(`"any":[`, `"a"`, "]") },
	"empty objects of any type":  func() string { return fill(`"any":[`, `{}`, "]") },
	"empty arrays of any type":   func() string { return fill(`"any":[`, `[]`, "]") },
	"objects of any type":        func() string { return fill(`"any":[`, `{"a":0}`, "]") },
	"members of any type":        func() string { return fill(`"anyMap":{`, `"%d":0`, "}") },
	"big numbers of any type":    func() string { return fill(`"any":[`, `1e300`, "]") },
	"deep arrays of any type":    func() string { return `"any":` + towers("[", "", "]", 9000) },
	"deep objects of any type":   func() string { return `"any":` + towers(`{"a":`, "0", "}", 9000) },
	"objects 500 deep":           func() string { return `"any":` + towers(`{"a":`, "0", "}", 500) },
	"deep maps":                  func() string { return `"forest":` + nested(`{"a":`, "{}", "}", 9000) },
	"maps 500 deep":              func() string { return fill(`"forest":{`, `"%d":`+nested(`{"a":`, "{}", "}", 500), "}") },
	"deep slices":                func() string { return `"tree":` + nested(`[`, "", "]", 9000) },
	"slices 500 deep":            func() string { return `"tree":` + towers(`[`, "", "]", 500) },
	"deep structs": func() string {
		return `"nest":` + nested(`{"inner":`, `{"text":"`+strings.Repeat("x", hostileBytes)+`"}`, "}", 9000)
	},
	"structs 500 deep": func() string {
		return `"nest":` + nested(`{"inner":`, `{"text":"`+strings.Repeat("x", hostileBytes)+`"}`, "}", 500)
	},
	"base64":                   func() string { return `"bytes":"` + strings.Repeat("YWFh", hostileBytes/4) + `"` },
	"bytes as numbers":         func() string { return fill(`"bytes":[`, `1`, "]") },
	"labels":                   func() string { return fill(`"metadata":{"name":"x","labels":{`, `"%d":""`, "}}") },
	"annotations with escapes": func() string { return fill(`"metadata":{"name":"x","annotations":{`, `"\t%d":""`, "}}") },
	"managed fields": func() string {
		return fill(`"metadata":{"name":"x","managedFields":[`, `{"fieldsV1":{"f:a":{}}}`, "]}")
	},
	"long fieldsV1": func() string {
		return fill(`"metadata":{"name":"x","managedFields":[{"fieldsV1":{`, `"f:%d":{}`, "}}]}")
	},
	"nested fieldsV1": func() string {
		return `"metadata":{"name":"x","managedFields":[{"fieldsV1":` + nested(`{"fieldsV1":`, "{}", "}", 480) + "}]}"
	},
	"nested fieldsV1 elsewhere": func() string { return `"any":` + towers(`{"fieldsV1":`, "{}", "}", 480) },
	"nested fieldsV1 with text": func() string {
		return `"any":` + nested(`{"fieldsV1":`, `"`+strings.Repeat("x", hostileBytes)+`"`, "}", 480)
	},
	"short nested fieldsV1": func() string { return `"any":` + towers(`{"fieldsV1":`, "{}", "}", 250) },
	"fieldsV1 in three ways": func() string {
		return `"any":` + towers(`{"\u0066ieldsV1":[{"FieldsV1":{"fieldsV1":`, "{}", "}}]}", 160)
	},
	"nested managed fields": func() string {
		return `"any":` + towers(`{"metadata":{"managedFields":[{"fieldsV1":`, "{}", "}]}}", 120)
	},
	"nested labels": func() string {
		return `"any":` + towers(`{"metadata":{"labels":{"a":"b"},"annotations":`, "{}", "}}", 240)
	},
	"nested data": func() string { return `"any":` + towers(`{"data":{"stringData":`, "{}", "}}", 240) },
	"owners":      func() string { return fill(`"metadata":{"name":"x","ownerReferences":[`, `{}`, "]}") },
}

// hostileText returns an object of 1.5 MB whose last member has the text bad.
func hostileText(members, bad string) []byte {
	name := `"metadata":{"name":"x"},`
	if strings.HasPrefix(members, `"metadata":{"name":"x",`) {
		name = ""
	}
	return []byte(`{"apiVersion":"example.com/v1","kind":"Bulk",` + name + members + `,"bad":` + bad + "}")
}

// cost is what one call costs.
type cost struct {
	time              time.Duration
	bytes, allocation uint64
}

// costOf measures the cheapest of some calls.
func costOf(calls int, f func()) (least cost) {
	for i := range calls {
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		began := time.Now()
		f()
		took := time.Since(began)
		goruntime.ReadMemStats(&after)
		bytes, allocations := after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
		if i == 0 {
			least = cost{took, bytes, allocations}
		}
		least = cost{min(least.time, took), min(least.bytes, bytes), min(least.allocation, allocations)}
	}
	return least
}

// hostileCase decodes one object in one way, by our decoder and by client-go's.
type hostileCase struct {
	ours, theirs func()
}

func caseOf[T any](t testing.TB, mask *fieldmask.Mask, text []byte, wantErr bool) hostileCase {
	p := For(reflect.TypeFor[T](), mask)
	return hostileCase{
		func() {
			if err := decodeAll(p, text); (err != nil) != wantErr {
				t.Errorf("%v", err)
			}
		},
		func() {
			if err := Unmarshal(text, new(T)); (err != nil) != wantErr {
				t.Errorf("%v", err)
			}
		},
	}
}

// decodeAll does all that package wire does for an object.
func decodeAll(p *Plan, text []byte) error {
	if _, ok := p.Decode(text, 1); ok { // as informers do
		return nil
	}
	_, err := p.Unmarshal(text)
	if err == nil {
		return nil
	}
	head, fault := ReadHead(text), p.Fault(text, err)
	return fmt.Errorf("%s at %s: %w", head.Name, fault.Path(false, 200), fault.Err)
}

// hostileCases are the ways in which each object is decoded.
func hostileCases(t testing.TB, members string) map[string]hostileCase {
	drop := omitted(true, []string{"a", "b"})
	fails, fits := hostileText(members, `"x"`), hostileText(members, `1`)
	untyped := []byte(strings.Replace(string(fits), `"kind":"Bulk"`, `"kind":""`, 1))
	isValid := Unmarshal(fits, &bulk{}) == nil
	isNoUntyped := Unmarshal(fits, &unstructured.Unstructured{}) != nil
	return map[string]hostileCase{
		"fails":               caseOf[bulk](t, nil, fails, true),
		"fails, drops":        caseOf[bulk](t, drop, fails, true),
		"decoded":             caseOf[bulk](t, nil, fits, !isValid),
		"decoded, drops":      caseOf[bulk](t, drop, fits, !isValid),
		"widget":              caseOf[widget](t, nil, fits, Unmarshal(fits, &widget{}) != nil),
		"untyped":             caseOf[unstructured.Unstructured](t, nil, fits, isNoUntyped),
		"untyped, drops":      caseOf[unstructured.Unstructured](t, drop, fits, isNoUntyped),
		"untyped, fails":      caseOf[unstructured.Unstructured](t, nil, untyped, true),
		"fails in its middle": caseOf[bulk](t, nil, slices.Concat(fits[:len(fits)-1], []byte(","), fails[1:]), true),
	}
}

func names[V any](m map[string]V) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// BenchmarkHostile reports the time of our decoder for objects that were made to cost
// much, as multiples of that of client-go's decoder.
func BenchmarkHostile(b *testing.B) {
	for _, name := range names(hostileMembers) {
		cases := hostileCases(b, hostileMembers[name]())
		for _, way := range names(cases) {
			b.Run(name+"/"+way, func(b *testing.B) {
				c := cases[way]
				theirs := costOf(5, c.theirs)
				least := cost{time: time.Hour}
				for b.Loop() {
					least.time = min(least.time, costOf(1, c.ours).time)
				}
				b.ReportMetric(float64(least.time)/float64(theirs.time), "times-client-go")
				b.ReportMetric(float64(theirs.time.Microseconds())/1000, "client-go-ms")
			})
		}
	}
}

// TestHostileObjectsAllocateLittle compares what decoders allocate. The time is what
// BenchmarkHostile is for.
func TestHostileObjectsAllocateLittle(t *testing.T) {
	if testing.Short() {
		setHostileBytes(t, 8<<10)
	} else {
		setHostileBytes(t, 16<<10)
	}
	const most = 5
	for _, name := range names(hostileMembers) {
		cases := hostileCases(t, hostileMembers[name]())
		for _, way := range []string{"fails", "fails, drops", "decoded", "untyped", "untyped, fails", "fails in its middle"} {
			ours, theirs := costOf(2, cases[way].ours), costOf(1, cases[way].theirs)
			// The memory of a scratch is made in one piece: up to 48 bytes for a byte of
			// text, where the library makes nothing of duplicates.
			if ours.bytes > most*theirs.bytes+48*uint64(hostileBytes) || ours.allocation > most*theirs.allocation+200 {
				t.Errorf("%s, %s: %d bytes in %d allocations, client-go's decoder: %d in %d", name, way, ours.bytes, ours.allocation, theirs.bytes, theirs.allocation)
			}
		}
	}
}

// TestDiagnosisReadsAnObjectOnce counts the steps of the search for what is wrong.
func TestDiagnosisReadsAnObjectOnce(t *testing.T) {
	setHostileBytes(t, 12<<10)
	for _, name := range names(hostileMembers) {
		for _, bad := range []string{`"x"`, `1`} {
			text := hostileText(hostileMembers[name](), bad)
			err := Unmarshal(text, &bulk{})
			f := faultFinder{text: text}
			found := f.find(reflect.TypeFor[bulk]())
			if (found.Err != nil) != (err != nil) {
				t.Errorf("%s: found %v, but the error is %v", name, found.Err, err)
			}
			if f.visited > len(text) || f.decoded > 2*len(text) {
				t.Errorf("%s: %d values were visited and %d bytes decoded, of %d bytes", name, f.visited, f.decoded, len(text))
			}
		}
	}
}

// TestLookAheadReadsAnObjectOnce counts the bytes that are read before they are decoded.
func TestLookAheadReadsAnObjectOnce(t *testing.T) {
	setHostileBytes(t, 12<<10)
	plans := map[string]*Plan{
		"typed":    For(reflect.TypeFor[bulk](), nil),
		"untyped":  For(reflect.TypeFor[unstructured.Unstructured](), nil),
		"metadata": For(reflect.TypeFor[metav1.PartialObjectMetadata](), omitted(false, []string{"a"})),
	}
	for _, name := range names(hostileMembers) {
		text := hostileText(hostileMembers[name](), "1")
		for form, p := range plans {
			s := &scratch{sharer: 1}
			p.decode(s, text, memory.SlotOf(reflect.New(p.typ)))
			if s.ahead > len(text) {
				t.Errorf("%s, %s: %d bytes were read ahead, of %d bytes", form, name, s.ahead, len(text))
			}
		}
	}
}

// TestDiagnosisLeavesMethodsAlone is about types whose method has just failed on all of
// the object, and about members with a method where another member is wrong.
func TestDiagnosisLeavesMethodsAlone(t *testing.T) {
	type quantities struct {
		Sizes map[string]resource.Quantity `json:"sizes"`
		Count int                          `json:"count"`
	}
	for text, want := range map[string]string{
		`{"sizes":{"a":"` + strings.Repeat("1", 1000) + `"},"count":"x"}`: "/count",
		`{"sizes":{"a":"1","b":"x"},"count":1}`:                           "/sizes/b",
	} {
		f := faultFinder{text: []byte(text)}
		if found := f.find(reflect.TypeFor[quantities]()); found.Path(false, 200) != want || f.decoded > 10 {
			t.Errorf("%.40s: %d bytes were decoded to find %s, want %s", text, f.decoded, found.Path(false, 200), want)
		}
	}
	text := hostileText(`"a":1`, "1")
	f := faultFinder{text: text}
	if f.find(reflect.TypeFor[unstructured.Unstructured]()); f.decoded > 0 {
		t.Errorf("%d bytes were decoded", f.decoded)
	}
}

// TestFaultsOfRandomTypes checks that a fault is found in what cannot be decoded, and in
// nothing else: by the names of fields that encoding/json takes, above all.
func TestFaultsOfRandomTypes(t *testing.T) {
	failed, found := 0, 0
	for typeSeed := range uint64(400) {
		for textSeed := range uint64(25) {
			typ, text := randomCase(typeSeed, textSeed)
			err := Unmarshal(text, reflect.New(typ).Interface())
			if invalid, _ := kjson.SyntaxErrorOffset(err); invalid {
				continue
			}
			fault := findFault(text, typ)
			switch {
			case err == nil && fault.Err != nil:
				t.Errorf("%v: %s is decoded, but at %s: %v", typ, text, fault.Path(false, 200), fault.Err)
			case err != nil:
				failed++
			}
			if err != nil && fault.Err != nil {
				found++
			}
		}
	}
	t.Logf("%d of %d faults were found", found, failed)
	if found < failed/2 {
		t.Errorf("%d of %d faults were found", found, failed)
	}
}
