package v1

import "k8s.io/apimachinery/pkg/runtime"

// DeepCopyInto copies in to out.
func (in *Crate) DeepCopyInto(out *Crate) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Crate) DeepCopyObject() runtime.Object {
	out := new(Crate)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *CrateList) DeepCopyObject() runtime.Object {
	out := new(CrateList)
	*out = *in
	out.Items = make([]*Crate, len(in.Items))
	for i, item := range in.Items {
		if item != nil {
			out.Items[i] = new(Crate)
			item.DeepCopyInto(out.Items[i])
		}
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Parcel) DeepCopyInto(out *Parcel) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Parcel) DeepCopyObject() runtime.Object {
	out := new(Parcel)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *ParcelList) DeepCopyObject() runtime.Object {
	out := new(ParcelList)
	*out = *in
	out.Items = make([]Parcel, len(in.Items))
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Pallet) DeepCopyInto(out *Pallet) {
	*out = *in
	out.ObjectMeta = in.ObjectMeta.DeepCopy()
}

// DeepCopyObject returns a copy.
func (in *Pallet) DeepCopyObject() runtime.Object {
	out := new(Pallet)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *PalletList) DeepCopyObject() runtime.Object {
	out := new(PalletList)
	*out = *in
	out.Items = make([]Pallet, len(in.Items))
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Barrel) DeepCopyInto(out *Barrel) {
	*out = *in
	if in.TypeMeta != nil {
		typeMeta := *in.TypeMeta
		out.TypeMeta = &typeMeta
	}
	out.ObjectMeta = in.ObjectMeta.DeepCopy()
}

// DeepCopyObject returns a copy.
func (in *Barrel) DeepCopyObject() runtime.Object {
	out := new(Barrel)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *BarrelList) DeepCopyObject() runtime.Object {
	out := new(BarrelList)
	*out = *in
	out.Items = make([]*Barrel, len(in.Items))
	for i, item := range in.Items {
		if item != nil {
			out.Items[i] = new(Barrel)
			item.DeepCopyInto(out.Items[i])
		}
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Tin) DeepCopyInto(out *Tin) {
	*out = *in
	in.Metadata.DeepCopyInto(&out.Metadata)
}

// DeepCopyObject returns a copy.
func (in *Tin) DeepCopyObject() runtime.Object {
	out := new(Tin)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *TinList) DeepCopyObject() runtime.Object {
	out := new(TinList)
	*out = *in
	out.Items = make([]Tin, len(in.Items))
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}
