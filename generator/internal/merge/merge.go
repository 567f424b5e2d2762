// Package merge derives the schemas for structured merge, with which server-side apply and Extract find the
// owner of a field.
//
//	topology.go       the markers of Go types
//	state.go          Input, and the state of a schema from Go types
//	check.go          markers that do not fit the Go type
//	known.go          Go types with other JSON than their fields
//	value.go  list.go  struct.go   the schema of a Go type, which may contain others
//	default.go        defaults
//	gotype.go         the schema of the kinds from Go types
//	manifest.go       the schema of a kind from a CRD
//	contradiction.go  differences between Go types and CRDs
//	openapi.go        schemas from an OpenAPI document
//	merge.go          Decide: the schema of all kinds
package merge

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Decide returns the schema of the kinds that have the verb apply or applyStatus. It adds contradictions
// between Go types and CRDs to errs or, in dependencies, to the warnings of the set. Its error comes
// from ctx.
func Decide(ctx context.Context, in Input, errs *model.Errors) (*model.Schema, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d := &decision{Input: in, errs: errs, atoms: map[string]model.SchemaAtom{}}
	for _, k := range in.Set.Kinds() {
		if k.NeedsApply() {
			d.kinds = append(d.kinds, k)
		}
	}
	before := errs.Len()
	for _, t := range fromGo(in, errs).Types {
		d.atoms[t.Name] = t.Atom
	}
	fromFile := d.readDocument()
	if errs.Len() == before { // otherwise a contradiction may follow from a marker that is not read
		d.readManifests(fromFile)
	}
	return d.schema(), nil
}

// decision is the state of one Decide.
type decision struct {
	Input
	errs *model.Errors
	// kinds are the kinds that can be applied.
	kinds []*model.Kind
	// atoms are the types by name.
	atoms map[string]model.SchemaAtom
}

// nameOf returns the name of the type of a kind.
func (d *decision) nameOf(k *model.Kind) string {
	ref := k.Ref()
	if declared := d.Types.Lookup(ref); declared != nil {
		if named, ok := types.Unalias(declared.Type()).(*types.Named); ok {
			return d.Types.OpenAPIName(named)
		}
	}
	return ref.OpenAPIName()
}

// readDocument replaces types by types of the OpenAPI document. It returns the kinds that are in it.
func (d *decision) readDocument() map[*model.Kind]bool {
	found := map[*model.Kind]bool{}
	if d.OpenAPI == "" {
		return found
	}
	doc := openDocument(d.OpenAPI, d.errs)
	if doc == nil {
		return found
	}
	for _, k := range d.kinds {
		if doc.add(d.nameOf(k), k) {
			found[k] = true
		}
	}
	if len(found) == 0 && len(d.kinds) > 0 {
		d.errs.Add(token.Position{Filename: d.OpenAPI}, "this file of --applyconfig-openapi-schema defines no kind of this run, "+
			"such as %s; name the document of a server that serves them, or remove the flag", d.nameOf(d.kinds[0]))
	}
	maps.Copy(d.atoms, doc.types)
	return found
}

// readManifests replaces the types of kinds by the types of their CRDs. It does not change the kinds in
// except.
func (d *decision) readManifests(except map[*model.Kind]bool) {
	byPos := make(map[token.Position]*input.Manifest, len(d.Manifests))
	for _, m := range d.Manifests {
		byPos[m.Pos] = m
	}
	own := d.ownFolders()
	// Go types have to stay as they are until all kinds are compared with them.
	merged := map[string]model.SchemaAtom{}
	seen := map[token.Position]bool{}
	for _, k := range d.kinds {
		m := byPos[k.CRD]
		if m == nil || except[k] {
			continue
		}
		version, _ := m.Version(k.GroupVersion.Version)
		if version.Schema == nil {
			continue // no server accepts such a CRD
		}
		c := &comparison{kind: k.Name, named: d.atoms}
		root := c.root(d.nameOf(k), version.Schema)
		merged[root.Name] = root.Atom
		d.report(k, c, own, seen)
	}
	maps.Copy(d.atoms, merged)
}

