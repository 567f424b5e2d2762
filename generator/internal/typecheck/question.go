package typecheck

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/describe"
	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// question has the open questions about one package.
type question struct {
	*describe.Described
	// copies has the packages of the main module to which the run writes deep copies.
	copies map[string]bool
	// unknown are the fields that the last resolve did not find.
	unknown []*model.Field
}

// writes reports whether the run writes the methods that copy a type of another package.
func (q *question) writes(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.TypeArgs().Len() > 0 || named.Obj().Pkg() == nil || !named.Obj().Exported() {
		return false
	}
	_, isStruct := gotype.StructOf(named)
	return isStruct && named.Obj().Pkg().Path() != q.Syntax.Path && q.copies[named.Obj().Pkg().Path()]
}

// names returns the types that the questions are about, by import path.
func (q *question) names() map[string][]string {
	own := q.Syntax.Path
	names := map[string][]string{own: slices.Clone(q.Open.Calls)}
	for _, t := range slices.Concat(q.Open.Unclear, q.Open.Fields, q.Open.Views) {
		names[own] = append(names[own], t.Name, t.Name+"List")
	}
	for _, t := range q.Open.Views {
		ref := q.viewed(t)
		names[ref.Path] = append(names[ref.Path], ref.Name)
	}
	return names
}

// viewed returns the kind of a view.
func (q *question) viewed(t *input.Type) model.TypeRef {
	view, _ := markers.Find[markers.View](t.Markers)
	return model.TypeRef{Path: cmp.Or(view.Of.Path, q.Syntax.Path), Name: view.Of.Name}
}

// resolve answers the questions from the types of the package, and of other packages unless other is nil. It
// returns the question that stays open, or "", and whether only fields stay open.
func (q *question) resolve(pkg *types.Package, other func(path string) *types.Package) (open string, onlyFields bool) {
	openField := q.resolveFields(pkg)
	for _, t := range q.Open.Unclear {
		if !clarify(t, pkg, q.Syntax.FileSet, q.writes) {
			open = "type " + t.Name
		}
	}
	for _, t := range q.Open.Views {
		if t.Misnamed != nil {
			continue // its JSON names are compared when the names of the metadata are right
		}
		ref := q.viewed(t)
		of := pkg
		if ref.Path != q.Syntax.Path {
			if other == nil {
				open = "view " + t.Name
				continue
			}
			of = other(ref.Path)
		}
		view, c := pkg.Scope().Lookup(t.Name), comparison{kind: of.Scope().Lookup(ref.Name), fset: q.Syntax.FileSet}
		if t.Misfits = c.of(view); c.unsure || view == nil && t.Name != "_" {
			open = "view " + t.Name
		}
	}
	switch calls := q.Open.Calls; {
	case len(calls) == 0:
	case other == nil:
		open = cmp.Or(open, "type "+calls[0]) // the packages of promoted methods are not read yet
	default:
		open = cmp.Or(open, q.resolveCalls(pkg))
	}
	return cmp.Or(open, openField), open == ""
}

// resolveFields answers the questions about paths to fields. It returns the one that stays open, or "".
func (q *question) resolveFields(pkg *types.Package) (open string) {
	q.unknown = nil
	for _, t := range q.Open.Fields {
		t.Fields = map[string]*model.Field{}
		for _, path := range t.Markers.FieldPaths() {
			field, sure := fieldAt(lookUp(pkg, t.Name), path)
			if t.Fields[path.Text] = field; !sure {
				q.unknown = append(q.unknown, field)
				open = fmt.Sprintf("path %s of %s", path.Text, t.Name)
			}
		}
	}
	return open
}

// resolveCalls finds out which of describe.CallMethods the types lack that methods of kinds send or return. It returns a
// type that stays unknown, or "".
func (q *question) resolveCalls(pkg *types.Package) (open string) {
	for _, name := range q.Open.Calls {
		of := lookUp(pkg, name)
		if structType, ok := gotype.StructOf(of); !gotype.IsValid(of) || ok && !gotype.IsComplete(structType) {
			open = "type " + name
			continue
		}
		has := gotype.MethodsOf(of)
		for _, method := range describe.CallMethods {
			if !has(method) && (method != "DeepCopyObject" || !q.WritesCopy(name)) {
				q.Package.AddLacking(name, method)
			}
		}
	}
	return open
}

// answer answers questions from the types that they need.
func (c *closure) answer(questions []*question, errs *model.Errors) (err error) {
	roots := make([]*declaration, len(questions))
	for i, q := range questions { // all before the first check, because they may share packages
		if roots[i], err = c.reach(q.names()); err != nil {
			return err
		}
	}
	checked := func(path string) *types.Package { return c.check(c.parts[path]) }
	for i, q := range questions {
		reason, onlyFields := q.resolve(checked(q.Syntax.Path), checked)
		if reason == "" || onlyFields && q.Syntax.Dependency && q.leaveFields(c, roots[i]) {
			continue
		}
		q.addTypeError(c, roots[i], reason, errs)
	}
	return nil
}

// leaveFields sets the problem of the unknown fields. It reports whether it knows the cause.
func (q *question) leaveFields(c *closure, root *declaration) bool {
	cause, ok := c.cause(root)
	if !ok {
		return false
	}
	for _, field := range q.unknown {
		// The warning ends with the action that the generator took instead.
		field.Problem = "the types on its path are unknown: " + strings.ReplaceAll(cause.text, "; ", ", ")
	}
	return true
}

// addTypeError adds the reason why types that the questions need are unknown.
func (q *question) addTypeError(c *closure, root *declaration, reason string, errs *model.Errors) {
	q.Package.Types, q.Package.Broken = nil, true // no other errors about its kinds
	cause, ok := c.cause(root)
	if !ok {
		cause = problem{q.Package.Pos, "package " + q.Syntax.Path + " does not type-check; fix what go build reports"}
	}
	if slices.Contains(c.reported, cause) {
		return
	}
	c.reported = append(c.reported, cause)
	text := cause.text + ", because " + reason + " needs it"
	if what, command, ok := strings.Cut(cause.text, "; to add it: "); ok {
		text = what + ", which " + reason + " needs; to add it: " + command
	}
	errs.Add(cause.pos, "%s", text)
}
