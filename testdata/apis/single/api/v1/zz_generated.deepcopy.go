package v1

import "k8s.io/apimachinery/pkg/runtime"

// DeepCopyInto copies in to out.
func (in *CronTab) DeepCopyInto(out *CronTab) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *CronTab) DeepCopyObject() runtime.Object {
	out := new(CronTab)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *CronTabList) DeepCopyObject() runtime.Object {
	out := &CronTabList{TypeMeta: in.TypeMeta, Items: make([]CronTab, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}
