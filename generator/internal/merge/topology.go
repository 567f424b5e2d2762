package merge

import (
	"go/token"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
)

// marker is a marker with its value.
type marker struct {
	// Name is the name as the user wrote it, such as k8s:listType.
	Name, Value string
	Pos         token.Position
}

// isSet reports whether the marker was found.
func (m marker) isSet() bool { return m.Name != "" }

// String returns the marker as the user wrote it.
func (m marker) String() string { return "+" + m.Name + "=" + m.Value }

// topology has the markers of a field or a type that describe how its value is merged.
type topology struct {
	listType, mapType, structType marker
	listMapKeys                   []marker
	// form is the form in JSON that a marker gives the value. The Go type may have another form. It
	// is empty without such a marker.
	form form
	// unknownForm is a marker with a form that JSON does not have. It gives the value no form.
	unknownForm marker
	// hasFormat reports whether a marker gives the value a format, such as email.
	hasFormat bool
	// preserves reports whether unknown fields are kept. embeds reports whether the value is an object with
	// a kind and metadata.
	preserves, embeds bool
	// defaultValue is the default.
	defaultValue marker
	// contradictory reports whether two markers contradict each other. The first one counts.
	contradictory bool
	// items are the markers for the elements of a list.
	items *topology
}

// form is a form in JSON.
type form string

const (
	formAny         form = "any"
	formArray       form = "array"
	formBoolean     form = "boolean"
	formInteger     form = "integer"
	formIntOrString form = "int-or-string"
	formNumber      form = "number"
	formObject      form = "object"
	formString      form = "string"
)

// forms are the forms that +kubebuilder:validation:Type can set.
var forms = []form{formArray, formBoolean, formInteger, formNumber, formObject, formString}

// extensions maps the extensions that +k8s:openapi-gen=x-kubernetes-…:value sets to the markers for them.
var extensions = map[string]string{
	"x-kubernetes-list-type":               "listType",
	"x-kubernetes-list-map-keys":           "listMapKey",
	"x-kubernetes-map-type":                "mapType",
	"x-kubernetes-preserve-unknown-fields": "kubebuilder:pruning:PreserveUnknownFields",
	"x-kubernetes-embedded-resource":       "kubebuilder:validation:EmbeddedResource",
	"x-kubernetes-int-or-string":           "kubebuilder:validation:XIntOrString",
}

// topologyOf reads the markers of a comment. conflict is called for each marker that contradicts an
// earlier one.
func topologyOf(comment input.Comment, conflict func(first, second marker)) topology {
	var found topology
	for _, m := range comment.Markers {
		found.add(parseMarker(m), conflict)
	}
	return found
}

func parseMarker(m input.CommentMarker) marker {
	name, value, _ := strings.Cut(m.Text, "=")
	name = strings.TrimSuffix(strings.TrimSpace(name), ":") // controller-gen accepts := too
	value = strings.TrimSpace(value)
	if name == "k8s:openapi-gen" {
		extension, of, _ := strings.Cut(value, ":")
		if known := extensions[extension]; known != "" {
			name, value = known, of
		}
	}
	return marker{Name: name, Value: value, Pos: m.Pos}
}

func (t *topology) add(m marker, conflict func(first, second marker)) {
	set := func(field *marker) {
		m.Value = unquoted(m.Value)
		if field.isSet() && field.Value != m.Value {
			t.contradictory = true
			conflict(*field, m)
			return
		}
		*field = m
	}
	switch m.Name {
	case "listType", "k8s:listType":
		set(&t.listType)
	case "listMapKey", "k8s:listMapKey":
		m.Value = unquoted(m.Value)
		for _, key := range t.listMapKeys {
			if key.Value == m.Value {
				return // declarative validation repeats the marker with its prefix
			}
		}
		t.listMapKeys = append(t.listMapKeys, m)
	case "mapType":
		set(&t.mapType)
	case "structType":
		set(&t.structType)
	case "default", "kubebuilder:default":
		if !t.defaultValue.isSet() {
			t.defaultValue = m
		}
	case "kubebuilder:validation:Type":
		m.Value = unquoted(m.Value)
		if m.Value != "" && !slices.Contains(forms, form(m.Value)) {
			t.unknownForm = m
			return
		}
		t.form = form(m.Value)
	case "kubebuilder:validation:Format":
		t.hasFormat = unquoted(m.Value) != "byte"
	case "kubebuilder:validation:XIntOrString":
		t.form = formIntOrString
	case "kubebuilder:validation:Schemaless":
		t.form = formAny
	case "kubebuilder:validation:XPreserveUnknownFields", "kubebuilder:pruning:PreserveUnknownFields":
		t.preserves = true
	case "kubebuilder:validation:XEmbeddedResource", "kubebuilder:validation:EmbeddedResource":
		t.embeds = true
	default:
		const prefix = "kubebuilder:validation:items:"
		if name, ok := strings.CutPrefix(m.Name, prefix); ok {
			if t.items == nil {
				t.items = &topology{}
			}
			m.Name = "kubebuilder:validation:" + name
			t.items.add(m, conflict)
		}
	}
}

// unquoted returns the text of a value. A value with a mistake in its quotes stays as it is.
func unquoted(value string) string {
	if text, err := markers.Unquote(value); err == nil {
		return text
	}
	return value
}

// over returns the topology of a field or a type whose own markers are t and whose type has the markers of
// under. The markers of t count first.
func (t topology) over(under topology) topology {
	if !t.listType.isSet() {
		t.listType = under.listType
		if len(t.listMapKeys) == 0 {
			t.listMapKeys = under.listMapKeys
		}
	}
	if !t.mapType.isSet() {
		t.mapType = under.mapType
	}
	if !t.structType.isSet() {
		t.structType = under.structType
	}
	if t.form == "" {
		t.form = under.form
	}
	if !t.defaultValue.isSet() {
		t.defaultValue = under.defaultValue
	}
	if t.items == nil {
		t.items = under.items
	}
	t.hasFormat = t.hasFormat || under.hasFormat
	t.preserves = t.preserves || under.preserves
	t.embeds = t.embeds || under.embeds
	return t
}
