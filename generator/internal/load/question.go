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

	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// question is what the syntax of a package leaves open.
type question struct {
	src *source
	pkg *model.Package
	// unclear are the kinds of which it is open what they are made of.
	unclear []*model.Type
	// fields are the kinds with a path to a field.
	fields []*model.Type
	// views are compared with what they are views of.
	views []*model.Type
}

// ask returns what is to be found out about a package, or nil.
func ask(src *source, pkg *model.Package, reader *typeReader) *question {
	q := &question{src: src, pkg: pkg}
	for _, t := range pkg.Types {
		_, isView := t.View()
		if (t.MayBeKind() || t.IsCandidate || isView) && reader.isUnclear(t) {
			q.unclear = append(q.unclear, t)
		}
		if isView {
			q.views = append(q.views, t)
		}
		for _, m := range t.Markers {
			if _, ok := m.FieldPath(); ok {
				q.fields = append(q.fields, t)
				break
			}
		}
	}
	if len(q.unclear)+len(q.fields)+len(q.views) == 0 {
		return nil
	}
	return q
}

// answer finds out what the questions ask for: from the types of a package by
// itself and, where these do not tell, from those of what it imports as well.
func answer(ctx context.Context, options Options, questions []*question, mistakes *model.Errors, result *Result) error {
	var open []*question
	var paths, why []string
	for _, q := range questions {
		if reason := q.settle(typesOfSyntax(q.src), q.src.fset, nil); reason != "" {
			open, why = append(open, q), append(why, reason)
			paths = append(append(paths, q.src.path), q.viewed()...)
		}
	}
	if len(open) == 0 {
		return nil
	}
	started := time.Now()
	slices.Sort(paths)
	paths = slices.Compact(paths)
	found, err := typesOfPackages(ctx, options, paths)
	if err != nil {
		return err
	}
	result.note("loaded types, of dependencies too, for %s, because of %s: %v", strings.Join(paths, ", "), strings.Join(why, ", "), time.Since(started).Round(time.Millisecond))
	for _, q := range open {
		pkg := found[q.src.path]
		if pkg == nil || pkg.Types == nil {
			return fmt.Errorf("the go command has not loaded the types of %s, please report it", q.src.path)
		}
		if reason := q.settle(pkg.Types, pkg.Fset, found); reason != "" {
			needed := []*packages.Package{pkg}
			for _, importPath := range q.viewed() {
				needed = append(needed, found[importPath])
			}
			q.addTypeError(needed, reason, options.Dir, mistakes)
		}
	}
	return nil
}

// viewed are the other packages of which there are views.
func (q *question) viewed() []string {
	var paths []string
	for _, t := range q.views {
		if ref, _ := t.View(); ref.Path != "" && ref.Path != q.src.path {
			paths = append(paths, ref.Path)
		}
	}
	return paths
}

// settle answers from types: of the package, and of others if these are loaded. It
// returns what it could not find out, or "".
func (q *question) settle(pkg *types.Package, fset *token.FileSet, others map[string]*packages.Package) (open string) {
	for _, t := range q.unclear {
		if !clarify(t, pkg, fset) {
			open = "type " + t.Name
		}
	}
	for _, t := range q.fields {
		t.Fields = map[string]*model.Field{}
		for _, m := range t.Markers {
			path, ok := m.FieldPath()
			if !ok || path == "" {
				continue
			}
			field, sure := fieldAt(lookUp(pkg, t.Name), path)
			if t.Fields[path] = field; !sure {
				open = fmt.Sprintf("path %s of %s", path, t.Name)
			}
		}
	}
	for _, t := range q.views {
		ref, _ := t.View()
		viewed := pkg
		if ref.Path != "" && ref.Path != q.src.path {
			if others == nil {
				open = "view " + t.Name
				continue
			}
			if viewed = nil; others[ref.Path] != nil {
				viewed = others[ref.Path].Types
			}
		}
		if viewed == nil {
			continue // which is somebody else's to say
		}
		c := comparison{kind: viewed.Scope().Lookup(ref.Name), fset: fset}
		if t.Misfits = c.of(pkg.Scope().Lookup(t.Name)); c.unsure {
			open = "view " + t.Name
		}
	}
	return open
}

// leftOut returns the place of the first file that is not among the loaded ones, or no
// place.
func (src *source) leftOut(loaded []string) token.Position {
	for i, name := range src.names {
		if !slices.Contains(loaded, name) && src.files[i] != nil {
			return src.fset.Position(src.files[i].Package)
		}
	}
	return token.Position{}
}

// addTypeError notes why the types that are needed cannot be had: the first that
// the go command, or the type checker, has against the packages.
func (q *question) addTypeError(needed []*packages.Package, reason, dir string, mistakes *model.Errors) {
	q.pkg.Types = nil // nothing is to be said of its kinds
	if pos := q.src.leftOut(needed[0].GoFiles); pos.IsValid() {
		mistakes.Add(pos, "this file is left out when types are loaded, as it needs cgo, and CGO_ENABLED is 0 so that no C compiler runs; move its types to a file without cgo if %s needs them", reason)
		if !slices.ContainsFunc(needed, func(pkg *packages.Package) bool { return len(pkg.Errors) > 0 }) {
			return
		}
	}
	var errs []packages.Error
	for _, pkg := range needed {
		errs = append(errs, pkg.Errors...)
	}
	packages.Visit(needed, nil, func(imported *packages.Package) {
		for _, err := range imported.Errors {
			if err.Kind == packages.ListError { // without which the others would not be there
				errs = slices.Insert(errs, 0, err)
			}
		}
	})
	// What the compiler has said, as one text without a place, is in the others too.
	slices.SortStableFunc(errs, func(a, b packages.Error) int {
		return cmp.Compare(min(len(b.Pos), 1), min(len(a.Pos), 1))
	})
	if len(errs) == 0 {
		mistakes.Add(q.pkg.Pos, "the types of package %s cannot be had, and %s needs them; see what go build says", q.src.path, reason)
		return
	}
	first, how := errs[0], ""
	if slices.ContainsFunc(errs, func(err packages.Error) bool { return strings.Contains(err.Msg, "build constraints exclude") }) {
		how = " with CGO_ENABLED=0"
	}
	mistakes.Add(absolute(dir, position(first.Pos)), "%s; package %s has to compile%s, because %s needs its types", strings.Join(strings.Fields(first.Msg), " "), q.src.path, how, reason)
}