// report adds the contradictions of a comparison. In the user's module, contradictions are errors. The user
// cannot change the types of dependencies, and servers have the CRD, so there they are one warning. seen
// has the fields of earlier kinds.
func (d *decision) report(k *model.Kind, c *comparison, own map[string]bool, seen map[token.Position]bool) {
	var others []contradiction
	isOwn := func(pos token.Position) bool { return own[filepath.Dir(pos.Filename)] }
	for _, found := range c.found {
		switch {
		case !isOwn(k.Pos) || !isOwn(found.goPos):
			others = append(others, found)
		case !seen[found.goPos]:
			seen[found.goPos] = true
			d.errs.Add(found.goPos, "%s; regenerate the CRD with controller-gen, or %s", found.problem, found.fix)
		}
	}
	if len(others) > 0 {
		k.DiffersFromCRD = true
		more := ""
		if len(others) > 1 {
			more = ", and they differ in " + moreFields(len(others)-1)
		}
		d.warn(k.Pos, "%s%s; the schema for Extract and fakes follows the CRD", others[0].problem, more)
	}
	if len(c.extra) > 0 && isOwn(k.Pos) {
		d.warn(k.Pos, "the Go type of kind %s does not have %s of its CRD (%s), so updates by clients remove such values; "+
			"add them to the type, or regenerate the CRD with controller-gen",
			k.Name, describeExtra(c.extra), c.extra[0].pos)
	}
}

func describeExtra(extra []extraProperty) string {
	if len(extra) == 1 {
		return "the field " + extra[0].path
	}
	return fmt.Sprintf("the field %s and %s", extra[0].path, moreFields(len(extra)-1))
}

func moreFields(n int) string {
	if n == 1 {
		return "1 more field"
	}
	return fmt.Sprintf("%d more fields", n)
}

func (d *decision) warn(pos token.Position, format string, args ...any) {
	d.Set.Warnings = append(d.Set.Warnings, model.Errorf(pos, format, args...))
	model.SortErrors(d.Set.Warnings)
}

// ownFolders returns the folders of the packages that the user can edit.
func (d *decision) ownFolders() map[string]bool {
	own := map[string]bool{}
	for path, pkg := range d.Types.Packages {
		if d.Types.Dependencies[path] {
			continue
		}
		for _, name := range pkg.Scope().Names() {
			own[filepath.Dir(d.Types.Position(pkg.Scope().Lookup(name)).Filename)] = true
		}
	}
	return own
}

// schema returns the types that the kinds consist of.
func (d *decision) schema() *model.Schema {
	needed := map[string]bool{untypedAtomic: true, untypedDeduced: true} // as in all schemas of Kubernetes
	for _, k := range d.kinds {
		d.need(model.SchemaRef{Named: d.nameOf(k)}, needed)
	}
	d.addSchemeNames(needed)
	schema := &model.Schema{}
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		if atom, ok := d.atoms[name]; ok {
			schema.Types = append(schema.Types, model.SchemaType{Name: name, Atom: atom})
		}
	}
	return schema
}

// addSchemeNames adds the types of kinds under the names that a scheme gives them, by which type converters find
// them. Kinds with one name may have any fields.
func (d *decision) addSchemeNames(needed map[string]bool) {
	added := map[string]bool{}
	for _, k := range d.kinds {
		declared := d.Types.Lookup(k.Ref())
		if declared == nil {
			continue
		}
		named, ok := types.Unalias(declared.Type()).(*types.Named)
		if !ok {
			continue
		}
		switch name := d.Types.SchemeName(named); {
		case added[name]:
			d.atoms[name] = freeObject().Inline
		case !needed[name]:
			d.atoms[name] = d.atoms[d.nameOf(k)]
			needed[name], added[name] = true, true
		}
	}
}

// need adds the names of a type, and of those that it consists of.
func (d *decision) need(ref model.SchemaRef, needed map[string]bool) {
	atom := ref.Inline
	if ref.Named != "" {
		if needed[ref.Named] {
			return
		}
		needed[ref.Named] = true
		atom = d.atoms[ref.Named]
	}
	if atom.List != nil {
		d.need(atom.List.Element, needed)
	}
	if atom.Map != nil {
		for _, field := range atom.Map.Fields {
			d.need(field.Type, needed)
		}
		if atom.Map.Element != nil {
			d.need(*atom.Map.Element, needed)
		}
	}
}
