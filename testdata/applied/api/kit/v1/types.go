// Package v1 has a kind with parts of all forms.
//
// +groupName=kit.example.com
package v1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/typedinformers/informer-gen/testdata/applied/api/common"
	locks "github.com/typedinformers/informer-gen/testdata/applied/api/kit/api/common"
)

// Kit is a box of tools.
//
// A kit has a list of tools:
//
//   - a hammer
//   - a saw
//
// +genclient
// +genclient:method=ApplyScale,verb=apply,subresource=scale,input=Scale,result=Scale
// +genclient:method=ApplyPods,verb=apply,subresource=pods,input=k8s.io/api/core/v1.Pod,result=k8s.io/api/core/v1.Pod
type Kit struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what the owner wants.
	//
	// Deprecated: buy a new kit.
	Spec   KitSpec   `json:"spec,omitempty"`
	Status KitStatus `json:"status,omitempty"`
}

// KitList is a list of kits.
type KitList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Kit `json:"items"`
}

// Drawer is not namespaced, and has no status.
//
// +genclient
// +genclient:nonNamespaced
type Drawer struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Page common.Page[Tool] `json:"page,omitempty"`
	Lock *locks.Lock       `json:"lock,omitempty"`
	// Instances with the words of Page.
	Rows  common.Page[[]Tool] `json:"rows,omitempty"`
	Links common.Page[*Tool]  `json:"links,omitempty"`
	// An instance with a tag in its type argument.
	Points common.Page[struct {
		X int32 `json:"x,omitempty"`
	}] `json:"points,omitempty"`
}

// DrawerList is a list of drawers.
type DrawerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Drawer `json:"items"`
}

// Locker has a status, because it embeds a type of that name.
//
// +genclient
type Locker struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	*Status `json:"status,omitempty"`
}

// LockerList is a list of lockers.
type LockerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Locker `json:"items"`
}

// Status is the status of a locker.
type Status struct {
	Locked bool `json:"locked"`
}

// Sticker has fields with the Go names of its metadata.
//
// +genclient
type Sticker struct {
	metav1.TypeMeta   `json:",inline"`
	Name              string `json:"title,omitempty"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Kind       string `json:"type,omitempty"`
	APIVersion string `json:"printed,omitempty"`
	Namespace  string `json:"drawer,omitempty"`
}

// StickerList is a list of stickers.
type StickerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Sticker `json:"items"`
}

// KitSpec has a field of each form.
type KitSpec struct {
	common.Base `json:",inline"`
	// An embedded struct without an apply configuration.
	corev1.HTTPHeader `json:",inline"`
	// Embedded structs with a name.
	*Options `json:"options,omitempty"`

	// +listType=map
	// +listMapKey=name
	Tools  []Tool          `json:"tools,omitempty"`
	Spares *[]Tool         `json:"spares,omitempty"`
	Links  []*Tool         `json:"links,omitempty"`
	ByName map[string]Tool `json:"byName,omitempty"`
	Grid   [][]Tool        `json:"grid,omitempty"`

	Limits      corev1.ResourceList   `json:"limits,omitempty"`
	Selector    *metav1.LabelSelector `json:"selector,omitempty"`
	Tolerations []corev1.Toleration   `json:"tolerations,omitempty"`
	Container   *corev1.Container     `json:"container,omitempty"`
	Labels      map[string]string     `json:"labels,omitempty"`
	Sizes       []int32               `json:"sizes,omitempty"`
	Serial      uint64                `json:"serial,omitempty"`
	Pair        *[2]string            `json:"pair,omitempty"`
	Codes       map[int32]string      `json:"codes,omitempty"`
	Volume      resource.Quantity     `json:"volume"`
	Port        intstr.IntOrString    `json:"port"`
	Until       metav1.Time           `json:"until"`
	Raw         runtime.RawExtension  `json:"raw"`
	Phase       Phase                 `json:"phase"`
	Size        size                  `json:"size"`
	Anywhere    bool                  `json:"anywhere"`
	Point       struct {
		X int32 `json:"x"`
	} `json:"point"`
	Internal string `json:"-"`
	ZZZ_Old  string `json:"old,omitempty"`
}

// Options are options.
type Options struct {
	Color string `json:"color,omitempty"`
	Parts []Tool `json:"parts,omitempty"`
}

// Tool consists of tools.
type Tool struct {
	Name  string `json:"name"`
	Parts []Tool `json:"parts,omitempty"`
	Next  *Tool  `json:"next,omitempty"`
}

// Phase is a string.
type Phase string

type size int32

// KitStatus is the status of a kit.
type KitStatus struct {
	Ready bool `json:"ready"`
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Scale is a subresource.
type Scale struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ScaleSpec `json:"spec,omitempty"`
}

// ScaleSpec is only in a subresource.
type ScaleSpec struct {
	Replicas int32 `json:"replicas"`
}

// DeepCopyObject returns a copy.
func (in *Scale) DeepCopyObject() runtime.Object {
	out := *in
	out.ObjectMeta = *in.ObjectMeta.DeepCopy()
	return &out
}
