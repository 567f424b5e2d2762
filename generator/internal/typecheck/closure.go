package typecheck

import (
	"cmp"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/golist"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// closure type-checks packages together with their imports, from source. It parses only packages that a
// question needs, and checks only the declarations that the question needs. It compiles nothing.
type closure struct {
	ctx  context.Context
	run  *input.Run
	fset *token.FileSet
	// listed has the packages of the questions and all of their imports, by import path.
	listed map[string]*packages.Package
	// sources are the packages that are parsed already.
	sources map[string]*syntax.Package
	parts   map[string]*part
	// queue has the kept declarations whose references are not resolved yet.
	queue []*declaration
	// reported are the causes that are among errs.
	reported []problem
	// withComments reports whether the syntax has comments.
	withComments bool
}

// part is a package with the declarations that are kept of it.
type part struct {
	path     string
	listed   *packages.Package
	src      *syntax.Package
	declared map[string]*declaration
	// methods are by the names of their receivers.
	methods map[string][]syntax.Method
	// kept are the declarations for the type checker.
	kept    map[*ast.File][]ast.Decl
	checked *types.Package
	// typeErrors are errors of the type checker. Declarations that were not kept cause some of them.
	typeErrors []types.Error
}

// declaration is a type, or a group of constants or variables, that a type may need.
type declaration struct {
	part *part
	file *ast.File
	decl *ast.GenDecl
	// name is the name of a type. It is empty for constants and variables.
	name string
	kept bool
	uses []*declaration
	// problems are the references to missing declarations.
	problems []problem
}

// problem is the reason why a type is unknown. Its text ends with the fix.
type problem struct {
	pos  token.Position
	text string
}

// open returns a package. It parses the package the first time.
func (c *closure) open(path string) (*part, error) {
	if p := c.parts[path]; p != nil {
		return p, nil
	}
	p := &part{
		path: path, listed: c.listed[path], src: c.sources[path],
		declared: map[string]*declaration{}, methods: map[string][]syntax.Method{}, kept: map[*ast.File][]ast.Decl{},
	}
	c.parts[path] = p
	if p.listed == nil {
		p.listed = &packages.Package{PkgPath: path}
	}
	if p.src == nil {
		p.src = golist.Source(c.run, p.listed, c.fset)
		mode := parser.SkipObjectResolution
		if c.withComments {
			mode |= parser.ParseComments
		}
		if err := syntax.Parse(c.ctx, []*syntax.Package{p.src}, mode, true); err != nil {
			return nil, err
		}
	}
	if p.src.IsBroken() {
		return p, nil // a method in the broken file might decode a type
	}
	scope := p.src.Scope()
	for name, t := range scope.Types {
		// Only one type of a group may be needed.
		alone := &ast.GenDecl{TokPos: t.Group.TokPos, Tok: token.TYPE, Specs: []ast.Spec{t.Spec}}
		p.declared[name] = &declaration{part: p, file: t.File, decl: alone, name: name}
	}
	groups := map[*ast.GenDecl]*declaration{}
	for name, v := range scope.Values {
		if groups[v.Group] == nil { // all of it, because a constant may repeat the expression above it
			groups[v.Group] = &declaration{part: p, file: v.File, decl: v.Group}
		}
		p.declared[name] = groups[v.Group]
	}
	for _, m := range scope.Methods {
		name := syntax.Receiver(m.Decl)
		if spec := scope.Types[name].Spec; spec != nil && spec.Assign.IsValid() {
			if of, ok := spec.Type.(*ast.Ident); ok {
				name = of.Name // the receiver is an alias
			}
		}
		p.methods[name] = append(p.methods[name], m)
	}
	return p, nil
}

// check type-checks the kept declarations of a package.
func (c *closure) check(p *part) *types.Package {
	if p.checked != nil {
		return p.checked
	}
	p.checked = newPackage(p.path, c.packageName(p.path)) // for import cycles, which do not compile
	var files []*ast.File
	for _, file := range p.src.Files {
		if decls := p.kept[file]; len(decls) > 0 {
			files = append(files, &ast.File{
				Package: file.Package, Name: file.Name, Decls: append(imports(file), decls...), FileStart: file.FileStart, FileEnd: file.FileEnd,
			})
		}
	}
	p.checked, p.typeErrors = checkTypes(p.path, c.fset, files, partImporter{c, p})
	return p.checked
}

func imports(file *ast.File) []ast.Decl {
	var decls []ast.Decl
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.IMPORT {
			decls = append(decls, decl)
		}
	}
	return decls
}

// partImporter returns the imports of a package.
type partImporter struct {
	closure *closure
	part    *part
}

func (i partImporter) Import(written string) (*types.Package, error) {
	if written == "unsafe" {
		return types.Unsafe, nil
	}
	path := i.part.imported(written)
	if p := i.closure.parts[path]; p != nil {
		return i.closure.check(p), nil
	}
	return newPackage(path, i.closure.packageName(path)), nil // no kept declaration needs it
}

// imported returns the path of a package from the path in the import declaration. They differ for
// vendored packages.
func (p *part) imported(written string) string {
	if imported := p.listed.Imports[written]; imported != nil {
		return imported.PkgPath
	}
	return written
}

// packageName returns the name of a package. It is a guess if the package is missing.
func (c *closure) packageName(path string) string {
	if c.isNamed(path) {
		return c.listed[path].Name
	}
	return syntax.ConventionalName(path)
}

func (c *closure) isNamed(path string) bool {
	return c.listed[path] != nil && c.listed[path].Name != ""
}

// importedAs returns the import path that a qualifier stands for in the file of d, or "". A qualifier
// that is the name of no known package may be the name of a missing one.
func (c *closure) importedAs(d *declaration, qualifier string) string {
	missing := ""
	for _, spec := range d.file.Imports {
		written, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		path := d.part.imported(written)
		switch {
		case spec.Name != nil && spec.Name.Name == qualifier, spec.Name == nil && c.packageName(path) == qualifier:
			return path
		case spec.Name == nil && !c.isNamed(path):
			missing = cmp.Or(missing, path)
		}
	}
	return missing
}
