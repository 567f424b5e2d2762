package describe

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// clientsetInterface is the type of a clientset, real or fake.
const clientsetInterface = "Interface"

// writtenByClientGen advises the user of a package that is not a clientset.
const writtenByClientGen = "use a package that client-gen has written, such as k8s.io/client-go/kubernetes"

// Clients has the packages that declare the interfaces of a clientset.
type Clients struct {
	// Sources are the packages that were read, and Problems the reasons for the others.
	Sources  map[string]*syntax.Package
	Problems map[string]string
	// missing are the packages that are in neither.
	missing map[string]bool
}

// Clientset returns the clientset in the package with that import path: the methods of its Interface, and
// the methods of the interfaces that these methods return. missing are the import paths of the packages that it needs
// and that are neither in Sources nor in Problems.
func (c *Clients) Clientset(importPath string) (found *input.Clientset, missing []string) {
	c.missing = map[string]bool{}
	found = c.clientset(importPath)
	return found, slices.Sorted(maps.Keys(c.missing))
}

func (c *Clients) clientset(importPath string) *input.Clientset {
	found := &input.Clientset{Path: importPath}
	methods, problem := c.methods(model.TypeRef{Path: importPath, Name: clientsetInterface}, nil)
	if problem != "" {
		found.Problem = problem
		return found
	}
	if src := c.Sources[importPath]; src != nil {
		found.Name = src.Files[0].Name.Name
	}
	found.Clients = map[string]*input.Client{}
	for name, method := range methods {
		if method.params > 0 || method.result.IsZero() {
			continue
		}
		client := &input.Client{Type: method.result, Params: map[string]int{}}
		found.Clients[name] = client
		if name == input.DiscoveryMethod {
			continue // generated code needs no more of it than a REST client
		}
		of, problem := c.methods(method.result, nil)
		client.Problem = problem
		for name, method := range of {
			client.Params[name] = method.params
		}
	}
	return found
}

// methods returns the methods of an interface type. outer are the types that embed it. The problem is
// empty unless the type or one that it embeds is unknown.
func (c *Clients) methods(ref model.TypeRef, outer []model.TypeRef) (_ map[string]signature, problem string) {
	src := c.Sources[ref.Path]
	if src == nil {
		problem := c.Problems[ref.Path]
		if problem == "" {
			c.missing[ref.Path] = true
		}
		return nil, problem
	}
	decl, ok := src.Scope().Types[ref.Name]
	if !ok {
		return nil, fmt.Sprintf("package %s declares no type %s; %s", ref.Path, ref.Name, writtenByClientGen)
	}
	if slices.Contains(outer, ref) {
		return nil, ""
	}
	outer = append(slices.Clone(outer), ref)
	body, ok := decl.Spec.Type.(*ast.InterfaceType)
	if !ok {
		if of := namedType(src, decl.File, decl.Spec.Type); !of.IsZero() {
			return c.methods(of, outer)
		}
		return nil, fmt.Sprintf("type %s of package %s is not an interface; %s", ref.Name, ref.Path, writtenByClientGen)
	}
	found := map[string]signature{}
	for _, field := range body.Methods.List {
		if function, ok := field.Type.(*ast.FuncType); ok {
			for _, name := range field.Names {
				found[name.Name] = signatureOf(src, decl.File, function)
			}
			continue
		}
		embedded := namedType(src, decl.File, field.Type)
		if embedded.IsZero() {
			continue // a generic type, or a union
		}
		methods, why := c.methods(embedded, outer)
		maps.Copy(found, methods)
		if why != "" {
			problem = why
		}
	}
	return found, problem
}

// signature has the parts of a method that its syntax shows. result is zero unless the only result has a named type.
type signature struct {
	params int
	result model.TypeRef
}

// signatureOf returns the signature of a method in a file.
func signatureOf(src *syntax.Package, file *ast.File, function *ast.FuncType) signature {
	found := signature{params: function.Params.NumFields()}
	if function.Results.NumFields() == 1 {
		found.result = namedType(src, file, function.Results.List[0].Type)
	}
	return found
}

// namedType returns the type that an expression in a file names, or zero.
func namedType(src *syntax.Package, file *ast.File, expr ast.Expr) model.TypeRef {
	switch expr := expr.(type) {
	case *ast.Ident:
		return model.TypeRef{Path: src.Path, Name: expr.Name}
	case *ast.SelectorExpr:
		if qualifier, ok := expr.X.(*ast.Ident); ok {
			if path := syntax.ImportPath(file, qualifier.Name); path != "" {
				return model.TypeRef{Path: path, Name: expr.Sel.Name}
			}
		}
	}
	return model.TypeRef{}
}
