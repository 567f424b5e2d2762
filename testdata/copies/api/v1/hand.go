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
