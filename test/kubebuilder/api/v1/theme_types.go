package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ThemeSpec is how sites look.
type ThemeSpec struct {
	// Color is the color of the pages.
	// +kubebuilder:validation:MinLength=1
	Color string `json:"color"`
}

// ThemeStatus is who uses a theme.
type ThemeStatus struct {
	// ObservedGeneration is the generation of the theme that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Sites are the names of the sites with the theme, in order.
	// +optional
	Sites []string `json:"sites,omitempty"`

	// ReadyReplicas is how many pods of these sites are ready.
	// +optional
	ReadyReplicas int64 `json:"readyReplicas,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// Theme is how sites look. It cannot be deleted while sites use it.
type Theme struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ThemeSpec `json:"spec"`

	// +optional
	Status ThemeStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// ThemeList is a list of themes.
type ThemeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Theme `json:"items"`
}
