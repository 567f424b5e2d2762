package main

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
)

// change is a difference between two versions of a package.
type change struct {
	// Package is a version of the package. It is nil for a whole module.
	Package *types.Package
	path    string
	// Identifier is such as Foo or Foo.Bar. It is empty for a whole package or module.
	Identifier string
	Message    string
	Compatible bool
	// declaredIn is the identifier whose declaration is the position. If it is empty, it is Identifier.
	declaredIn string
	// position is that of the declaration, relative to the module.
	position string
}

// identifier matches the head of a message of apidiff, such as Foo, Foo.Bar, (*Foo[T]).Bar, or
// k8s.io/api/core/v1.Foo for a type of another package.
var identifier = regexp.MustCompile(`^(?:\S*/[\w-]+\.)?\(?\*?(\w+)(?:\[[^:]*?\])?\)?(?:\.(\w+))?(?:, method set of [^:]*)?: (.*)$`)

// compare returns the differences by package, as apidiff finds them. Those of internal types are last.
func compare(older, newer *api) (changes []change) {
	paths := slices.Collect(maps.Keys(newer.packages))
	for path := range older.packages {
		if newer.packages[path] == nil {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		before, after := older.packages[p], newer.packages[p]
		switch {
		case before == nil:
			changes = append(changes, change{Package: after, path: p, Message: "package added", Compatible: true})
			continue
		case after == nil:
			changes = append(changes, change{Package: before, path: p, Message: "package removed", position: p})
			continue
		}
		changes = append(changes, diff(older, newer, before, after)...)
	}
	return append(changes, compareInternal(older, newer)...)
}

// diff returns the differences between two versions of a package.
func diff(older, newer *api, before, after *types.Package) (changes []change) {
	for _, found := range apidiff.Changes(before, after).Changes {
		c := change{Package: after, path: after.Path(), Message: found.Message, Compatible: found.Compatible}
		if match := identifier.FindStringSubmatch(found.Message); match != nil {
			c.Identifier, c.Message = match[1], match[3]
			if match[2] != "" {
				c.Identifier += "." + match[2]
			}
		} else { // a form of message that is not known has to break, not to pass
			c.Identifier, c.Compatible = found.Message, false
		}
		changes = append(changes, c)
	}
	changes = append(changes, unseen(before, after, changes)...)
	for i := range changes {
		changes[i].position = position(older, newer, before, after, cmp.Or(changes[i].declaredIn, changes[i].Identifier))
	}
	return changes
}

// position returns where an identifier is declared, or was before it was removed.
func position(older, newer *api, before, after *types.Package, name string) string {
	for _, version := range []struct {
		*api
		pkg    *types.Package
		suffix string
	}{{newer, after, ""}, {older, before, " (before the change)"}} {
		if pos := lookup(version.pkg, name); pos.IsValid() {
			return version.relative(pos) + version.suffix
		}
	}
	first, _, _ := strings.Cut(name, ".")
	if object := after.Scope().Lookup(first); object != nil {
		return newer.relative(object.Pos())
	}
	return after.Path()
}

// lookup returns the position of a name such as Foo or Foo.Bar. It returns token.NoPos if pkg has no such name.
func lookup(pkg *types.Package, name string) token.Pos {
	first, member, isMember := strings.Cut(name, ".")
	object := pkg.Scope().Lookup(first)
	if object == nil || !isMember {
		if object == nil {
			return token.NoPos
		}
		return object.Pos()
	}
	if found, _, _ := types.LookupFieldOrMethod(object.Type(), true, pkg, member); found != nil {
		return found.Pos()
	}
	return token.NoPos
}

func (a *api) relative(pos token.Pos) string {
	p := a.fset.Position(pos)
	if root, err := filepath.Abs(a.dir); err == nil {
		if short, err := filepath.Rel(root, p.Filename); err == nil {
			p.Filename = path.Join(a.module, filepath.ToSlash(short))
		}
	}
	return p.String()
}

// nameInChangelog returns the name that a line of the changelog has to have.
func (c change) nameInChangelog() string {
	switch {
	case c.Identifier == "":
		return strings.TrimPrefix(c.path, repository+"/")
	case strings.Contains(c.Identifier, "."):
		return c.Identifier
	}
	return path.Base(c.Package.Name()) + "." + c.Identifier
}
