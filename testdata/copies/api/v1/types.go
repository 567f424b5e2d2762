// Package v1 has a field for each sort of Go type that a deep copy has to copy.
//
// +groupName=copies.example.com
package v1

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/typedinformers/informer-gen/testdata/copies/other"
)

// SchemeGroupVersion is the group and version of the kinds.
var SchemeGroupVersion = schema.GroupVersion{Group: "copies.example.com", Version: "v1"}

// AddToScheme registers the kinds.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &Sample{}, &SampleList{})
	return nil
}

// Names that the package declares, so that no import may have them.
var (
	slices, maps = 1, 2
	_            = slices + maps
)

// Sample has fields of all sorts.
//
// +genclient
type Sample struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Basics     Basics
	Slices     Slices
	Maps       Maps
	Pointers   Pointers
	Arrays     Arrays
	Structs    Structs
	Interfaces Interfaces
	Elsewhere  Elsewhere
	ByHand     ByHand
	// Status is last.
	Status *Status `json:"status,omitempty"`
}

// SampleList is a list of Sample.
type SampleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Sample `json:"items"`
}

// Basics need no copy.
type Basics struct {
	Text   string
	Number Number
	Time   time.Time
	Array  [2]string
	Leaf   other.Leaf
	_      *int
}

// Number is a number.
type Number int

// Status refers to memory.
type Status struct {
	N          int
	Conditions []metav1.Condition
}

// Names, Labels, Tree and Pair have methods for their copies.
type (
	Names  []string
	Labels map[string]string
	Tree   map[string]Tree
	Pair   [2]*int
	// Chain refers to itself through slices.
	Chain []Chain
	// Alias is another name, and has the methods of Names.
	Alias = Names
	// Pointer can have no methods.
	Pointer *Status
	// Again is declared by another type.
	Again Status
)

// Slices has slices.
type Slices struct {
	Bytes    []byte
	Matrix   [][]string
	Cube     [][][]int
	Structs  []Status
	Pointers []*Status
	Numbers  []*Number
	Maps     []map[string]string
	Names    Names
	Many     []Names
	Alias    Alias
	Chain    Chain
	Leaves   []other.Leaf
	Times    []metav1.Time
	Anything []struct {
		Names []string
		N     int
	}
}

// Maps has maps.
type Maps struct {
	Labels     map[string]string
	ByNumber   map[Number][]string
	ByPair     map[[2]string]*Status
	Lists      map[string][]map[string]string
	Nested     map[string]map[Number][]Status
	Structs    map[string]Status
	Pointers   map[string]*Status
	Numbers    map[string]*Number
	Named      Labels
	Trees      map[string]Tree
	Tree       Tree
	Interfaces map[string]Shape
	Quantities map[corev1.ResourceName]resource.Quantity
	Limits     map[string]*resource.Quantity
	Arrays     map[string][2]*int
	Anything   map[string]struct{ Names []string }
	Values     map[string]other.Box[*int]
	Handles    map[string]other.Handle
	Cloned     map[string]other.Cloned
}

// Pointers has pointers.
type Pointers struct {
	Number     *int
	Twice      **int
	Struct     *Status
	Structs    **Status
	Thrice     ***Status
	Slice      *[]string
	Map        *map[string]string
	Names      *Names
	Labels     **Labels
	Array      *[2]string
	Pair       *Pair
	Interface  *Shape
	Again      *Again
	Pointer    Pointer
	Time       *time.Time
	MetaTime   *metav1.Time
	Quantity   *resource.Quantity
	Itself     *Pointers
	Location   *time.Location
	MapOfSlice *map[string][]string
}

// Arrays has arrays.
type Arrays struct {
	Pointers [2]*int
	Nested   [2][2][]string
	Structs  [2]Status
	Pair     Pair
}

// Structs has structs.
type Structs struct {
	corev1.ObjectReference
	*corev1.LocalObjectReference
	Labels
	hidden
	Inner struct {
		Names []string
		Deep  struct{ Numbers []int }
	}
	Box   other.Box[string]
	Boxes other.Box[map[string][]int]
	Own   Own[Status]
	Named NamedBox
}

type hidden struct {
	cache map[string]string
	Next  *other.Leaf
}

// Own is generic, so that only its instances are copied.
type Own[T any] struct {
	Value *T
	cache []T
}

// NamedBox is an instance with a name.
type NamedBox Own[string]

// Shape has implementations in this package.
type Shape interface {
	Area() int
	DeepCopyShape() Shape
}

// Square is a Shape.
//
// +k8s:deepcopy-gen:interfaces=github.com/typedinformers/informer-gen/testdata/copies/api/v1.Shape
type Square struct{ Sides []int }

// Area returns the area.
func (s *Square) Area() int { return s.Sides[0] * s.Sides[1] }

// Round is a Shape without a pointer.
//
// +k8s:deepcopy-gen:interfaces=github.com/typedinformers/informer-gen/testdata/copies/api/v1.Shape
// +k8s:deepcopy-gen:nonpointer-interfaces=true
type Round struct{ Radius *int }

// Area returns the area.
func (r Round) Area() int { return 3 * *r.Radius * *r.Radius }

// Interfaces has interfaces.
type Interfaces struct {
	Shape  Shape
	Shapes []Shape
	Object runtime.Object
	// Square and Round are used, so that they get copies.
	Square *Square
	Round  Round
}

// Elsewhere has types of other packages.
type Elsewhere struct {
	Pod       *corev1.PodSpec
	Container corev1.Container
	Resources corev1.ResourceList
	Raw       runtime.RawExtension
	IntStr    intstr.IntOrString
	Selector  *metav1.LabelSelector
	Plain     other.Plain
	Plains    []*other.Plain
	Counter   other.Counter
	Counters  []*other.Counter
	Handle    other.Handle
	Handles   []*other.Handle
	Cloned    other.Cloned
	Clones    []*other.Cloned
}

// Unused is used by no kind, so it has no methods.
type Unused struct{ Names []string }

// Marked is used by no kind either, but has a marker.
//
// +kubebuilder:object:generate=true
type Marked struct{ Names []string }

// Config is an object that is no kind.
//
// +kubebuilder:object:root=true
type Config struct {
	metav1.TypeMeta `json:",inline"`
	Names           []string
}
