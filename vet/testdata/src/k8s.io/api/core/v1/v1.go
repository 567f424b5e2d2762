package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

type Container struct {
	Name, Image string
	Args        []string
}

type PodSpec struct {
	NodeName   string
	Image      *string
	Containers []Container
}

type PodStatus struct{ Phase string }

type Pod struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec   PodSpec
	Status PodStatus
}

func (p *Pod) DeepCopy() *Pod                 { return &Pod{} }
func (p *Pod) DeepCopyObject() runtime.Object { return p.DeepCopy() }

type PodList struct {
	metav1.TypeMeta
	Items []Pod
}

func (p *PodList) DeepCopyObject() runtime.Object { return nil }

type Secret struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Data map[string][]byte
}

func (s *Secret) DeepCopy() *Secret              { return &Secret{} }
func (s *Secret) DeepCopyObject() runtime.Object { return s.DeepCopy() }

type ConfigMap struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Data map[string]string
}

func (c *ConfigMap) DeepCopyObject() runtime.Object { return nil }

type Node struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

func (n *Node) DeepCopyObject() runtime.Object { return nil }
