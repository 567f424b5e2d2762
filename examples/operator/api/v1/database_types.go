package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Database asks for a database of a class, and says how far it has come.
//
// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=db
// +kubebuilder:selectablefield:JSONPath=`.spec.className`
// +kubebuilder:selectablefield:JSONPath=`.status.phase`
// +informer:index:name=byClass,path=spec.className
// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=`.spec.className`
// +kubebuilder:printcolumn:name="Storage",type=integer,JSONPath=`.spec.storageGi`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Endpoint",type=string,JSONPath=`.status.endpoint`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Database struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec DatabaseSpec `json:"spec"`
	// +optional
	Status DatabaseStatus `json:"status,omitempty"`
}

// DatabaseSpec is what is asked for.
type DatabaseSpec struct {
	// className is the name of a DatabaseClass.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	ClassName string `json:"className"`
	// storageGi is the size of the volume of each replica, in GiB.
	//
	// +required
	// +kubebuilder:validation:Minimum=1
	StorageGi int32 `json:"storageGi"`
	// replicas is how many servers there are.
	//
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	Replicas int32 `json:"replicas,omitempty"`
}

// DatabasePhase is a Database's state in one word.
//
// +kubebuilder:validation:Enum=Pending;Ready;Failed
type DatabasePhase string

const (
	// DatabasePending: its class is not there yet.
	DatabasePending DatabasePhase = "Pending"
	// DatabaseReady: it answers at its endpoint.
	DatabaseReady DatabasePhase = "Ready"
	// DatabaseFailed: it cannot be had as it is asked for.
	DatabaseFailed DatabasePhase = "Failed"
)

// ConditionReady is the condition that says whether a Database is to be had, and
// why not.
const ConditionReady = "Ready"

// Reasons of ConditionReady.
const (
	ReasonProvisioned   = "Provisioned"
	ReasonClassNotFound = "ClassNotFound"
	ReasonTooLarge      = "TooLarge"
)

// DatabaseStatus is what the operator has found and done.
type DatabaseStatus struct {
	// +optional
	Phase DatabasePhase `json:"phase,omitempty"`
	// endpoint is the host and port of a database that is ready.
	//
	// +optional
	Endpoint string `json:"endpoint,omitempty"`
	// observedGeneration is the metadata.generation that the status is about.
	//
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// DatabaseList is a list of Databases.
//
// +kubebuilder:object:root=true
type DatabaseList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Database `json:"items"`
}
