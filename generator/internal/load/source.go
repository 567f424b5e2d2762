package load

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/version"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// source is the syntax of one package.
type source struct {
	path string
	// dir is the folder of the files.
	dir string
	// dependency reports whether the package is outside the main module.
	dependency bool
	// isOutput reports whether the folder is one that the run writes.
	isOutput bool
	// module is the folder of the main module, or "".
	module string
	// modulePath is the path of the module of the package, or "".
	modulePath string
	// goVersion is the version of Go in the go.mod of the package, such as 1.26.0, or "".
	goVersion string
	fset      *token.FileSet
	names     []string
	// files and failures are by the index of the name.
	files    []*ast.File
	failures []error
	// lists are the kinds whose list types the run writes. Their declarations are in the last file.
	lists []string
	// copies reports whether the run writes deep copies for the package.
	copies  bool
	indexed *scope
}

// largeFile is the size in bytes from which bodies are not parsed even in the user's packages.
const largeFile = 8 << 20

// parse reads the files of all packages in parallel. withoutBodies skips the bodies of functions, so that
// mistakes in them are not found.
func parse(ctx context.Context, sources []*source, mode parser.Mode, withoutBodies bool) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, src := range sources {
		src.files = make([]*ast.File, len(src.names))
		src.failures = make([]error, len(src.names))
		for i, name := range src.names {
			group.Go(func() error {
				content, err := regular.ReadFile(name)
				if err != nil {
					src.failures[i] = err
					return ctx.Err()
				}
				if withoutBodies || len(content) > largeFile {
					blankBodies(content)
				}
				src.files[i], src.failures[i] = parser.ParseFile(src.fset, name, content, mode)
				if src.files[i] != nil {
					dropBodies(src.files[i])
				}
				return ctx.Err()
			})
		}
	}
	return group.Wait()
}

// dropBodies removes the bodies of functions and the comments in them, which hold most of the memory
// of a package with generated methods.
func dropBodies(file *ast.File) {
	var bodies []*ast.BlockStmt
	for _, decl := range file.Decls {
		if function, ok := decl.(*ast.FuncDecl); ok && function.Body != nil {
			bodies = append(bodies, function.Body)
			function.Body = nil
		}
	}
	file.Comments = slices.DeleteFunc(file.Comments, func(comment *ast.CommentGroup) bool {
		for len(bodies) > 0 && bodies[0].End() <= comment.Pos() {
			bodies = bodies[1:]
		}
		return len(bodies) > 0 && bodies[0].Pos() <= comment.Pos()
	})
}

// addParseErrors adds the first error of each file that does not parse, and reports whether there is
// one. The other errors in a file tend to follow from the first.
func (src *source) addParseErrors(mistakes *model.Errors) bool {
	found := false
	for i, err := range src.failures {
		var list scanner.ErrorList
		switch {
		case err == nil:
			continue
		case errors.As(err, &list):
			mistakes.Add(list[0].Pos, "%s; %s%s", list[0].Msg, fixFirst, src.orNewerGo(runtime.Version()))
		default:
			mistakes.Add(token.Position{Filename: src.names[i]}, "cannot read the file: %v; %s", regular.WithoutPath(err), fixFirst)
		}
		found = true
	}
	return found
}

// orNewerGo returns the advice to build the generator with the Go of the module, if that is newer than the one of the generator,
// and so may have other syntax, or "".
func (src *source) orNewerGo(own string) string {
	own, _, _ = strings.Cut(own, " ") // a toolchain may add what it was built with
	wanted := "go" + src.goVersion
	if !version.IsValid(own) || version.Compare(version.Lang(wanted), version.Lang(own)) <= 0 {
		return ""
	}
	return fmt.Sprintf(", or build informer-gen again with Go %s of go.mod instead of %s", src.goVersion, own)
}

// addRepeated adds the types that are declared twice in a package with markers, and reports whether there is one.
// Reading only one of the two would lose the markers of the other one. A generated package, which a pattern may
// match too, may have such a type until it is generated again.
func (src *source) addRepeated(mistakes *model.Errors) bool {
	repeated := src.scope().repeated
	hasMarkers := func(file *ast.File) bool { return hasText(file.Comments, "+genclient", "+kubebuilder:", "+informer:") }
	if len(repeated) == 0 || !slices.ContainsFunc(src.files, hasMarkers) {
		return false
	}
	for _, names := range repeated {
		mistakes.Add(src.fset.Position(names[1].Pos()), "type %s is declared here and at %s; remove one of the two", names[1].Name, src.fset.Position(names[0].Pos()))
	}
	return true
}

