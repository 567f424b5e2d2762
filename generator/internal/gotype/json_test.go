package gotype

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"testing"
)

type (
	sample struct {
		City string `json:"city"`
		// Only the last of these has a tag.
		Area, District string
		Region         string `json:"Area"`
		Hidden         string `json:"-"`
		//lint:ignore SA5008 with the comma, "-" is the name of the field
		Dash       string `json:"-,"`
		unexported string
		Base
		*Deeper
		Tagged `json:"tagged"`
		Left
		Right
		Number
	}
	Base   struct{ District, Name string }
	Deeper struct {
		*Deeper
		Lowest
		Name string `json:"name"`
		Same int    `json:"same"`
	}
	Lowest struct {
		City, Once string
		Same       int `json:"same"`
	}
	Tagged struct{ Other string }
	Left   struct {
		Shared
		Zone, Kind string
	}
	Right struct {
		Shared
		Zone string
		Sort string `json:"Kind"`
	}
	Shared struct{ Of string }
	Number int
)

// TestJSONFields compares the fields of the type sample with encoding/json.
func TestJSONFields(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "json_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Error: func(error) {}} // imports are missing, but no field has a type of theirs
	pkg, _ := config.Check("example.com/gotype", fset, []*ast.File{file}, nil)
	structType, ok := StructOf(pkg.Scope().Lookup("sample").Type())
	if !ok {
		t.Fatal("sample is not a struct")
	}
	encoded, err := json.Marshal(sample{unexported: "x", Deeper: &Deeper{}})
	if err != nil {
		t.Fatal(err)
	}
	var decoded map[string]any
	if err := json.Unmarshal(encoded, &decoded); err != nil {
		t.Fatal(err)
	}
	fields, sure := JSONFields(structType)
	var got []string
	for _, f := range fields {
		got = append(got, f.Name)
	}
	slices.Sort(got)
	if want := slices.Sorted(maps.Keys(decoded)); !slices.Equal(got, want) || !sure {
		t.Errorf("the fields are %q (sure: %v), and encoding/json has %q", got, sure, want)
	}
	var conflicts []string
	for _, all := range JSONConflicts(structType) {
		for _, f := range all {
			conflicts = append(conflicts, f.Name+" "+f.Field.Name())
		}
	}
	if want := []string{"Zone Zone", "Zone Zone", "Of Of", "Of Of"}; !slices.Equal(conflicts, want) {
		t.Errorf("the conflicts are %q, want %q", conflicts, want)
	}
}
