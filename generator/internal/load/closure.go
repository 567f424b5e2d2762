package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
	"github.com/typedinformers/informer-gen/internal/terminal"
)

// closure type-checks packages together with their imports, from source. It parses only packages that a
// question needs, and checks only the declarations that the question needs. It compiles nothing.
type closure struct {
	ctx  context.Context
	fset *token.FileSet
	// listed has the packages of the questions and all of their imports, by import path.
	listed map[string]*packages.Package
	// sources are the packages that are parsed already.
	sources map[string]*source
	parts   map[string]*part
	// queue has the kept declarations whose references are not resolved yet.
	queue []*declaration
	// reported are the causes that are among the mistakes.
	reported []problem
	// withComments reports whether the syntax has comments, and withHidden whether structs keep the fields
	// that neither JSON nor another package can access.
	withComments, withHidden bool
}

// part is a package with the declarations that are kept of it.
type part struct {
	path     string
	listed   *packages.Package
	src      *source
	declared map[string]*declaration
	// methods are by the names of their receivers.
	methods map[string][]method
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

// problem is the reason why a type is unknown. Its text ends with what to do about it.
type problem struct {
	pos  token.Position
	text string
}

// newClosure lists packages and their imports. It compiles nothing. A missing or broken package matters
// only if a question needs it.
func newClosure(ctx context.Context, options Options, paths []string, sources []*source) (*closure, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule
	roots, err := packages.Load(options.config(ctx, mode), paths...)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return nil, fmt.Errorf("cannot list the imports of %s: %w", strings.Join(paths, " "), withoutCommand{err})
	}
	c := &closure{ctx: ctx, fset: sources[0].fset, listed: map[string]*packages.Package{}, sources: map[string]*source{}, parts: map[string]*part{}, withHidden: options.AllTypes}
	packages.Visit(roots, nil, func(pkg *packages.Package) { c.listed[pkg.PkgPath] = pkg })
	for _, src := range sources {
		c.sources[src.path] = src
	}
	return c, nil
}

// open returns a package. It parses the package the first time.
func (c *closure) open(path string) (*part, error) {
	if p := c.parts[path]; p != nil {
		return p, nil
	}
	p := &part{path: path, listed: c.listed[path], src: c.sources[path], declared: map[string]*declaration{}, methods: map[string][]method{}, kept: map[*ast.File][]ast.Decl{}}
	c.parts[path] = p
	if p.listed == nil {
		p.listed = &packages.Package{PkgPath: path}
	}
	if p.src == nil {
		p.src = &source{path: path, dependency: isDependency(p.listed), fset: c.fset, names: p.listed.GoFiles}
		if p.listed.Module != nil {
			p.src.goVersion = p.listed.Module.GoVersion
		}
		mode := parser.SkipObjectResolution
		if c.withComments {
			mode |= parser.ParseComments
		}
		if err := parse(c.ctx, []*source{p.src}, mode, true); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(p.src.failures, func(err error) bool { return err != nil }) {
		return p, nil // a method in the broken file might decode a type
	}
	scope := p.src.scope()
	for name, t := range scope.types {
		// Only one type of a group may be needed.
		alone := &ast.GenDecl{TokPos: t.group.TokPos, Tok: token.TYPE, Specs: []ast.Spec{t.spec}}
		p.declared[name] = &declaration{part: p, file: t.file, decl: alone, name: name}
	}
	groups := map[*ast.GenDecl]*declaration{}
	for name, v := range scope.values {
		if groups[v.group] == nil { // all of it, because a constant may repeat the expression above it
			groups[v.group] = &declaration{part: p, file: v.file, decl: v.group}
		}
		p.declared[name] = groups[v.group]
	}
	for _, m := range scope.methods {
		name := receiver(m.decl)
		if spec := scope.types[name].spec; spec != nil && spec.Assign.IsValid() {
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
	for _, file := range p.src.files {
		if decls := p.kept[file]; len(decls) > 0 {
			files = append(files, &ast.File{Package: file.Package, Name: file.Name, Decls: append(imports(file), decls...), FileStart: file.FileStart, FileEnd: file.FileEnd})
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
	return conventionalName(path)
}

func (c *closure) isNamed(path string) bool {
	return c.listed[path] != nil && c.listed[path].Name != ""
}

// importedAs returns the import path that a qualifier stands for in the file of d, or "". A qualifier
// that is the name of no known package may be that of a missing one.
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

// reachable returns d and all declarations that it needs, the nearest first.
func (d *declaration) reachable() iter.Seq[*declaration] {
	return func(yield func(*declaration) bool) {
		seen := map[*declaration]bool{d: true}
		for queue := []*declaration{d}; len(queue) > 0; queue = queue[1:] {
			if !yield(queue[0]) {
				return
			}
			for _, used := range queue[0].uses {
				if !seen[used] {
					seen[used] = true
					queue = append(queue, used)
				}
			}
		}
	}
}

// cause returns the reason why a question about root stays open: the nearest reference to a missing
// declaration, or else the first error of the type checker.
func (c *closure) cause(root *declaration) (problem, bool) {
	var found []types.Error
	fix := "; fix it"
	for d := range root.reachable() {
		if len(d.problems) > 0 {
			return d.problems[0], true
		}
		if d.part != nil && len(found) == 0 && len(d.part.typeErrors) > 0 {
			found, fix = d.part.typeErrors, fix+d.part.src.orNewerGo(runtime.Version())
		}
	}
	if len(found) == 0 {
		return problem{}, false
	}
	return problem{c.fset.Position(found[0].Pos), found[0].Msg + fix}, true
}

// undeclared returns the reason why a package does not declare a name that is used at pos.
func (c *closure) undeclared(p *part, name string, pos token.Pos) problem {
	for i, err := range p.src.failures {
		var list scanner.ErrorList
		if errors.As(err, &list) {
			return problem{list[0].Pos, list[0].Msg + "; fix the file" + p.src.orNewerGo(runtime.Version())}
		} else if err != nil {
			return problem{token.Position{Filename: p.src.names[i]}, fmt.Sprintf("cannot read the file: %v; make it readable", regular.WithoutPath(err))}
		}
	}
	found := problem{c.fset.Position(pos), "undefined: " + name + "; declare it"}
	switch {
	case len(p.src.files) == 0 && len(p.listed.Errors) > 0:
		found.text = advised(strings.Join(strings.Fields(p.listed.Errors[0].Msg), " "))
		if listed := position(p.listed.Errors[0].Pos); listed.Filename != "" {
			found.pos = listed
		}
		if strings.Contains(found.text, "build constraints") {
			found.text += "; use --build-tags"
		} else if sum, _, ok := strings.Cut(found.text, "; to add: "); ok && strings.HasPrefix(sum, "missing go.sum entry") {
			found.text = sum + "; to add it: " + terminal.Quote("go", "get", p.path) // go names the importing package, which may be the user's own
		} else if !strings.Contains(found.text, "; ") {
			found.text += "; add the package"
		}
	case len(p.src.files) == 0:
		found.text = "package " + p.path + " has no Go files; add it"
	case len(p.listed.IgnoredFiles) > 0:
		found.text += ", or use --build-tags if a build constraint excludes its file"
	}
	return found
}
