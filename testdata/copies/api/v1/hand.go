package v1

// ByHand has types whose methods are written here.
type ByHand struct {
	Into    Into
	IntoPtr *Into
	Copy    Copy
	CopyPtr *Copy
	Value   Value
	List    List
	Both    Both
	Func    Func
	Intos   []Into
	Copies  map[string]Copy
	Level   Level
	Levels  []*Level
	Generic Generic
}

// Generic has instances of generic types with one of the methods, or with both.
type Generic struct {
	Nest     Nest[*int]
	Nests    []*Nest[*int]
	Pair     Couple[string, *int]
	Pairs    map[string]Couple[string, *int]
	Sequence Sequence[*int]
	Renamed  Renamed[int, int, *int]
	Shaped   *Shaped[*int]
}

// Into has only DeepCopyInto.
type Into struct{ N, Calls *int }

// DeepCopyInto counts its calls.
func (in *Into) DeepCopyInto(out *Into) {
	*out = *in
	if in.N != nil {
		n := *in.N
		out.N = &n
	}
	calls := 1
	if in.Calls != nil {
		calls = *in.Calls + 1
	}
	out.Calls = &calls
}

// Copy has only DeepCopy, which does not accept nil.
type Copy struct{ N *int }

// DeepCopy copies c.
func (c *Copy) DeepCopy() *Copy {
	out := *c
	if c.N != nil {
		n := *c.N
		out.N = &n
	}
	return &out
}

// Value has DeepCopy with a value.
type Value struct{ N *int }

// DeepCopy copies v.
func (v Value) DeepCopy() Value {
	if v.N != nil {
		n := *v.N
		v.N = &n
	}
	return v
}

// List is a slice with a method.
type List []*int

// DeepCopy copies l.
func (l List) DeepCopy() List {
	if l == nil {
		return nil
	}
	out := make(List, len(l))
	for i, n := range l {
		copied := *n
		out[i] = &copied
	}
	return out
}

// Both has both methods.
type Both struct{ N *int }

// DeepCopyInto copies b to out.
func (b *Both) DeepCopyInto(out *Both) { out.N = (*Copy)(b).DeepCopy().N }

// DeepCopy copies b.
func (b *Both) DeepCopy() *Both {
	if b == nil {
		return nil
	}
	out := &Both{}
	b.DeepCopyInto(out)
	return out
}

// Func holds a function, which only the user knows how to copy.
type Func struct{ F func() int }

// DeepCopyInto keeps the function.
func (f *Func) DeepCopyInto(out *Func) { *out = *f }

// Level is a number with a method.
type Level int

// DeepCopy counts.
func (l Level) DeepCopy() Level { return l + 1 }

// Nest refers to itself, and has only DeepCopyInto.
type Nest[T any] struct {
	Value T
	Inner []Nest[T]
}

// DeepCopyInto copies the instances for *int.
func (n *Nest[T]) DeepCopyInto(out *Nest[T]) {
	*out = *n
	out.Value = copyOf(n.Value)
	if n.Inner != nil {
		out.Inner = make([]Nest[T], len(n.Inner))
		for i := range n.Inner {
			n.Inner[i].DeepCopyInto(&out.Inner[i])
		}
	}
}

// Couple has only DeepCopy, for a pointer.
type Couple[K comparable, V any] struct {
	Key   K
	Value V
}

// DeepCopy copies c.
func (c *Couple[K, V]) DeepCopy() *Couple[K, V] { return &Couple[K, V]{c.Key, copyOf(c.Value)} }

// Sequence is a slice with DeepCopy.
type Sequence[T any] []T

// DeepCopy copies s.
func (s Sequence[T]) DeepCopy() Sequence[T] {
	if s == nil {
		return nil
	}
	out := make(Sequence[T], len(s))
	for i := range s {
		out[i] = copyOf(s[i])
	}
	return out
}

// Renamed has parameters whose names the methods cannot have.
type Renamed[_ any, Type1, in any] struct{ Value in }

// DeepCopyInto copies r to out.
func (r *Renamed[A, B, C]) DeepCopyInto(out *Renamed[A, B, C]) { out.Value = copyOf(r.Value) }

// Shaped is a Shape with the name of the interface as the name of its parameter.
//
// +k8s:deepcopy-gen:interfaces=github.com/typedinformers/informer-gen/testdata/copies/api/v1.Shape
type Shaped[Shape any] struct{ Value Shape }

// DeepCopyInto copies s to out.
func (s *Shaped[T]) DeepCopyInto(out *Shaped[T]) { out.Value = copyOf(s.Value) }

// Area returns an area.
func (s *Shaped[T]) Area() int { return 1 }

// copyOf copies a pointer to an int, and returns other values as they are.
func copyOf[T any](value T) T {
	if n, ok := any(value).(*int); ok && n != nil {
		copied := *n
		return any(&copied).(T)
	}
	return value
}
