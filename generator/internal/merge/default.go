package merge

import (
	"encoding/json"
	"go/types"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// defaultValue returns the default of a field as JSON, or "". In packages of kube-openapi, a scalar that is
// always in JSON has its zero value as the default.
func (g *goSchema) defaultValue(field gotype.JSONField, markers topology, at site) string {
	t := field.Field.Type()
	for !markers.defaultValue.isSet() { // the markers of the type count after the markers of the field
		var next types.Type
		switch t := t.(type) {
		case *types.Pointer:
			next = t.Elem()
		case *types.Alias:
			markers, next = markers.over(g.topology(t.Obj(), at)), t.Rhs()
		case *types.Named:
			markers = markers.over(g.topology(t.Obj(), at))
		}
		if next == nil {
			break
		}
		t = next
	}
	if m := markers.defaultValue; m.isSet() {
		switch {
		case json.Valid([]byte(m.Value)):
			return m.Value
		case m.Name == "kubebuilder:default": // a string may have no quotes there, or the quotes of a Go string
			text, _ := json.Marshal(unquoted(m.Value))
			return string(text)
		}
		return ""
	}
	if !g.isOpenAPI(at.pkg) || field.OmitsEmpty {
		return ""
	}
	basic, ok := field.Field.Type().Underlying().(*types.Basic)
	switch {
	case !ok || gotype.DecodesItself(field.Field.Type()):
		return ""
	case field.Quoted || basic.Info()&types.IsString != 0:
		return `""`
	case basic.Info()&types.IsBoolean != 0:
		return "false"
	}
	return "0"
}

// keepDefaultsOfKeys removes the defaults of all fields that identify no element of a list. Structured merge
// reads no others.
func (g *goSchema) keepDefaultsOfKeys(schema *model.Schema) {
	keys := map[*model.SchemaMap]map[string]bool{}
	walk(schema, func(atom model.SchemaAtom) {
		if atom.List == nil {
			return
		}
		of := atom.List.Element.Inline.Map
		if atom.List.Element.Named != "" {
			of = g.maps[atom.List.Element.Named]
		}
		for _, key := range atom.List.Keys {
			if keys[of] == nil {
				keys[of] = map[string]bool{}
			}
			keys[of][key] = true
		}
	})
	walk(schema, func(atom model.SchemaAtom) {
		if atom.Map == nil {
			return
		}
		for i := range atom.Map.Fields {
			if field := &atom.Map.Fields[i]; !keys[atom.Map][field.Name] {
				field.Default = ""
			}
		}
	})
}

// walk calls visit with each atom of a schema.
func walk(schema *model.Schema, visit func(model.SchemaAtom)) {
	var atom func(model.SchemaAtom)
	atom = func(a model.SchemaAtom) {
		visit(a)
		if a.List != nil {
			atom(a.List.Element.Inline)
		}
		if a.Map != nil {
			for _, field := range a.Map.Fields {
				atom(field.Type.Inline)
			}
			if a.Map.Element != nil {
				atom(a.Map.Element.Inline)
			}
		}
	}
	for _, t := range schema.Types {
		atom(t.Atom)
	}
}
