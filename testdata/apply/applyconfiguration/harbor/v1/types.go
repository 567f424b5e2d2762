// Package v1 stands for the one that applyconfiguration-gen writes.
package v1

import metav1 "k8s.io/client-go/applyconfigurations/meta/v1"

// BerthApplyConfiguration says what to apply to a Berth.
type BerthApplyConfiguration struct {
	metav1.TypeMetaApplyConfiguration    `json:",inline"`
	*metav1.ObjectMetaApplyConfiguration `json:"metadata,omitempty"`

	Spec   *BerthSpecApplyConfiguration   `json:"spec,omitempty"`
	Status *BerthStatusApplyConfiguration `json:"status,omitempty"`
}

// BerthSpecApplyConfiguration says what to apply to a BerthSpec.
type BerthSpecApplyConfiguration struct {
	Ship  *string `json:"ship,omitempty"`
	Depth *int64  `json:"depth,omitempty"`
}

// BerthStatusApplyConfiguration says what to apply to a BerthStatus.
type BerthStatusApplyConfiguration struct {
	Ship *string `json:"ship,omitempty"`
}

// Berth returns what applies nothing yet.
func Berth(name, namespace string) *BerthApplyConfiguration {
	b := &BerthApplyConfiguration{ObjectMetaApplyConfiguration: &metav1.ObjectMetaApplyConfiguration{Name: &name, Namespace: &namespace}}
	b.WithAPIVersion("harbor.example.com/v1").WithKind("Berth")
	return b
}

// GetName returns the name, or nil.
func (b *BerthApplyConfiguration) GetName() *string { return nameOf(b.ObjectMetaApplyConfiguration) }

// IsApplyConfiguration marks an apply configuration.
func (b BerthApplyConfiguration) IsApplyConfiguration() {}

// PierApplyConfiguration says what to apply to a Pier.
type PierApplyConfiguration struct {
	metav1.TypeMetaApplyConfiguration    `json:",inline"`
	*metav1.ObjectMetaApplyConfiguration `json:"metadata,omitempty"`
}

// Pier returns what applies nothing yet.
func Pier(name string) *PierApplyConfiguration {
	p := &PierApplyConfiguration{ObjectMetaApplyConfiguration: &metav1.ObjectMetaApplyConfiguration{Name: &name}}
	p.WithAPIVersion("harbor.example.com/v1").WithKind("Pier")
	return p
}

// GetName returns the name, or nil.
func (p *PierApplyConfiguration) GetName() *string { return nameOf(p.ObjectMetaApplyConfiguration) }

// IsApplyConfiguration marks an apply configuration.
func (p PierApplyConfiguration) IsApplyConfiguration() {}

func nameOf(meta *metav1.ObjectMetaApplyConfiguration) *string {
	if meta == nil {
		return nil
	}
	return meta.Name
}
