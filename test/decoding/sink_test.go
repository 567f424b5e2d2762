package decoding

//lint:file-ignore SA5008 The tags are odd on purpose.

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// sink has fields of all types that somebody could think of.
type sink struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	hidden            `json:",inline"`
	Shown             `json:""`
	Named             `json:"named"`
	Text

	Bool    bool    `json:"bool"`
	Int     int     `json:"int"`
	Int8    int8    `json:"int8"`
	Int16   int16   `json:"int16"`
	Int32   int32   `json:"int32"`
	Int64   int64   `json:"int64"`
	Uint    uint    `json:"uint"`
	Uint8   uint8   `json:"uint8"`
	Uint16  uint16  `json:"uint16"`
	Uint32  uint32  `json:"uint32"`
	Uint64  uint64  `json:"uint64"`
	Float32 float32 `json:"float32"`
	Float64 float64 `json:"float64"`
	Bytes   []byte  `json:"bytes"`
	Flags   Flags   `json:"flags"`
	Digits  []Digit `json:"digits"`
	String  string  `json:"string"`
	Untaged string
	Dash    string `json:"-,"`
	Never   string `json:"-"`

	QuotedInt    int    `json:"quotedInt,string"`
	QuotedString string `json:"quotedString,string"`
	QuotedSlice  []int  `json:"quotedSlice,string"`

	Any       any                          `json:"any"`
	Anys      []any                        `json:"anys"`
	AnyMap    map[string]any               `json:"anyMap"`
	NamedAny  map[types.UID]any            `json:"namedAny"`
	Stringer  interface{ String() string } `json:"stringer"`
	Raw       json.RawMessage              `json:"raw"`
	Number    json.Number                  `json:"number"`
	Extension runtime.RawExtension         `json:"extension"`

	Pointer        *string               `json:"pointer"`
	PointerPointer **int32               `json:"pointerPointer"`
	PointerSlice   *[]string             `json:"pointerSlice"`
	PointerMap     *map[string]string    `json:"pointerMap"`
	Self           *sink                 `json:"self"`
	Selves         []sink                `json:"selves"`
	SelfMap        map[string]sink       `json:"selfMap"`
	SelfPointers   []*Named              `json:"selfPointers"`
	Array          [2]int                `json:"array"`
	Matrix         [][]int               `json:"matrix"`
	Tree           Tree                  `json:"tree"`
	Empty          struct{}              `json:"empty"`
	Empties        []struct{}            `json:"empties"`
	Anonymous      struct{ metav1.Time } `json:"anonymous"`

	Strings     []string                     `json:"strings"`
	UIDs        []types.UID                  `json:"uids"`
	StringMap   map[string]string            `json:"stringMap"`
	UIDMap      map[types.UID]types.UID      `json:"uidMap"`
	BytesMap    map[string][]byte            `json:"bytesMap"`
	BoolMap     map[string]bool              `json:"boolMap"`
	IntKeys     map[int]string               `json:"intKeys"`
	TextKeys    map[netip.Addr]string        `json:"textKeys"`
	Quantities  map[string]resource.Quantity `json:"quantities"`
	MapMap      map[string]map[string]int64  `json:"mapMap"`
	SliceMap    map[string][]string          `json:"sliceMap"`
	PointerMaps map[string]*Named            `json:"pointerMaps"`

	Time       metav1.Time          `json:"time"`
	Micro      metav1.MicroTime     `json:"micro"`
	Times      []metav1.Time        `json:"times"`
	TimePtr    *metav1.Time         `json:"timePtr"`
	GoTime     time.Time            `json:"goTime"`
	Duration   metav1.Duration      `json:"duration"`
	Quantity   resource.Quantity    `json:"quantity"`
	IntOrText  intstr.IntOrString   `json:"intOrText"`
	IntOrTexts []intstr.IntOrString `json:"intOrTexts"`
	Fields     *metav1.FieldsV1     `json:"fields"`
	Address    netip.Addr           `json:"address"`
	Big        *big.Int             `json:"big"`
	Own        own                  `json:"own"`
	OwnMap     ownMap               `json:"ownMap"`
}

type hidden struct {
	Inner  string `json:"inner"`
	String int    `json:"string"` // hidden by that of the sink
	Both   string `json:"both"`   // and these two hide each other
}

type Shown struct {
	Outer string `json:"outer"`
	Both  string
}

type Named struct {
	A string `json:"a"`
	B *Named `json:"b,omitempty"`
}

type (
	Text  string
	Flags []bool
	Digit uint8
	Tree  []Tree
)

// own has a method that does not follow the type.
type own struct{ Text string }

func (o *own) UnmarshalJSON(b []byte) error {
	o.Text += "<" + string(b) + ">"
	return nil
}

type ownMap map[string]string

func (o *ownMap) UnmarshalJSON(b []byte) error {
	*o = ownMap{"": string(b)}
	return nil
}

func (s *sink) DeepCopyObject() runtime.Object { panic("nobody copies it") }
