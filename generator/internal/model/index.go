package model

import (
	"go/token"
	"slices"
	"strings"
)

// Index is an index of a kind's cache, from +informer:index.
type Index struct {
	// Name is the index's, and Method the lister's that reads it: byNodeName and
	// ByNodeName.
	Name, Method string
	// Path is what the marker says, and Field what stands there.
	Path  string
	Field *Field
}

// SelectableField is a field by which the server selects, from
// +kubebuilder:selectablefield.
type SelectableField struct {
	// GoName is the end of its constant, such as SpecColor.
	GoName string
	// Path is as a field selector has it, such as spec.color.
	Path  string
	Value ValueType
	Pos   token.Position
}

// informerMarkers are those of this generator.
var informerMarkers = []string{"index", "view"}

// addFields adds the indexes and the selectable fields.
func (a *assembly) addFields(t *Type, k *Kind) {
	for _, m := range t.Markers {
		if arguments, ok := m.Arguments(IndexMarker); ok {
			a.addIndex(t, k, m, arguments)
		} else if _, ok := m.Arguments("informer"); ok {
			a.refuseUnknown(m)
		} else if _, ok := m.Arguments(SelectableFieldMarker); ok {
			a.addSelectableField(t, k, m)
		}
	}
	if len(k.SelectableFields) > 0 {
		k.SelectableFields = append(metadataFields(k), k.SelectableFields...)
	}
}

// indexForm is how the marker is written.
const indexForm = "+" + IndexMarker + ":name=byNodeName,path=spec.nodeName"

func (a *assembly) addIndex(t *Type, k *Kind, m Marker, arguments []Argument) {
	index := &Index{}
	for _, argument := range arguments {
		switch argument.Key {
		case "name":
			index.Name = argument.Value
		case "path":
			index.Path = strings.TrimPrefix(argument.Value, ".")
			index.Field = t.Fields[argument.Value]
		default:
			a.errs.Add(m.Pos, "+%s has no argument %q; write %s", IndexMarker, argument.Key, indexForm)
			return
		}
	}
	switch {
	case index.Name == "":
		a.errs.Add(m.Pos, "+%s has no name; write %s", IndexMarker, indexForm)
		return
	case index.Path == "" || index.Field == nil:
		a.errs.Add(m.Pos, "+%s has no path; write %s", IndexMarker, indexForm)
		return
	case !token.IsIdentifier(index.Name) || !token.IsExported(upperFirst(index.Name)):
		a.errs.Add(m.Pos, "index name %q cannot become the name of a method; write letters and digits, such as byNodeName", index.Name)
		return
	case !k.HasInformer():
		a.errs.Add(m.Pos, "kind %s has no informer to index, because it cannot be listed and watched; remove the marker, or allow the verbs list and watch", k.Name)
		return
	case index.Field.Problem != "":
		a.errs.Add(m.Pos, "index %s: %s", index.Name, index.Field.Problem)
		return
	}
	index.Method = upperFirst(index.Name)
	if slices.Contains(a.Naming.Reserved.Index, index.Method) || index.Method == k.Plural {
		a.errs.Add(m.Pos, "index %s needs a method %s, but the lister of %s already has one; choose another name, such as by%s", index.Name, index.Method, k.Name, index.Method)
		return
	}
	for _, other := range k.Indexes {
		if other.Method == index.Method {
			a.errs.Add(m.Pos, "kind %s has two indexes %s; rename one of them", k.Name, index.Name)
			return
		}
	}
	k.Indexes = append(k.Indexes, index)
}

func (a *assembly) addSelectableField(t *Type, k *Kind, m Marker) {
	written, _ := m.FieldPath()
	path := strings.TrimPrefix(written, ".")
	field := t.Fields[written]
	switch {
	case field == nil:
		a.errs.Add(m.Pos, "+%s has no path; write +%s:JSONPath=.spec.color", SelectableFieldMarker, SelectableFieldMarker)
		return
	case path == "metadata" || strings.HasPrefix(path, "metadata."):
		a.errs.Add(m.Pos, "every server selects by metadata.name and metadata.namespace, and by no other metadata; remove the marker")
		return
	case field.Problem != "" && !field.EncodesItself:
		a.errs.Add(m.Pos, "selectable field: %s", field.Problem)
		return
	}
	value := field.Value
	if field.EncodesItself {
		value = ValueType{Basic: "string"}
	}
	for _, step := range field.Steps {
		if step.Op == StepEach || step.Op == StepKey {
			a.errs.Add(m.Pos, "a server cannot select by %s, which is in a list or a map; name a field that each object has once", path)
			return
		}
	}
	goName := ""
	for _, word := range strings.Split(path, ".") {
		goName += upperFirst(word)
	}
	for _, other := range append(metadataFields(k), k.SelectableFields...) {
		switch {
		case other.Path == path:
			a.errs.Add(m.Pos, "%s is a selectable field of %s twice; remove one of the markers", path, k.Name)
			return
		case other.GoName == goName:
			a.errs.Add(m.Pos, "the selectable fields %s and %s of %s need the same constant %sField%s; remove one of the markers", path, other.Path, k.Name, k.Name, goName)
			return
		}
	}
	if !token.IsIdentifier(goName) {
		a.errs.Add(m.Pos, "selectable field %s has no Go name, because %s is not an identifier; rename the field", path, goName)
		return
	}
	k.SelectableFields = append(k.SelectableFields, &SelectableField{GoName: goName, Path: path, Value: value, Pos: m.Pos})
}

// metadataFields are those by which every server selects.
func metadataFields(k *Kind) []*SelectableField {
	fields := []*SelectableField{{GoName: "Name", Path: "metadata.name", Value: ValueType{Basic: "string"}}}
	if k.Namespaced {
		fields = append(fields, &SelectableField{GoName: "Namespace", Path: "metadata.namespace", Value: ValueType{Basic: "string"}})
	}
	return fields
}
