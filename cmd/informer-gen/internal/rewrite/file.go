package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

const (
	clientCache  = "k8s.io/client-go/tools/cache"
	typedCache   = "github.com/typedinformers/informer-gen/runtime/cache"
	adapter      = "github.com/typedinformers/informer-gen/adapters/clientgo"
	waitPackage  = "k8s.io/apimachinery/pkg/util/wait"
	handlerFuncs = "ResourceEventHandlerFuncs"
)

// Edit replaces a part of a file.
type Edit struct {
	File       string
	Line       int
	Start, End int
	Text       string
	// What is printed about it; empty for a part of another edit.
	What string
}

// Note is a line that the user has to look at.
type Note struct {
	File string
	Line int
	Text string
}

// file is a file of the project with its types.
type file struct {
	path, pkg string
	text      string
	syntax    *ast.File
	positions *token.FileSet
	info      *types.Info
	// isGenerated reports whether a package has the generated code that changes.
	isGenerated func(path string) bool
	// locals are the variables with an informer that becomes typed, and the type of its objects.
	locals map[types.Object]types.Type
	edits  []Edit
	notes  []Note
	// handlers are the types of client-go that become types of package cache.
	handlers []handlerType
	// periods are resync periods that become options of handlers.
	periods []ast.Expr
	// imports are the imports that edits need, by path, with their names.
	imports map[string]string
}

// handlerType is a type of client-go's package cache in the code.
type handlerType struct {
	expression *ast.SelectorExpr
	name       string
	object     string
}

func newFile(p *packages.Package, syntax *ast.File, name, text string, isGenerated func(string) bool) *file {
	return &file{
		path: name, pkg: p.PkgPath, text: text, syntax: syntax, positions: p.Fset, info: p.TypesInfo, isGenerated: isGenerated,
		locals: map[types.Object]types.Type{}, imports: map[string]string{},
	}
}

func (f *file) offset(at token.Pos) int { return f.positions.Position(at).Offset }

func (f *file) source(node ast.Node) string { return f.text[f.offset(node.Pos()):f.offset(node.End())] }

func (f *file) replace(start, end token.Pos, text, what string) {
	f.edits = append(f.edits, Edit{File: f.path, Line: f.positions.Position(start).Line, Start: f.offset(start), End: f.offset(end), Text: text, What: what})
}

func (f *file) note(at token.Pos, text string) {
	f.notes = append(f.notes, Note{f.path, f.positions.Position(at).Line, text})
}

// nameOf returns the name of a package in the file, which imports it from now on.
func (f *file) nameOf(importPath, name string) string {
	for _, spec := range f.syntax.Imports {
		if found, err := strconv.Unquote(spec.Path.Value); err == nil && found == importPath {
			if spec.Name != nil {
				return spec.Name.Name
			}
			if pkg, ok := f.info.Implicits[spec].(*types.PkgName); ok {
				return pkg.Name()
			}
		}
	}
	if old, ok := f.imports[importPath]; ok {
		return old
	}
	f.imports[importPath] = name
	return name
}

// typeText returns a type as the file writes it.
func (f *file) typeText(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string {
		if pkg.Path() == f.pkg {
			return ""
		}
		return f.nameOf(pkg.Path(), strings.ReplaceAll(path.Base(path.Dir(pkg.Path())), "-", "")+pkg.Name())
	})
}

// finish writes the types of handlers and the imports.
func (f *file) finish() {
	if len(f.handlers) > 0 {
		name := f.cacheName()
		for _, h := range f.handlers {
			f.replace(h.expression.Pos(), h.expression.End(), name+"."+h.name+"["+h.object+"]", "give the handler the type "+h.object)
		}
		for _, period := range f.periods {
			f.replace(period.Pos(), period.End(), name+".WithHandlerResync("+f.source(period)+")", "")
		}
	}
	var lines []string
	for importPath, name := range f.imports {
		line := strconv.Quote(importPath)
		if name != path.Base(importPath) {
			line = name + " " + line
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	for _, line := range lines {
		f.addImport(line)
	}
}

// cacheName returns the name of package cache. If no other use of client-go's package stays, its import is replaced.
func (f *file) cacheName() string {
	uses := 0
	for ident, object := range f.info.Uses {
		pkg, ok := object.(*types.PkgName)
		if ok && pkg.Imported().Path() == clientCache && f.positions.File(ident.Pos()) == f.positions.File(f.syntax.Pos()) {
			uses++
		}
	}
	for _, spec := range f.syntax.Imports {
		if found, err := strconv.Unquote(spec.Path.Value); err == nil && found == clientCache && uses == len(f.handlers) {
			f.replace(spec.Path.Pos(), spec.Path.End(), strconv.Quote(typedCache), "")
			if spec.Name != nil {
				return spec.Name.Name
			}
			return "cache"
		}
	}
	return f.nameOf(typedCache, "typedcache")
}

func (f *file) addImport(line string) {
	for n := len(f.syntax.Decls) - 1; n >= 0; n-- {
		if decl, ok := f.syntax.Decls[n].(*ast.GenDecl); ok && decl.Tok == token.IMPORT {
			if decl.Rparen.IsValid() {
				f.replace(decl.Rparen, decl.Rparen, "\t"+line+"\n", "")
			} else {
				f.replace(decl.End(), decl.End(), "\nimport "+line, "")
			}
			return
		}
	}
	f.replace(f.syntax.Name.End(), f.syntax.Name.End(), "\n\nimport "+line, "")
}
