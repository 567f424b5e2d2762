package protobuf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// generated is what generated types have.
type generated interface {
	unmarshaler
	Marshal() ([]byte, error)
}

func pointerTo[V any](v V) *V { return &v }

var someTime = metav1.Unix(1_700_000_000, 0)

var someMeta = metav1.ObjectMeta{
	Name: "a", Namespace: "b", UID: "u", ResourceVersion: "7", Generation: -3, CreationTimestamp: someTime, DeletionTimestamp: &someTime,
	DeletionGracePeriodSeconds: pointerTo(int64(30)), Labels: map[string]string{"a": "1", "": "", "c": ""}, Annotations: map[string]string{"keep": "x", "drop": "y"},
	OwnerReferences: []metav1.OwnerReference{{Name: "o", Controller: pointerTo(true)}, {Name: "p", BlockOwnerDeletion: pointerTo(false)}}, Finalizers: []string{"x", "", "y"},
	ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m", Time: &someTime, FieldsV1: fieldsV1(`{"f:a":{}}`)}, {}},
}

// samples are objects of the types of apimachinery that have generated methods.
var samples = []generated{
	&metav1.PartialObjectMetadata{ObjectMeta: someMeta},
	&metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "7", RemainingItemCount: pointerTo(int64(9))}, Items: []metav1.PartialObjectMetadata{{ObjectMeta: someMeta}, {}}},
	&metav1.Status{ListMeta: metav1.ListMeta{Continue: "c"}, Reason: "r", Code: 410, Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: "t"}, {Field: "f"}}}},
	&metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}, MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "k", Values: []string{"v", "w"}}}},
	&metav1.APIResourceList{APIResources: []metav1.APIResource{{Name: "n", Verbs: metav1.Verbs{"get", "list"}, Namespaced: true}, {Verbs: metav1.Verbs{}}}},
	&metav1.DeleteOptions{GracePeriodSeconds: pointerTo(int64(1)), Preconditions: &metav1.Preconditions{}, DryRun: []string{"All"}, PropagationPolicy: pointerTo(metav1.DeletePropagationOrphan)},
	&metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: []byte("raw")}},
	&runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: "k"}, Raw: []byte{}},
	&intstr.IntOrString{Type: intstr.String, StrVal: "http", IntVal: -1},
	&metav1.Duration{Duration: -time.Hour},
	&v1.Carp{ObjectMeta: someMeta, Spec: v1.CarpSpec{NodeSelector: map[string]string{"a": "b"}, TerminationGracePeriodSeconds: pointerTo(int64(-1)), HostNetwork: true}, Status: v1.CarpStatus{Conditions: []v1.CarpCondition{{Type: "t", LastProbeTime: someTime}}}},
	&tree{Left: &tree{Name: "l", Numbers: []int32{1, -1}}, Forest: forest{{Name: "f"}, {}}, Named: map[string]tree{"n": {Name: "n"}}, Double: 1.5, Float: 2.5, Flags: []bool{true, false}},
}

// tree is a type that contains itself in all ways, with methods as generated code has them.
type tree struct {
	Name    string          `json:"name" protobuf:"bytes,1,opt,name=name"`
	Left    *tree           `json:"left" protobuf:"bytes,2,opt,name=left"`
	Forest  forest          `json:"forest" protobuf:"bytes,3,opt,name=forest"`
	Named   map[string]tree `json:"named" protobuf:"bytes,4,rep,name=named"`
	Numbers []int32         `json:"numbers" protobuf:"varint,5,rep,name=numbers"`
	Double  float64         `json:"double" protobuf:"fixed64,6,opt,name=double"`
	Float   float32         `json:"float" protobuf:"fixed32,7,opt,name=float"`
	Flags   []bool          `json:"flags" protobuf:"varint,8,rep,name=flags"`
}

// forest is a message with one repeated field, of the number 1.
type forest []tree

var errBroken = errors.New("broken")

// openTrees is how many messages are inside each other; deepestTree is the highest number.
var openTrees, deepestTree int

// naiveFields calls visit for each field, as the loops of generated code do. b is the rest of
// the message, which begins with the value of the field. visit returns how long it is, or -1 for
// a field that is unknown.
func naiveFields(b []byte, visit func(number int32, wire int, b []byte) (int, error)) error {
	for len(b) > 0 {
		tag, n := naiveVarint(b)
		if n < 0 || tag&7 == 4 || int32(tag>>3) <= 0 {
			return errBroken
		}
		size, err := visit(int32(tag>>3), int(tag&7), b[n:])
		if err == nil && size < 0 {
			size = naiveSkip(b) - n
		}
		if err != nil || size < 0 || size > len(b)-n {
			return errBroken
		}
		b = b[n+size:]
	}
	return nil
}

// naiveVarint is a loop of generated code.
func naiveVarint(b []byte) (v uint64, n int) {
	for shift := uint(0); ; shift += 7 {
		if shift >= 64 || n >= len(b) {
			return 0, -1
		}
		c := b[n]
		n++
		v |= uint64(c&0x7F) << shift
		if c < 0x80 {
			return v, n
		}
	}
}

