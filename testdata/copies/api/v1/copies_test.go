package v1

import (
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/testdata/copies/other"
)

// full returns a Sample whose fields all refer to memory.
func full() *Sample {
	n := func() *int { n := 1; return &n }
	status := func() *Status {
		return &Status{N: 1, Conditions: []metav1.Condition{{Type: "Ready", LastTransitionTime: metav1.Unix(1, 0)}}}
	}
	number, one := Number(1), func() *Number { n := Number(1); return &n }
	s := &Sample{ObjectMeta: metav1.ObjectMeta{Name: "it", Labels: map[string]string{"a": "b"}}, Status: status()}
	s.Basics = Basics{Text: "text", Number: number, Time: time.Unix(1, 0), Array: [2]string{"a", "b"}}
	shape := func() Shape { return &Square{Sides: []int{1, 2}} }
	quantity := func() *resource.Quantity {
		q := resource.MustParse("123456789012345678901234567890")
		// Since apimachinery v0.38, the copies of a Quantity share memory that never changes. A small one refers to none.
		if copied := q.DeepCopy(); shared(reflect.ValueOf(&q), reflect.ValueOf(&copied)) != "" {
			q = resource.MustParse("1")
		}
		return &q
	}
	s.Slices = Slices{
		Bytes: []byte("bytes"), Matrix: [][]string{{"a"}, nil, {}}, Cube: [][][]int{{{1}}}, Structs: []Status{*status()}, Pointers: []*Status{nil, status()},
		Numbers: []*Number{nil, one()}, Maps: []map[string]string{nil, {"a": "b"}}, Names: Names{"a"}, Many: []Names{nil, {"a"}}, Alias: Alias{"a"},
		Chain: Chain{nil, {{}}}, Leaves: []other.Leaf{{N: 1}}, Times: []metav1.Time{metav1.Unix(1, 0)},
		Anything: []struct {
			Names []string
			N     int
		}{{Names: []string{"a"}}},
	}
	s.Maps = Maps{
		Labels: map[string]string{"a": "b"}, ByNumber: map[Number][]string{1: {"a"}, 2: nil}, ByPair: map[[2]string]*Status{{"a"}: status(), {"b"}: nil},
		Lists: map[string][]map[string]string{"a": {{"a": "b"}, nil}, "b": nil}, Nested: map[string]map[Number][]Status{"a": {1: {*status()}, 2: nil}, "b": nil},
		Structs: map[string]Status{"a": *status()}, Pointers: map[string]*Status{"a": status(), "b": nil}, Numbers: map[string]*Number{"a": one(), "b": nil},
		Named: Labels{"a": "b"}, Trees: map[string]Tree{"a": {"b": nil}}, Tree: Tree{"a": {"b": {}}}, Interfaces: map[string]Shape{"a": shape(), "b": nil},
		Quantities: map[corev1.ResourceName]resource.Quantity{"a": *quantity()}, Limits: map[string]*resource.Quantity{"a": quantity(), "b": nil},
		Arrays: map[string][2]*int{"a": {n()}}, Anything: map[string]struct{ Names []string }{"a": {[]string{"a"}}},
		Values: map[string]other.Box[*int]{"a": {One: n(), More: []*int{n(), nil}}}, Handles: map[string]other.Handle{"a": {N: n()}}, Cloned: map[string]other.Cloned{"a": {N: n()}},
	}
	twice, structs, names, labels, pair, slice := n(), status(), Names{"a"}, &Labels{"a": "b"}, Pair{n()}, []string{"a"}
	thrice, interfaces, again, moment, metaTime, quick := &structs, shape(), Again(*status()), time.Unix(1, 0), metav1.Unix(1, 0), map[string]string{"a": "b"}
	lists := map[string][]string{"a": {"b"}}
	s.Pointers = Pointers{
		Number: n(), Twice: &twice, Struct: status(), Structs: &structs, Thrice: &thrice, Slice: &slice, Map: &quick, Names: &names, Labels: &labels,
		Array: &[2]string{"a"}, Pair: &pair, Interface: &interfaces, Again: &again, Pointer: status(), Time: &moment, MetaTime: &metaTime, Quantity: quantity(),
		Itself: &Pointers{Number: n()}, Location: time.UTC, MapOfSlice: &lists,
	}
	s.Arrays = Arrays{Pointers: [2]*int{n()}, Nested: [2][2][]string{{{"a"}}}, Structs: [2]Status{*status()}, Pair: Pair{n()}}
	s.Structs = Structs{
		LocalObjectReference: &corev1.LocalObjectReference{Name: "a"}, Labels: Labels{"a": "b"}, hidden: hidden{cache: map[string]string{"a": "b"}, Next: &other.Leaf{N: 1}},
		Box: other.Box[string]{More: []string{"a"}}, Boxes: other.Box[map[string][]int]{One: map[string][]int{"a": {1}}, More: []map[string][]int{nil, {"a": {1}}}},
		Own: Own[Status]{Value: status(), cache: []Status{*status()}}, Named: NamedBox{cache: []string{"a"}},
	}
	s.Structs.Inner.Names, s.Structs.Inner.Deep.Numbers = []string{"a"}, []int{1}
	s.Interfaces = Interfaces{Shape: Round{Radius: n()}, Shapes: []Shape{nil, shape()}, Object: &metav1.Status{Details: &metav1.StatusDetails{Name: "a"}}, Square: &Square{Sides: []int{1}}, Round: Round{Radius: n()}}
	s.Elsewhere = Elsewhere{
		Pod: &corev1.PodSpec{NodeSelector: map[string]string{"a": "b"}}, Container: corev1.Container{Args: []string{"a"}}, Resources: corev1.ResourceList{"a": *quantity()},
		Raw: runtime.RawExtension{Raw: []byte("{}")}, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
		Plain: other.Plain{Names: []string{"a"}, Next: &other.Leaf{}}, Plains: []*other.Plain{nil, {Names: []string{"a"}, Next: &other.Leaf{N: 1}}},
		Counter: other.NewCounter(1), Counters: []*other.Counter{nil, {}}, Handle: other.Handle{N: n()}, Handles: []*other.Handle{nil, {N: n()}},
		Cloned: other.Cloned{N: n()}, Clones: []*other.Cloned{nil, {N: n()}},
	}
	s.ByHand = ByHand{
		Into: Into{N: n()}, IntoPtr: &Into{N: n()}, Copy: Copy{N: n()}, CopyPtr: &Copy{N: n()}, Value: Value{N: n()}, List: List{n()}, Both: Both{N: n()},
		Intos: []Into{{N: n()}}, Copies: map[string]Copy{"a": {N: n()}}, Levels: []*Level{nil, new(Level)},
		Generic: Generic{
			Nest: Nest[*int]{Value: n(), Inner: []Nest[*int]{{Value: n()}}}, Nests: []*Nest[*int]{nil, {Value: n()}}, Pair: Couple[string, *int]{Value: n()},
			Pairs: map[string]Couple[string, *int]{"a": {Value: n()}}, Sequence: Sequence[*int]{n(), nil}, Renamed: Renamed[int, int, *int]{Value: n()}, Shaped: &Shaped[*int]{Value: n()},
		},
	}
	return s
}

