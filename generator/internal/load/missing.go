package load

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
)

// addLists adds the list types that a run with options.Registers writes for the kinds of the package,
// as if the user had declared them. It reports whether there are any.
func (src *source) addLists(pkg *input.Package, options Options) bool {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport metav1 %q\n", pkg.Name, gotype.MetaV1)
	src.lists = nil
	for _, t := range pkg.Types {
		if src.lacksList(pkg, t) && !options.Exclude.Type(pkg.Path, t.Name) {
			src.lists = append(src.lists, t.Name)
			fmt.Fprintf(&b, "\ntype %[1]sList struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n\tItems []%[1]s `json:\"items\"`\n}\n", t.Name)
		}
	}
	if len(src.lists) == 0 {
		return false
	}
	text := b.Bytes()
	constraint := pkg.Constraints[src.lists[0]]
	if !slices.ContainsFunc(src.lists, func(name string) bool { return pkg.Constraints[name] != constraint }) {
		text = append([]byte(constraint+"\n\n"), text...) // as in the file that the run writes
	}
	name := filepath.Join(src.dir, model.RegisterFile)
	file, err := parser.ParseFile(src.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		panic("the declarations of list types do not parse: " + err.Error()) // the names are those of types
	}
	src.names, src.files, src.failures = append(src.names, name), append(src.files, file), append(src.failures, nil)
	src.indexed = nil
	return true
}

// lacksList reports whether t may be a kind, and the package has nothing with the name of its list.
func (src *source) lacksList(pkg *input.Package, t *input.Type) bool {
	declared := src.scope().resolve(src.scope().types[t.Name])
	if !t.Markers.MayBeKind() || t.IsGeneric || !token.IsExported(t.Name) || pkg.Declared[t.Name+"List"] {
		return false
	}
	// The items of an alias may be of a package whose list type should be used.
	if declared.spec.Assign.IsValid() || markers.Has[markers.View](t.Markers) || src.scope().embeds(declared, "ListMeta") {
		return false
	}
	// A root object without ObjectMeta is a configuration file.
	return markers.Has[markers.Genclient](t.Markers) || src.scope().embeds(declared, "TypeMeta") && src.scope().embeds(declared, "ObjectMeta")
}

// KeepLists removes the list types that the run does not write after all, because their types are not kinds.
func (r *Result) KeepLists(isKind func(model.TypeRef) bool) {
	for _, src := range r.sources {
		if len(src.lists) == 0 {
			continue
		}
		src.lists = slices.DeleteFunc(src.lists, func(name string) bool { return !isKind(model.TypeRef{Path: src.path, Name: name}) })
		file := src.files[len(src.files)-1]
		file.Decls = slices.DeleteFunc(file.Decls, func(decl ast.Decl) bool {
			group := decl.(*ast.GenDecl)
			if group.Tok != token.TYPE {
				return false
			}
			return !slices.Contains(src.lists, strings.TrimSuffix(group.Specs[0].(*ast.TypeSpec).Name.Name, "List"))
		})
		src.indexed = nil
	}
}

// schemeBuilder returns the form of the package's variable SchemeBuilder.
func (src *source) schemeBuilder() input.SchemeBuilder {
	value, ok := src.scope().values["SchemeBuilder"]
	if !ok {
		if _, isType := src.scope().types["SchemeBuilder"]; isType || src.scope().funcs["SchemeBuilder"] != nil {
			return input.OtherBuilder
		}
		return input.NoBuilder
	}
	for _, expr := range []ast.Expr{value.declaredType, value.expr} {
		if pointer, ok := expr.(*ast.UnaryExpr); ok {
			expr = pointer.X
		}
		if pointer, ok := expr.(*ast.StarExpr); ok {
			expr = pointer.X
		}
		if literal, ok := expr.(*ast.CompositeLit); ok {
			expr = literal.Type
		}
		if call, ok := expr.(*ast.CallExpr); ok {
			expr = call.Fun
		}
		selector, ok := expr.(*ast.SelectorExpr)
		if !ok || value.isConst() {
			continue
		}
		qualifier, ok := selector.X.(*ast.Ident)
		if !ok {
			continue
		}
		switch importPath(value.file, qualifier.Name) + "." + selector.Sel.Name {
		case "k8s.io/apimachinery/pkg/runtime.SchemeBuilder", "k8s.io/apimachinery/pkg/runtime.NewSchemeBuilder":
			return input.FuncBuilder
		case "sigs.k8s.io/controller-runtime/pkg/scheme.Builder":
			return input.ObjectBuilder
		}
	}
	return input.OtherBuilder
}

// mentions reports whether the user's code in the package has an identifier of that name, also in the body of
// a function.
func (src *source) mentions(name string) bool {
	for _, file := range src.names {
		content, err := regular.ReadFile(file)
		if err != nil || !bytes.Contains(content, []byte(name)) {
			continue // the list types that the run writes are in no file, or in one of an earlier run
		}
		if slices.Contains(GeneratedFiles, filepath.Base(file)) {
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

// objects returns the exported structs of the package that are objects on the wire: they embed TypeMeta and
// have a method DeepCopyObject.
func (src *source) objects() (names []string) {
	scope := src.scope()
	for name, t := range scope.types {
		if token.IsExported(name) && t.spec.TypeParams == nil && !t.spec.Assign.IsValid() && scope.deepCopied[name] && scope.embeds(t, "TypeMeta") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
