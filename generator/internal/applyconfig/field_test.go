package applyconfig_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// TestFields decides on one field of OrderSpec at a time: the field of the apply configuration and its method
// With, as applyconfiguration-gen has them unless the case says otherwise.
func TestFields(t *testing.T) {
	const declarations = `
type Part struct {
	Name string ` + "`json:\"name\"`" + `
}

type (
	Phase    string
	Phases   []Phase
	Labels   map[string]Part
	Parts    []Part
	Renamed  = Part
	Text     = string
	hidden   string
	hiddenMap map[string]int
	hiddenPart struct{ Name string ` + "`json:\"name\"`" + ` }
	Stamp    struct{ Seconds int ` + "`json:\"seconds\"`" + ` }
	Untagged struct{ Seconds int }
	Box[T any] struct{ Value T ` + "`json:\"value\"`" + ` }
)

func (Stamp) MarshalJSON() ([]byte, error)
`
	for _, c := range []struct{ field, want, method string }{
		{"Count int32 `json:\"count\"`", `Count *int32 "count,omitempty"`, "address int32"},
		{"Count *int32 `json:\"count,omitempty\"`", `Count *int32 "count,omitempty"`, "address int32"},
		{"Count **int32 `json:\"count\"`", `Count *int32 "count,omitempty"`, "address int32"},
		{"Count int64 `json:\"count,string\"`", `Count *int64 "count,omitempty,string"`, "address int64"},
		{"Count int `json:\",omitempty\"`", `Count *int "Count,omitempty"`, "address int"},
		// JSON encodes a field without a tag. applyconfiguration-gen has no such field.
		{"Count int", `Count *int "Count,omitempty"`, "address int"},
		{"Names []string `json:\"names\"`", `Names []string "names,omitempty"`, "append string"},
		// applyconfiguration-gen writes a method that does not compile.
		{"Names []*string `json:\"names\"`", `Names []*string "names,omitempty"`, "append *string"},
		{"Names *[]string `json:\"names\"`", `Names *[]string "names,omitempty"`, "address []string"},
		{"Names [2]string `json:\"names\"`", `Names *[2]string "names,omitempty"`, "address [2]string"},
		{"Data []byte `json:\"data\"`", `Data []byte "data,omitempty"`, "append byte"},
		{"Table [][]string `json:\"table\"`", `Table [][]string "table,omitempty"`, "append []string"},
		{"Part Part `json:\"part\"`", `Part *PartApplyConfiguration "part,omitempty"`, "set *PartApplyConfiguration"},
		{"Part *Part `json:\"part\"`", `Part *PartApplyConfiguration "part,omitempty"`, "set *PartApplyConfiguration"},
		{"Part Renamed `json:\"part\"`", `Part *PartApplyConfiguration "part,omitempty"`, "set *PartApplyConfiguration"},
		{"Parts []Part `json:\"parts\"`", `Parts []PartApplyConfiguration "parts,omitempty"`, "appendElements *PartApplyConfiguration"},
		{"Parts *[]Part `json:\"parts\"`", `Parts *[]PartApplyConfiguration "parts,omitempty"`, "appendThrough *PartApplyConfiguration"},
		{"Parts []*Part `json:\"parts\"`", `Parts []*v1.Part "parts,omitempty"`, "appendElements **v1.Part"},
		{"Parts [][]Part `json:\"parts\"`", `Parts [][]v1.Part "parts,omitempty"`, "append []v1.Part"},
		{"Labels map[string]string `json:\"labels\"`", `Labels map[string]string "labels,omitempty"`, "put map[string]string"},
		{"Labels map[Phase]Part `json:\"labels\"`", `Labels map[v1.Phase]PartApplyConfiguration "labels,omitempty"`, "put map[v1.Phase]PartApplyConfiguration"},
		{"Labels map[string]*Part `json:\"labels\"`", `Labels map[string]*v1.Part "labels,omitempty"`, "put map[string]*v1.Part"},
		{"Labels map[string][]Part `json:\"labels\"`", `Labels map[string][]v1.Part "labels,omitempty"`, "put map[string][]v1.Part"},
		{"Labels *map[string]Part `json:\"labels\"`", `Labels *map[string]PartApplyConfiguration "labels,omitempty"`, "address map[string]PartApplyConfiguration"},
		{"Phase Phase `json:\"phase\"`", `Phase *v1.Phase "phase,omitempty"`, "address v1.Phase"},
		{"Phases []Phase `json:\"phases\"`", `Phases []v1.Phase "phases,omitempty"`, "append v1.Phase"},
		// A slice or a map with a name is a value.
		{"Phases Phases `json:\"phases\"`", `Phases *v1.Phases "phases,omitempty"`, "address v1.Phases"},
		{"Parts Parts `json:\"parts\"`", `Parts *v1.Parts "parts,omitempty"`, "address v1.Parts"},
		{"Labels Labels `json:\"labels\"`", `Labels *v1.Labels "labels,omitempty"`, "address v1.Labels"},
		{"Text Text `json:\"text\"`", `Text *v1.Text "text,omitempty"`, "address v1.Text"},
		// Other packages cannot use the name.
		{"Text hidden `json:\"text\"`", `Text *string "text,omitempty"`, "address string"},
		// JSON does not show the fields.
		{"Stamp Stamp `json:\"stamp\"`", `Stamp *v1.Stamp "stamp,omitempty"`, "address v1.Stamp"},
		{"Stamp Untagged `json:\"stamp\"`", `Stamp *v1.Untagged "stamp,omitempty"`, "address v1.Untagged"},
		{"Stamps []Stamp `json:\"stamps\"`", `Stamps []v1.Stamp "stamps,omitempty"`, "append v1.Stamp"},
		// applyconfiguration-gen has no instances of generic types.
		{"Box Box[Part] `json:\"box\"`", `Box *BoxPartApplyConfiguration "box,omitempty"`, "set *BoxPartApplyConfiguration"},
		{"Boxes []Box[map[string]int] `json:\"boxes\"`", `Boxes []BoxMapStringIntApplyConfiguration "boxes,omitempty"`, "appendElements *BoxMapStringIntApplyConfiguration"},
		{"Other other.Part `json:\"other\"`", `Other *other.Part "other,omitempty"`, "address other.Part"},
		{"Others []other.Part `json:\"others\"`", `Others []other.Part "others,omitempty"`, "append other.Part"},
		{"Box other.Box[Part] `json:\"box\"`", `Box *other.Box[v1.Part] "box,omitempty"`, "address other.Box[v1.Part]"},
		{"Box map[string]other.Pair[Part, string] `json:\"box\"`", `Box map[string]other.Pair[v1.Part, string] "box,omitempty"`, "put map[string]other.Pair[v1.Part, string]"},
		{"Mapped other.Mapped `json:\"mapped\"`", `Mapped *mapped.MappedApplyConfiguration "mapped,omitempty"`, "set *mapped.MappedApplyConfiguration"},
		{"Selector *metav1.LabelSelector `json:\"selector\"`", `Selector *v1.LabelSelectorApplyConfiguration "selector,omitempty"`, "set *v1.LabelSelectorApplyConfiguration"},
		{"Shared shared.Shared `json:\"shared\"`", `Shared *shared.SharedApplyConfiguration "shared,omitempty"`, "set *shared.SharedApplyConfiguration"},
		{"Nothing struct{ A Part `json:\"a\"`; B int } `json:\"nothing\"`", "Nothing *struct { A v1.Part `json:\"a\"`; B int } \"nothing,omitempty\"",
			"address struct { A v1.Part `json:\"a\"`; B int }"},
		// Embedded fields of which code can have neither the name nor the type.
		{"Nothing struct{ hiddenMap; A int; Part; Box[int]; *hidden } `json:\"nothing\"`", "Nothing *struct { A int; v1.Part; v1.Box[int]; " +
			"*string } \"nothing,omitempty\"", "address struct { A int; v1.Part; v1.Box[int]; *string }"},
		{"Nothing struct{ hiddenPart `json:\"-\"`; A int } `json:\"nothing\"`", "Nothing *struct { A int } \"nothing,omitempty\"", "address struct { A int }"},
		{"Next *OrderSpec `json:\"next\"`", `Next *OrderSpecApplyConfiguration "next,omitempty"`, "set *OrderSpecApplyConfiguration"},
		{"Left int `json:\"-\"`", "", ""},
		{"Left int `json:\"-,\"`", `Left *int "-,omitempty"`, "address int"},
		{"ZZZ_Left int `json:\"left\"`", "", ""},
		{"left int `json:\"left\"`", "", ""},
	} {
		t.Run(c.field, func(t *testing.T) {
			apply := decide(t, declarations+"type OrderSpec struct {\n"+c.field+"\nLast bool `json:\"last\"`\n}")
			spec := typeOf(t, apply, "OrderSpec")
			want := c.want + "|" + `Last *bool "last,omitempty"`
			methods := strings.Fields(c.field)[0] + " " + c.method + "|Last address bool"
			if c.want == "" {
				want, methods = strings.TrimPrefix(want, "|"), "Last address bool"
			}
			if got := fieldsOf(spec); got != want {
				t.Errorf("got the fields  %s\nwant %s", got, want)
			}
			if got := methodsOf(spec); got != methods {
				t.Errorf("got the methods %s\nwant %s", got, methods)
			}
		})
	}
}

