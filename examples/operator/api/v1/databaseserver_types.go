package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DatabaseServer is one server of a Database. The operator creates it, with the Database
// as its controller. An agent, which is not part of this example, runs the server and
// reports whether it is ready.
//
// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=dbs
// +kubebuilder:selectablefield:JSONPath=`.spec.databaseName`
// +informer:index:name=byOwner,path=metadata.ownerReferences[*].uid
// +kubebuilder:printcolumn:name="Database",type=string,JSONPath=`.spec.databaseName`
// +kubebuilder:printcolumn:name="Storage",type=integer,JSONPath=`.spec.storageGi`
// +kubebuilder:printcolumn:name="Ready",type=boolean,JSONPath=`.status.ready`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type DatabaseServer struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec DatabaseServerSpec `json:"spec"`
	// +optional
	Status DatabaseServerStatus `json:"status,omitempty"`
}

// DatabaseServerSpec describes what the agent runs.
type DatabaseServerSpec struct {
	// databaseName is the name of the Database that the server belongs to.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	DatabaseName string `json:"databaseName"`
	// storageGi is the size of the volume, in GiB.
	//
	// +required
	// +kubebuilder:validation:Minimum=1
	StorageGi int32 `json:"storageGi"`
	// port is the port that the server listens on.
	//
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port"`
}

// DatabaseServerStatus is the state that the agent reports.
type DatabaseServerStatus struct {
	// ready is true while the server accepts connections.
	//
	// +optional
	Ready bool `json:"ready,omitempty"`
}

// DatabaseServerList is a list of DatabaseServers.
//
// +kubebuilder:object:root=true
type DatabaseServerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []DatabaseServer `json:"items"`
}
