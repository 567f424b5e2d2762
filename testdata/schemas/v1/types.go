// Package v1 has a kind with forms of Go types and markers that CRDs do not have, or have only with markers. A
// test compares its schema with schema.golden.
package v1

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// SchemeGroupVersion is the group and version of the kind.
var SchemeGroupVersion = schema.GroupVersion{Group: "shelf.example.com", Version: "v1"}

// AddToScheme adds the types of the package to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &Shelf{}, &ShelfList{})
	return nil
}

// Shelf is a kind.
//
// +genclient
type Shelf struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ShelfSpec `json:"spec"`
}

// DeepCopyObject returns a shallow copy.
func (in *Shelf) DeepCopyObject() runtime.Object { out := *in; return &out }

// ShelfList is a list of shelves.
type ShelfList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Shelf `json:"items"`
}

// DeepCopyObject returns a shallow copy.
func (in *ShelfList) DeepCopyObject() runtime.Object { out := *in; return &out }

// ShelfSpec has a field for each rule.
type ShelfSpec struct {
	Recursive Recursive `json:"recursive"`
	Named     Named     `json:"named"`
	Encoding  Encoding  `json:"encoding"`
	Markers   Markers   `json:"markers"`
}

// Recursive has types that contain themselves.
type Recursive struct {
	Child    *Recursive  `json:"child,omitempty"`
	Children []Recursive `json:"children,omitempty"`
	Tree     Tree        `json:"tree,omitempty"`
	Forest   Forest      `json:"forest,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	Open *Recursive `json:"open,omitempty"`
}

// Tree is a map of itself.
type Tree map[string]Tree

// Forest is a list of lists of itself, and a set only by its marker.
//
// +listType=atomic
type Forest []Wood

// Wood is part of a forest.
type Wood []Forest

// Named has aliases, generic types and types of types.
type Named struct {
	Alias    Strings             `json:"alias"`
	Defined  *Words              `json:"defined"`
	Box      Box[Book]           `json:"box"`
	Boxes    map[string]Box[int] `json:"boxes"`
	Defaults Defaults            `json:"defaults"`
	Unnamed  struct {
		// +listType=set
		Tags []string `json:"tags"`
	} `json:"unnamed"`
	NoTag string
	Books Defined `json:"books"`
}

// Strings is an alias with a marker.
//
// +listType=set
type Strings = []string

// Words has the marker of the type that defines it no more.
type Words Keyed

// Keyed is a list with keys.
//
// +listType=map
// +listMapKey=title
type Keyed []Book

// Box is generic.
type Box[T any] struct {
	Content T `json:"content"`
	// +listType=atomic
	Others []T `json:"others"`
}

// Defined has the fields of another struct.
type Defined Book

// Book is an element.
type Book struct {
	Title string `json:"title"`
	// +default=1
	Edition Edition `json:"edition,omitempty"`
}

// Edition is a number.
type Edition int

// Defaults have lists whose keys have defaults.
type Defaults struct {
	// +listType=map
	// +listMapKey=edition
	// +listMapKey=title
	Books []*Book `json:"books"`
	// +listType=map
	// +listMapKey=type
	// +listMapKey=ok
	// +listMapKey=word
	// +listMapKey="quo\x74ed"
	Typed []Typed `json:"typed"`
}

// Typed has keys with defaults of several forms.
type Typed struct {
	Type Kind `json:"type"`
	// +kubebuilder:default:=true
	OK *bool `json:"ok,omitempty"`
	// +kubebuilder:default=word
	Word string `json:"word,omitempty"`
	// +kubebuilder:default=`a "b"`
	Quoted string `json:"quoted,omitempty"`
	// Other is no key, so its default has no effect.
	//
	// +default="other"
	Other string `json:"other,omitempty"`
}

// Kind is a string with a default.
//
// +default="any"
type Kind string

// Encoding has fields whose JSON is not their Go type.
type Encoding struct {
	Quoted  int64           `json:"quoted,string"`
	Bytes   []byte          `json:"bytes"`
	Array   [4]byte         `json:"array"`
	Float   float32         `json:"float"`
	Level   Level           `json:"level"`
	Size    Size            `json:"size"`
	Money   Money           `json:"money"`
	Moment  Moment          `json:"moment"`
	Time    time.Time       `json:"time"`
	Elapsed time.Duration   `json:"elapsed"`
	Raw     json.RawMessage `json:"raw"`
	Keys    map[int]string  `json:"keys"`
}

// Level is a number in Go, and text in JSON.
type Level int

// MarshalText encodes the level.
func (l Level) MarshalText() ([]byte, error) { return []byte{'0' + byte(l)}, nil }

// Size has a method for its JSON, but its fields show it, as other tools assume.
type Size struct {
	Width int `json:"width"`
}

// MarshalJSON encodes the size.
func (s Size) MarshalJSON() ([]byte, error) { return []byte(`{"width":0}`), nil }

// Money is a string in JSON.
//
// +kubebuilder:validation:Type=string
type Money struct {
	Cents int `json:"cents"`
}

// MarshalJSON encodes the amount.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(`"0.00"`), nil }

// Moment gets its JSON from the embedded type.
type Moment struct {
	metav1.Time `json:",inline"`
}

// Markers has markers for fields.
type Markers struct {
	// +k8s:openapi-gen=x-kubernetes-list-type:map
	// +k8s:openapi-gen=x-kubernetes-list-map-keys:title
	Extension []Book `json:"extension"`
	// +listType=atomic
	Replaced Strings `json:"replaced"`
	// +kubebuilder:validation:XIntOrString
	Either string `json:"either"`
	// +kubebuilder:validation:items:XIntOrString
	// +listType=set
	Eithers []intstr.IntOrString `json:"eithers"`
	// +kubebuilder:validation:Type=object
	Object json.RawMessage `json:"object"`
	// +kubebuilder:validation:Type=array
	Array json.RawMessage `json:"array"`
	// +kubebuilder:validation:EmbeddedResource
	Embedded runtime.RawExtension `json:"embedded"`
	// +structType=granular
	Granular Whole      `json:"granular"`
	Whole    Whole      `json:"whole"`
	Wholes   []Inlining `json:"wholes"`
	// +mapType=atomic
	Map map[string]map[string]Whole `json:"map"`
}

// Whole has one owner.
//
// +structType=atomic
type Whole struct {
	A string `json:"a"`
	B string `json:"b"`
}

// Inlining has one owner, because the struct that it inlines has.
type Inlining struct {
	*Whole `json:",inline"`
	C      string `json:"c"`
}