// scope has the top-level declarations of a package by name.
type scope struct {
	types map[string]typeDecl
	// repeated has the types that are declared twice: the name in both declarations.
	repeated [][2]*ast.Ident
	funcs    map[string]*ast.FuncDecl
	// values has the constants and variables.
	values  map[string]valueDecl
	methods []method
	// deepCopied has the types with a method DeepCopyObject.
	deepCopied map[string]bool
	// protobufMethods has the number of methods in the variable protobufMethods that a type has.
	protobufMethods map[string]int
}

type typeDecl struct {
	file  *ast.File
	group *ast.GenDecl
	spec  *ast.TypeSpec
}

type valueDecl struct {
	file  *ast.File
	group *ast.GenDecl
	name  *ast.Ident
	// declaredType and expr are nil if the declaration lacks them.
	declaredType, expr ast.Expr
}

type method struct {
	file *ast.File
	decl *ast.FuncDecl
}

// scope returns the declarations of the package.
func (src *source) scope() *scope {
	if src.indexed == nil {
		src.indexed = &scope{types: map[string]typeDecl{}, funcs: map[string]*ast.FuncDecl{}, values: map[string]valueDecl{}, deepCopied: map[string]bool{}, protobufMethods: map[string]int{}}
		for _, file := range src.files {
			src.indexed.add(file)
		}
	}
	return src.indexed
}

func (s *scope) add(file *ast.File) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				s.funcs[decl.Name.Name] = decl
				continue
			}
			s.methods = append(s.methods, method{file, decl})
			switch name := decl.Name.Name; {
			case name == "DeepCopyObject":
				s.deepCopied[receiver(decl)] = true
			case slices.Contains(protobufMethods, name):
				s.protobufMethods[receiver(decl)]++
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if first, ok := s.types[spec.Name.Name]; ok && spec.Name.Name != "_" {
						s.repeated = append(s.repeated, [2]*ast.Ident{first.spec.Name, spec.Name})
					}
					s.types[spec.Name.Name] = typeDecl{file, decl, spec}
				case *ast.ValueSpec:
					for i, name := range spec.Names {
						value := valueDecl{file: file, group: decl, name: name, declaredType: spec.Type}
						if i < len(spec.Values) {
							value.expr = spec.Values[i]
						}
						s.values[name.Name] = value
					}
				}
			}
		}
	}
}

// has reports whether the package declares a method of the type.
func (s *scope) has(typeName, methodName string) bool {
	return slices.ContainsFunc(s.methods, func(m method) bool {
		return m.decl.Name.Name == methodName && receiver(m.decl) == typeName
	})
}

// resolve returns the type of the package that an alias stands for. It returns other types and aliases as they are. Of an
// instance of a generic type it returns the alias.
func (s *scope) resolve(t typeDecl) typeDecl {
	for range len(s.types) { // an alias of itself does not compile
		name, ok := t.spec.Type.(*ast.Ident)
		if !ok || !t.spec.Assign.IsValid() {
			break
		}
		local, ok := s.types[name.Name]
		if !ok {
			break
		}
		t = local
	}
	return t
}

// receiver returns the name of the type that has the method.
func receiver(decl *ast.FuncDecl) string {
	if len(decl.Recv.List) == 0 { // func () f(), which parses
		return ""
	}
	return typeName(decl.Recv.List[0].Type)
}

// typeName returns the name of a type of the package, or of the type that a pointer points to. It is empty
// for other types.
func typeName(expr ast.Expr) string {
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	switch generic := expr.(type) {
	case *ast.IndexExpr:
		expr = generic.X
	case *ast.IndexListExpr:
		expr = generic.X
	}
	if name, ok := expr.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// importPath returns the import path that a qualifier stands for in a file, or "".
func importPath(file *ast.File, qualifier string) string {
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		switch {
		case err != nil:
		case spec.Name != nil && spec.Name.Name == qualifier,
			spec.Name == nil && (conventionalName(importPath) == qualifier || path.Base(importPath) == qualifier):
			return importPath
		}
	}
	return ""
}

// conventionalName returns the usual name of the package with that path, without characters that an
// identifier cannot have.
func conventionalName(importPath string) string {
	return strings.ReplaceAll(strings.TrimPrefix(path.Base(importPath), "go-"), "-", "")
}
