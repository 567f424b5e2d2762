package load

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// question has the types of a package that its syntax does not describe completely.
type question struct {
	src *source
	pkg *input.Package
	// unclear are the kinds with unknown parts.
	unclear []*input.Type
	// fields are the kinds with a path to a field.
	fields []*input.Type
	// views are compared with their kinds.
	views []*input.Type
	// calls are the types that methods of kinds send or return, if the syntax does not show their methods.
	calls []string
	// copies has the packages of the main module to which the run writes deep copies.
	copies map[string]bool
	// unknown are the fields that the last settle did not find.
	unknown []*model.Field
}

// ask returns the question about a package, or nil. calls are the types that methods of kinds send or return.
func ask(src *source, pkg *input.Package, calls []string) *question {
	q := &question{src: src, pkg: pkg}
	if unsure := src.addLacking(pkg, calls); !src.dependency {
		q.calls = unsure
	}
	for _, t := range pkg.Types {
		isView := markers.Has[markers.View](t.Markers)
		if (t.Markers.MayBeKind() || t.IsCandidate || isView) && src.scope().isUnclear(t) {
			q.unclear = append(q.unclear, t)
		}
		if isView {
			q.views = append(q.views, t)
		}
		if len(t.Markers.FieldPaths()) > 0 {
			q.fields = append(q.fields, t)
		}
	}
	if len(q.unclear)+len(q.fields)+len(q.views)+len(q.calls) == 0 {
		return nil
	}
	return q
}

// writes reports whether the run writes the methods that copy a type of another package.
func (q *question) writes(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.TypeArgs().Len() > 0 || named.Obj().Pkg() == nil || !named.Obj().Exported() {
		return false
	}
	_, isStruct := gotype.StructOf(named)
	return isStruct && named.Obj().Pkg().Path() != q.src.path && q.copies[named.Obj().Pkg().Path()]
}

