package load

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// typesOfSyntax type-checks the package by itself: what it imports is empty, but
// for the names of TypeMeta, ObjectMeta and ListMeta, and all that comes from there
// is of an invalid type. Nothing is read from disk. It tells all about types that
// the package declares.
func typesOfSyntax(src *source) *types.Package {
	config := types.Config{
		Importer:         emptyImporter{},
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Error:            func(error) {}, // there are many, of what is not there
	}
	pkg, _ := config.Check(src.path, src.fset, src.files, nil)
	return pkg
}

// emptyImporter has every package, with nothing in it that could mislead.
type emptyImporter struct{}

func (emptyImporter) Import(importPath string) (*types.Package, error) {
	pkg := types.NewPackage(importPath, conventionalName(importPath))
	if importPath == metaV1 {
		declare := func(name string, structType *types.Struct) {
			declared := types.NewTypeName(token.NoPos, pkg, name, nil)
			types.NewNamed(declared, structType, nil)
			pkg.Scope().Insert(declared)
		}
		declare("TypeMeta", types.NewStruct(nil, nil))
		// These inline something invalid, so that nobody takes their fields for known.
		hole := types.NewField(token.NoPos, pkg, "Fields", types.Typ[types.Invalid], true)
		declare("ObjectMeta", types.NewStruct([]*types.Var{hole}, nil))
		declare("ListMeta", types.NewStruct([]*types.Var{hole}, nil))
	}
	pkg.MarkComplete()
	return pkg, nil
}

// conventionalName is what a package of that path is usually called: without a
// major version, and without what is no part of an identifier.
func conventionalName(importPath string) string {
	base := path.Base(importPath)
	if model.IsVersion(base) && path.Base(path.Dir(importPath)) != "." && strings.Contains(path.Base(path.Dir(importPath)), "-") {
		return base
	}
	return strings.ReplaceAll(strings.TrimPrefix(base, "go-"), "-", "")
}

// withoutCgo returns an environment in which the go command runs no C compiler. Flags
// that need cgo would be errors there, so they are switched off in GOFLAGS: some of the
// commands that go/packages runs do not get its BuildFlags.
func withoutCgo(ctx context.Context, dir string) []string {
	flags := os.Getenv("GOFLAGS")
	if flags == "" { // it may be set by go env -w
		command := exec.CommandContext(ctx, "go", "env", "GOFLAGS")
		command.Dir = dir
		out, _ := command.Output() // a driver may do without a go command
		flags = strings.TrimSpace(string(out))
	}
	return append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="+strings.TrimSpace(flags+" -race=false -msan=false -asan=false"))
}

// typesOfPackages type-checks packages with what they import, which comes from
// the compiler's export data and so from the build cache if it is there. It
// returns them by import path. It runs no C compiler, so files that need cgo are left
// out, and flags that need cgo do not count.
func typesOfPackages(ctx context.Context, options Options, paths []string) (map[string]*packages.Package, error) {
	config := options.config(ctx, packages.LoadSyntax)
	config.Env = withoutCgo(ctx, options.Dir)
	listed, err := packages.Load(config, paths...)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return nil, fmt.Errorf("cannot load the types of %s: %w", strings.Join(paths, " "), withoutCommand{err})
	}
	found := make(map[string]*packages.Package, len(listed))
	for _, pkg := range listed {
		found[pkg.PkgPath] = pkg
	}
	return found, nil
}

// isUnclear says whether syntax has not shown that a kind has what it needs: it is
// another name for a type, or embeds its metadata through others, or its list does,
// or they are not there.
func (r *typeReader) isUnclear(t *model.Type) bool {
	if t.IsGeneric {
		return false // which no kind can be
	}
	return r.isReference(r.types[t.Name]) || !(t.HasTypeMeta && t.HasObjectMeta) || t.DeclaresList && !t.HasList
}

// isReference says whether a type is declared by naming another one.
func (r *typeReader) isReference(t *declaredType) bool {
	switch expr := t.spec.Type.(type) {
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		return true
	case *ast.Ident:
		return r.types[expr.Name] != nil
	}
	return t.spec.Assign.IsValid()
}

// clarify says of a type what describe says of it, from types instead of syntax.
// It returns false if a type that it would have to know is invalid.
func clarify(t *model.Type, pkg *types.Package, fset *token.FileSet) bool {
	kind := lookUp(pkg, t.Name)
	structType, ok := structOf(kind)
	if !ok {
		t.IsStruct = false
		return isValid(kind)
	}
	meta := metaOf(structType)
	t.IsStruct, t.HasTypeMeta = true, meta.has["TypeMeta"] || hasMethod(kind, pkg, "GetObjectKind")
	t.MissingMethod = missingMethod(kind, pkg)
	t.HasObjectMeta = meta.has["ObjectMeta"] || hasMethods(kind, pkg, objectMethods)
	t.HasDeepCopyObject = hasMethod(kind, pkg, "DeepCopyObject")
	t.HasStatus = false
	for field := range structType.Fields() {
		t.HasStatus = t.HasStatus || field.Name() == "Status"
	}
	sure := meta.sure || t.HasTypeMeta && t.HasObjectMeta

	name := t.Name + "List"
	declared := pkg.Scope().Lookup(name)
	if declared == nil {
		return sure
	}
	t.ListPos = fset.Position(declared.Pos())
	return clarifyList(t, declared, kind) && sure
}

// lookUp is the type of that name in a package, or an invalid one.
func lookUp(pkg *types.Package, name string) types.Type {
	if declared := pkg.Scope().Lookup(name); declared != nil {
		return declared.Type()
	}
	return types.Typ[types.Invalid]
}

func isValid(t types.Type) bool { return types.Unalias(t) != types.Typ[types.Invalid] }

func structOf(t types.Type) (*types.Struct, bool) {
	structType, ok := t.Underlying().(*types.Struct)
	return structType, ok
}

// metaTypes are those of meta/v1 that a struct embeds, itself or through others.
type metaTypes struct {
	has map[string]bool
	// sure is false if it embeds something invalid.
	sure bool
	// seen are the structs that were added.
	seen map[*types.Struct]bool
}

func metaOf(structType *types.Struct) metaTypes {
	found := metaTypes{has: map[string]bool{}, sure: true, seen: map[*types.Struct]bool{}}
	found.add(structType)
	return found
}

func (m *metaTypes) add(structType *types.Struct) {
	if m.seen[structType] {
		return // it embeds a pointer to itself
	}
	m.seen[structType] = true
	for field := range structType.Fields() {
		if !field.Embedded() {
			continue
		}
		embedded := types.Unalias(pointedTo(field.Type()))
		if embedded == types.Typ[types.Invalid] {
			m.sure = false
		} else if named, ok := embedded.(*types.Named); ok {
			if pkg := named.Obj().Pkg(); pkg != nil && pkg.Path() == metaV1 {
				m.has[named.Obj().Name()] = true
			} else if inner, ok := structOf(named); ok {
				m.add(inner)
			}
		}
	}
}
