package plan

//lint:file-ignore SA5008 The tags are odd on purpose.
//lint:file-ignore SA9005 So are the types.

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Types with methods of their own.
type (
	jsonStruct struct{ Got string }
	jsonText   string
	jsonSlice  []int
	jsonMap    map[string]int
	jsonNumber int
	jsonValue  struct{ Seen *[]string }
	textStruct struct{ A, B string }
	textText   string
	textNumber int
	textSlice  []string
	bothWays   struct{ Got string }
	byteJSON   byte
	byteText   byte
	JSONPart   struct{ Got string }
	TextPart   struct{ Got string }
	OtherPart  struct{ Got string }
)

func (v *jsonStruct) UnmarshalJSON(b []byte) error { v.Got += string(b); return nil }
func (v *jsonText) UnmarshalJSON(b []byte) error   { *v += jsonText(b); return nil }
func (v *jsonSlice) UnmarshalJSON(b []byte) error  { *v = append(*v, len(b)); return nil }
func (v *jsonMap) UnmarshalJSON(b []byte) error    { *v = jsonMap{string(b): len(b)}; return nil }
func (v *jsonNumber) UnmarshalJSON(b []byte) error {
	return failOn(b, func() { *v += jsonNumber(len(b)) })
}
func (v jsonValue) UnmarshalJSON(b []byte) error { return nil }
func (v *bothWays) UnmarshalJSON(b []byte) error { v.Got = "JSON " + string(b); return nil }
func (v *bothWays) UnmarshalText(b []byte) error { v.Got = "text " + string(b); return nil }
func (v *textStruct) UnmarshalText(b []byte) error {
	return failOn(b, func() { v.A, v.B = string(b), "b" })
}
func (v *textText) UnmarshalText(b []byte) error   { *v += "<" + textText(b) + ">"; return nil }
func (v *textNumber) UnmarshalText(b []byte) error { *v += textNumber(len(b)); return nil }
func (v *textSlice) UnmarshalText(b []byte) error  { *v = append(*v, string(b)); return nil }
func (v *byteJSON) UnmarshalJSON(b []byte) error   { *v = byteJSON(len(b)); return nil }
func (v *byteText) UnmarshalText(b []byte) error   { *v = byteText(len(b)); return nil }
func (v *JSONPart) UnmarshalJSON(b []byte) error   { v.Got += string(b); return nil }
func (v *OtherPart) UnmarshalJSON(b []byte) error  { v.Got += "other " + string(b); return nil }
func (v *TextPart) UnmarshalText(b []byte) error   { v.Got += string(b); return nil }

func failOn(b []byte, otherwise func()) error {
	if len(b) > 6 {
		return errors.New("too long")
	}
	otherwise()
	return nil
}

// Types that are embedded, that contain themselves, or that hide each other's fields.
type (
	Exported struct {
		A string `json:"a"`
		B int    `json:"b,omitempty"`
		C string
	}
	unexported struct {
		A string `json:"a"`
		D *int   `json:"d"`
	}
	Deeper struct {
		Exported
		C []string `json:"C"`
	}
	Diamond struct {
		Left
		Right
	}
	Left  struct{ Plain }
	Right struct{ Plain }
	Plain struct{ A, B, C string }
	Self  struct {
		*Self
		A string `json:"a"`
	}
	ring   struct{ Next *ring2 }
	ring2  struct{ Back []ring }
	tree   []tree
	forest map[string]forest
	thread struct {
		A    map[string]thread  `json:"a"`
		B    map[string]*thread `json:"b"`
		C    [2]*thread         `json:"c"`
		Any  any                `json:"any"`
		Self **thread           `json:"self"`
	}
	pair[K comparable, V any] struct {
		First  K       `json:"a"`
		Second V       `json:"b"`
		Map    map[K]V `json:"map"`
	}
	Word     string
	word     string
	anything interface{}
	rawBytes json.RawMessage
	numeral  json.Number
	wide     struct {
		A [300]bool         `json:"a"`
		B [0]int            `json:"b"`
		C [2][3]int8        `json:"c"`
		D [4]byte           `json:"d"`
		E [3]struct{}       `json:"e"`
		F [2]*[2]string     `json:"f"`
		G map[string][2]int `json:"g"`
	}
)

