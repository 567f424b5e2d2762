package decide

import (
	"go/token"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// addFields adds the indexes and the selectable fields.
func (a *assembly) addFields(t *input.Type, k *model.Kind) {
	for _, m := range t.Markers {
		switch v := m.Value.(type) {
		case markers.Index:
			a.addIndex(t, k, m, v)
		case markers.SelectableField:
			a.addSelectableField(t, k, m, v)
		case markers.Unknown:
			if !m.IsGenclient() {
				a.ignoreProblems(m)
			}
		}
	}
	if len(k.SelectableFields) > 0 {
		k.SelectableFields = append(metadataFields(k), k.SelectableFields...)
	}
}

func (a *assembly) addIndex(t *input.Type, k *model.Kind, m markers.Marker, v markers.Index) {
	if a.refuse(m) {
		return
	}
	index := &model.Index{
		Name: v.Name, Method: upperFirst(v.Name), Path: strings.TrimPrefix(v.Path.Text, "."), Field: t.Fields[v.Path.Text],
	}
	isSame := func(other *model.Index) bool { return other.Method == index.Method }
	switch {
	case !token.IsIdentifier(index.Name) || !token.IsExported(index.Method):
		a.errs.Add(m.Pos, "index name %q cannot become the name of a method; write letters and digits, such as byNodeName", index.Name)
	case !k.HasInformer():
		a.errs.Add(m.Pos, "kind %s has no informer to index, because it cannot be listed and watched; "+
			"remove the marker, or allow the verbs list and watch", k.Name)
	case index.Field.Problem != "":
		a.errs.Add(m.Pos, "index %s: %s", index.Name, index.Field.Problem)
	case slices.Contains(a.naming.reserved.Index, index.Method) || index.Method == k.Plural:
		a.errs.Add(m.Pos, "index %s needs a method %s, but the lister of %s already has one; choose another name, such as by%s",
			index.Name, index.Method, k.Name, index.Method)
	case slices.ContainsFunc(k.Indexes, isSame):
		a.errs.Add(m.Pos, "kind %s has two indexes %s; rename one of them", k.Name, index.Name)
	default:
		k.Indexes = append(k.Indexes, index)
	}
}

func (a *assembly) addSelectableField(t *input.Type, k *model.Kind, m markers.Marker, v markers.SelectableField) {
	if a.refuse(m) {
		return
	}
	field := t.Fields[v.Path.Text]
	found := &model.SelectableField{Path: strings.TrimPrefix(v.Path.Text, "."), Value: field.Value, Pos: m.Pos}
	if field.EncodesItself {
		found.Value = model.ValueType{Basic: "string"}
	}
	for _, word := range strings.Split(found.Path, ".") {
		found.GoName += upperFirst(word)
	}
	inCollection := func(step model.Step) bool { return step.Op == model.StepEach || step.Op == model.StepKey }
	all := append(metadataFields(k), k.SelectableFields...)
	other := slices.IndexFunc(all, func(f *model.SelectableField) bool { return f.Path == found.Path || f.GoName == found.GoName })
	switch {
	case found.Path == "metadata" || strings.HasPrefix(found.Path, "metadata."):
		a.errs.Add(m.Pos, "servers select by metadata.name and metadata.namespace without a marker, and by no other metadata; "+
			"remove the marker")
	case field.Problem != "" && !field.EncodesItself:
		a.errs.Add(m.Pos, "selectable field: %s", field.Problem)
	case !strings.HasPrefix(v.Path.Text, "."):
		a.errs.Add(m.Pos, "servers do not accept the selectable field %s without a dot at the beginning; write JSONPath=.%s",
			found.Path, found.Path)
	case slices.ContainsFunc(field.Steps, inCollection):
		a.errs.Add(m.Pos, "a server cannot select by %s, which is in a list or a map; name a field that each object has once", found.Path)
	case other >= 0 && all[other].Path == found.Path:
		a.errs.Add(m.Pos, "%s has the selectable field %s twice; remove one of the markers", k.Name, found.Path)
	case other >= 0:
		a.errs.Add(m.Pos, "the selectable fields %s and %s of %s need the same constant %sField%s; remove one of the markers",
			found.Path, all[other].Path, k.Name, k.Name, found.GoName)
	case !token.IsIdentifier(found.GoName):
		a.errs.Add(m.Pos, "selectable field %s has no Go name, because %s is not an identifier; rename the field", found.Path, found.GoName)
	default:
		k.SelectableFields = append(k.SelectableFields, found)
	}
}

// metadataFields returns the fields by which every server selects.
func metadataFields(k *model.Kind) []*model.SelectableField {
	fields := []*model.SelectableField{{GoName: "Name", Path: "metadata.name", Value: model.ValueType{Basic: "string"}}}
	if k.Namespaced {
		namespace := &model.SelectableField{GoName: "Namespace", Path: "metadata.namespace", Value: model.ValueType{Basic: "string"}}
		fields = append(fields, namespace)
	}
	return fields
}
