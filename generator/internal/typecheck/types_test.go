package typecheck

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// declaredIn returns the types of an archive that the named types of package shop need, and the errors.
func declaredIn(t *testing.T, text string, withHidden bool, names ...string) (*input.Types, error) {
	t.Helper()
	c := memoryClosure(t, text)
	c.run.DeepCopy = withHidden
	found := &input.Types{
		Packages: map[string]*types.Package{}, Comments: map[token.Pos]input.Comment{}, FileSet: c.fset,
		PackageMarkers: map[string][]input.CommentMarker{}, Dependencies: map[string]bool{},
	}
	var errs model.Errors
	if err := c.addTypes(map[string][]string{"shop": names}, found, &errs); err != nil {
		t.Fatal(err)
	}
	return found, errs.Join()
}

// describedBy returns the comment of a declaration: its text, and its markers with their lines and columns.
func describedBy(declared *input.Types, of types.Object) string {
	comment := declared.Comment(of)
	words := []string{strings.Join(comment.Text, "|")}
	for _, m := range comment.Markers {
		words = append(words, fmt.Sprintf("%s@%d:%d", m.Text, m.Pos.Line, m.Pos.Column))
	}
	return strings.Join(words, " ")
}

func TestDeclared(t *testing.T) {
	declared, err := declaredIn(t, `
-- shop/types.go --
package shop

import "other"

// +far=away

// Order is ordered.
//
//	// +text=of an example
//
// +genclient
type Order struct {
	// Spec is wanted,
	// and this is its second line.
	//
	// +optional
	// +listType=map
	Spec, More Spec
	// Inlined.
	*other.Inner
	Box other.Box[Item] // a comment at the end of a line does not belong to the field
	hidden Unused
}

type (
	/* Spec is in a group.
	+one
	   +two=2
	*/
	Spec struct{ Ref *other.Ref }
	Item struct{}
	Unused struct{}
)
-- other/types.go --
package other

type Inner struct {
	// Deep is documented in a dependency.
	// +listMapKey=name
	Deep string
}

// +atomic
type Ref struct{}

type Box[T any] struct {
	// Value is generic.
	Value T
}

type Unrelated struct{}
`, false, "Order")
	if err != nil {
		t.Fatal(err)
	}
	order := declared.Lookup(model.TypeRef{Path: "shop", Name: "Order"})
	got := []string{describedBy(declared, order)}
	for field := range order.Type().Underlying().(*types.Struct).Fields() {
		got = append(got, field.Name()+": "+describedBy(declared, field))
		if box, ok := field.Type().(*types.Named); ok && box.TypeArgs().Len() > 0 {
			got = append(got, "Value: "+describedBy(declared, box.Underlying().(*types.Struct).Field(0)))
		}
	}
	for _, ref := range []model.TypeRef{{Path: "shop", Name: "Spec"}, {Path: "other", Name: "Inner"}, {Path: "other", Name: "Ref"}} {
		obj := declared.Lookup(ref)
		got = append(got, ref.Name+": "+describedBy(declared, obj))
		if structType := obj.Type().Underlying().(*types.Struct); ref.Name == "Inner" {
			got = append(got, "Deep: "+describedBy(declared, structType.Field(0)))
		}
	}
	want := []string{
		"Order is ordered.||\t// +text=of an example far=away@5:4 genclient@11:4",
		"Spec: Spec is wanted,|and this is its second line. optional@16:5 listType=map@17:5",
		"More: Spec is wanted,|and this is its second line. optional@16:5 listType=map@17:5",
		"Inner: Inlined.",
		"Box: ",
		"Value: Value is generic.",
		"Spec: Spec is in a group. one@27:2 two=2@28:5",
		"Inner: ",
		"Deep: Deep is documented in a dependency. listMapKey=name@5:5",
		"Ref:  atomic@9:4",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, ref := range []model.TypeRef{{Path: "shop", Name: "Unused"}, {Path: "other", Name: "Unrelated"}, {Path: "nowhere", Name: "T"}} {
		if declared.Lookup(ref) != nil {
			t.Errorf("%v was read, and no field of JSON needs it", ref)
		}
	}
}

// TestDeclaredBlankLines reads markers above blank lines, as controller-gen does.
func TestDeclaredBlankLines(t *testing.T) {
	declared, err := declaredIn(t, `
-- shop/types.go --
package shop

// +first


// +distant


// Order is ordered.
type Order struct {
	// +listType=map

	// Items are ordered.
	Items []Item // +trailing
	Next Item
	// +hidden
	hidden Item
	Last Item

	// +blank


	Other, More Item
}

type Item struct{}
`, false, "Order")
	if err != nil {
		t.Fatal(err)
	}
	order := declared.Lookup(model.TypeRef{Path: "shop", Name: "Order"})
	got := []string{describedBy(declared, order)}
	structType := order.Type().Underlying().(*types.Struct)
	for field := range structType.Fields() {
		got = append(got, describedBy(declared, field))
	}
	want := []string{"Order is ordered. distant@6:4", "Items are ordered. listType=map@11:5", "", "", " blank@20:5", " blank@20:5"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestDeclaredHidden reads the fields that only a deep copy needs.
func TestDeclaredHidden(t *testing.T) {
	const source = "-- shop/types.go --\npackage shop\ntype Order struct { hidden *Unused; Shown int }\ntype Unused struct{}\n"
	for _, withHidden := range []bool{false, true} {
		declared, err := declaredIn(t, source, withHidden, "Order")
		if err != nil {
			t.Fatal(err)
		}
		if found := declared.Lookup(model.TypeRef{Path: "shop", Name: "Unused"}) != nil; found != withHidden {
			t.Errorf("with hidden fields %t: the type of one was read: %t", withHidden, found)
		}
	}
}

// TestDeclaredProblems reports each reference that cannot be resolved, where it is.
func TestDeclaredProblems(t *testing.T) {
	_, err := declaredIn(t, `
-- shop/types.go --
package shop

import "missing"

type Order struct {
	A missing.T
	B Undeclared
	C Fine
}

type Fine struct{ D *AlsoUndeclared }
`, false, "Order")
	for _, want := range []string{
		"no required module provides package missing; to add it: go get missing",
		"shop/types.go:7:4: undefined: Undeclared; declare it",
		"shop/types.go:11:22: undefined: AlsoUndeclared; declare it",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// TestDeclaredRecursion reports types without end, and accepts those that end at a nil pointer or an empty list.
func TestDeclaredRecursion(t *testing.T) {
	const order = "-- shop/types.go --\npackage shop\ntype Order struct { Root Node }\n"
	const itself = "shop/types.go:3:6: type Node contains itself without end; make a field on the way a pointer, a slice or a map"
	const others = " refers to other instances of itself without end; use its own type parameters as their arguments"
	for types, want := range map[string]string{
		"type Node struct { Left Node }":                                                                                itself,
		"type Node struct { Other Other }\ntype Other struct { Nodes [2]Node }":                                         itself,
		"type Node struct { Left *Node; All []Node; Named map[string]Node }":                                            "",
		"type Node struct { In Box[*Node] }\ntype Box[T any] struct { In *Box[T]; All []Box[T]; V T }":                  "",
		"type Node struct { In Pair[int, string] }\ntype Pair[A, B any] struct { Other *Pair[B, A]; Both *Pair[A, A] }": "",
		"type Node struct { In Box[string] }\ntype Box[T any] struct { In *Box[struct{ V []T }] }":                      "shop/types.go:4:6: type Box" + others,
		"type Node struct { In Box[string] }\ntype Box[T any] struct { In *Other[T] }\ntype Other[T any] struct { In []Box[map[string]T] }": "" +
			"shop/types.go:4:6: type Box" + others + "\nshop/types.go:5:6: type Other" + others,
	} {
		_, err := declaredIn(t, order+types+"\n", false, "Order")
		if got := fmt.Sprint(err); err != nil && got != want || err == nil && want != "" {
			t.Errorf("%s\ngot  %v\nwant %s", types, err, want)
		}
	}
}
