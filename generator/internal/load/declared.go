package load

import (
	"cmp"
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Declared reads the Go types that the kinds in result.Packages consist of, and the types that their methods
// take, with their comments. With options.AllTypes it also reads what methods return, views, and the types of
// the main module that markers choose for deep copies. A type that cannot be resolved is a mistake. The error
// is that of the go command, or of ctx.
func Declared(ctx context.Context, options Options, result *Result, mistakes *model.Errors) (*input.Types, error) {
	names := map[string][]string{}
	for _, pkg := range result.Packages {
		for _, t := range pkg.Types {
			if t.Markers.MayBeKind() || t.IsCandidate || options.AllTypes && markers.Has[markers.View](t.Markers) {
				names[pkg.Path] = append(names[pkg.Path], t.Name, t.Name+"List")
			}
		}
		for method := range pkg.Methods() {
			of := cmp.Or(method.Input.Path, pkg.Path)
			names[of] = append(names[of], method.Input.Name)
			if options.AllTypes {
				of := cmp.Or(method.Result.Path, pkg.Path)
				names[of] = append(names[of], resultOf(method).Name)
			}
		}
	}
	if options.AllTypes {
		for _, src := range result.sources {
			if copied := src.copied(); !src.dependency && len(copied) > 0 {
				names[src.path] = append(names[src.path], copied...)
			}
		}
	}
	found := &input.Types{Packages: map[string]*types.Package{}, Comments: map[token.Pos]input.Comment{}, FileSet: token.NewFileSet(), Constraints: map[string]string{}}
	for _, src := range result.sources {
		for i, file := range src.files {
			if constraint := src.constraint(file); constraint != "" {
				found.Constraints[src.names[i]] = constraint
			}
		}
	}
	if len(names) == 0 {
		return found, nil
	}
	started := time.Now()
	paths := slices.Sorted(maps.Keys(names))
	c, err := newClosure(ctx, options, paths, result.sources)
	if err != nil {
		return nil, err
	}
	c.withComments, found.FileSet = true, c.fset
	err = within(ctx, maxChecking, strings.Join(paths, ", "), func() error { return c.declare(names, options.Dir, found, mistakes) })
	if err != nil {
		return nil, err // the check may still run
	}
	result.note("read types of %d packages for apply configurations and deep copies: %v", len(c.parts), time.Since(started).Round(time.Millisecond))
	return found, nil
}

// declare adds the named types, and all that they need, to found. Relative paths in errors of the go command are
// below dir.
func (c *closure) declare(names map[string][]string, dir string, found *input.Types, mistakes *model.Errors) error {
	root, err := c.reach(names)
	if err != nil {
		return err
	}
	c.addProblems(root, dir, mistakes)
	found.PackageMarkers, found.Dependencies = map[string][]input.CommentMarker{}, map[string]bool{}
	for path, p := range c.parts {
		found.Packages[path], found.Dependencies[path] = c.check(p), p.src.dependency
		p.addRecursion(mistakes)
		c.addGrowth(found.Packages[path], mistakes)
		p.addComments(found.Comments)
		for _, file := range p.src.files {
			found.PackageMarkers[path] = append(found.PackageMarkers[path], packageMarkers(p.src.fset, file)...)
		}
	}
	return nil
}

// addRecursion adds the types of the package that contain themselves. The other errors of the type checker may be
// about declarations that were not kept.
func (p *part) addRecursion(mistakes *model.Errors) {
	for _, err := range p.typeErrors {
		if text, ok := strings.CutPrefix(err.Msg, "invalid recursive type"); ok {
			name, _, _ := strings.Cut(strings.TrimLeft(text, ": "), "\n")
			name, _, _ = strings.Cut(name, " ")
			mistakes.Add(err.Fset.Position(err.Pos), "type %s contains itself without end; make a field on the way a pointer, a slice or a map", name)
		}
	}
}

// addGrowth adds the generic types of a package that refer to larger and larger instances of themselves, which Go does not
// compile. The type checker reports them only if it finds no other error.
func (c *closure) addGrowth(pkg *types.Package, mistakes *model.Errors) {
	for _, name := range pkg.Scope().Names() {
		declared, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if named, ok := declared.Type().(*types.Named); ok && named.TypeParams().Len() > 0 && grows(named, nil) {
			mistakes.Add(c.fset.Position(declared.Pos()), "type %s refers to other instances of itself without end; use its own type parameters as their arguments", name)
		}
	}
}

// grows reports whether a type refers to more than maxInstances of a generic type. outer are the instances that refer to t.
func grows(t types.Type, outer []*types.Named) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if !dependsOnParameter(t, len(outer) == 0) {
			return false
		}
		instances := 0
		for _, other := range outer {
			if types.Identical(other, t) {
				return false
			}
			if other.Origin() == t.Origin() {
				instances++
			}
		}
		return instances > maxInstances || grows(t.Underlying(), append(slices.Clip(outer), t))
	case *types.Struct:
		for field := range t.Fields() {
			if grows(field.Type(), outer) {
				return true
			}
		}
	case *types.Map:
		return grows(t.Key(), outer) || grows(t.Elem(), outer)
	case interface{ Elem() types.Type }: // a pointer, a slice, an array, a channel
		return grows(t.Elem(), outer)
	}
	return false
}

// dependsOnParameter reports whether an argument of a generic type contains a type parameter, or whether isDeclared is
// set for the generic type itself.
func dependsOnParameter(t types.Type, isDeclared bool) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if dependsOnParameter(arg, false) {
				return true
			}
		}
		return isDeclared
	case *types.Struct:
		for field := range t.Fields() {
			if dependsOnParameter(field.Type(), false) {
				return true
			}
		}
	case *types.Map:
		return dependsOnParameter(t.Key(), false) || dependsOnParameter(t.Elem(), false)
	case interface{ Elem() types.Type }:
		return dependsOnParameter(t.Elem(), false)
	}
	return false
}

