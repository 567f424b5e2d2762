package decoding

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// pointed embeds pointers to its metadata, and one to a struct with a pointer.
type pointed struct {
	*metav1.TypeMeta   `json:",inline"`
	*metav1.ObjectMeta `json:"metadata,omitempty"`
	*Outer

	Spec map[string]string `json:"spec,omitempty"`
}

type Outer struct {
	*Inner `json:",inline"`
	Size   int
}

type Inner struct {
	Colors []string `json:"colors,omitempty"`
	More   *pointed `json:"more,omitempty"`
}

func (p *pointed) DeepCopyObject() runtime.Object { panic("no test copies it") }

// slim has metadata that is not apimachinery's, and no managed fields.
type slim struct {
	metav1.TypeMeta `json:",inline"`
	SlimMeta        `json:"metadata,omitempty"`

	Spec map[string]string `json:"spec,omitempty"`
}

// SlimMeta panics in methods for fields that it does not have.
type SlimMeta struct {
	missing `json:"-"`

	Name            string            `json:"name,omitempty"`
	Namespace       string            `json:"namespace,omitempty"`
	UID             types.UID         `json:"uid,omitempty"`
	ResourceVersion string            `json:"resourceVersion,omitempty"`
	OwnerReferences []SlimOwner       `json:"ownerReferences,omitempty"`
	Labels          map[string]string `json:"labels,omitempty"`
	Finalizers      []string          `json:"finalizers,omitempty"`
	Annotated       map[string]string `json:"annotations,omitempty"`
	Deleted         *metav1.Time      `json:"deletionTimestamp,omitempty"`
}

// SlimOwner has fewer fields than metav1.OwnerReference.
type SlimOwner struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// missing has all methods. They panic, for the interface is nil.
type missing struct{ metav1.Object }

func (m *SlimMeta) GetName() string                      { return m.Name }
func (m *SlimMeta) GetFinalizers() []string              { return m.Finalizers }
func (m *SlimMeta) SetFinalizers(finalizers []string)    { m.Finalizers = finalizers }
func (m *SlimMeta) GetAnnotations() map[string]string    { return m.Annotated }
func (m *SlimMeta) SetAnnotations(set map[string]string) { m.Annotated = set }

func (s *slim) DeepCopyObject() runtime.Object { panic("no test copies it") }

// hasNoMeta reports whether no method of an object's metadata can be called.
func hasNoMeta(obj runtime.Object) bool {
	p, ok := obj.(*pointed)
	return ok && p.ObjectMeta == nil
}

// hasNoManagedFields reports whether the methods for an object's managed fields panic.
func hasNoManagedFields(obj runtime.Object) bool {
	_, ok := obj.(*slim)
	return ok
}
