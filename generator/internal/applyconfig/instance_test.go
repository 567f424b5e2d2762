package applyconfig_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// TestInstanceNames decides on fields of several instances of a generic type. Fields of one type have one apply
// configuration, and fields of different types have different ones.
func TestInstanceNames(t *testing.T) {
	words := "Ä" + strings.Repeat("ä", 120)
	declarations := `
type (
	Box[T any]     struct{ Value T ` + "`json:\"value\"`" + ` }
	Pair[A, B any] struct { A A ` + "`json:\"a\"`" + `; B B ` + "`json:\"b\"`" + ` }
	Extract[T any] struct{ Value T ` + "`json:\"value\"`" + ` }
	Part           struct{ Name string ` + "`json:\"name\"`" + ` }
	PART           string
	Text           = string
	Word           = Text
	BoxString      struct{ Name string ` + "`json:\"name\"`" + ` }
	MapStringInt   struct{ Name string ` + "`json:\"name\"`" + ` }
	SlicePart      struct{ Name string ` + "`json:\"name\"`" + ` }
	` + words + ` string
)
`
	long := "struct{ X int `json:\"" + strings.Repeat("ä", 120) + "\"` }"
	for _, c := range []struct{ fields, want string }{
		// A name that one instance has alone.
		{"Box[*string]", "BoxString"},
		{"Box[[]Part]", "BoxPart"},
		{"Box[[3]int]", "Box3Int"},
		{"Box[shared.Shared]", "BoxShared"},
		{"Box[Text]", "BoxText"},
		{"Box[struct{ X int }]", "BoxStructXInt"},
		{"Box[struct{ X int `json:\"x,omitempty\" yaml:\"-\"` }]", "BoxStructXIntJsonXOmitemptyYaml"},
		// One type.
		{"Box[Text]|Box[string]|Box[Word]", "BoxString|BoxString|BoxString"},
		{"Box[Word]|Box[Text]", "BoxText|BoxText"},
		{"Box[[]byte]|Box[[]uint8]", "BoxByte|BoxByte"},
		{"Box[map[Text]*Word]|Box[map[string]*string]", "BoxMapStringString|BoxMapStringString"},
		{"Box[struct{ X Text `json:\"x\"` }]|Box[struct{ X string \"json:\\\"x\\\"\" }]", "BoxStructXStringJsonX|BoxStructXStringJsonX"},
		// Types with the same words.
		{"Box[string]|Box[*string]|Box[**string]", "BoxString|BoxPointerString|BoxPointerPointerString"},
		{"Box[*string]|Box[[]string]", "BoxPointerString|BoxSliceString"},
		{"Box[Part]|Box[[]Part]", "BoxPart|BoxSlicePart"},
		{"Box[Part]|Box[[]Part]|Box[SlicePart]", "BoxPart|BoxPart#|BoxSlicePart"},
		{"Box[[3]int]|Box[*[3]int]|Box[[4]int]", "BoxArray3Int|BoxPointerArray3Int|Box4Int"},
		{"Box[map[string]int]|Box[map[string]*int]|Box[map[string][]int]", "BoxMapStringInt|BoxMapStringPointerInt|BoxMapStringSliceInt"},
		{"Box[map[string]int]|Box[MapStringInt]", "BoxMapStringInt#|BoxMapStringInt#"},
		{"Box[Part]|Box[PART]", "BoxPart#|BoxPART#"},
		{"Pair[Part, Box[string]]|Pair[Part, Box[*string]]|Box[string]|Box[*string]", "PairPartBoxString|PairPartBoxPointerString|BoxString|BoxPointerString"},
		{"Box[struct{ X int `json:\"x\"` }]|Box[struct{ X int `json:\"x,\"` }]", "BoxStruct#|BoxStruct#"},
		{"Box[struct{ X int `json:\"x\"` }]|Box[*struct{ X int `json:\"x\"` }]", "BoxStruct#|BoxPointerStruct#"},
		// Types of different packages.
		{"Box[other.Part]|Box[Part]", "BoxExampleComOtherPart|BoxPart"},
		{"Box[other.Part]|Box[*other.Part]", "BoxExampleComOtherPart|BoxPointerExampleComOtherPart"},
		// A type that is no instance.
		{"Box[string]|BoxString", "BoxString#|BoxString"},
		{"BoxString|Box[*string]|Box[string]", "BoxString|BoxPointerString|BoxString#"},
		{"Extract[*Order]", "ExtractPointerOrder"}, // the kind has a function of that name
		// The name of a file has at most 255 bytes.
		{"Box[" + long + "]", "BoxStruct#"},
		{"Box[" + long + "]|Box[*" + long + "]", "BoxStruct#|BoxPointerStruct#"},
		{"Pair[Word, Box[Box[Box[Box[Box[Box[Box[Box[map[" + words + "]int]]]]]]]]]", "PairWordBoxBoxBoxBoxBoxBoxBoxBoxMapÄ" + strings.Repeat("ä", 13) + "#"},
	} {
		t.Run(c.fields, func(t *testing.T) {
			var got [2][]string
			for i := range got { // in both orders
				got[i] = instanceNames(t, declarations, c.fields, i > 0)
			}
			if !slices.Equal(got[0], got[1]) {
				t.Errorf("got %q, and %q in the other order", got[0], got[1])
			}
			if names := hash.ReplaceAllString(strings.Join(got[0], "|"), "#$1"); names != c.want {
				t.Errorf("got  %s\nwant %s", names, c.want)
			}
		})
	}
}