// copied returns the exported types that markers choose for deep copies: those of a package with a marker, or
// those with one. It leaves out types whose deep copies a marker turns off, which may have fields of types
// that no API needs, such as clients.
func (src *source) copied() (names []string) {
	wholePackage := false
	comments := map[*ast.File]commentIndex{}
	for _, file := range src.files {
		comments[file] = indexComments(src.fset, file)
		for _, group := range file.Comments {
			wholePackage = wholePackage || group.Pos() < file.Package && hasText([]*ast.CommentGroup{group}, "+kubebuilder:object:generate", "+k8s:deepcopy-gen")
		}
	}
	for name, t := range src.scope().types {
		above := comments[t.file].aboveType(src.fset, t)
		above = append(above, freestanding(src.fset, t))
		isOff := hasText(above, "+kubebuilder:object:generate=false", "+kubebuilder:object:generate:=false", "+k8s:deepcopy-gen=false")
		if token.IsExported(name) && !isOff && (wholePackage || hasText(above, "+kubebuilder:object:", "+k8s:deepcopy-gen")) {
			names = append(names, name)
		}
	}
	return names
}

// hasText reports whether one of the comments, which may be nil, contains one of the texts.
func hasText(groups []*ast.CommentGroup, texts ...string) bool {
	for _, group := range groups {
		if group == nil {
			continue
		}
		for _, comment := range group.List {
			if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(comment.Text, text) }) {
				return true
			}
		}
	}
	return false
}

// addProblems adds the references to missing declarations that root needs.
func (c *closure) addProblems(root *declaration, dir string, mistakes *model.Errors) {
	for d := range root.reachable() {
		for _, problem := range d.problems {
			mistakes.Add(absolute(dir, problem.pos), "%s", problem.text)
		}
	}
}

// packageMarkers returns the markers above the package clause of a file, which may be nil. A blank line may be
// between them.
func packageMarkers(fset *token.FileSet, file *ast.File) []input.CommentMarker {
	if file == nil {
		return nil
	}
	var found []input.CommentMarker
	for _, group := range file.Comments {
		if group.Pos() > file.Package {
			break
		}
		found = append(found, commentOf(fset, group).Markers...)
	}
	return found
}

// addComments adds the comments of the kept types of the package and of their fields.
func (p *part) addComments(found map[token.Pos]input.Comment) {
	for file, decls := range p.kept {
		index := indexComments(p.src.fset, file)
		for _, decl := range decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.TYPE {
				continue
			}
			for _, spec := range group.Specs {
				spec := spec.(*ast.TypeSpec)
				declared := p.src.scope().types[spec.Name.Name]
				comment := commentOf(p.src.fset, index.aboveType(p.src.fset, declared)...)
				comment.Markers = append(commentOf(p.src.fset, freestanding(p.src.fset, declared)).Markers, comment.Markers...)
				found[spec.Name.Pos()] = comment
				ast.Inspect(spec.Type, func(node ast.Node) bool { // a field may have a struct without a name
					if structType, ok := node.(*ast.StructType); ok {
						p.addFieldComments(file, structType, found)
					}
					return true
				})
			}
		}
	}
}

// addFieldComments adds the comments of the fields of a struct. Those of markers may be blank lines above a field, as for
// controller-gen.
func (p *part) addFieldComments(file *ast.File, structType *ast.StructType, found map[token.Pos]input.Comment) {
	after := structType.Fields.Opening
	for _, field := range structType.Fields.List {
		start := field.Pos()
		if field.Doc != nil {
			start = field.Doc.Pos()
		}
		comment := commentOf(p.src.fset, field.Doc)
		comment.Markers = append(commentOf(p.src.fset, lastComment(p.src.fset, file, after, start)).Markers, comment.Markers...)
		after = field.End()
		for _, name := range field.Names {
			found[name.Pos()] = comment
		}
		if len(field.Names) == 0 {
			if name := embeddedName(field.Type); name != nil {
				found[name.Pos()] = comment
			}
		}
	}
}

// embeddedName returns the name of an embedded field, or nil. As in go/types, it is the name of the type.
func embeddedName(expr ast.Expr) *ast.Ident {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return embeddedName(expr.X)
	case *ast.IndexExpr:
		return embeddedName(expr.X)
	case *ast.IndexListExpr:
		return embeddedName(expr.X)
	case *ast.SelectorExpr:
		return expr.Sel
	case *ast.Ident:
		return expr
	}
	return nil
}

// commentOf returns the text and the markers of comments, any of which may be nil.
func commentOf(fset *token.FileSet, groups ...*ast.CommentGroup) input.Comment {
	var found input.Comment
	for _, group := range groups {
		if group == nil {
			continue
		}
		if text := withoutMarkers(group.Text()); text != "" {
			found.Text = append(found.Text, strings.Split(text, "\n")...)
		}
		for _, comment := range group.List {
			for n, line := range strings.Split(comment.Text, "\n") {
				if text, ok := markerIn(line); ok {
					found.Markers = append(found.Markers, input.CommentMarker{Text: text[1:], Pos: positionIn(fset, comment, n, line)})
				}
			}
		}
	}
	return found
}

// positionIn returns the position of the first + in a line of a comment.
func positionIn(fset *token.FileSet, comment *ast.Comment, n int, line string) token.Position {
	pos := fset.Position(comment.Pos())
	pos.Line += n
	pos.Column += strings.IndexByte(line, '+')
	if n > 0 {
		pos.Column = strings.IndexByte(line, '+') + 1
	}
	return pos
}
