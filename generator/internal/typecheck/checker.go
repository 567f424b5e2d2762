package typecheck

import (
	"cmp"
	"context"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/describe"
	"github.com/typedinformers/informer-gen/generator/internal/golist"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// Checker answers questions about the types of the packages of a run.
type Checker struct {
	run  *input.Run
	note func(format string, args ...any)
	// packages are those that parse.
	packages []*describe.Described
	// listed has the packages that the go command has listed with their imports, by import path.
	listed map[string]*packages.Package
}

// NewChecker returns a Checker for the packages of a run. It calls note with the packages that it has read, and the duration.
func NewChecker(run *input.Run, described []*describe.Described, note func(format string, args ...any)) *Checker {
	c := &Checker{run: run, note: note, listed: map[string]*packages.Package{}}
	for _, d := range described {
		if !d.Package.Broken {
			c.packages = append(c.packages, d)
		}
	}
	return c
}

// Answer answers the open questions about the packages from the types of each package by itself. If that leaves a question
// open, it reads the imports of the package too. A type that a question needs and that is unknown is an error, and its
// package is Broken. Its error comes from the go command or ctx.
func (c *Checker) Answer(ctx context.Context, errs *model.Errors) error {
	copies := map[string]bool{}
	for _, d := range c.packages {
		copies[d.Syntax.Path] = c.run.DeepCopy && !d.Syntax.Dependency
	}
	var open []*question
	var paths, why []string
	for _, d := range c.packages {
		if d.Open.IsEmpty() {
			continue
		}
		q, reason := &question{Described: d, copies: copies}, ""
		err := withLimit(ctx, maxChecking, d.Syntax.Path, func() error {
			reason, _ = q.resolve(checkAlone(d.Syntax), nil)
			return nil
		})
		if err != nil {
			return err
		}
		if reason != "" {
			open, why = append(open, q), append(why, reason)
			paths = append(paths, d.Syntax.Path)
			for _, t := range d.Open.Views {
				paths = append(paths, q.viewed(t).Path)
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	slices.Sort(paths)
	return c.withClosure(ctx, slices.Compact(paths), "because of "+strings.Join(why, ", "),
		func(in *closure) error { return in.answer(open, errs) })
}

// withClosure runs check with a closure of packages, for at most maxChecking. The note names the purpose.
func (c *Checker) withClosure(ctx context.Context, paths []string, purpose string, check func(*closure) error) error {
	started := time.Now()
	if slices.ContainsFunc(paths, func(path string) bool { return c.listed[path] == nil }) {
		listed, err := golist.Imports(ctx, c.run, paths...)
		if err != nil {
			return err
		}
		maps.Copy(c.listed, listed)
	}
	in := &closure{
		ctx: ctx, run: c.run, fset: c.packages[0].Syntax.FileSet, listed: c.listed,
		sources: map[string]*syntax.Package{}, parts: map[string]*part{},
	}
	for _, d := range c.packages { // with the list types that the run writes
		in.sources[d.Syntax.Path] = d.Syntax
	}
	names := strings.Join(paths, ", ")
	if err := withLimit(ctx, maxChecking, names, func() error { return check(in) }); err != nil {
		return err // the check may still run
	}
	c.note("read types of %d packages for %s, %s: %v", len(in.parts), names, purpose, time.Since(started).Round(time.Millisecond))
	return nil
}

// Types returns the Go types that the kinds in the packages consist of, and the types that their methods
// take, with their comments. If the run writes deep copies, it also has the types that methods return, views, and the types of
// the main module that markers choose for deep copies. A type that cannot be resolved is an error. isKind reports whether
// a type is a kind: a list type that the run would write for another type is left out. Its error comes from the go
// command or ctx.
func (c *Checker) Types(ctx context.Context, isKind func(model.TypeRef) bool, errs *model.Errors) (*input.Types, error) {
	found := &input.Types{
		Packages: map[string]*types.Package{}, Comments: map[token.Pos]input.Comment{}, FileSet: token.NewFileSet(),
		PackageMarkers: map[string][]input.CommentMarker{}, Dependencies: map[string]bool{}, Constraints: map[string]string{},
	}
	for _, d := range c.packages {
		d.KeepLists(isKind)
		for i, file := range d.Syntax.Files {
			if constraint := d.Syntax.Constraint(file); constraint != "" {
				found.Constraints[d.Syntax.Names[i]] = constraint
			}
		}
	}
	roots := c.roots()
	if len(roots) == 0 {
		return found, nil
	}
	err := c.withClosure(ctx, slices.Sorted(maps.Keys(roots)), "for apply configurations and deep copies", func(in *closure) error {
		in.withComments, found.FileSet = true, in.fset
		return in.addTypes(roots, found, errs)
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// roots returns the types of which Types has all parts, by import path.
func (c *Checker) roots() map[string][]string {
	names := map[string][]string{}
	add := func(path string, more ...string) { names[path] = append(names[path], more...) }
	for _, d := range c.packages {
		pkg := d.Package
		for _, t := range pkg.Types {
			if t.Markers.MayBeKind() || t.IsCandidate || c.run.DeepCopy && markers.Has[markers.View](t.Markers) {
				add(pkg.Path, t.Name, t.Name+"List")
			}
		}
		for method := range pkg.Methods() {
			add(cmp.Or(method.Input.Path, pkg.Path), method.Input.Name)
			if c.run.DeepCopy {
				add(cmp.Or(method.Result.Path, pkg.Path), describe.ResultOf(method).Name)
			}
		}
		if c.run.DeepCopy && !d.Syntax.Dependency {
			if copied := copied(d.Syntax); len(copied) > 0 {
				add(pkg.Path, copied...)
			}
		}
	}
	return names
}

// addTypes adds the named types, and all that they need, to found.
func (c *closure) addTypes(names map[string][]string, found *input.Types, errs *model.Errors) error {
	root, err := c.reach(names)
	if err != nil {
		return err
	}
	for d := range root.reachable() {
		for _, problem := range d.problems {
			errs.Add(problem.pos, "%s", problem.text)
		}
	}
	for path, p := range c.parts {
		found.Packages[path], found.Dependencies[path] = c.check(p), p.src.Dependency
		p.addRecursion(errs)
		c.addGrowth(found.Packages[path], errs)
		p.addComments(found.Comments)
		for _, file := range p.src.Files {
			found.PackageMarkers[path] = append(found.PackageMarkers[path], packageMarkers(p.src, file)...)
		}
	}
	return nil
}
