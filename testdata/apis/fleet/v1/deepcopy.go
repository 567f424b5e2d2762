package v1

import "k8s.io/apimachinery/pkg/runtime"

// DeepCopyInto copies in to out.
func (in *Type) DeepCopyInto(out *Type) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Type) DeepCopyObject() runtime.Object {
	out := new(Type)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *TypeList) DeepCopyObject() runtime.Object {
	out := &TypeList{TypeMeta: in.TypeMeta, Items: make([]Type, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Interface) DeepCopyInto(out *Interface) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Interface) DeepCopyObject() runtime.Object {
	out := new(Interface)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *InterfaceList) DeepCopyObject() runtime.Object {
	out := &InterfaceList{TypeMeta: in.TypeMeta, Items: make([]Interface, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Test) DeepCopyInto(out *Test) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Test) DeepCopyObject() runtime.Object {
	out := new(Test)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *TestList) DeepCopyObject() runtime.Object {
	out := &TestList{TypeMeta: in.TypeMeta, Items: make([]Test, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Windows) DeepCopyInto(out *Windows) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Windows) DeepCopyObject() runtime.Object {
	out := new(Windows)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *WindowsList) DeepCopyObject() runtime.Object {
	out := &WindowsList{TypeMeta: in.TypeMeta, Items: make([]Windows, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Package) DeepCopyInto(out *Package) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Package) DeepCopyObject() runtime.Object {
	out := new(Package)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *PackageList) DeepCopyObject() runtime.Object {
	out := &PackageList{TypeMeta: in.TypeMeta, Items: make([]Package, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Context) DeepCopyInto(out *Context) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Context) DeepCopyObject() runtime.Object {
	out := new(Context)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *ContextList) DeepCopyObject() runtime.Object {
	out := &ContextList{TypeMeta: in.TypeMeta, Items: make([]Context, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Opts) DeepCopyInto(out *Opts) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Opts) DeepCopyObject() runtime.Object {
	out := new(Opts)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *OptsList) DeepCopyObject() runtime.Object {
	out := &OptsList{TypeMeta: in.TypeMeta, Items: make([]Opts, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Error) DeepCopyInto(out *Error) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Error) DeepCopyObject() runtime.Object {
	out := new(Error)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *ErrorList) DeepCopyObject() runtime.Object {
	out := &ErrorList{TypeMeta: in.TypeMeta, Items: make([]Error, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}
