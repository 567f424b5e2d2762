package selection

import (
	"fmt"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest/internal/builtin"
	"github.com/typedinformers/informer-gen/apitest/internal/history"
)

// Kind has the facts about a kind that a selection has to know.
type Kind struct {
	schema.GroupVersionKind
	Resource   schema.GroupResource
	Namespaced bool
	// BuiltIn reports whether the kind is one of Kubernetes and not a custom resource.
	BuiltIn bool
	// Fields are the fields of field selectors, besides the name and the namespace.
	Fields []builtin.Field
}

// label checks that a field selector may name a field. It has the form of a TransformFunc of
// package fields.
func (k Kind) label(label, value string) (string, string, error) {
	switch label {
	case "metadata.name":
		return label, value, nil
	case "metadata.namespace":
		if k.selectsNamespace() {
			return label, value, nil
		}
		return "", "", k.notSupported(label)
	}
	for _, field := range k.Fields {
		if field.Name == label {
			return label, value, nil
		}
	}
	return "", "", k.notSupported(label)
}

// selectsNamespace reports whether metadata.namespace is a field of field selectors. The kinds of
// Kubernetes without fields of their own have it even if they are cluster-scoped.
func (k Kind) selectsNamespace() bool {
	switch {
	case k.BuiltIn && len(k.Fields) == 0:
		return true
	case k.BuiltIn && k.Resource == schema.GroupResource{Group: "certificates.k8s.io", Resource: "podcertificaterequests"}:
		return false
	}
	return k.Namespaced
}

// notSupported is the error for a field that the kind does not have.
func (k Kind) notSupported(label string) error {
	switch {
	case k.BuiltIn && len(k.Fields) == 0:
		return fmt.Errorf("%q is not a known field selector: only %q, %q", label, "metadata.name", "metadata.namespace")
	case k.BuiltIn && k.Resource == schema.GroupResource{Group: "batch", Resource: "jobs"}:
		return fmt.Errorf("field label %q not supported for Job", label)
	case k.BuiltIn && k.Resource == schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceslices"}:
		return fmt.Errorf("field label not supported for %s: %s", k.GroupVersionKind, label)
	}
	return fmt.Errorf("field label not supported: %s", label)
}

// objectFields has the fields of an object for a field selector.
type objectFields struct {
	fields.Fields // nil: it has the methods that a later version of apimachinery adds

	fields []builtin.Field
	state  *history.State
}

// Has reports whether a field exists. No selector asks for it.
func (o objectFields) Has(label string) bool { return o.Get(label) != "" }

// Get returns the value of a field.
func (o objectFields) Get(label string) string {
	switch label {
	case "metadata.name":
		return o.state.Name
	case "metadata.namespace":
		return o.state.Namespace
	}
	for _, field := range o.fields {
		if field.Name == label {
			return valueOf(o.state.Object, field)
		}
	}
	return ""
}

// valueOf returns a field of an object as text.
func valueOf(object map[string]any, field builtin.Field) string {
	var value any = object
	for _, name := range field.Path {
		parent, _ := value.(map[string]any)
		value = parent[name]
	}
	if value == nil {
		return field.Default
	}
	return fmt.Sprint(value)
}

// objectLabels has the labels of an object for a label selector.
type objectLabels struct {
	labels.Labels // nil: it has the methods that a later version of apimachinery adds

	values map[string]any
}

// labelsOf returns the labels of an object.
func labelsOf(state *history.State) objectLabels {
	metadata, _ := state.Object["metadata"].(map[string]any)
	values, _ := metadata["labels"].(map[string]any)
	return objectLabels{values: values}
}

// Has reports whether a label exists.
func (o objectLabels) Has(label string) bool {
	_, has := o.values[label]
	return has
}

// Get returns the value of a label.
func (o objectLabels) Get(label string) string {
	value, _ := o.values[label].(string)
	return value
}

// Lookup returns the value of a label, and reports whether it exists.
func (o objectLabels) Lookup(label string) (string, bool) {
	return o.Get(label), o.Has(label)
}
