package schemas

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// generator makes objects that more or less fit a schema.
type generator struct {
	*rand.Rand
	// wildness is how probable it is that a value does not fit, between 0 and 1.
	wildness float64
	// depth is how deep the value is that is made now.
	depth int
}

// words are strings that fit some formats, patterns and rules, or nearly do.
var words = []string{
	"", "a", "b", "red", "green", "name", "Ready", "True", "TCP", "UDP", "x1", "ABC", "much too long for most", "5", "-3", "20k", "1.5",
	"2026-11-23T01:02:03Z", "2026-11-23", "yesterday", "1h30m", "10.0.0.1", "10.0.0.0/8", "fe80::1", "00000000-1111-2222-3333-444444444444",
	"Zm9v", "%%%", "a@example.com", "example.com", "http://example.com/a", "ä€", "two words",
}

// resource returns an object of a schema, without apiVersion, kind and metadata.
func (r *generator) resource(schema *apiextensionsv1.JSONSchemaProps) map[string]any {
	object, _ := r.object(schema).(map[string]any)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(object, name)
	}
	return object
}

func (r *generator) wild() bool { return r.Float64() < r.wildness }

func (r *generator) value(s *apiextensionsv1.JSONSchemaProps) any {
	r.depth++
	defer func() { r.depth-- }()
	switch {
	case r.wild():
		return r.anything()
	case s.Nullable && r.IntN(4) == 0:
		return nil
	case len(s.Enum) > 0:
		var value any
		if err := json.Unmarshal(s.Enum[r.IntN(len(s.Enum))].Raw, &value); err != nil {
			panic(err)
		}
		return value
	case s.XIntOrString:
		if r.IntN(2) == 0 {
			return r.IntN(100)
		}
		return r.word(s)
	case s.XEmbeddedResource:
		return r.embedded(s)
	}
	switch s.Type {
	case "object":
		return r.object(s)
	case "array":
		return r.array(s)
	case "string":
		return r.word(s)
	case "integer":
		return r.integer(s)
	case "number":
		return float64(r.integer(s)) / 2
	case "boolean":
		return r.IntN(2) == 0
	}
	return r.anything()
}

// anything returns a value of any type.
func (r *generator) anything() any {
	switch r.IntN(8) {
	case 0:
		return nil
	case 1:
		return r.IntN(5) - 1
	case 2:
		return r.IntN(2) == 0
	case 3:
		return float64(r.IntN(100)) / 8
	case 4:
		return map[string]any{}
	case 5:
		return []any{"a", 1, nil}[:r.IntN(4)]
	case 6:
		return map[string]any{"x": "a", "metadata": r.word(&apiextensionsv1.JSONSchemaProps{}), "n": nil}
	}
	return words[r.IntN(len(words))]
}

func (r *generator) object(s *apiextensionsv1.JSONSchemaProps) any {
	object := map[string]any{}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		property := s.Properties[name]
		probability := 0.5
		if r.depth > 4 || len(names) > 20 {
			probability = 0.2
		}
		if slices.Contains(s.Required, name) {
			probability = 1 - r.wildness
		}
		if r.Float64() < probability {
			object[name] = r.value(&property)
		}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		for range r.IntN(4) {
			object[words[1+r.IntN(len(words)-1)]] = r.value(s.AdditionalProperties.Schema)
		}
	}
	if r.wild() || s.XPreserveUnknownFields != nil && r.IntN(2) == 0 {
		object["unknown"] = r.anything()
	}
	return object
}

func (r *generator) array(s *apiextensionsv1.JSONSchemaProps) any {
	if s.Items == nil || s.Items.Schema == nil {
		return []any{}
	}
	list := []any{}
	for range r.IntN(4) {
		list = append(list, r.value(s.Items.Schema))
	}
	if len(list) > 0 && r.wild() {
		list = append(list, list[0])
	}
	return list
}

func (r *generator) integer(s *apiextensionsv1.JSONSchemaProps) int64 {
	low, high := int64(-10), int64(60)
	if s.Minimum != nil && !r.wild() {
		low = int64(*s.Minimum) + 1
	}
	if s.Maximum != nil && !r.wild() {
		high = int64(*s.Maximum) - 1
	}
	if high <= low {
		return low
	}
	return low + r.Int64N(high-low)
}

// formatted has a word of each format.
var formatted = map[string]string{
	"date-time": "2026-11-23T01:02:03Z", "date": "2026-11-23", "duration": "1h30m", "ipv4": "10.0.0.1", "cidr": "10.0.0.0/8",
	"uuid": "00000000-1111-2222-3333-444444444444", "byte": "Zm9v", "email": "a@example.com", "k8s-short-name": "name",
	"uri": "http://example.com/a",
}

func (r *generator) word(s *apiextensionsv1.JSONSchemaProps) string {
	if word, ok := formatted[s.Format]; ok && !r.wild() {
		return word
	}
	if s.Pattern == "" && s.MaxLength == nil && s.MinLength == nil || r.wild() {
		return words[r.IntN(len(words))]
	}
	var fitting []string
	for _, word := range words {
		if s.MaxLength != nil && int64(len(word)) > *s.MaxLength || s.MinLength != nil && int64(len(word)) < *s.MinLength {
			continue
		}
		if strings.HasPrefix(s.Pattern, "^[a-z") && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
			continue
		}
		fitting = append(fitting, word)
	}
	if len(fitting) == 0 {
		return words[r.IntN(len(words))]
	}
	return fitting[r.IntN(len(fitting))]
}

// embedded returns an object with metadata.
func (r *generator) embedded(s *apiextensionsv1.JSONSchemaProps) any {
	object, _ := r.object(s).(map[string]any)
	metadata := map[string]any{"name": words[r.IntN(len(words))], "labels": map[string]any{"l": "x"}}
	if r.wild() {
		metadata["unknown"] = r.anything()
	}
	if r.wild() {
		metadata["name"] = r.anything()
	}
	if r.wild() {
		metadata["creationTimestamp"] = nil
	}
	object["apiVersion"], object["kind"], object["metadata"] = "v1", "Thing", metadata
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		switch {
		case r.wild():
			delete(object, name)
		case r.wild():
			object[name] = r.anything()
		}
	}
	return object
}
