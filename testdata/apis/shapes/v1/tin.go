package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// GetListMeta returns the metadata of the list.
func (l *TinList) GetListMeta() metav1.ListInterface { return &l.Metadata }

func (t *Tin) GetNamespace() string                { return t.Metadata.GetNamespace() }
func (t *Tin) SetNamespace(v string)               { t.Metadata.SetNamespace(v) }
func (t *Tin) GetName() string                     { return t.Metadata.GetName() }
func (t *Tin) SetName(v string)                    { t.Metadata.SetName(v) }
func (t *Tin) GetGenerateName() string             { return t.Metadata.GetGenerateName() }
func (t *Tin) SetGenerateName(v string)            { t.Metadata.SetGenerateName(v) }
func (t *Tin) GetUID() types.UID                   { return t.Metadata.GetUID() }
func (t *Tin) SetUID(v types.UID)                  { t.Metadata.SetUID(v) }
func (t *Tin) GetResourceVersion() string          { return t.Metadata.GetResourceVersion() }
func (t *Tin) SetResourceVersion(v string)         { t.Metadata.SetResourceVersion(v) }
func (t *Tin) GetGeneration() int64                { return t.Metadata.GetGeneration() }
func (t *Tin) SetGeneration(v int64)               { t.Metadata.SetGeneration(v) }
func (t *Tin) GetSelfLink() string                 { return t.Metadata.GetSelfLink() }
func (t *Tin) SetSelfLink(v string)                { t.Metadata.SetSelfLink(v) }
func (t *Tin) GetCreationTimestamp() metav1.Time   { return t.Metadata.GetCreationTimestamp() }
func (t *Tin) SetCreationTimestamp(v metav1.Time)  { t.Metadata.SetCreationTimestamp(v) }
func (t *Tin) GetDeletionTimestamp() *metav1.Time  { return t.Metadata.GetDeletionTimestamp() }
func (t *Tin) SetDeletionTimestamp(v *metav1.Time) { t.Metadata.SetDeletionTimestamp(v) }
func (t *Tin) GetDeletionGracePeriodSeconds() *int64 {
	return t.Metadata.GetDeletionGracePeriodSeconds()
}
func (t *Tin) SetDeletionGracePeriodSeconds(v *int64)         { t.Metadata.SetDeletionGracePeriodSeconds(v) }
func (t *Tin) GetLabels() map[string]string                   { return t.Metadata.GetLabels() }
func (t *Tin) SetLabels(v map[string]string)                  { t.Metadata.SetLabels(v) }
func (t *Tin) GetAnnotations() map[string]string              { return t.Metadata.GetAnnotations() }
func (t *Tin) SetAnnotations(v map[string]string)             { t.Metadata.SetAnnotations(v) }
func (t *Tin) GetFinalizers() []string                        { return t.Metadata.GetFinalizers() }
func (t *Tin) SetFinalizers(v []string)                       { t.Metadata.SetFinalizers(v) }
func (t *Tin) GetOwnerReferences() []metav1.OwnerReference    { return t.Metadata.GetOwnerReferences() }
func (t *Tin) SetOwnerReferences(v []metav1.OwnerReference)   { t.Metadata.SetOwnerReferences(v) }
func (t *Tin) GetManagedFields() []metav1.ManagedFieldsEntry  { return t.Metadata.GetManagedFields() }
func (t *Tin) SetManagedFields(v []metav1.ManagedFieldsEntry) { t.Metadata.SetManagedFields(v) }
