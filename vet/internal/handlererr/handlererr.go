// Package handlererr finds calls of informers whose error is dropped, and settings that come too late.
package handlererr

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/typedinformers/informer-gen/vet/internal/caches"
	"github.com/typedinformers/informer-gen/vet/internal/program"
	"github.com/typedinformers/informer-gen/vet/internal/report"
)

var Analyzer = &analysis.Analyzer{
	Name: "handlererr",
	Doc: `find dropped errors of AddEventHandler, AddIndexers and SetTransform, and settings of a running informer

An informer that has ended, or that runs already, refuses them. The program then goes on without its handler, index or transform.
AddEventHandler fails only after the informer has ended, so its error is looked at with -handlererr.all alone.`,
	URL:      "https://github.com/typedinformers/informer-gen/blob/main/docs/vet.md#handlererr",
	Requires: []*analysis.Analyzer{program.Analyzer},
	Run:      run,
}

var all bool

func init() {
	Analyzer.Flags.BoolVar(&all, "all", false, "report the dropped errors of AddEventHandler, too, which fails only if the informer has ended")
}

// effects says what an informer does without what was refused.
var effects = map[string]string{
	"AddEventHandler":                 "an informer that has ended never calls this handler",
	"AddEventHandlerWithResyncPeriod": "an informer that has ended never calls this handler",
	"AddEventHandlerWithOptions":      "an informer that has ended never calls this handler",
	"AddTypedEventHandler":            "an informer that has ended never calls this handler",
	"AddIndexers":                     "without the index, each ByIndex of it fails",
	"AddTypedIndexers":                "without the index, each ByIndex of it fails",
	"SetTransform":                    "an informer that runs already keeps whole objects",
	"SetWatchErrorHandler":            "an informer that runs already never calls this handler",
	"SetWatchErrorHandlerWithContext": "an informer that runs already never calls this handler",
}

func run(pass *analysis.Pass) (any, error) {
	p := program.Of(pass)
	for _, fn := range p.Funcs {
		late(pass, fn)
	}
	if p.Pkg == nil {
		return nil, nil
	}
	for _, file := range pass.Files {
		made := map[types.Object]bool{} // informers that the file makes: they do not run yet
		ast.PreorderStack(file, nil, func(node ast.Node, stack []ast.Node) bool {
			switch node := node.(type) {
			case *ast.AssignStmt:
				if name, is := node.Lhs[0].(*ast.Ident); is && isConstructor(pass, node.Rhs[0]) {
					made[pass.TypesInfo.ObjectOf(name)] = true
				}
			case *ast.ExprStmt:
				if call, is := node.X.(*ast.CallExpr); is && !isOneOf(pass, call, made) {
					dropped(pass, call, stack)
				}
			}
			return true
		})
	}
	return nil, nil
}

func signatureOf(pass *analysis.Pass, node ast.Node) *types.Signature {
	switch node := node.(type) {
	case *ast.FuncLit:
		return pass.TypesInfo.TypeOf(node).(*types.Signature)
	case *ast.FuncDecl:
		return pass.TypesInfo.Defs[node.Name].(*types.Func).Signature()
	}
	return nil
}

// isConstructor reports whether an expression is a call of a function such as NewSharedIndexInformer.
func isConstructor(pass *analysis.Pass, expr ast.Expr) bool {
	call, is := expr.(*ast.CallExpr)
	if !is {
		return false
	}
	fn, is := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
	return is && caches.Receiver(fn) == nil && strings.HasPrefix(fn.Name(), "New")
}

func isOneOf(pass *analysis.Pass, call *ast.CallExpr, made map[types.Object]bool) bool {
	selector, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return false
	}
	name, is := selector.X.(*ast.Ident)
	return is && made[pass.TypesInfo.Uses[name]]
}

