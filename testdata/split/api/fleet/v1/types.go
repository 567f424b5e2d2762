package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	depotv1 "github.com/typedinformers/informer-gen/testdata/split/api/depot/v1"
)

// Truck is a vehicle. A method of it has a type of another package of the group version.
//
// +genclient
// +genclient:method=Park,verb=create,subresource=park,input=github.com/typedinformers/informer-gen/testdata/split/api/depot/v1.Depot,result=github.com/typedinformers/informer-gen/testdata/split/api/depot/v1.Depot
// +informer:index:name=byDepot,path=.spec.depot
type Truck struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   TruckSpec   `json:"spec,omitempty"`
	Status TruckStatus `json:"status,omitempty"`
}

// TruckSpec is what a truck should be.
type TruckSpec struct {
	Depot string           `json:"depot,omitempty"`
	Home  *depotv1.Address `json:"home,omitempty"`
}

// TruckStatus is where a truck is.
type TruckStatus struct {
	Position *Position `json:"position,omitempty"`
}

// Position is on the earth. Another package of the group version has a type of this name.
type Position struct {
	Latitude  string `json:"latitude"`
	Longitude string `json:"longitude"`
}