// TestEmbedded decides on one embedded field at a time.
func TestEmbedded(t *testing.T) {
	const declarations = `
type Part struct {
	Name  string ` + "`json:\"name\"`" + `
	Names []string ` + "`json:\"names\"`" + `
}

type Outer struct {
	Part ` + "`json:\",inline\"`" + `
}

type Ring struct {
	*Ring
	Turns int ` + "`json:\"turns\"`" + `
}

type (
	Left struct {
		*Right ` + "`json:\"right\"`" + `
		Size int
	}
	Right struct {
		*Left ` + "`json:\"left\"`" + `
	}
)

type Text string
`
	for _, c := range []struct{ field, fields, methods string }{
		{"Part `json:\",inline\"`", ` PartApplyConfiguration ""`, "Name address string (PartApplyConfiguration)|Names append string (PartApplyConfiguration)"},
		{"Part", ` PartApplyConfiguration ""`, "Name address string (PartApplyConfiguration)|Names append string (PartApplyConfiguration)"},
		{"*Part `json:\",inline\"`", ` PartApplyConfiguration ""`, "Name address string (PartApplyConfiguration)|Names append string (PartApplyConfiguration)"},
		{"Part `json:\"part\"`", ` *PartApplyConfiguration "part,omitempty"`, "Name address string (*PartApplyConfiguration)|Names append string (*PartApplyConfiguration)"},
		{"*Part `json:\"part\"`", ` *PartApplyConfiguration "part,omitempty"`, "Name address string (*PartApplyConfiguration)|Names append string (*PartApplyConfiguration)"},
		{"Outer `json:\",inline\"`", ` OuterApplyConfiguration ""`, "Name address string (OuterApplyConfiguration)|Names append string (OuterApplyConfiguration)"},
		{"other.Part `json:\",inline\"`", `Size *int "size,omitempty"`, "Size address int"},
		{"*other.Part `json:\",inline\"`", `Size *int "size,omitempty"`, "Size address int"},
		// Of two JSON names, the outer one counts. Of two Go names, the inner one gets the name of its struct.
		{"other.Part `json:\",inline\"`\nSize int `json:\"size\"`", `Size *int "size,omitempty"`, "Size address int"},
		{"other.Part `json:\",inline\"`\nSize int `json:\"length\"`", `PartSize *int "size,omitempty"|Size *int "length,omitempty"`, "PartSize address int|Size address int"},
		{"Size int `json:\"length\"`\nother.Part `json:\",inline\"`", `Size *int "length,omitempty"|PartSize *int "size,omitempty"`, "Size address int|PartSize address int"},
		{"other.Part `json:\"part\"`", `Part *other.Part "part,omitempty"`, "Part address other.Part"},
		{"other.Mapped `json:\",inline\"`", ` mapped.MappedApplyConfiguration ""`, "Weight address int (MappedApplyConfiguration)"},
		{"Text `json:\"text\"`", `Text *v1.Text "text,omitempty"`, "Text address v1.Text"},
		{"Name int `json:\"name\"`\nPart `json:\",inline\"`", `Name *int "name,omitempty"| PartApplyConfiguration ""`, "Name address int|Names append string (PartApplyConfiguration)"},
		// Fields of a struct hide those of the same struct in it.
		{"*OrderSpec `json:\",inline\"`\nSize int `json:\"size\"`", `Size *int "size,omitempty"`, "Size address int"},
		{"*OrderSpec `json:\"next\"`\nSize int `json:\"size\"`", ` *OrderSpecApplyConfiguration "next,omitempty"|Size *int "size,omitempty"`, "Size address int"},
		{"*Ring", ` RingApplyConfiguration ""`, "Turns address int (RingApplyConfiguration)"},
		{"Left `json:\"left\"`", ` *LeftApplyConfiguration "left,omitempty"`, "Size address int (*LeftApplyConfiguration)"},
		// As in Go and JSON, the field of the outer struct counts.
		{"Part `json:\",inline\"`\nName int `json:\"name\"`", ` PartApplyConfiguration ""|Name *int "name,omitempty"`, "Name address int|Names append string (PartApplyConfiguration)"},
		// As with applyconfiguration-gen, the first one has the method.
		{"Part `json:\"part\"`\nName int `json:\"name\"`", ` *PartApplyConfiguration "part,omitempty"|Name *int "name,omitempty"`,
			"Name address string (*PartApplyConfiguration)|Names append string (*PartApplyConfiguration)"},
	} {
		t.Run(c.field, func(t *testing.T) {
			spec := typeOf(t, decide(t, declarations+"type OrderSpec struct {\n"+c.field+"\n}"), "OrderSpec")
			if got := fieldsOf(spec); got != c.fields {
				t.Errorf("got the fields  %s\nwant %s", got, c.fields)
			}
			if got := methodsOf(spec); got != c.methods {
				t.Errorf("got the methods %s\nwant %s", got, c.methods)
			}
		})
	}
}

