// Package v1 has a kind with each form of field that structured merge or controller-gen knows.
//
// +kubebuilder:object:generate=true
// +groupName=schemas.example.com
package v1

import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// GroupVersion is the version of the kind.
var GroupVersion = schema.GroupVersion{Group: "schemas.example.com", Version: "v1"}

// AddToScheme registers the kind.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Widget{}, &WidgetList{})
	return nil
}

// Widget is a kind.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WidgetSpec   `json:"spec"`
	Status WidgetStatus `json:"status,omitempty"`
}

// WidgetSpec has lists, maps and values that are no structs of this package.
type WidgetSpec struct {
	Lists   Lists   `json:"lists"`
	Maps    Maps    `json:"maps"`
	Scalars Scalars `json:"scalars"`
	Free    Free    `json:"free"`
	Inlined `json:",inline"`

	*Pointed `json:",inline"`

	// Template has the lists of k8s.io/api.
	Template corev1.PodTemplateSpec `json:"template"`
	// Selector is atomic by its type.
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// Ref is atomic by its type too.
	Ref corev1.LocalObjectReference `json:"ref,omitempty"`
	// Whole is a struct of another package that has one owner here.
	// +structType=atomic
	Whole *corev1.PodSpec `json:"whole,omitempty"`
	// Claims are kinds within a kind.
	// +listType=atomic
	Claims []corev1.PersistentVolumeClaim `json:"claims,omitempty"`
}

// Lists has lists.
type Lists struct {
	Plain []string `json:"plain,omitempty"`
	// +listType=atomic
	Atomic []Port `json:"atomic,omitempty"`
	// +listType=set
	Set []string `json:"set,omitempty"`
	// +listType=set
	Numbers []int64 `json:"numbers,omitempty"`
	// +listType=map
	// +listMapKey=name
	ByName []Port `json:"byName,omitempty"`
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	ByPort []*Port `json:"byPort,omitempty"`
	// Tagged has the tags of strategic merge patches, which servers of custom resources ignore.
	Tagged []Port   `json:"tagged,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
	Nested [][]Port `json:"nested,omitempty"`
	Named  Ports    `json:"named,omitempty"`
	Bytes  []byte   `json:"bytes,omitempty"`
	// InAtomic has a list that would be merged elsewhere.
	InAtomic []Lists2 `json:"inAtomic,omitempty"`
}

// Lists2 has a list.
type Lists2 struct {
	// +listType=map
	// +listMapKey=name
	Ports []Port `json:"ports,omitempty"`
}

// Ports is a list with a marker of its own.
//
// +listType=map
// +listMapKey=name
type Ports []Port

// Port has a key with a default.
type Port struct {
	Name string `json:"name"`
	Port int32  `json:"port,omitempty"`
	// +kubebuilder:default=TCP
	Protocol string `json:"protocol,omitempty"`
	// Path is optional.
	// +optional
	Path *string `json:"path,omitempty"`
}

// Maps has maps and structs.
type Maps struct {
	Labels map[string]string `json:"labels,omitempty"`
	// +mapType=atomic
	Atomic map[string]string `json:"atomic,omitempty"`
	// +mapType=granular
	Granular map[string]Port    `json:"granular,omitempty"`
	Lists    map[string][]Port  `json:"lists,omitempty"`
	Nested   map[string]Labels  `json:"nested,omitempty"`
	Pointers map[string]*Port   `json:"pointers,omitempty"`
	Keys     map[Key]Limit      `json:"keys,omitempty"`
	Sizes    map[Key]*Quantity2 `json:"sizes,omitempty"`
	// +structType=atomic
	Struct Port       `json:"struct,omitempty"`
	Owned  AtomicPort `json:"owned,omitempty"`
	Empty  *Empty     `json:"empty,omitempty"`
}

// Labels is a map.
type Labels map[string]string

// Key is a string.
type Key string

// Limit is a number.
type Limit int64

// Quantity2 is a quantity.
type Quantity2 = resource.Quantity

// AtomicPort has one owner.
//
// +structType=atomic
type AtomicPort struct {
	Name string `json:"name"`
}

// Empty has no fields.
type Empty struct{}

// Scalars has values without parts.
type Scalars struct {
	Bool   bool   `json:"bool,omitempty"`
	Int    int32  `json:"int,omitempty"`
	String Color  `json:"string,omitempty"`
	URI    string `json:"uri,omitempty"`

	Quantity    resource.Quantity   `json:"quantity,omitempty"`
	IntOrString *intstr.IntOrString `json:"intOrString,omitempty"`
	Time        metav1.Time         `json:"time,omitempty"`
	MicroTime   *metav1.MicroTime   `json:"microTime,omitempty"`
	Duration    *metav1.Duration    `json:"duration,omitempty"`
	// +kubebuilder:validation:Format=date-time
	Date string `json:"date,omitempty"`
}

// Color is red or blue.
//
// +kubebuilder:validation:Enum=red;blue
type Color string

// Free has values of any form.
type Free struct {
	// +kubebuilder:pruning:PreserveUnknownFields
	Raw runtime.RawExtension `json:"raw,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:EmbeddedResource
	Object runtime.RawExtension `json:"object,omitempty"`
	JSON   apiextensionsv1.JSON `json:"json,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	Open Port `json:"open,omitempty"`
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Schemaless Port                            `json:"schemaless,omitempty"`
	Values     map[string]apiextensionsv1.JSON `json:"values,omitempty"`
	// +kubebuilder:validation:XIntOrString
	Percent intstr.IntOrString `json:"percent,omitempty"`
}

// Inlined has fields of another struct.
type Inlined struct {
	First string `json:"first,omitempty"`
}

// Pointed has fields of another struct.
type Pointed struct {
	Second string `json:"second,omitempty"`
}

// WidgetStatus has conditions.
type WidgetStatus struct {
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// DeepCopyObject implements runtime.Object for the generators. No one copies a Widget.
func (in *Widget) DeepCopyObject() runtime.Object { panic("a Widget is not copied") }

// WidgetList is a list.
//
// +kubebuilder:object:root=true
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

// DeepCopyObject implements runtime.Object for the generators. No one copies a WidgetList.
func (in *WidgetList) DeepCopyObject() runtime.Object { panic("a WidgetList is not copied") }
