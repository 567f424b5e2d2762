package fields

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
)

// Configuration is the body of a server-side apply, in YAML or JSON.
type Configuration struct {
	body []byte
	// fields is nil until the body is decoded, for one that is not plain.
	fields map[string]any
	plain  bool
}

// ParseConfiguration checks that a body is YAML. The errors are as from an API server.
func ParseConfiguration(body []byte) (*Configuration, error) {
	c := &Configuration{body: body}
	// Clients send JSON, whose YAML parser takes far longer than JSON's own. It sees the same fields,
	// if none of them is there twice and if all numbers are integers.
	if duplicates, err := kjson.UnmarshalStrict(body, &c.fields); err == nil && len(duplicates) == 0 && !hasFloat(c.fields) {
		c.plain = true
		return c, nil
	}
	if _, err := yaml.ToJSON(body); err != nil {
		return nil, apierrors.NewBadRequest("error encoding patch: " + err.Error())
	}
	return c, nil
}

func hasFloat(v any) bool {
	switch v := v.(type) {
	case float64:
		return true
	case map[string]any:
		for _, field := range v {
			if hasFloat(field) {
				return true
			}
		}
	case []any:
		for _, element := range v {
			if hasFloat(element) {
				return true
			}
		}
	}
	return false
}

// Fields decodes the body.
func (c *Configuration) Fields() (map[string]any, error) {
	if c.plain {
		return c.fields, nil
	}
	var fields map[string]any
	if err := yaml.Unmarshal(c.body, &fields); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	return fields, nil
}

// Duplicates returns the error of a client that wants no fields twice, and the warnings of one that
// wants to be told of them.
func (c *Configuration) Duplicates() (warnings []string, err error) {
	if c.plain {
		return nil, nil
	}
	var fields map[string]any
	if err = yaml.UnmarshalStrict(c.body, &fields); err == nil {
		return nil, nil
	}
	_, lines, ok := strings.Cut(err.Error(), "yaml: unmarshal errors:\n")
	if !ok {
		lines = err.Error()
	}
	for line := range strings.SplitSeq(lines, "\n") {
		warnings = append(warnings, strings.TrimSpace(line))
	}
	return warnings, apierrors.NewBadRequest(fmt.Sprintf("error strict decoding patch: %v", err))
}
