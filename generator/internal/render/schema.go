package render

import (
	"encoding/json"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// The format of sigs.k8s.io/structured-merge-diff in JSON.
type (
	schemaAtom struct {
		Scalar string      `json:"scalar,omitempty"`
		List   *schemaList `json:"list,omitempty"`
		Map    *schemaMap  `json:"map,omitempty"`
	}
	schemaRef struct {
		NamedType string `json:"namedType,omitempty"`
		schemaAtom
		ElementRelationship model.Relationship `json:"elementRelationship,omitempty"`
	}
	schemaList struct {
		ElementType         schemaRef          `json:"elementType"`
		ElementRelationship model.Relationship `json:"elementRelationship,omitempty"`
		Keys                []string           `json:"keys,omitempty"`
	}
	schemaMap struct {
		Fields              []schemaField      `json:"fields,omitempty"`
		ElementType         *schemaRef         `json:"elementType,omitempty"`
		ElementRelationship model.Relationship `json:"elementRelationship,omitempty"`
	}
	schemaField struct {
		Name    string          `json:"name"`
		Type    schemaRef       `json:"type"`
		Default json.RawMessage `json:"default,omitempty"`
	}
)

// SchemaText returns the schema as JSON, with a line for each type and for each of its fields.
func (f *file) SchemaText() (string, error) {
	text := &schemaWriter{}
	text.WriteString(`{"types":[`)
	for i, t := range f.Set.Apply.Schema.Types {
		text.next(i)
		text.typeDef(t)
	}
	text.WriteString("\n]}\n")
	return text.String(), text.err
}

// schemaWriter writes JSON. err is the first error.
type schemaWriter struct {
	strings.Builder
	err error
}

// next begins the line of an element.
func (w *schemaWriter) next(i int) {
	if i > 0 {
		w.WriteString(",")
	}
	w.WriteString("\n")
}

// typeDef writes a type, with each field of a map on a line.
func (w *schemaWriter) typeDef(t model.SchemaType) {
	type named struct {
		Name string `json:"name"`
		schemaAtom
	}
	atom := atomOf(t.Atom)
	object := atom.Map
	if object == nil || len(object.Fields) == 0 {
		w.WriteString(w.compact(named{t.Name, atom}))
		return
	}
	atom.Map = nil
	w.WriteString(strings.TrimSuffix(w.compact(named{t.Name, atom}), "}") + `,"map":{"fields":[`)
	for i, field := range object.Fields {
		w.next(i)
		w.WriteString(w.compact(field))
	}
	w.WriteString("]")
	object.Fields = nil
	if rest := strings.TrimPrefix(w.compact(object), "{"); rest != "}" {
		w.WriteString("," + rest + "}")
		return
	}
	w.WriteString("}}")
}

// compact returns JSON on one line, with all characters as they are.
func (w *schemaWriter) compact(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil && w.err == nil {
		w.err = err
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func atomOf(atom model.SchemaAtom) schemaAtom {
	of := schemaAtom{Scalar: atom.Scalar}
	if list := atom.List; list != nil {
		of.List = &schemaList{refOf(list.Element), model.Atomic, nil}
		if list.Relationship == model.Associative {
			of.List.ElementRelationship, of.List.Keys = model.Associative, list.Keys
		}
	}
	if object := atom.Map; object != nil {
		of.Map = &schemaMap{}
		if object.Relationship == model.Atomic {
			of.Map.ElementRelationship = model.Atomic
		}
		if object.Element != nil {
			element := refOf(*object.Element)
			of.Map.ElementType = &element
		}
		for _, field := range object.Fields {
			of.Map.Fields = append(of.Map.Fields, schemaField{field.Name, refOf(field.Type), scalarOf(field.Default)})
		}
	}
	return of
}

func refOf(ref model.SchemaRef) schemaRef {
	if ref.Named != "" {
		return schemaRef{NamedType: ref.Named, ElementRelationship: ref.Relationship}
	}
	return schemaRef{schemaAtom: atomOf(ref.Inline)}
}

// scalarOf returns a default that is a scalar, or nil: no list has other values as keys.
func scalarOf(text string) json.RawMessage {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return nil
	}
	switch value.(type) {
	case string, float64, bool:
		return json.RawMessage(strings.TrimSpace(text))
	}
	return nil
}