// naiveSkip is the function skip of generated code. It returns the length of the field that b
// begins with, which may be larger than b, or -1.
func naiveSkip(b []byte) (n int) {
	depth := 0
	for n < len(b) {
		tag, size := naiveVarint(b[n:])
		if size < 0 {
			return -1
		}
		n += size
		switch tag & 7 {
		case 0:
			if _, size = naiveVarint(b[n:]); size < 0 {
				return -1
			}
			n += size
		case 1:
			n += 8
		case 2:
			length, size := naiveVarint(b[n:])
			if size < 0 || int(length) < 0 {
				return -1
			}
			n += size + int(length)
		case 3:
			depth++
		case 4:
			if depth == 0 {
				return -1
			}
			depth--
		case 5:
			n += 4
		default:
			return -1
		}
		if n < 0 {
			return -1
		}
		if depth == 0 {
			return n
		}
	}
	return -1
}

// naiveContent returns the content of a field, and its length with that of the length.
func naiveContent(wire int, b []byte) (content []byte, n int, err error) {
	v, size := naiveVarint(b)
	if wire != 2 || size < 0 || int(v) < 0 || size+int(v) < 0 || size+int(v) > len(b) {
		return nil, 0, errBroken
	}
	return b[size : size+int(v)], size + int(v), nil
}

func (t *tree) Unmarshal(message []byte) error {
	openTrees++
	deepestTree = max(deepestTree, openTrees)
	defer func() { openTrees-- }()
	return naiveFields(message, func(number int32, wire int, b []byte) (n int, err error) {
		var content []byte
		switch number {
		case 1:
			content, n, err = naiveContent(wire, b)
			t.Name = string(content)
		case 2:
			if content, n, err = naiveContent(wire, b); err == nil {
				if t.Left == nil {
					t.Left = &tree{}
				}
				err = t.Left.Unmarshal(content)
			}
		case 3:
			if content, n, err = naiveContent(wire, b); err == nil {
				if t.Forest == nil {
					t.Forest = forest{}
				}
				err = t.Forest.Unmarshal(content)
			}
		case 4:
			return t.unmarshalEntry(wire, b)
		case 5:
			return naiveRepeated(wire, b, func(v uint64) { t.Numbers = append(t.Numbers, int32(v)) })
		case 6, 7:
			if size := map[int32]int{6: 8, 7: 4}[number]; wire != map[int32]int{6: 1, 7: 5}[number] || len(b) < size {
				return 0, errBroken
			}
			if number == 6 {
				_, err = binary.Decode(b, binary.LittleEndian, &t.Double)
				return 8, err
			}
			_, err = binary.Decode(b, binary.LittleEndian, &t.Float)
			return 4, err
		case 8:
			return naiveRepeated(wire, b, func(v uint64) { t.Flags = append(t.Flags, int(v) != 0) })
		default:
			return -1, nil
		}
		return n, err
	})
}

// naiveRepeated reads one integer, or several that are packed.
func naiveRepeated(wire int, b []byte, add func(v uint64)) (n int, err error) {
	end := 1
	if wire == 2 {
		content, size, err := naiveContent(wire, b)
		if err != nil {
			return 0, err
		}
		n, end = size-len(content), size
	} else if wire != 0 {
		return 0, errBroken
	}
	for n < end {
		v, size := naiveVarint(b[n:])
		if size < 0 {
			return 0, errBroken
		}
		add(v)
		n += size
	}
	return n, nil
}

func (t *tree) unmarshalEntry(wire int, b []byte) (n int, err error) {
	entry, end, err := naiveContent(wire, b)
	if err != nil {
		return 0, err
	}
	key, value := "", tree{}
	for n = end - len(entry); n < end; {
		tag, size := naiveVarint(b[n:])
		if size < 0 {
			return 0, errBroken
		}
		switch int32(tag >> 3) {
		case 1, 2:
			content, length, err := naiveContent(2, b[n+size:])
			if err != nil {
				return 0, err
			}
			if int32(tag>>3) == 1 {
				key = string(content)
			} else {
				value = tree{}
				if err := value.Unmarshal(content); err != nil {
					return 0, err
				}
			}
			n += size + length
		default:
			skipped := naiveSkip(b[n:])
			if skipped < 0 || n+skipped > end {
				return 0, errBroken
			}
			n += skipped
		}
	}
	if t.Named == nil {
		t.Named = map[string]tree{}
	}
	t.Named[key] = value
	return end, nil
}

func (f *forest) Unmarshal(message []byte) error {
	return naiveFields(message, func(number int32, wire int, b []byte) (int, error) {
		if number != 1 {
			return -1, nil
		}
		content, n, err := naiveContent(wire, b)
		if err != nil {
			return 0, err
		}
		*f = append(*f, tree{})
		return n, (*f)[len(*f)-1].Unmarshal(content)
	})
}

// delimit returns a field with a length.
func delimit(number uint64, content []byte) []byte {
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, number<<3|2), uint64(len(content))), content...)
}

