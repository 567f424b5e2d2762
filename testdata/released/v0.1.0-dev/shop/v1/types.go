// Package v1 has the orders of a shop, with most markers of the generator.
// +groupName=shop.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Order is what a customer has ordered.
// +genclient
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=`.spec.customer`
// +informer:index:name=byCustomer,path=.spec.customer
// +informer:index:name=byProduct,path=.spec.items[*].product
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   OrderSpec   `json:"spec,omitempty"`
	Status OrderStatus `json:"status,omitempty"`
}

// OrderSpec is what the customer wants.
type OrderSpec struct {
	Customer string `json:"customer,omitempty"`
	// +listType=map
	// +listMapKey=product
	Items []Item `json:"items,omitempty"`
}

// Item is a product and how many of it are ordered.
type Item struct {
	Product string `json:"product"`
	Count   int32  `json:"count,omitempty"`
}

// OrderStatus is how far the order is.
type OrderStatus struct {
	Phase      string             `json:"phase,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Shop is cluster-scoped.
// +genclient
// +genclient:nonNamespaced
// +genclient:noStatus
type Shop struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ShopSpec `json:"spec,omitempty"`
}

// ShopSpec is where the shop is.
type ShopSpec struct {
	Address string `json:"address,omitempty"`
}

// OrderSummary has the fields of an order that a list of orders shows.
// +informer:view=Order
// +informer:index:name=byPhase,path=.status.phase
type OrderSummary struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status OrderSummaryStatus `json:"status,omitempty"`
}

// OrderSummaryStatus is how far the order is.
type OrderSummaryStatus struct {
	Phase string `json:"phase,omitempty"`
}