// fieldsOf returns the fields of an apply configuration, joined by bars.
func fieldsOf(t *model.ApplyType) string {
	var fields []string
	for _, f := range t.Fields {
		fields = append(fields, fmt.Sprintf("%s %s %q", f.Name, code(f.Type), f.Tag))
	}
	return strings.Join(fields, "|")
}

// methodsOf returns the methods With of an apply configuration, with their forms.
func methodsOf(t *model.ApplyType) string {
	var methods []string
	for _, s := range t.Setters {
		text := fmt.Sprintf("%s %s %s", s.Field, s.Form, code(s.Argument))
		if s.Through != nil {
			text += fmt.Sprintf(" (%s%s)", map[bool]string{true: "*"}[s.Through.IsPointer], s.Through.Name)
		}
		methods = append(methods, text)
	}
	return strings.Join(methods, "|")
}

// code returns a type as code of the package of the apply configurations writes it.
func code(t model.GoType) string {
	var b strings.Builder
	for _, part := range t {
		b.WriteString(part.Text)
		if dir := part.Ref.Path; dir != "" && dir != root+"/shop/v1" {
			b.WriteString(dir[strings.LastIndex(dir, "/")+1:] + ".")
		}
		b.WriteString(part.Ref.Name)
	}
	return b.String()
}
