// Package slim has metadata with few fields. Methods for the other fields panic.
package slim

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// TypeMeta is the kind of an object.
type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

// GetObjectKind returns m.
func (m *TypeMeta) GetObjectKind() schema.ObjectKind { return m }

// SetGroupVersionKind sets both fields.
func (m *TypeMeta) SetGroupVersionKind(gvk schema.GroupVersionKind) {
	m.APIVersion, m.Kind = gvk.ToAPIVersionAndKind()
}

// GroupVersionKind returns both fields.
func (m *TypeMeta) GroupVersionKind() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(m.APIVersion, m.Kind)
}

// Page is the metadata of a list, under a name of its own.
type Page struct {
	ResourceVersion string `json:"resourceVersion,omitempty"`
	Continue        string `json:"continue,omitempty"`
	Remaining       *int64 `json:"remainingItemCount,omitempty"`
}

// ListMeta is the metadata of a list.
type ListMeta struct {
	Page `json:",inline"`
}

func (m *Page) GetResourceVersion() string        { return m.ResourceVersion }
func (m *Page) SetResourceVersion(v string)       { m.ResourceVersion = v }
func (m *Page) GetContinue() string               { return m.Continue }
func (m *Page) SetContinue(token string)          { m.Continue = token }
func (m *Page) GetRemainingItemCount() *int64     { return m.Remaining }
func (m *Page) SetRemainingItemCount(rest *int64) { m.Remaining = rest }
func (m *Page) GetSelfLink() string               { panic("a Page has no self link") }
func (m *Page) SetSelfLink(string)                { panic("a Page has no self link") }

// ObjectMeta is the metadata of an object.
type ObjectMeta struct {
	Name              string            `json:"name,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               types.UID         `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	DeletionTimestamp *metav1.Time      `json:"deletionTimestamp,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
}

// DeepCopyInto copies m to out.
func (m *ObjectMeta) DeepCopyInto(out *ObjectMeta) {
	*out = *m
	out.DeletionTimestamp = m.DeletionTimestamp.DeepCopy()
	out.Labels, out.Annotations = copied(m.Labels), copied(m.Annotations)
}

func copied(m map[string]string) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	for key, value := range m {
		out[key] = value
	}
	return out
}

func (m *ObjectMeta) GetName() string                      { return m.Name }
func (m *ObjectMeta) SetName(name string)                  { m.Name = name }
func (m *ObjectMeta) GetNamespace() string                 { return m.Namespace }
func (m *ObjectMeta) SetNamespace(namespace string)        { m.Namespace = namespace }
func (m *ObjectMeta) GetUID() types.UID                    { return m.UID }
func (m *ObjectMeta) SetUID(uid types.UID)                 { m.UID = uid }
func (m *ObjectMeta) GetResourceVersion() string           { return m.ResourceVersion }
func (m *ObjectMeta) SetResourceVersion(v string)          { m.ResourceVersion = v }
func (m *ObjectMeta) GetDeletionTimestamp() *metav1.Time   { return m.DeletionTimestamp }
func (m *ObjectMeta) SetDeletionTimestamp(t *metav1.Time)  { m.DeletionTimestamp = t }
func (m *ObjectMeta) GetLabels() map[string]string         { return m.Labels }
func (m *ObjectMeta) SetLabels(labels map[string]string)   { m.Labels = labels }
func (m *ObjectMeta) GetAnnotations() map[string]string    { return m.Annotations }
func (m *ObjectMeta) SetAnnotations(set map[string]string) { m.Annotations = set }

const missing = "slim.ObjectMeta has no such field"

func (m *ObjectMeta) GetGenerateName() string                       { panic(missing) }
func (m *ObjectMeta) SetGenerateName(string)                        { panic(missing) }
func (m *ObjectMeta) GetGeneration() int64                          { panic(missing) }
func (m *ObjectMeta) SetGeneration(int64)                           { panic(missing) }
func (m *ObjectMeta) GetSelfLink() string                           { panic(missing) }
func (m *ObjectMeta) SetSelfLink(string)                            { panic(missing) }
func (m *ObjectMeta) GetCreationTimestamp() metav1.Time             { panic(missing) }
func (m *ObjectMeta) SetCreationTimestamp(metav1.Time)              { panic(missing) }
func (m *ObjectMeta) GetDeletionGracePeriodSeconds() *int64         { panic(missing) }
func (m *ObjectMeta) SetDeletionGracePeriodSeconds(*int64)          { panic(missing) }
func (m *ObjectMeta) GetFinalizers() []string                       { panic(missing) }
func (m *ObjectMeta) SetFinalizers([]string)                        { panic(missing) }
func (m *ObjectMeta) GetOwnerReferences() []metav1.OwnerReference   { panic(missing) }
func (m *ObjectMeta) SetOwnerReferences([]metav1.OwnerReference)    { panic(missing) }
func (m *ObjectMeta) GetManagedFields() []metav1.ManagedFieldsEntry { panic(missing) }
func (m *ObjectMeta) SetManagedFields([]metav1.ManagedFieldsEntry)  { panic(missing) }
