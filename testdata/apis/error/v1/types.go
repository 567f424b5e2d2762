package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Item is the only kind.
//
// +genclient
type Item struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status ItemStatus `json:"status,omitempty"`
}

// ItemStatus is what has become of a Item.
type ItemStatus struct {
	Phase string `json:"phase,omitempty"`
}

// ItemList is a list of Item.
type ItemList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Item `json:"items"`
}