// TestDeepCopy copies all sorts of types, empty and full. Only methods that are written by hand change what
// they copy.
func TestDeepCopy(t *testing.T) {
	for name, original := range map[string]*Sample{"empty": {}, "full": full()} {
		copied := original.DeepCopy()
		if where := shared(reflect.ValueOf(original), reflect.ValueOf(copied)); where != "" {
			t.Errorf("%s: the copy shares the memory of %s", name, where)
		}
		wantCalls(t, name, original, copied)
		if !reflect.DeepEqual(original, copied) {
			t.Errorf("%s: the copy is\n%+v, want\n%+v", name, copied, original)
		}
	}
}

// wantCalls checks that the methods in hand.go were called for each value once, and removes their traces.
func wantCalls(t *testing.T, name string, original, copied *Sample) {
	t.Helper()
	intos := []*Into{&copied.ByHand.Into}
	if copied.ByHand.IntoPtr != nil {
		intos = append(intos, copied.ByHand.IntoPtr)
	}
	for i := range copied.ByHand.Intos {
		intos = append(intos, &copied.ByHand.Intos[i])
	}
	for _, into := range intos {
		if into.Calls == nil || *into.Calls != 1 {
			t.Errorf("%s: DeepCopyInto of Into was not called once", name)
		}
		into.Calls = nil
	}
	levels := append([]*Level{&copied.ByHand.Level}, copied.ByHand.Levels...)
	for _, level := range levels {
		if level == nil {
			continue
		}
		if *level != 1 {
			t.Errorf("%s: DeepCopy of Level was called %d times", name, *level)
		}
		*level = 0
	}
}

// TestNil copies nil of each sort of type.
func TestNil(t *testing.T) {
	if copied := (*Sample)(nil).DeepCopyObject(); copied != nil {
		t.Errorf("a nil Sample becomes %#v", copied)
	}
	if copied := (*Status)(nil).DeepCopy(); copied != nil {
		t.Errorf("a nil Status becomes %#v", copied)
	}
	if copied := (*Square)(nil).DeepCopyShape(); copied != nil {
		t.Errorf("a nil Square becomes %#v", copied)
	}
	if copied := Labels(nil).DeepCopy(); copied != nil {
		t.Errorf("nil Labels become %#v", copied)
	}
	out := Tree{"a": nil}
	if Tree(nil).DeepCopyInto(&out); out != nil {
		t.Errorf("a nil Tree becomes %#v", out)
	}
}

// shared returns the path to memory of a that b refers to, or "".
func shared(a, b reflect.Value) string {
	memory := map[uintptr]string{}
	walk(a, "it", func(address uintptr, path string) { memory[address] = path })
	found := ""
	walk(b, "it", func(address uintptr, path string) {
		if where, ok := memory[address]; ok {
			found = where
		}
	})
	return found
}

// walk calls do for all memory that a value refers to and that may change.
func walk(v reflect.Value, path string, do func(address uintptr, path string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*time.Location]() {
			do(v.Pointer(), path)
			walk(v.Elem(), path, do)
		}
	case reflect.Interface:
		walk(v.Elem(), path, do)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Len() > 0 {
			do(v.Pointer(), path)
		}
		for i := range v.Len() {
			walk(v.Index(i), path+"[]", do)
		}
	case reflect.Map:
		if !v.IsNil() {
			do(v.Pointer(), path)
		}
		for _, key := range v.MapKeys() {
			walk(v.MapIndex(key), path+"{}", do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), path+"."+v.Type().Field(i).Name, do)
		}
	}
}

// TestFull checks that full fills every field that can refer to memory.
func TestFull(t *testing.T) {
	sample := reflect.ValueOf(*full())
	for i := range sample.NumField() {
		part := sample.Field(i)
		if part.Kind() != reflect.Struct {
			continue
		}
		for n := range part.NumField() {
			switch field := part.Type().Field(n); field.Type.Kind() {
			case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface:
				if field.Name != "_" && part.Type().PkgPath() == sample.Type().PkgPath() && part.Field(n).IsNil() {
					t.Errorf("%s.%s is nil", part.Type().Name(), field.Name)
				}
			}
		}
	}
}
