package pack

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// metadata returns the metadata of the object. It decodes nothing else, if it can.
func (p *Object) metadata() metav1.Object {
	if p.decoded != nil {
		return p.decoded
	}
	if obj, err := p.text.metadata(); err == nil {
		return obj
	}
	return p.Open()
}

// readOnly panics. The methods that set something call it, because no one owns the object.
func readOnly() { panic("cache: a packed object is never written to") }

// GetLabels implements metav1.Object.
func (p *Object) GetLabels() map[string]string { return p.metadata().GetLabels() }

// GetAnnotations implements metav1.Object.
func (p *Object) GetAnnotations() map[string]string { return p.metadata().GetAnnotations() }

// GetGenerateName implements metav1.Object.
func (p *Object) GetGenerateName() string { return p.metadata().GetGenerateName() }

// GetGeneration implements metav1.Object.
func (p *Object) GetGeneration() int64 { return p.metadata().GetGeneration() }

// GetSelfLink implements metav1.Object.
func (p *Object) GetSelfLink() string { return p.metadata().GetSelfLink() }

// GetCreationTimestamp implements metav1.Object.
func (p *Object) GetCreationTimestamp() metav1.Time { return p.metadata().GetCreationTimestamp() }

// GetDeletionTimestamp implements metav1.Object.
func (p *Object) GetDeletionTimestamp() *metav1.Time { return p.metadata().GetDeletionTimestamp() }

// GetDeletionGracePeriodSeconds implements metav1.Object.
func (p *Object) GetDeletionGracePeriodSeconds() *int64 {
	return p.metadata().GetDeletionGracePeriodSeconds()
}

// GetFinalizers implements metav1.Object.
func (p *Object) GetFinalizers() []string { return p.metadata().GetFinalizers() }

// GetOwnerReferences implements metav1.Object.
func (p *Object) GetOwnerReferences() []metav1.OwnerReference {
	return p.metadata().GetOwnerReferences()
}

// GetManagedFields implements metav1.Object.
func (p *Object) GetManagedFields() []metav1.ManagedFieldsEntry {
	return p.metadata().GetManagedFields()
}

// GetObjectKind implements runtime.Object.
func (p *Object) GetObjectKind() schema.ObjectKind { return p.Open().GetObjectKind() }

// DeepCopyObject returns the object, decoded. It belongs to the caller.
func (p *Object) DeepCopyObject() runtime.Object { return p.text.Decode() }

// SetNamespace panics, as do the following methods.
func (p *Object) SetNamespace(string) { readOnly() }

// SetName panics.
func (p *Object) SetName(string) { readOnly() }

// SetGenerateName panics.
func (p *Object) SetGenerateName(string) { readOnly() }

// SetUID panics.
func (p *Object) SetUID(types.UID) { readOnly() }

// SetResourceVersion panics.
func (p *Object) SetResourceVersion(string) { readOnly() }

// SetGeneration panics.
func (p *Object) SetGeneration(int64) { readOnly() }

// SetSelfLink panics.
func (p *Object) SetSelfLink(string) { readOnly() }

// SetCreationTimestamp panics.
func (p *Object) SetCreationTimestamp(metav1.Time) { readOnly() }

// SetDeletionTimestamp panics.
func (p *Object) SetDeletionTimestamp(*metav1.Time) { readOnly() }

// SetDeletionGracePeriodSeconds panics.
func (p *Object) SetDeletionGracePeriodSeconds(*int64) { readOnly() }

// SetLabels panics.
func (p *Object) SetLabels(map[string]string) { readOnly() }

// SetAnnotations panics.
func (p *Object) SetAnnotations(map[string]string) { readOnly() }

// SetFinalizers panics.
func (p *Object) SetFinalizers([]string) { readOnly() }

// SetOwnerReferences panics.
func (p *Object) SetOwnerReferences([]metav1.OwnerReference) { readOnly() }

// SetManagedFields panics.
func (p *Object) SetManagedFields([]metav1.ManagedFieldsEntry) { readOnly() }