// Marshal writes a tree as generated code does.
func (t *tree) Marshal() ([]byte, error) {
	b := delimit(1, []byte(t.Name))
	if t.Left != nil {
		left, _ := t.Left.Marshal()
		b = append(b, delimit(2, left)...)
	}
	if t.Forest != nil {
		var all []byte
		for i := range t.Forest {
			one, _ := t.Forest[i].Marshal()
			all = append(all, delimit(1, one)...)
		}
		b = append(b, delimit(3, all)...)
	}
	for name, value := range t.Named {
		inner, _ := value.Marshal()
		b = append(b, delimit(4, append(delimit(1, []byte(name)), delimit(2, inner)...))...)
	}
	for _, n := range t.Numbers {
		b = binary.AppendUvarint(append(b, 5<<3), uint64(int64(n)))
	}
	b, _ = binary.Append(append(b, 6<<3|1), binary.LittleEndian, t.Double)
	b, _ = binary.Append(append(b, 7<<3|5), binary.LittleEndian, t.Float)
	for _, f := range t.Flags {
		b, _ = binary.Append(append(b, 8<<3), binary.LittleEndian, f)
	}
	return b, nil
}

// clearNaN removes numbers that are not equal to themselves.
func (t *tree) clearNaN() {
	if math.IsNaN(t.Double) {
		t.Double = 0
	}
	if math.IsNaN(float64(t.Float)) {
		t.Float = 0
	}
	if t.Left != nil {
		t.Left.clearNaN()
	}
	for i := range t.Forest {
		t.Forest[i].clearNaN()
	}
	for name, inner := range t.Named {
		inner.clearNaN()
		t.Named[name] = inner
	}
}

// planOf returns the plan for the type of a sample.
func planOf(sample any) *Plan {
	t := reflect.TypeOf(sample).Elem()
	return For(t, t, nil)
}

// difference decodes a message in all ways. It is empty if they agree.
func difference(sample generated, message []byte) string {
	t := reflect.TypeOf(sample).Elem()
	want := reflect.New(t).Interface().(generated)
	wantErr := call(want, message)
	w := walker{}
	if ok := w.message(message, t, 0); ok != (wantErr == nil) {
		return fmt.Sprintf("%v: the walker has %v, the method %v", t, w.err, wantErr)
	}
	text := append([]byte(nil), message...)
	got, ok := planOf(sample).Decode(text, 0)
	// The second of two objects shares what it can with the first.
	planOf(sample).Decode(text, 1)
	shared, sharedOK := planOf(sample).Decode(text, 1)
	if wrong := checked(planOf(sample), text, ok); wrong != "" {
		return fmt.Sprintf("%v: %s", t, wrong)
	}
	for i := range text {
		text[i] = 'x'
	}
	for _, obj := range []any{got, shared, want} {
		if t, isTree := obj.(*tree); isTree && t != nil {
			t.clearNaN()
		}
	}
	switch {
	case ok != sharedOK || ok && !reflect.DeepEqual(shared, got):
		return fmt.Sprintf("%v: shared, %v\n%+v\nwant %v\n%+v", t, sharedOK, shared, ok, got)
	case ok && wantErr != nil:
		return fmt.Sprintf("%v: decoded %+v, want the error %v", t, got, wantErr)
	case ok && !reflect.DeepEqual(got, any(want)):
		return fmt.Sprintf("%v: decoded\n%+v\nwant\n%+v", t, got, want)
	}
	if wantErr != nil {
		f := planOf(sample).Fault(message, wantErr)
		if path := f.Path(true, 50); f.Err == nil || len(path) > 50+len("…") {
			return fmt.Sprintf("%v: the fault is %v at %q", t, f.Err, path)
		}
	}
	return ""
}

// fieldsV1 returns a FieldsV1 with the given JSON. NewFieldsV1 of apimachinery is new in v0.36.
func fieldsV1(text string) *metav1.FieldsV1 {
	fields := new(metav1.FieldsV1)
	if err := fields.UnmarshalJSON([]byte(text)); err != nil {
		panic(err)
	}
	return fields
}

// checked returns what is wrong with Check of a message: it refuses one on which Decode does not give up, or accepts one that cannot
// be decoded, or the head is another one.
func checked(p *Plan, message []byte, decoded bool) string {
	frame := bytes.Clone(message)
	head, ok := p.Check(frame)
	for i := range frame {
		frame[i] = 'x'
	}
	whole, err := p.Unmarshal(message)
	if decoded && !ok || ok && err != nil {
		return fmt.Sprintf("Check reports %t, Decode %t, and the error is %v", ok, decoded, err)
	}
	if want, is := whole.(metav1.Object); ok && is {
		if got := head.(metav1.Object); got.GetName() != want.GetName() || got.GetNamespace() != want.GetNamespace() ||
			got.GetUID() != want.GetUID() || got.GetResourceVersion() != want.GetResourceVersion() {
			return fmt.Sprintf("the head is %+v, want %+v", got, want)
		}
	}
	return ""
}
