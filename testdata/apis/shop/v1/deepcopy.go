package v1

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
func (in *Invoice) DeepCopyInto(out *Invoice) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Invoice) DeepCopyObject() runtime.Object {
	out := new(Invoice)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *InvoiceList) DeepCopyObject() runtime.Object {
	out := &InvoiceList{TypeMeta: in.TypeMeta, Items: make([]Invoice, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Shop) DeepCopyInto(out *Shop) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Shop) DeepCopyObject() runtime.Object {
	out := new(Shop)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *ShopList) DeepCopyObject() runtime.Object {
	out := &ShopList{TypeMeta: in.TypeMeta, Items: make([]Shop, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Voucher) DeepCopyInto(out *Voucher) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Voucher) DeepCopyObject() runtime.Object {
	out := new(Voucher)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyInto copies in to out.
func (in *Receipt) DeepCopyInto(out *Receipt) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Receipt) DeepCopyObject() runtime.Object {
	out := new(Receipt)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *ReceiptList) DeepCopyObject() runtime.Object {
	out := &ReceiptList{TypeMeta: in.TypeMeta, Items: make([]Receipt, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Ledger) DeepCopyInto(out *Ledger) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Ledger) DeepCopyObject() runtime.Object {
	out := new(Ledger)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *LedgerList) DeepCopyObject() runtime.Object {
	out := &LedgerList{TypeMeta: in.TypeMeta, Items: make([]Ledger, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Session) DeepCopyInto(out *Session) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Session) DeepCopyObject() runtime.Object {
	out := new(Session)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyInto copies in to out.
func (in *Basket) DeepCopyInto(out *Basket) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Basket) DeepCopyObject() runtime.Object {
	out := new(Basket)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *BasketList) DeepCopyObject() runtime.Object {
	out := &BasketList{TypeMeta: in.TypeMeta, Items: make([]Basket, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies in to out.
func (in *Stock) DeepCopyInto(out *Stock) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
}

// DeepCopyObject returns a copy.
func (in *Stock) DeepCopyObject() runtime.Object {
	out := new(Stock)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject returns a copy.
func (in *StockList) DeepCopyObject() runtime.Object {
	out := &StockList{TypeMeta: in.TypeMeta, Items: make([]Stock, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}
