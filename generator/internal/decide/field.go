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
	index := &model.Index{Name: v.Name, Path: strings.TrimPrefix(v.Path.Text, "."), Field: t.Fields[v.Path.Text]}
	switch {
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

func (a *assembly) addSelectableField(t *input.Type, k *model.Kind, m markers.Marker, v markers.SelectableField) {
	if a.refuse(m) {
		return
	}
	path := strings.TrimPrefix(v.Path.Text, ".")
	field := t.Fields[v.Path.Text]
	switch {
	case path == "metadata" || strings.HasPrefix(path, "metadata."):
		a.errs.Add(m.Pos, "every server selects by metadata.name and metadata.namespace, and by no other metadata; remove the marker")
		return
	case field.Problem != "" && !field.EncodesItself:
		a.errs.Add(m.Pos, "selectable field: %s", field.Problem)
		return
	}
	value := field.Value
	if field.EncodesItself {
		value = model.ValueType{Basic: "string"}
	}
	for _, step := range field.Steps {
		if step.Op == model.StepEach || step.Op == model.StepKey {
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
	k.SelectableFields = append(k.SelectableFields, &model.SelectableField{GoName: goName, Path: path, Value: value, Pos: m.Pos})
}

// metadataFields returns the fields by which every server selects.
func metadataFields(k *model.Kind) []*model.SelectableField {
	fields := []*model.SelectableField{{GoName: "Name", Path: "metadata.name", Value: model.ValueType{Basic: "string"}}}
	if k.Namespaced {
		fields = append(fields, &model.SelectableField{GoName: "Namespace", Path: "metadata.namespace", Value: model.ValueType{Basic: "string"}})
	}
	return fields
}
