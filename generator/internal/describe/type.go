package describe

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// markersOf returns the markers of comments in their order. on is the name of the type that
// has the comments, or "" for a package.
func markersOf(src *syntax.Package, on string, groups ...*ast.CommentGroup) markers.List {
	var found markers.List
	for text, pos := range src.Markers(groups...) {
		found = append(found, markers.Parse(text, pos, on))
	}
	return found
}

// marked returns the types with a marker that informer-gen reads, sorted by name. candidates adds
// exported types that have a list type.
func (d *Described) marked(candidates bool) []*input.Type {
	in := d.Syntax.Scope()
	comments := map[*ast.File]syntax.Comments{}
	for _, file := range d.Syntax.Files {
		comments[file] = d.Syntax.Comments(file)
	}
	var found []*input.Type
	for name, t := range in.Types {
		var ours, detached markers.List
		for _, m := range markersOf(d.Syntax, name, d.Syntax.Freestanding(t)) {
			switch {
			case m.Value == nil:
			case strings.HasPrefix(m.Name, "kubebuilder:") && m.Name != "kubebuilder:skip": // there it is a marker of the package
				ours = append(ours, m)
			default:
				detached = append(detached, m)
			}
		}
		for _, m := range markersOf(d.Syntax, name, comments[t.File].Above(t)...) {
			if m.Value != nil {
				ours = append(ours, m)
			}
		}
		_, hasList := in.Types[name+"List"]
		isCandidate := candidates && token.IsExported(name) && hasList
		if len(ours)+len(detached) > 0 || isCandidate {
			described := d.describeType(name, t)
			doc, _ := t.Doc()
			described.Detached = detached
			described.Markers, described.IsCandidate, described.Doc = ours, isCandidate, syntax.WithoutMarkers(doc.Text())
			found = append(found, described)
		}
	}
	slices.SortFunc(found, func(a, b *input.Type) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// describeType describes a type and its list type.
func (d *Described) describeType(name string, t syntax.TypeDecl) *input.Type {
	in := d.Syntax.Scope()
	_, isStruct := t.Spec.Type.(*ast.StructType)
	described := &input.Type{
		Name:            name,
		Pos:             d.Syntax.Position(t.Spec.Name.Pos()),
		IsStruct:        isStruct && !t.Spec.Assign.IsValid(),
		IsGeneric:       t.Spec.TypeParams != nil,
		BuildConstraint: d.Syntax.Constraint(t.File),
		HasTypeMeta:     embeds(in, t, "TypeMeta"),
		HasObjectMeta:   embeds(in, t, "ObjectMeta"),
		WritesCopy:      d.writesCopy(t),
		WritesList:      slices.Contains(d.lists, name),
		HasStatus:       hasField(t, "Status"),
		Protobuf:        protobufPath(d.Syntax, name),
	}
	described.HasDeepCopyObject = in.Has(name, "DeepCopyObject") || described.WritesCopy
	described.ListPos = described.Pos
	list, ok := in.Types[name+"List"]
	if !ok {
		described.ListProblem = fmt.Sprintf(missingList, name)
		return described
	}
	described.DeclaresList = true
	described.ListPos = d.Syntax.Position(list.Spec.Name.Pos())
	described.WritesDeclaredListCopy = d.writesCopy(list)
	hasListCopy := in.Has(name+"List", "DeepCopyObject") || described.WritesDeclaredListCopy
	if described.WritesList {
		described.ListPos = described.Pos
		described.WritesListCopy = !hasListCopy
		described.HasDeepCopyInto = in.Has(in.Resolve(t).Spec.Name.Name, "DeepCopyInto")
		described.ListMentioned = mentions(d.Syntax, name+"List")
	}
	pointers, hasItems := isSliceOf(fieldType(list, "Items", "items"), name)
	SetList(described, embeds(in, list, "TypeMeta"), embeds(in, list, "ListMeta"), hasItems, hasListCopy || described.WritesListCopy)
	described.List.ItemsArePointers = pointers && described.HasList
	return described
}
