package load

import (
	"context"
	"fmt"
	"go/ast"
	"maps"
	"runtime"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/terminal"
)

// clientsetInterface is the type of a clientset, real or fake.
const clientsetInterface = "Interface"

// writtenByClientGen advises the user of a package that is not a clientset.
const writtenByClientGen = "use a package that client-gen has written, such as k8s.io/client-go/kubernetes"

// Clientset reads the clientset in the package with that import path: the methods of its Interface, and
// those of the interfaces that these methods return. It reads only the syntax of the packages that
// declare them. The error is that of the go command, or of ctx.
func Clientset(ctx context.Context, options Options, importPath string, result *Result) (*input.Clientset, error) {
	options.Exclude, options.withoutComments = nil, true // packages of clients are not API packages
	sets := &methodSets{sources: map[string]*source{}, problems: map[string]string{}, missing: map[string]bool{}}
	// Each round reads the packages of types that the last one named: the clientset, and the clients of its
	// group versions. An interface that embeds another one may take a round more.
	for {
		clientset := sets.clientset(importPath)
		if len(sets.missing) == 0 {
			return clientset, nil
		}
		if err := sets.read(ctx, options, result); err != nil {
			return nil, err
		}
	}
}

// methodSets has the packages of interfaces.
type methodSets struct {
	// sources are the packages that were read, and problems the reasons for the others.
	sources  map[string]*source
	problems map[string]string
	// missing are the packages that are in neither.
	missing map[string]bool
}

// signature has the parts of a method that its syntax shows. result is zero unless the only result has a named type.
type signature struct {
	params int
	result model.TypeRef
}

// read reads the missing packages.
func (s *methodSets) read(ctx context.Context, options Options, result *Result) error {
	importPaths := slices.Sorted(maps.Keys(s.missing))
	clear(s.missing)
	for _, importPath := range importPaths {
		s.problems[importPath] = "the go command does not find package " + importPath + "; correct the path, or add the package with " + terminal.Quote("go", "get", importPath)
	}
	var problems model.Errors
	sources, err := list(ctx, options, importPaths, &problems, result)
	for _, src := range sources {
		if src.addParseErrors(&problems) {
			s.problems[src.path] = "package " + src.path + " does not parse; fix what go build reports for it" + src.orNewerGo(runtime.Version())
			continue
		}
		s.sources[src.path] = src
	}
	return err
}

// clientset returns what the packages that were read show of the clientset.
func (s *methodSets) clientset(importPath string) *input.Clientset {
	found := &input.Clientset{Path: importPath}
	methods, problem := s.methods(model.TypeRef{Path: importPath, Name: clientsetInterface}, nil)
	if problem != "" {
		found.Problem = problem
		return found
	}
	if src := s.sources[importPath]; src != nil {
		found.Name = src.files[0].Name.Name
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
		of, problem := s.methods(method.result, nil)
		client.Problem = problem
		for name, method := range of {
			client.Params[name] = method.params
		}
	}
	return found
}

// methods returns the methods of an interface type. outer are the types that embed it. The problem is
// empty unless the type or one that it embeds is unknown.
func (s *methodSets) methods(ref model.TypeRef, outer []model.TypeRef) (_ map[string]signature, problem string) {
	src := s.sources[ref.Path]
	if src == nil {
		problem := s.problems[ref.Path]
		if problem == "" {
			s.missing[ref.Path] = true
		}
		return nil, problem
	}
	decl, ok := src.scope().types[ref.Name]
	if !ok {
		return nil, fmt.Sprintf("package %s declares no type %s; %s", ref.Path, ref.Name, writtenByClientGen)
	}
	if slices.Contains(outer, ref) {
		return nil, ""
	}
	outer = append(slices.Clone(outer), ref)
	body, ok := decl.spec.Type.(*ast.InterfaceType)
	if !ok {
		if of := src.namedType(decl.file, decl.spec.Type); !of.IsZero() {
			return s.methods(of, outer)
		}
		return nil, fmt.Sprintf("type %s of package %s is not an interface; %s", ref.Name, ref.Path, writtenByClientGen)
	}
	found := map[string]signature{}
	for _, field := range body.Methods.List {
		if function, ok := field.Type.(*ast.FuncType); ok {
			for _, name := range field.Names {
				found[name.Name] = src.signature(decl.file, function)
			}
			continue
		}
		embedded := src.namedType(decl.file, field.Type)
		if embedded.IsZero() {
			continue // a generic type, or a union
		}
		methods, why := s.methods(embedded, outer)
		maps.Copy(found, methods)
		if why != "" {
			problem = why
		}
	}
	return found, problem
}

// signature returns what the syntax shows of a method in a file.
func (src *source) signature(file *ast.File, function *ast.FuncType) signature {
	found := signature{params: function.Params.NumFields()}
	if function.Results.NumFields() == 1 {
		found.result = src.namedType(file, function.Results.List[0].Type)
	}
	return found
}

// namedType returns the type that an expression in a file names, or zero.
func (src *source) namedType(file *ast.File, expr ast.Expr) model.TypeRef {
	switch expr := expr.(type) {
	case *ast.Ident:
		return model.TypeRef{Path: src.path, Name: expr.Name}
	case *ast.SelectorExpr:
		if qualifier, ok := expr.X.(*ast.Ident); ok {
			if path := importPath(file, qualifier.Name); path != "" {
				return model.TypeRef{Path: path, Name: expr.Sel.Name}
			}
		}
	}
	return model.TypeRef{}
}
