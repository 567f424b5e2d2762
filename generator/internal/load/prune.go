package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
	"github.com/typedinformers/informer-gen/internal/spelling"
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
		if err := (&pruning{closure: c, declaration: next}).run(); err != nil {
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

// run prunes one declaration. It keeps methods of a type without their parameters and results, which
// would need half of the standard library. Those that copy the type need no other type.
func (p *pruning) run() error {
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
		pruned := &ast.FuncDecl{Recv: m.decl.Recv, Name: m.decl.Name, Type: &ast.FuncType{Func: m.decl.Type.Func, Params: &ast.FieldList{}}}
		if isCopy(m.decl) {
			pruned.Type = m.decl.Type
		}
		p.part.kept[m.file] = append(p.part.kept[m.file], pruned)
		p.use(p.part, receiver(m.decl)) // which may be an alias
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
			if i >= len(list.List) || typeName(list.List[i].Type) != receiver(decl) {
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
		if !p.withHidden {
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
		p.problems = append(p.problems, problem{p.fset.Position(qualifier.Pos()), "C." + name.Name + " is known to cgo only, which does not run; use a Go type"})
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
	return p.part.declared[name.Name] != nil || p.parameters[name.Name] || types.Universe.Lookup(name.Name) != nil || slices.ContainsFunc(p.file.Imports, isDot)
}

// referHere keeps the declaration of a name without a qualifier.
func (p *pruning) referHere(name *ast.Ident) {
	if p.use(p.part, name.Name) || name.Name == "_" {
		return
	}
	for _, spec := range p.file.Imports {
		if written, err := strconv.Unquote(spec.Path.Value); err == nil && spec.Name != nil && spec.Name.Name == "." && token.IsExported(name.Name) {
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

// usualImports are the packages that API types often use, by the names under which they are imported.
var usualImports = map[string]string{
	"apiextensionsv1": "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
	"corev1":          "k8s.io/api/core/v1",
	"intstr":          "k8s.io/apimachinery/pkg/util/intstr",
	"json":            "encoding/json",
	"metav1":          "k8s.io/apimachinery/pkg/apis/meta/v1",
	"rbacv1":          "k8s.io/api/rbac/v1",
	"resource":        "k8s.io/apimachinery/pkg/api/resource",
	"runtime":         "k8s.io/apimachinery/pkg/runtime",
	"schema":          "k8s.io/apimachinery/pkg/runtime/schema",
	"time":            "time",
	"types":           "k8s.io/apimachinery/pkg/types",
	"v1":              "k8s.io/api/core/v1",
}

// ofKubernetes matches the names under which other packages of k8s.io/api are imported.
var ofKubernetes = regexp.MustCompile(`^(admission|admissionregistration|apps|authentication|authorization|autoscaling|batch|certificates|coordination|discovery|events|networking|node|policy|resource|scheduling|storage)(v\d+(?:(?:alpha|beta)\d+)?)$`)

// unimported returns the reason why a qualifier is unknown: its file does not import the package.
func (c *closure) unimported(d *declaration, qualifier, name *ast.Ident) problem {
	found := problem{c.fset.Position(qualifier.Pos()), "undefined: " + qualifier.Name + "." + name.Name + "; "}
	switch from := d.part.importFor(qualifier.Name, name.Name); {
	case from == "":
		var known []string
		for _, spec := range d.file.Imports {
			written, _ := strconv.Unquote(spec.Path.Value)
			if spec.Name != nil {
				known = append(known, spec.Name.Name)
			} else {
				known = append(known, c.packageName(d.part.imported(written)))
			}
		}
		if meant := spelling.Nearest(qualifier.Name, known); meant != "" {
			found.text += "did you mean " + meant + "." + name.Name + "?"
			return found
		}
		found.text += "import the package of " + qualifier.Name
	case conventionalName(from) == qualifier.Name:
		found.text += "add the import " + strconv.Quote(from)
	default:
		found.text += "add the import " + qualifier.Name + " " + strconv.Quote(from)
	}
	return found
}

// importFor returns the path of the package that a qualifier in p probably stands for, or "": a package that
// another file imports under that name, one of the module that declares the name, or a usual one.
func (p *part) importFor(qualifier, name string) string {
	for _, file := range p.src.files {
		if file == nil {
			continue
		}
		if from := importPath(file, qualifier); from != "" {
			return from
		}
	}
	if from := p.inModule(qualifier, name); from != "" {
		return from
	}
	if from := usualImports[qualifier]; from != "" {
		return from
	}
	if parts := ofKubernetes.FindStringSubmatch(qualifier); parts != nil {
		return "k8s.io/api/" + parts[1] + "/" + parts[2]
	}
	return ""
}

// inModule returns the path of the first package of the user's module that declares a type of that name, in a
// folder named after the qualifier: shop, or shop/v1 for shopv1.
func (p *part) inModule(qualifier, name string) (found string) {
	if p.src.module == "" || p.listed.Module == nil {
		return ""
	}
	_ = filepath.WalkDir(p.src.module, func(dir string, entry fs.DirEntry, err error) error { // a folder that cannot be read has no match
		if err != nil || !entry.IsDir() {
			return nil
		}
		base := entry.Name()
		if dir != p.src.module && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "vendor" || base == "testdata" || hasGoMod(dir)) {
			return fs.SkipDir
		}
		folder, err := filepath.Rel(p.src.module, dir)
		if err != nil || base != qualifier && filepath.Base(filepath.Dir(dir))+base != qualifier || !declaresType(dir, name) {
			return nil
		}
		found = path.Join(p.listed.Module.Path, filepath.ToSlash(folder))
		return fs.SkipAll
	})
	return found
}

func hasGoMod(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// declaresType reports whether a Go file in a folder declares a type.
func declaresType(dir, name string) bool {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		content, err := regular.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), content, parser.SkipObjectResolution)
		if err == nil && slices.Contains(namesIn(file), name) {
			return true
		}
	}
	return false
}
