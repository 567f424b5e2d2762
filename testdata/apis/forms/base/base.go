// Package base has types that kinds of other packages are made of.
package base

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Meta is embedded by kinds.
type Meta struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// Paper is a whole kind.
type Paper struct {
	Meta `json:",inline"`

	Spec PaperSpec `json:"spec,omitempty"`
}

// PaperSpec is of Paper.
type PaperSpec struct {
	Author Name `json:"author,omitempty"`
}

// Name is somebody's.
type Name string

// DeepCopyObject returns a copy.
func (in *Paper) DeepCopyObject() runtime.Object {
	out := new(Paper)
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return out
}

// List is a list of T.
type List[T any] struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []T `json:"items"`
}

// DeepCopyObject returns a copy whose items share what they point to, which is
// enough for a test.
func (in *List[T]) DeepCopyObject() runtime.Object {
	out := &List[T]{TypeMeta: in.TypeMeta, Items: append([]T(nil), in.Items...)}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	return out
}
