package render

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Definition returns an expression for a type of the schema, of the types in apply_shape.go.tmpl.
func (f *file) Definition(t model.SchemaType) code {
	var b strings.Builder
	f.writeAtom(&b, t.Atom)
	return code(b.String())
}

// writeRef writes an expression for the type of a field or an element.
func (f *file) writeRef(b *strings.Builder, ref model.SchemaRef) {
	if ref.Named == "" {
		f.writeAtom(b, ref.Inline)
		return
	}
	named := fmt.Sprintf("named(%q)", ref.Named)
	switch ref.Relationship {
	case model.Atomic:
		fmt.Fprintf(b, "atomic{%s}", named)
	case model.Separable:
		fmt.Fprintf(b, "granular{%s}", named)
	default:
		b.WriteString(named)
	}
}

func (f *file) writeAtom(b *strings.Builder, atom model.SchemaAtom) {
	var parts []func()
	if atom.Scalar != "" {
		parts = append(parts, func() { b.WriteString(f.name(atom.Scalar) + "Value") })
	}
	if atom.List != nil {
		parts = append(parts, func() { f.writeList(b, atom.List) })
	}
	if atom.Map != nil {
		parts = append(parts, func() { f.writeMap(b, atom.Map) })
	}
	if len(parts) == 1 {
		parts[0]()
		return
	}
	b.WriteString("anyOf{")
	for i, part := range parts {
		if i > 0 {
			b.WriteString(", ")
		}
		part()
	}
	b.WriteString("}")
}

func (f *file) writeList(b *strings.Builder, list *model.SchemaList) {
	switch {
	case list.Relationship != model.Associative:
		b.WriteString("list{")
	case len(list.Keys) == 0:
		b.WriteString("set{")
	default:
		b.WriteString("keyed{")
	}
	f.writeRef(b, list.Element)
	if list.Relationship == model.Associative && len(list.Keys) > 0 {
		b.WriteString(", keys{")
		for i, key := range list.Keys {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(strconv.Quote(key))
		}
		b.WriteString("}")
	}
	b.WriteString("}")
}

func (f *file) writeMap(b *strings.Builder, of *model.SchemaMap) {
	if of.Relationship == model.Atomic {
		b.WriteString("atomic{")
		defer b.WriteString("}")
	}
	if of.Element == nil {
		f.writeFields(b, of.Fields)
		return
	}
	if len(of.Fields) == 0 {
		b.WriteString("members{")
	} else {
		b.WriteString("open{")
		f.writeFields(b, of.Fields)
		b.WriteString(", ")
	}
	f.writeRef(b, *of.Element)
	b.WriteString("}")
}

func (f *file) writeFields(b *strings.Builder, fields []model.SchemaField) {
	b.WriteString("fields{")
	for _, field := range fields {
		fmt.Fprintf(b, "\n{%q, ", field.Name)
		if value := goLiteral(field.Default); value != "" {
			b.WriteString("or{")
			f.writeRef(b, field.Type)
			b.WriteString(", " + value + "}")
		} else {
			f.writeRef(b, field.Type)
		}
		b.WriteString("},")
	}
	b.WriteString("\n}")
}

// goLiteral returns a Go expression for a JSON scalar. It returns "" for other values: no list has them as
// keys.
func goLiteral(text string) string {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return ""
	}
	switch value := value.(type) {
	case string:
		return strconv.Quote(value)
	case float64, bool:
		return strings.TrimSpace(text)
	}
	return ""
}
