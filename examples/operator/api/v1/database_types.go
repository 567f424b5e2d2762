package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Database requests a database of a class. Its status reports the result.
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
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
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

// DatabaseSpec describes the requested database.
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
	// replicas is the number of servers.
	//
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	Replicas int32 `json:"replicas,omitempty"`
}

// DatabasePhase is the state of a Database in one word.
//
// +kubebuilder:validation:Enum=Pending;Ready;Failed;Deleting
type DatabasePhase string

const (
	// DatabasePending: the database waits for its class or for its servers.
	DatabasePending DatabasePhase = "Pending"
	// DatabaseReady: the database answers at its endpoint.
	DatabaseReady DatabasePhase = "Ready"
	// DatabaseFailed: a user has to change something before the database can be ready.
	DatabaseFailed DatabasePhase = "Failed"
	// DatabaseDeleting: the database is deleted as soon as its servers are gone.
	DatabaseDeleting DatabasePhase = "Deleting"
)

// ConditionReady is the condition that reports whether a Database is available, and
// the reason if it is not.
const ConditionReady = "Ready"

// Reasons of ConditionReady, and of Events.
const (
	// ReasonProvisioned: all servers are ready.
	ReasonProvisioned = "Provisioned"
	// ReasonClassNotFound: the class does not exist yet.
	ReasonClassNotFound = "ClassNotFound"
	// ReasonTooLarge: the class does not allow the requested storage.
	ReasonTooLarge = "TooLarge"
	// ReasonNamespaceTerminating: the namespace is being deleted, so it gets no servers.
	ReasonNamespaceTerminating = "NamespaceTerminating"
	// ReasonServerConflict: a server with the name of one of this database belongs to
	// another owner or to none.
	ReasonServerConflict = "ServerConflict"
	// ReasonServersNotReady: the agent has not reported all servers as ready.
	ReasonServersNotReady = "ServersNotReady"
	// ReasonDeleting: the database is being deleted, and its servers before it.
	ReasonDeleting = "Deleting"
	// ReasonDeleted is the reason of the last Event.
	ReasonDeleted = "Deleted"
)

// Finalizer keeps a Database until the operator has deleted its servers.
const Finalizer = "data.example.com/servers"

// DatabaseStatus is the state that the operator reports.
type DatabaseStatus struct {
	// +optional
	Phase DatabasePhase `json:"phase,omitempty"`
	// endpoint is the host and port of a database that is ready.
	//
	// +optional
	Endpoint string `json:"endpoint,omitempty"`
	// readyReplicas is the number of servers that are ready.
	//
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`
	// observedGeneration is the metadata.generation that the operator has used for
	// this status.
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