// hash matches the hash in the name of an instance.
var hash = regexp.MustCompile(`[0-9A-F]{8}(\||$)`)

// instanceNames returns the names of the apply configurations of fields.
func instanceNames(t *testing.T, declarations, fields string, reversed bool) (names []string) {
	t.Helper()
	var lines []string
	for i, field := range strings.Split(fields, "|") {
		lines = append(lines, fmt.Sprintf("F%d %s `json:\"f%d\"`", i, field, i))
	}
	count := len(lines)
	if reversed {
		slices.Reverse(lines)
	}
	spec := typeOf(t, decide(t, declarations+"type OrderSpec struct {\n"+strings.Join(lines, "\n")+"\n}"), "OrderSpec")
	names = make([]string, count)
	for _, f := range spec.Fields {
		var at int
		if _, err := fmt.Sscanf(f.Name, "F%d", &at); err != nil {
			t.Fatal(err)
		}
		name, isConfig := strings.CutSuffix(code(f.Type), model.ApplySuffix)
		if !isConfig {
			t.Errorf("%s is of type %s", f.Name, name)
		}
		names[at] = strings.TrimPrefix(name, "*")
	}
	return names
}

// TestInstanceOfTwoPackages decides on an instance that two packages use. For go/types these are two types.
func TestInstanceOfTwoPackages(t *testing.T) {
	p := newPackages(t, "type Order struct {\nmetav1.TypeMeta `json:\",inline\"`\nmetav1.ObjectMeta `json:\"metadata\"`\nSpec OrderSpec `json:\"spec\"`\n}\n"+
		"type OrderSpec struct {\nBox shared.Box[string] `json:\"box\"`\nHolder shared.Holder `json:\"holder\"`\n}")
	p.sources["example.com/shared"] = "package shared\n\ntype Box[T any] struct { Value T `json:\"value\"` }\n\ntype Holder struct { Box *Box[string] `json:\"box\"` }\n"
	apply, errs, _ := p.decide()
	if errs.Len() > 0 {
		t.Fatal(errs.Join())
	}
	var names []string
	for _, found := range apply.Packages[0].Types {
		names = append(names, found.Name)
	}
	if want := []string{"BoxString", "Holder"}; apply.Packages[0].Path != "example.com/shared" || !slices.Equal(names, want) {
		t.Errorf("package %s has %q, want %q", apply.Packages[0].Path, names, want)
	}
}
