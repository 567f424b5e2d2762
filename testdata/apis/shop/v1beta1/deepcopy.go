package v1beta1

import "k8s.io/apimachinery/pkg/runtime"

// DeepCopyInto copies in to out.
func (in *Order) DeepCopyInto(out *Order) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Order) DeepCopyObject() runtime.Object {
	out := new(Order)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *OrderList) DeepCopyObject() runtime.Object {
	out := &OrderList{TypeMeta: in.TypeMeta, Items: make([]Order, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Endpoints) DeepCopyInto(out *Endpoints) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Endpoints) DeepCopyObject() runtime.Object {
	out := new(Endpoints)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *EndpointsList) DeepCopyObject() runtime.Object {
	out := &EndpointsList{TypeMeta: in.TypeMeta, Items: make([]Endpoints, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Ingress) DeepCopyInto(out *Ingress) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Ingress) DeepCopyObject() runtime.Object {
	out := new(Ingress)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *IngressList) DeepCopyObject() runtime.Object {
	out := &IngressList{TypeMeta: in.TypeMeta, Items: make([]Ingress, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *NetworkPolicy) DeepCopyInto(out *NetworkPolicy) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *NetworkPolicy) DeepCopyObject() runtime.Object {
	out := new(NetworkPolicy)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *NetworkPolicyList) DeepCopyObject() runtime.Object {
	out := &NetworkPolicyList{TypeMeta: in.TypeMeta, Items: make([]NetworkPolicy, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Proxy) DeepCopyInto(out *Proxy) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Proxy) DeepCopyObject() runtime.Object {
	out := new(Proxy)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *ProxyList) DeepCopyObject() runtime.Object {
	out := &ProxyList{TypeMeta: in.TypeMeta, Items: make([]Proxy, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Gateway) DeepCopyInto(out *Gateway) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Gateway) DeepCopyObject() runtime.Object {
	out := new(Gateway)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *GatewayList) DeepCopyObject() runtime.Object {
	out := &GatewayList{TypeMeta: in.TypeMeta, Items: make([]Gateway, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Box) DeepCopyInto(out *Box) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Box) DeepCopyObject() runtime.Object {
	out := new(Box)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *BoxList) DeepCopyObject() runtime.Object {
	out := &BoxList{TypeMeta: in.TypeMeta, Items: make([]Box, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Shelf) DeepCopyInto(out *Shelf) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Shelf) DeepCopyObject() runtime.Object {
	out := new(Shelf)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *ShelfList) DeepCopyObject() runtime.Object {
	out := &ShelfList{TypeMeta: in.TypeMeta, Items: make([]Shelf, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}