// returnsError reports whether the function around a statement returns an error and nothing else.
func returnsError(pass *analysis.Pass, stack []ast.Node) bool {
	for n := len(stack) - 1; n >= 0; n-- {
		if signature := signatureOf(pass, stack[n]); signature != nil {
			return signature.Results().Len() == 1 && types.Identical(signature.Results().At(0).Type(), types.Universe.Lookup("error").Type())
		}
	}
	return false
}

func dropped(pass *analysis.Pass, call *ast.CallExpr, stack []ast.Node) {
	selector, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return
	}
	fn, is := pass.TypesInfo.Uses[selector.Sel].(*types.Func)
	if !is || !caches.IsInformerMethod(fn, fn.Name()) {
		return
	}
	effect, known := effects[fn.Name()]
	results := fn.Signature().Results()
	if !all && strings.Contains(fn.Name(), "EventHandler") {
		return
	}
	if !known || results.Len() == 0 { // before v0.26 of client-go, AddEventHandler has none
		return
	}
	finding := analysis.Diagnostic{Pos: call.Pos(), End: call.End(), Message: fmt.Sprintf("the error of %s is dropped: %s, and nothing says so; check the error", fn.Name(), effect)}
	if returnsError(pass, stack) {
		indent := "\n" + strings.Repeat("\t", pass.Fset.Position(call.Pos()).Column-1)
		finding.SuggestedFixes = []analysis.SuggestedFix{{
			Message: "Return the error",
			TextEdits: []analysis.TextEdit{
				{Pos: call.Pos(), End: call.Pos(), NewText: []byte("if " + strings.Repeat("_, ", results.Len()-1) + "err := ")},
				{Pos: call.End(), End: call.End(), NewText: []byte("; err != nil {" + indent + "\treturn err" + indent + "}")},
			},
		}}
	}
	report.Diagnostic(pass, finding)
}

// late finds settings of an informer after the same function has started it.
func late(pass *analysis.Pass, fn *ssa.Function) {
	var started []ssa.Instruction
	for _, block := range fn.DomPreorder() {
		for _, instr := range block.Instrs {
			call, is := instr.(ssa.CallInstruction)
			if !is {
				continue
			}
			callee := caches.Callee(call.Common())
			if caches.IsFactoryMethod(callee, "Start", "StartWithContext") || caches.IsInformerMethod(callee, "Run", "RunWithContext") {
				if _, deferred := instr.(*ssa.Defer); !deferred {
					started = append(started, instr)
				}
				continue
			}
			if !caches.IsInformerMethod(callee, "SetTransform", "SetWatchErrorHandler", "SetWatchErrorHandlerWithContext", "AddIndexers") || callee.Name() == "AddIndexers" && addsLater(callee) {
				continue
			}
			for _, start := range started {
				if start.Block().Dominates(block) && base(start.(ssa.CallInstruction).Common()) == base(call.Common()) {
					report.Diagnostic(pass, analysis.Diagnostic{
						Pos:     call.Pos(),
						Message: fmt.Sprintf("%s returns an error, because line %d has started the informer; call it before the start", callee.Name(), pass.Fset.Position(start.Pos()).Line),
					})
					break
				}
			}
		}
	}
}

// addsLater reports whether AddIndexers works while the informer runs: in client-go since v0.30, which also has the function that is looked for.
func addsLater(fn *types.Func) bool {
	return caches.Path(fn) != caches.ClientGo || fn.Pkg().Scope().Lookup("DeletionHandlingObjectToName") != nil
}

// base returns the value that the receiver of a call comes from: the factory of factory.Core().V1().Pods().Informer().
func base(call *ssa.CallCommon) ssa.Value {
	for {
		value := call.Value
		if !call.IsInvoke() {
			if len(call.Args) == 0 || call.StaticCallee() == nil || call.StaticCallee().Signature.Recv() == nil {
				return value
			}
			value = call.Args[0]
		}
		next, is := value.(*ssa.Call)
		if !is {
			return value
		}
		if next.Call.IsInvoke() || next.Call.StaticCallee() != nil && next.Call.StaticCallee().Signature.Recv() != nil {
			call = &next.Call
			continue
		}
		return value
	}
}
