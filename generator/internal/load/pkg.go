package load

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
)

// describe returns what the syntax shows of the package. candidates adds the types without a marker
// that have a list type.
func (src *source) describe(candidates bool) *input.Package {
	pkg := &input.Package{
		Path: src.path, Module: src.modulePath, Dir: src.dir, Dependency: src.dependency, Declared: map[string]bool{}, Constraints: map[string]string{},
		GroupVersion: src.groupVersion(), HasAddToScheme: src.hasAddToScheme(), OldTypeConverter: src.hasOldTypeConverter(),
		SchemeBuilder: src.schemeBuilder(), Objects: src.objects(),
		Types: src.marked(candidates),
	}
	for _, file := range src.files {
		pkg.Name = file.Name.Name
		src.addPackageMarkers(pkg, file)
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && isDot(spec) {
				pkg.DotImports = append(pkg.DotImports, input.Import{Path: path, Pos: src.fset.Position(spec.Pos())})
			}
		}
	}
	scope := src.scope()
	for name := range scope.funcs {
		pkg.Declared[name] = true
	}
	for name := range scope.values {
		pkg.Declared[name] = true
	}
	lines := map[*ast.File]string{}
	for _, file := range src.files {
		lines[file] = src.constraint(file)
	}
	for name, t := range scope.types {
		pkg.Declared[name] = true
		if line := lines[t.file]; line != "" {
			pkg.Constraints[name] = line
		}
	}
	return pkg
}

// addPackageMarkers adds the markers above the package clause. The position of the package is the
// clause below the first marker of any tool, or else the first clause.
func (src *source) addPackageMarkers(pkg *input.Package, file *ast.File) {
	var found markers.List
	for _, group := range file.Comments {
		if group.Pos() < file.Package {
			found = append(found, markersOf(src.fset, group, "")...)
		}
	}
	if !pkg.Pos.IsValid() || len(found) > 0 && len(pkg.Markers) == 0 {
		pkg.Pos = src.fset.Position(file.Package)
	}
	pkg.Markers = append(pkg.Markers, found...)
}

// groupVersion reads a variable such as
//
//	var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1"}
//
// It has the name of code-generator or, failing that, of kubebuilder. A variable of another type is
// used only if neither has the right type.
func (src *source) groupVersion() input.DeclaredGroupVersion {
	var found input.DeclaredGroupVersion
	for _, name := range []string{"SchemeGroupVersion", "GroupVersion"} {
		value, ok := src.scope().values[name]
		if !ok {
			continue
		}
		declared := src.groupVersionOf(value)
		if !declared.OtherType {
			return declared
		}
		if found.Name == "" {
			found = declared
		}
	}
	return found
}

// groupVersionOf reads the group and version in a variable or constant.
func (src *source) groupVersionOf(value valueDecl) input.DeclaredGroupVersion {
	declared := input.DeclaredGroupVersion{Name: value.name.Name, OtherType: !value.mayBeGroupVersion(), Pos: src.fset.Position(value.name.Pos())}
	expr := value.expr
	if pointer, ok := expr.(*ast.UnaryExpr); ok {
		expr = pointer.X
	}
	literal, ok := expr.(*ast.CompositeLit)
	if !ok {
		return declared
	}
	for n, element := range literal.Elts {
		name := "Version"
		if n == 0 {
			name = "Group"
		}
		if field, ok := element.(*ast.KeyValueExpr); ok {
			key, _ := field.Key.(*ast.Ident)
			if key == nil {
				continue
			}
			name, element = key.Name, field.Value
		}
		switch name {
		case "Group":
			declared.Group, declared.GroupKnown = src.stringValue(element)
		case "Version":
			declared.Version, declared.VersionKnown = src.stringValue(element)
		}
	}
	return declared
}

func (v valueDecl) isConst() bool { return v.group.Tok == token.CONST }

// mayBeGroupVersion reports whether the syntax allows a value to be a schema.GroupVersion.
func (v valueDecl) mayBeGroupVersion() bool {
	if v.isConst() {
		return false
	}
	for _, expr := range []ast.Expr{v.declaredType, v.expr} {
		switch expr := expr.(type) {
		case *ast.BasicLit, *ast.BinaryExpr, *ast.FuncLit, *ast.FuncType, *ast.StarExpr, *ast.UnaryExpr:
			return false
		case *ast.Ident:
			if expr.Name == "string" {
				return false
			}
		case *ast.CompositeLit:
			// The type may be an alias of any name.
			of, ok := expr.Type.(*ast.SelectorExpr)
			if ok && strings.HasPrefix(of.Sel.Name, "Group") && of.Sel.Name != "GroupVersion" {
				return false
			}
			if ok && isMeta(v.file, of, "GroupVersion") { // register-gen writes it next to SchemeGroupVersion
				return false
			}
		}
	}
	return true
}

// stringValue returns the value of a literal, or of a constant of the package with a literal.
func (src *source) stringValue(expr ast.Expr) (string, bool) {
	if name, ok := expr.(*ast.Ident); ok {
		expr = src.scope().values[name.Name].expr
	}
	if selector, ok := expr.(*ast.SelectorExpr); ok && selector.Sel.Name == "APIVersionInternal" {
		return input.InternalVersion, true // of k8s.io/apimachinery/pkg/runtime
	}
	literal, ok := expr.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(literal.Value)
	return s, err == nil
}

// hasAddToScheme reports whether AddToScheme is a variable, or a function with as many parameters and
// results as func(*runtime.Scheme) error.
func (src *source) hasAddToScheme() bool {
	if value, ok := src.scope().values["AddToScheme"]; ok {
		return !value.isConst()
	}
	function := src.scope().funcs["AddToScheme"]
	return function != nil && function.Type.TypeParams == nil && function.Type.Params.NumFields() == 1 && function.Type.Results.NumFields() == 1
}

// hasOldTypeConverter reports whether NewTypeConverter returns a *TypeConverter.
func (src *source) hasOldTypeConverter() bool {
	function := src.scope().funcs["NewTypeConverter"]
	if function == nil || function.Type.Results.NumFields() != 1 {
		return false
	}
	pointer, ok := function.Type.Results.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	selector, ok := pointer.X.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "TypeConverter"
}

// isDot reports whether an import has a dot as its name.
func isDot(spec *ast.ImportSpec) bool { return spec.Name != nil && spec.Name.Name == "." }
