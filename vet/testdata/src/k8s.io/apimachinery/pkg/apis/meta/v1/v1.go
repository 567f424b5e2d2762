// Package v1 has what the analyzers know of the package.
package v1

import "k8s.io/apimachinery/pkg/runtime/schema"

type TypeMeta struct{ Kind, APIVersion string }

func (t *TypeMeta) GetObjectKind() schema.ObjectKind { return nil }

type ManagedFieldsEntry struct{ Manager string }

type ObjectMeta struct {
	Name, Namespace, ResourceVersion string
	Labels, Annotations              map[string]string
	Finalizers                       []string
	ManagedFields                    []ManagedFieldsEntry
}

type Object interface {
	GetName() string
	GetLabels() map[string]string
	SetLabels(labels map[string]string)
	GetAnnotations() map[string]string
	SetAnnotations(annotations map[string]string)
}

func (m *ObjectMeta) GetName() string                              { return m.Name }
func (m *ObjectMeta) GetLabels() map[string]string                 { return m.Labels }
func (m *ObjectMeta) SetLabels(labels map[string]string)           { m.Labels = labels }
func (m *ObjectMeta) GetAnnotations() map[string]string            { return m.Annotations }
func (m *ObjectMeta) SetAnnotations(annotations map[string]string) { m.Annotations = annotations }

type (
	GetOptions    struct{}
	ListOptions   struct{}
	UpdateOptions struct{}
	PatchOptions  struct{}
)
