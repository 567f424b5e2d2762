package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Berth is where a ship lies.
//
// +genclient
// +genclient:method=ApplyPier,verb=apply,subresource=pier,input=Pier,result=Pier
// +genclient:method=Moor,verb=apply
// +genclient:method=GetPier,verb=get,subresource=pier,result=Pier
type Berth struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   BerthSpec   `json:"spec,omitempty"`
	Status BerthStatus `json:"status,omitempty"`
}

// BerthSpec says which ship may come.
type BerthSpec struct {
	Ship  string `json:"ship,omitempty"`
	Depth int64  `json:"depth,omitempty"`
}

// BerthStatus says which ship is there.
type BerthStatus struct {
	Ship string `json:"ship,omitempty"`
}

// BerthList is a list of Berth.
type BerthList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Berth `json:"items"`
}

// Pier is cluster-scoped, and has no list.
//
// +genclient
// +genclient:nonNamespaced
// +genclient:onlyVerbs=get,apply
type Pier struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
