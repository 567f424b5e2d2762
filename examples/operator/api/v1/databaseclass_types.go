package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DatabaseClass is a kind of database that the cluster offers.
//
// +genclient
// +genclient:nonNamespaced
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=dbc
// +kubebuilder:printcolumn:name="Max storage",type=integer,JSONPath=`.spec.maxStorageGi`
// +kubebuilder:printcolumn:name="Domain",type=string,JSONPath=`.spec.domain`
type DatabaseClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec DatabaseClassSpec `json:"spec"`
}

// DatabaseClassSpec has the properties that all databases of a class share.
type DatabaseClassSpec struct {
	// description explains the purpose of the class to users.
	//
	// +optional
	Description string `json:"description,omitempty"`
	// maxStorageGi is the largest volume that a Database may request, in GiB.
	//
	// +required
	// +kubebuilder:validation:Minimum=1
	MaxStorageGi int32 `json:"maxStorageGi"`
	// domain is the end of the host names of the databases.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	Domain string `json:"domain"`
	// port is the port of the databases.
	//
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port"`
}

// DatabaseClassList is a list of DatabaseClasses.
//
// +kubebuilder:object:root=true
type DatabaseClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []DatabaseClass `json:"items"`
}
