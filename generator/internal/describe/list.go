package describe

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// SetList sets whether clients can use the list type of a kind and, if not, the mistake in it.
func SetList(t *input.Type, hasTypeMeta, hasListMeta, hasItems, hasDeepCopy bool) {
	problem := ""
	t.ListLacksCopy = false
	switch items := "Items []" + t.Name; {
	case !hasTypeMeta:
		problem = "that does not embed metav1.TypeMeta; add: metav1.TypeMeta `json:\",inline\"`"
	case !hasListMeta:
		problem = "that does not embed metav1.ListMeta; add: metav1.ListMeta `json:\"metadata,omitempty\"`"
	case !hasItems:
		problem = "without a field " + items + "; add: " + items + " `json:\"items\"`"
	case !hasDeepCopy:
		problem = "without a method DeepCopyObject; " + input.DeepCopyFix
		t.ListLacksCopy = true
	default:
		t.HasList, t.ListProblem = true, ""
		return
	}
	t.HasList, t.ListProblem = false, "has a list type "+t.Name+"List "+problem
}

// missingList is the problem of a kind without a list type. %[1]s is its name.
const missingList = "has no list type %[1]sList in its package; " + input.RegisterFix +
	"add: type %[1]sList struct { metav1.TypeMeta `json:\",inline\"`; " +
	"metav1.ListMeta `json:\"metadata,omitempty\"`; Items []%[1]s `json:\"items\"` }, and its DeepCopyObject as for %[1]s"

// declaredList is the declaration of the list type of a kind. %[1]s is the name of the kind.
const declaredList = "\ntype %[1]sList struct {\n" +
	"\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n\tItems []%[1]s `json:\"items\"`\n}\n"

// addLists adds the list types that a run with --register writes for the kinds of the package,
// as if the user had declared them. It reports whether there are any.
func (d *Described) addLists(run *input.Run) bool {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport metav1 %q\n", d.Package.Name, gotype.MetaV1)
	for _, t := range d.Package.Types {
		if d.lacksList(t) && !run.Exclude.Type(d.Package.Path, t.Name) {
			d.lists = append(d.lists, t.Name)
			fmt.Fprintf(&b, declaredList, t.Name)
		}
	}
	if len(d.lists) == 0 {
		return false
	}
	text := b.Bytes()
	constraint := d.Package.Constraints[d.lists[0]]
	if !slices.ContainsFunc(d.lists, func(name string) bool { return d.Package.Constraints[name] != constraint }) {
		text = append([]byte(constraint+"\n\n"), text...) // as in the file that the run writes
	}
	name := filepath.Join(d.Syntax.Dir, model.RegisterFile)
	file, err := parser.ParseFile(d.Syntax.FileSet, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		panic("the declarations of list types do not parse: " + err.Error()) // the names are valid, because types have them
	}
	d.Syntax.AddFile(name, file)
	return true
}

// lacksList reports whether t may be a kind, and the package has nothing with the name of its list.
func (d *Described) lacksList(t *input.Type) bool {
	in := d.Syntax.Scope()
	declared := in.Resolve(in.Types[t.Name])
	if !t.Markers.MayBeKind() || t.IsGeneric || !token.IsExported(t.Name) || d.Package.Declared[t.Name+"List"] {
		return false
	}
	// The items of an alias may be of a package whose list type should be used.
	if declared.Spec.Assign.IsValid() || markers.Has[markers.View](t.Markers) || embeds(in, declared, "ListMeta") {
		return false
	}
	// A root object without ObjectMeta is a configuration file.
	return markers.Has[markers.Genclient](t.Markers) || embeds(in, declared, "TypeMeta") && embeds(in, declared, "ObjectMeta")
}

// KeepLists removes the list types that the run does not write after all, because their types are not kinds.
func (d *Described) KeepLists(isKind func(model.TypeRef) bool) {
	if len(d.lists) == 0 {
		return
	}
	d.lists = slices.DeleteFunc(d.lists, func(name string) bool { return !isKind(model.TypeRef{Path: d.Syntax.Path, Name: name}) })
	d.Syntax.RemoveDecls(d.Syntax.Files[len(d.Syntax.Files)-1], func(decl ast.Decl) bool {
		group := decl.(*ast.GenDecl)
		if group.Tok != token.TYPE {
			return false
		}
		return !slices.Contains(d.lists, strings.TrimSuffix(group.Specs[0].(*ast.TypeSpec).Name.Name, "List"))
	})
}

// mentions reports whether the user's code in the package has an identifier of that name, also in the body of
// a function.
func mentions(src *syntax.Package, name string) bool {
	for _, file := range src.Names {
		content, err := regular.ReadFile(file)
		if err != nil || !bytes.Contains(content, []byte(name)) {
			continue // the list types that the run writes are in no file, or in one of an earlier run
		}
		if slices.Contains(generatedFiles, filepath.Base(file)) {
			continue
		}
		var s scanner.Scanner
		fset := token.NewFileSet()
		s.Init(fset.AddFile(file, -1, len(content)), content, nil, 0)
		for tok := token.ILLEGAL; tok != token.EOF; {
			var literal string
			if _, tok, literal = s.Scan(); tok == token.IDENT && literal == name {
				return true
			}
		}
	}
	return false
}
