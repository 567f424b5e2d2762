package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// CronTab is the Schema for the crontabs API.
type CronTab struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   CronTabSpec   `json:"spec,omitempty"`
	Status CronTabStatus `json:"status,omitempty"`
}

// CronTabSpec defines the desired state of CronTab.
type CronTabSpec struct {
	Schedule string `json:"schedule,omitempty"`
}

// CronTabStatus defines the observed state of CronTab.
type CronTabStatus struct {
	Active int32 `json:"active,omitempty"`
}

// +kubebuilder:object:root=true

// CronTabList is a list of CronTab.
type CronTabList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []CronTab `json:"items"`
}
