// Package program builds the SSA form of a package, which all analyzers share.
package program

import (
	"go/ast"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/typedinformers/informer-gen/vet/internal/caches"
)

// Analyzer results in a *Program. In contrast to buildssa it does nothing for packages that know no objects of Kubernetes, so that the
// dependencies of a program cost little, and does not build generated functions.
var Analyzer = &analysis.Analyzer{
	Name:             "informerprogram",
	Doc:              "build the SSA form of packages that use Kubernetes objects",
	Run:              run,
	RunDespiteErrors: false,
	ResultType:       reflect.TypeFor[*Program](),
}

// Program is a package. It has no functions if the package knows no objects.
type Program struct {
	SSA *ssa.Program
	Pkg *ssa.Package
	// Funcs are the functions of the source, each before the function literals in it.
	Funcs []*ssa.Function
}

// Of returns the result of the analyzer.
func Of(pass *analysis.Pass) *Program { return pass.ResultOf[Analyzer].(*Program) }

func run(pass *analysis.Pass) (any, error) {
	p := &Program{}
	if !caches.Relevant(pass.Pkg) {
		return p, nil
	}
	p.SSA = ssa.NewProgram(pass.Fset, 0)
	for _, imported := range pass.Pkg.Imports() {
		p.SSA.CreatePackage(imported, nil, nil, true)
	}
	files := make([]*ast.File, len(pass.Files))
	for n, file := range pass.Files {
		files[n] = withoutGenerated(file)
	}
	p.Pkg = p.SSA.CreatePackage(pass.Pkg, files, pass.TypesInfo, false)
	p.Pkg.Build()
	for _, file := range files {
		for _, decl := range file.Decls {
			if decl, is := decl.(*ast.FuncDecl); is && decl.Body != nil {
				if fn := p.SSA.FuncValue(pass.TypesInfo.Defs[decl.Name].(*types.Func)); fn != nil {
					p.add(fn)
				}
			}
		}
	}
	// Function literals in the declarations of variables.
	if init := p.Pkg.Func("init"); init != nil {
		for _, literal := range init.AnonFuncs {
			p.add(literal)
		}
	}
	return p, nil
}

func (p *Program) add(fn *ssa.Function) {
	p.Funcs = append(p.Funcs, fn)
	for _, literal := range fn.AnonFuncs {
		p.add(literal)
	}
}

// withoutGenerated returns a file without the bodies of its functions if it is generated: deep copies and protocol buffers are most of
// the code of an API package.
func withoutGenerated(file *ast.File) *ast.File {
	if !ast.IsGenerated(file) {
		return file
	}
	short := *file
	short.Decls = make([]ast.Decl, len(file.Decls))
	for n, decl := range file.Decls {
		if fn, is := decl.(*ast.FuncDecl); is {
			external := *fn
			external.Body = nil
			decl = &external
		}
		short.Decls[n] = decl
	}
	return &short
}

// Source returns the function of the source that fn stands for: the method of a method value, and the generic function of an instance.
// It is nil if the function has no body in this package.
func (p *Program) Source(fn *ssa.Function) *ssa.Function {
	if fn == nil {
		return nil
	}
	if fn.Synthetic != "" {
		if obj, is := fn.Object().(*types.Func); is {
			fn = p.SSA.FuncValue(obj.Origin())
		}
	}
	if fn != nil && fn.Origin() != nil {
		fn = fn.Origin()
	}
	if fn == nil || len(fn.Blocks) == 0 || fn.Pkg != p.Pkg {
		return nil
	}
	return fn
}

// Callee returns the function of this package that a call runs; nil if it is not known or of another package.
func (p *Program) Callee(call *ssa.CallCommon) *ssa.Function { return p.Source(call.StaticCallee()) }
