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
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec   BerthSpec   `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	Status BerthStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// BerthSpec says which ship may come.
type BerthSpec struct {
	Ship  string `json:"ship,omitempty" protobuf:"bytes,1,opt,name=ship"`
	Depth int64  `json:"depth,omitempty" protobuf:"varint,2,opt,name=depth"`
}

// BerthStatus says which ship is there.
type BerthStatus struct {
	Ship string `json:"ship,omitempty" protobuf:"bytes,1,opt,name=ship"`
}

// BerthList is a list of Berth.
type BerthList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Items []Berth `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// Mooring is a view of a Berth, which has protobuf.
//
// +informer:view=Berth
type Mooring struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status BerthStatus `json:"status,omitempty"`
}

// Pier is cluster-scoped, and has no list and no protobuf.
//
// +genclient
// +genclient:nonNamespaced
// +genclient:onlyVerbs=get,apply
type Pier struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
