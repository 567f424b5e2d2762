// Package other has types without deep copies that the package under test uses.
package other

// Plain has only exported fields, so that other packages can copy it.
type Plain struct {
	Names []string
	Next  *Leaf
}

// Leaf refers to no memory.
type Leaf struct{ N int }

// Counter is copied by a method with values.
type Counter struct{ n *int }

// NewCounter returns a counter of n.
func NewCounter(n int) Counter { return Counter{&n} }

// DeepCopy returns a counter of its own.
func (c Counter) DeepCopy() Counter {
	if c.n == nil {
		return c
	}
	return NewCounter(*c.n)
}

// Handle is copied only into another one.
type Handle struct{ N *int }

// DeepCopyInto copies h to out.
func (h *Handle) DeepCopyInto(out *Handle) {
	*out = *h
	if h.N != nil {
		n := *h.N
		out.N = &n
	}
}

// Cloned is copied only to a new one, and never from nil.
type Cloned struct{ N *int }

// DeepCopy returns a copy.
func (c *Cloned) DeepCopy() *Cloned {
	if c.N == nil {
		return &Cloned{}
	}
	n := *c.N
	return &Cloned{N: &n}
}

// Box holds values of any type.
type Box[T any] struct {
	One  T
	More []T
}
