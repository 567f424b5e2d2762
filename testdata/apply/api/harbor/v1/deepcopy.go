package v1

import "k8s.io/apimachinery/pkg/runtime"

// DeepCopyObject returns a copy.
func (in *Berth) DeepCopyObject() runtime.Object {
	out := &Berth{TypeMeta: in.TypeMeta, Spec: in.Spec, Status: in.Status}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return out
}

// DeepCopyObject returns a copy.
func (in *BerthList) DeepCopyObject() runtime.Object {
	out := &BerthList{TypeMeta: in.TypeMeta}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopyObject().(*Berth))
	}
	return out
}

// DeepCopyObject returns a copy.
func (in *Mooring) DeepCopyObject() runtime.Object {
	out := &Mooring{TypeMeta: in.TypeMeta, Status: in.Status}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return out
}

// DeepCopyObject returns a copy.
func (in *Pier) DeepCopyObject() runtime.Object {
	out := &Pier{TypeMeta: in.TypeMeta}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return out
}
