package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// SiteSpec is the website that is wanted.
type SiteSpec struct {
	// Theme is the name of a Theme in the namespace of the site.
	// +kubebuilder:validation:MinLength=1
	Theme string `json:"theme"`

	// Replicas is how many pods serve the site.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	Replicas int32 `json:"replicas,omitempty"`

	// CertificateSecret is the name of a Secret in the namespace of the site. Without it the
	// site is served without TLS.
	// +optional
	CertificateSecret string `json:"certificateSecret,omitempty"`
}

// SiteStatus is the website that is there.
type SiteStatus struct {
	// ObservedGeneration is the generation of the site that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// ReadyReplicas is how many pods are ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`

	// Conditions has the condition Ready.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`

// Site is a website.
type Site struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec SiteSpec `json:"spec"`

	// +optional
	Status SiteStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// SiteList is a list of sites.
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}