// answer answers the questions from the types of each package by itself. If that leaves a question open,
// it reads the imports of the package too.
func answer(ctx context.Context, options Options, questions []*question, mistakes *model.Errors, result *Result) error {
	var open []*question
	var paths, why []string
	for _, q := range questions {
		var reason string
		err := within(ctx, maxChecking, q.src.path, func() error {
			reason, _ = q.settle(typesOfSyntax(q.src), q.src.fset, nil)
			return nil
		})
		if err != nil {
			return err
		}
		if reason != "" {
			open, why = append(open, q), append(why, reason)
			paths = append(paths, q.src.path)
			for _, t := range q.views {
				paths = append(paths, q.viewed(t).Path)
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	started := time.Now()
	slices.Sort(paths)
	paths = slices.Compact(paths)
	c, err := newClosure(ctx, options, paths, result.sources) // with the list types that the run writes
	if err != nil {
		return err
	}
	err = within(ctx, maxChecking, strings.Join(paths, ", "), func() error { return c.answer(open, options.Dir, mistakes) })
	if err != nil {
		return err
	}
	result.note("read types of %d packages for %s, because of %s: %v", len(c.parts), strings.Join(paths, ", "), strings.Join(why, ", "), time.Since(started).Round(time.Millisecond))
	return nil
}

// maxChecking is how long types are checked. Any package in use takes less than a second, but go/types
// needs exponential time for some generic types, and cannot be stopped.
const maxChecking = 8 * time.Second

// within runs check on the packages in paths. It returns an error if ctx ends first, or if check takes
// longer than limit. Then check continues in the background, so the caller must not use what it changes.
func within(ctx context.Context, limit time.Duration, paths string, check func() error) error {
	done := make(chan error, 1)
	go func() { done <- check() }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fmt.Errorf("checking the types of %s takes longer than %v, because types are nested too deeply; simplify them, or leave a package out with --exclude", paths, limit)
	}
}

// answer answers questions from the types that they need. Relative paths in errors of the go command are
// below dir.
func (c *closure) answer(questions []*question, dir string, mistakes *model.Errors) (err error) {
	roots := make([]*declaration, len(questions))
	for i, q := range questions { // all before the first check, because they may share packages
		if roots[i], err = c.reach(q.names()); err != nil {
			return err
		}
	}
	checked := func(path string) *types.Package { return c.check(c.parts[path]) }
	for i, q := range questions {
		reason, onlyFields := q.settle(checked(q.src.path), c.fset, checked)
		if reason == "" || onlyFields && q.src.dependency && q.leaveFields(c, roots[i]) {
			continue
		}
		q.addTypeError(c, roots[i], reason, dir, mistakes)
	}
	return nil
}

// names returns the types that the question is about, by import path.
func (q *question) names() map[string][]string {
	names := map[string][]string{q.src.path: slices.Clone(q.calls)}
	for _, t := range slices.Concat(q.unclear, q.fields, q.views) {
		names[q.src.path] = append(names[q.src.path], t.Name, t.Name+"List")
	}
	for _, t := range q.views {
		ref := q.viewed(t)
		names[ref.Path] = append(names[ref.Path], ref.Name)
	}
	return names
}

// viewed returns the kind of a view.
func (q *question) viewed(t *input.Type) model.TypeRef {
	view, _ := markers.Find[markers.View](t.Markers)
	return model.TypeRef{Path: cmp.Or(view.Of.Path, q.src.path), Name: view.Of.Name}
}

// settle answers the question from the types of the package, and of other packages unless other is nil. It
// returns what stays open, or "", and whether only fields stay open.
func (q *question) settle(pkg *types.Package, fset *token.FileSet, other func(path string) *types.Package) (open string, onlyFields bool) {
	openField := q.settleFields(pkg)
	for _, t := range q.unclear {
		if !clarify(t, pkg, fset, q.writes) {
			open = "type " + t.Name
		}
	}
	for _, t := range q.views {
		if t.Misnamed != nil {
			continue // its JSON names are compared when those of the metadata are right
		}
		ref := q.viewed(t)
		of := pkg
		if ref.Path != q.src.path {
			if other == nil {
				open = "view " + t.Name
				continue
			}
			of = other(ref.Path)
		}
		view, c := pkg.Scope().Lookup(t.Name), comparison{kind: of.Scope().Lookup(ref.Name), fset: fset}
		if t.Misfits = c.of(view); c.unsure || view == nil && t.Name != "_" {
			open = "view " + t.Name
		}
	}
	switch {
	case len(q.calls) == 0:
	case other == nil:
		open = cmp.Or(open, "type "+q.calls[0]) // the packages of promoted methods are not read yet
	default:
		open = cmp.Or(open, q.settleCalls(pkg))
	}
	return cmp.Or(open, openField), open == ""
}

// settleFields is settle for the paths to fields.
func (q *question) settleFields(pkg *types.Package) (open string) {
	q.unknown = nil
	for _, t := range q.fields {
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

// leaveFields sets the problem of the unknown fields. It reports whether it knows the cause.
func (q *question) leaveFields(c *closure, root *declaration) bool {
	cause, ok := c.cause(root)
	if !ok {
		return false
	}
	for _, field := range q.unknown {
		field.Problem = "the types on its path are unknown: " + strings.ReplaceAll(cause.text, "; ", ", ") // the warning ends with what was done
	}
	return true
}

// addTypeError adds the reason why types that the question needs are unknown.
func (q *question) addTypeError(c *closure, root *declaration, reason, dir string, mistakes *model.Errors) {
	q.pkg.Types, q.pkg.Broken = nil, true // no other errors about its kinds
	cause, ok := c.cause(root)
	if !ok {
		cause = problem{q.pkg.Pos, "package " + q.src.path + " does not type-check; fix what go build reports"}
	}
	if slices.Contains(c.reported, cause) {
		return
	}
	c.reported = append(c.reported, cause)
	text := cause.text + ", because " + reason + " needs it"
	if what, command, ok := strings.Cut(cause.text, "; to add it: "); ok {
		text = what + ", which " + reason + " needs; to add it: " + command
	}
	mistakes.Add(absolute(dir, cause.pos), "%s", text)
}