// catalog is types that reflect cannot make.
var catalog = []reflect.Type{
	reflect.TypeFor[struct {
		*Exported
		B string `json:"b"`
	}](),
	reflect.TypeFor[struct {
		*unexported
		B string `json:"b"`
	}](),
	reflect.TypeFor[struct {
		unexported
		B string `json:"b"`
	}](),
	reflect.TypeFor[struct {
		Exported `json:"inner"`
		A        string `json:"a"`
	}](),
	reflect.TypeFor[struct {
		*Exported `json:"inner,omitempty"`
		Deeper
	}](),
	reflect.TypeFor[struct {
		Exported `json:",inline"`
		Deeper   `json:",omitzero"`
	}](),
	reflect.TypeFor[struct {
		Word
		word
		*Left
		Any anything `json:"a"`
	}](),
	reflect.TypeFor[struct {
		*Word
		fmt.Stringer
		A fmt.Stringer `json:"a"`
	}](),
	reflect.TypeFor[struct {
		JSONPart
		A string `json:"a"`
	}](),
	reflect.TypeFor[struct {
		TextPart
		A string `json:"a"`
	}](),
	reflect.TypeFor[struct {
		JSONPart
		OtherPart
		A string `json:"a"`
	}](),
	reflect.TypeFor[struct {
		A struct {
			JSONPart
			B int `json:"b"`
		} `json:"a"`
		B []struct{ TextPart }            `json:"b"`
		C map[string]struct{ TextPart }   `json:"C"`
		D *struct{ JSONPart }             `json:"d"`
		E map[struct{ TextPart }]jsonText `json:"e"`
	}](),
	reflect.TypeFor[struct {
		Inner Exported
		metav1.Time
		A string `json:"a"`
	}](),
	reflect.TypeFor[struct {
		A chan int        `json:"a"`
		B func()          `json:"b"`
		C complex64       `json:"C"`
		D error           `json:"d"`
		E map[bool]int    `json:"e"`
		F map[float64]int `json:"f"`
		G map[any]int     `json:"g"`
		H map[[2]int]int  `json:"h"`
	}](),
	reflect.TypeFor[struct {
		A int      `json:"a,string"`
		B *int     `json:"b,string"`
		C **bool   `json:"C,string"`
		D string   `json:"d,string"`
		E *string  `json:"e,string,omitempty"`
		F []int    `json:"f,string"`
		G any      `json:"g,string"`
		H float32  `json:"h,string"`
		I Exported `json:"i,string"`
		J jsonText `json:"j,string"`
		K numeral  `json:"k,string"`
		L uintptr  `json:"l,string"`
	}](),
	reflect.TypeFor[struct {
		A string `json:"a"`
		B string
		C string `json:"A"`
		D string `json:"é"`
		E string `json:"<&>"`
		F string `json:"a b"`
		G string `json:"a\"b"`
		H string `json:"'a'"`
		I string `json:"-"`
		J string `json:"-,"`
		K string `json:",omitzero"`
		L string `json:"l,unknown,options"`
		M string `xml:"a" json:"m"`
		É string
	}](),
	reflect.TypeFor[Deeper](), reflect.TypeFor[Diamond](), reflect.TypeFor[Self](), reflect.TypeFor[ring](), reflect.TypeFor[thread](), reflect.TypeFor[wide](),
	reflect.TypeFor[struct {
		A tree   `json:"a"`
		B forest `json:"b"`
		C *tree  `json:"C"`
	}](),
	reflect.TypeFor[pair[string, Exported]](), reflect.TypeFor[pair[int8, *textText]](), reflect.TypeFor[pair[textStruct, []anything]](), reflect.TypeFor[pair[bothWays, **bothWays]](),
}

// leaves are types that other types are made of.
var leaves = append([]reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
	reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[any](), reflect.TypeFor[anything](),
	reflect.TypeFor[Word](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[*json.RawMessage](), reflect.TypeFor[rawBytes](), reflect.TypeFor[json.Number](), reflect.TypeFor[numeral](),
	reflect.TypeFor[jsonStruct](), reflect.TypeFor[jsonText](), reflect.TypeFor[jsonSlice](), reflect.TypeFor[jsonMap](), reflect.TypeFor[jsonNumber](), reflect.TypeFor[jsonValue](),
	reflect.TypeFor[textStruct](), reflect.TypeFor[textText](), reflect.TypeFor[textNumber](), reflect.TypeFor[textSlice](), reflect.TypeFor[bothWays](), reflect.TypeFor[byteJSON](), reflect.TypeFor[byteText](),
	reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime](), reflect.TypeFor[metav1.Duration](), reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](),
	reflect.TypeFor[resource.Quantity](), reflect.TypeFor[intstr.IntOrString](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[big.Int](), reflect.TypeFor[struct{}](), reflect.TypeFor[error](),
	reflect.TypeFor[tree](), reflect.TypeFor[forest](),
}, catalog...)

// keys are the types that keys of maps have: all legal ones, and some that are not.
var keys = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[string](), reflect.TypeFor[Word](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
	reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
	reflect.TypeFor[textStruct](), reflect.TypeFor[textText](), reflect.TypeFor[textNumber](), reflect.TypeFor[bothWays](), reflect.TypeFor[jsonText](), reflect.TypeFor[jsonNumber](),
	reflect.TypeFor[json.Number](), reflect.TypeFor[numeral](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[time.Duration](), reflect.TypeFor[bool](), reflect.TypeFor[float32](), reflect.TypeFor[any](),
}
