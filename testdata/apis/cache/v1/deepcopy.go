package v1

import "k8s.io/apimachinery/pkg/runtime"

// DeepCopyInto copies in to out.
func (in *Item) DeepCopyInto(out *Item) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Item) DeepCopyObject() runtime.Object {
	out := new(Item)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *ItemList) DeepCopyObject() runtime.Object {
	out := &ItemList{TypeMeta: in.TypeMeta, Items: make([]Item, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}
