package typecheck

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"

	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// reach keeps the named declarations of each package, and all declarations that they need. It ignores
// missing names. It returns a declaration that uses the named ones.
func (c *closure) reach(names map[string][]string) (*declaration, error) {
	root := &declaration{}
	for _, path := range slices.Sorted(maps.Keys(names)) {
		p, err := c.open(path)
		if err != nil {
			return nil, err
		}
		for _, name := range names[path] {
			if d := p.declared[name]; d != nil {
				root.uses = append(root.uses, c.keep(d))
			}
		}
	}
	for len(c.queue) > 0 {
		next := c.queue[0]
		c.queue = c.queue[1:]
		if err := (&pruning{closure: c, declaration: next}).prune(); err != nil {
			return nil, err
		}
	}
	return root, nil
}

func (c *closure) keep(d *declaration) *declaration {
	if !d.kept {
		d.kept = true
		d.part.kept[d.file] = append(d.part.kept[d.file], d.decl)
		c.queue = append(c.queue, d)
	}
	return d
}

// pruning removes the parts of a declaration that JSON ignores, and keeps the declarations that the rest
// refers to. It changes the syntax in place.
type pruning struct {
	*closure
	*declaration
	// parameters are the type parameters of a generic type.
	parameters map[string]bool
	err        error
}

// prune prunes the declaration. It keeps methods of a type without their parameters and results, which
// would need half of the standard library. Methods that copy the type need no other type.
func (p *pruning) prune() error {
	for _, spec := range p.decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			p.parameters = map[string]bool{}
			if spec.TypeParams != nil {
				for _, field := range spec.TypeParams.List {
					for _, name := range field.Names {
						p.parameters[name.Name] = true
					}
				}
				p.visit(spec.TypeParams)
			}
			p.visit(spec.Type)
		case *ast.ValueSpec:
			if spec.Type != nil {
				p.visit(spec.Type)
			}
			for _, value := range spec.Values {
				p.visit(value)
			}
		}
	}
	for _, m := range p.part.methods[p.name] {
		pruned := &ast.FuncDecl{Recv: m.Decl.Recv, Name: m.Decl.Name, Type: &ast.FuncType{Func: m.Decl.Type.Func, Params: &ast.FieldList{}}}
		if isCopy(m.Decl) {
			pruned.Type = m.Decl.Type
		}
		p.part.kept[m.File] = append(p.part.kept[m.File], pruned)
		p.use(p.part, syntax.Receiver(m.Decl)) // which may be an alias
	}
	return p.err
}

// isCopy reports whether a method has the name of a deep copy, and refers to no type but its own.
func isCopy(decl *ast.FuncDecl) bool {
	if decl.Name.Name != "DeepCopy" && decl.Name.Name != "DeepCopyInto" || decl.Type.TypeParams != nil {
		return false
	}
	for _, list := range []*ast.FieldList{decl.Type.Params, decl.Type.Results} {
		for i := range list.NumFields() {
			if i >= len(list.List) || syntax.TypeName(list.List[i].Type) != syntax.Receiver(decl) {
				return false
			}
		}
	}
	return true
}

func (p *pruning) visit(node ast.Node) { ast.Inspect(node, p.node) }

// node keeps the declarations that a node refers to. It reports whether to visit the nodes in it.
func (p *pruning) node(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.StructType:
		if !p.run.DeepCopy {
			dropHidden(p.file, node)
		}
	case *ast.FuncType:
		node.TypeParams, node.Params, node.Results = nil, &ast.FieldList{}, nil
	case *ast.Field: // its names refer to nothing
		p.visit(node.Type)
		return false
	case *ast.KeyValueExpr:
		p.visit(node.Value)
		return false
	case *ast.FuncLit:
		return false
	case *ast.SelectorExpr:
		if qualifier, ok := node.X.(*ast.Ident); ok {
			if path := p.importedAs(p.declaration, qualifier.Name); path != "" {
				p.refer(path, qualifier, node.Sel)
				return false
			}
			if !p.isHere(qualifier) {
				p.problems = append(p.problems, p.unimported(p.declaration, qualifier, node.Sel))
				return false
			}
		}
		p.visit(node.X)
		return false
	case *ast.Ident:
		if !p.parameters[node.Name] {
			p.referHere(node)
		}
	}
	return p.err == nil
}

// dropHidden removes the fields that neither JSON nor another package can access, and their comments, which would seem to
// belong to the next field.
func dropHidden(file *ast.File, structType *ast.StructType) {
	dropped := map[*ast.CommentGroup]bool{}
	structType.Fields.List = slices.DeleteFunc(structType.Fields.List, func(field *ast.Field) bool {
		isHidden := len(field.Names) > 0 && !slices.ContainsFunc(field.Names, (*ast.Ident).IsExported)
		if isHidden {
			dropped[field.Doc], dropped[field.Comment] = true, true
		}
		return isHidden
	})
	if len(dropped) > 0 {
		file.Comments = slices.DeleteFunc(file.Comments, func(group *ast.CommentGroup) bool { return dropped[group] })
	}
}

// refer keeps a declaration of another package.
func (p *pruning) refer(path string, qualifier, name *ast.Ident) {
	switch path {
	case "unsafe":
		return
	case "C":
		p.problems = append(p.problems, problem{p.fset.Position(qualifier.Pos()), "C." + name.Name + " is known to cgo only, " +
			"which does not run; use a Go type"})
		return
	}
	other, err := p.open(path)
	if err != nil {
		p.err = err
		return
	}
	if !p.use(other, name.Name) {
		p.problems = append(p.problems, p.undeclared(other, qualifier.Name+"."+name.Name, qualifier.Pos()))
	}
}

func (p *pruning) use(other *part, name string) bool {
	d := other.declared[name]
	if d == nil {
		return false
	}
	p.uses = append(p.uses, p.keep(d))
	return true
}

// isHere reports whether the package may declare a name.
func (p *pruning) isHere(name *ast.Ident) bool {
	return p.part.declared[name.Name] != nil || p.parameters[name.Name] || types.Universe.Lookup(name.Name) != nil ||
		slices.ContainsFunc(p.file.Imports, syntax.IsDot)
}

// referHere keeps the declaration of a name without a qualifier.
func (p *pruning) referHere(name *ast.Ident) {
	if p.use(p.part, name.Name) || name.Name == "_" {
		return
	}
	for _, spec := range p.file.Imports {
		if written, err := strconv.Unquote(spec.Path.Value); err == nil && spec.Name != nil && spec.Name.Name == "." &&
			token.IsExported(name.Name) {
			other, err := p.open(p.part.imported(written))
			if err != nil {
				p.err = err
				return
			}
			if p.use(other, name.Name) {
				return
			}
		}
	}
	if types.Universe.Lookup(name.Name) == nil {
		p.problems = append(p.problems, p.undeclared(p.part, name.Name, name.Pos()))
	}
}
