package describe

import (
	"go/ast"
	"slices"
	"strconv"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// describe describes the types and the declarations of the package again. candidates adds the types without a marker
// that have a list type.
func (d *Described) describe(candidates bool) {
	pkg, in := d.Package, d.Syntax.Scope()
	pkg.Declared, pkg.Constraints = map[string]bool{}, map[string]string{}
	pkg.Markers, pkg.DotImports = nil, nil
	pkg.GroupVersion = groupVersion(d.Syntax)
	pkg.HasAddToScheme, pkg.OldTypeConverter, pkg.SchemeBuilder = hasAddToScheme(in), hasOldTypeConverter(in), schemeBuilder(in)
	pkg.Objects = objects(in)
	pkg.Types = d.marked(candidates)
	lines := map[*ast.File]string{}
	for _, file := range d.Syntax.Files {
		pkg.Name = file.Name.Name
		d.addPackageMarkers(file)
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && syntax.IsDot(spec) {
				pkg.DotImports = append(pkg.DotImports, input.Import{Path: path, Pos: d.Syntax.Position(spec.Pos())})
			}
		}
		lines[file] = d.Syntax.Constraint(file)
	}
	for name := range in.Funcs {
		pkg.Declared[name] = true
	}
	for name := range in.Values {
		pkg.Declared[name] = true
	}
	for name, t := range in.Types {
		pkg.Declared[name] = true
		if line := lines[t.File]; line != "" {
			pkg.Constraints[name] = line
		}
	}
}

// addPackageMarkers adds the markers above the package clause. The position of the package is the
// clause below the first marker of any tool, or else the first clause.
func (d *Described) addPackageMarkers(file *ast.File) {
	var found markers.List
	for _, group := range file.Comments {
		if group.Pos() < file.Package {
			found = append(found, markersOf(d.Syntax, "", group)...)
		}
	}
	if !d.Package.Pos.IsValid() || len(found) > 0 && len(d.Package.Markers) == 0 {
		d.Package.Pos = d.Syntax.Position(file.Package)
	}
	d.Package.Markers = append(d.Package.Markers, found...)
}

// addRepeated adds the types that are declared twice in a package with markers, and reports whether there is one.
// Reading only one of the two would lose the markers of the other one. A generated package, which a pattern may
// match too, may have such a type until it is generated again.
func addRepeated(src *syntax.Package, errs *model.Errors) bool {
	repeated := src.Scope().Repeated
	hasMarkers := func(file *ast.File) bool {
		return syntax.HasText(file.Comments, "+genclient", "+kubebuilder:", "+informer:")
	}
	if len(repeated) == 0 || !slices.ContainsFunc(src.Files, hasMarkers) {
		return false
	}
	for _, names := range repeated {
		errs.Add(src.Position(names[1].Pos()), "type %s is declared here and at %s; remove one of the two", names[1].Name,
			src.Position(names[0].Pos()))
	}
	return true
}
