package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Order is what a customer has ordered. It is namespaced and has a status, and
// methods for its subresources.
//
// +genclient
// +genclient:method=GetInvoice,verb=get,subresource=invoice,result=Invoice
// +genclient:method=ListReceipts,verb=list,subresource=receipts,result=Receipt
// +genclient:method=CreateInvoice,verb=create,subresource=invoice,input=Voucher,result=Invoice
// +genclient:method=UpdateInvoice,verb=update,subresource=invoice,input=Invoice,result=Invoice
// +genclient:method=PatchInvoice,verb=patch,subresource=invoice,result=Invoice
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   OrderSpec   `json:"spec,omitempty"`
	Status OrderStatus `json:"status,omitempty"`
}

// OrderStatus is what has become of a Order.
type OrderStatus struct {
	Phase string `json:"phase,omitempty"`
}

// OrderList is a list of Order.
type OrderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Order `json:"items"`
}

// OrderSpec is what was ordered.
type OrderSpec struct {
	Customer string `json:"customer,omitempty"`
}

// +genclient
// +genclient:noStatus

// Invoice has a status that no client may update, and its markers one blank line above.
type Invoice struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status InvoiceStatus `json:"status,omitempty"`
}

// InvoiceStatus is what has become of a Invoice.
type InvoiceStatus struct {
	Phase string `json:"phase,omitempty"`
}

// InvoiceList is a list of Invoice.
type InvoiceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Invoice `json:"items"`
}

// Shop is cluster-scoped and has no status, and methods for itself.
//
// +genclient
// +genclient:nonNamespaced
// +genclient:method=GetOpen,verb=get
// +genclient:method=ListOpen,verb=list
// +genclient:method=Import,verb=create,input=Order
// +genclient:method=Replace,verb=update
// +genclient:method=Paint,verb=patch
type Shop struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// ShopList is a list of Shop.
type ShopList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Shop `json:"items"`
}

// Voucher can only be created, as a SubjectAccessReview. It has no list.
//
// +genclient
// +genclient:onlyVerbs=create
type Voucher struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// Receipt can be got and listed, but not watched: it has a lister and no informer.
//
// +genclient
// +genclient:onlyVerbs=get,list
type Receipt struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// ReceiptList is a list of Receipt.
type ReceiptList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Receipt `json:"items"`
}

// Ledger is readonly.
//
// +genclient
// +genclient:nonNamespaced
// +genclient:readonly
type Ledger struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status LedgerStatus `json:"status,omitempty"`
}

// LedgerStatus is what has become of a Ledger.
type LedgerStatus struct {
	Phase string `json:"phase,omitempty"`
}

// LedgerList is a list of Ledger.
type LedgerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Ledger `json:"items"`
}

// Session has a client without methods.
//
// +genclient
// +genclient:noVerbs
type Session struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// Basket cannot be patched, nor deleted all at once.
//
// +genclient
// +genclient:skipVerbs=patch,deleteCollection,apply
type Basket struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// BasketList is a list of Basket.
type BasketList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Basket `json:"items"`
}

// Stock has a resource that is no plural of it.
//
// +genclient
// +resourceName=stock-levels
type Stock struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// StockList is a list of Stock.
type StockList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Stock `json:"items"`
}

// Remark is no kind: no marker stands above it.
type Remark struct {
	Text string `json:"text,omitempty"`
}
