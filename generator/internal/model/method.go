package model

import (
	"go/token"
	"slices"
	"strings"
)

// Verb is a method of a typed client.
type Verb string

// DeleteWithResult is a verb of client-gen since v0.38. The markers onlyVerbs and skipVerbs may name it with any
// version, so one set of markers fits all.
const DeleteWithResult Verb = "deleteWithResult"

// Verbs are all verbs, in the order of client-gen.
var Verbs = []Verb{"create", "update", "updateStatus", "delete", DeleteWithResult, "deleteCollection", "get", "list", "watch", "patch"}

// ApplyVerbs need an apply configuration package. The markers onlyVerbs and skipVerbs may
// name them without one.
var ApplyVerbs = []Verb{"apply", "applyStatus"}

// ReadOnlyVerbs are the verbs of +genclient:readonly.
var ReadOnlyVerbs = []Verb{"get", "list", "watch"}

// Method is a method of a typed client in addition to the verbs.
type Method struct {
	Name string
	Verb Verb
	// Subresource is the subresource that the method requests, or "" for the object itself.
	// The caller of a patch may name another one: the methods of client-gen ignore this one,
	// so code that was written for them names it and has to keep working.
	Subresource string
	// Input is the type of the object that the method sends: the kind if the marker names no
	// type, and its apply configuration for the verb apply. It is zero if TakesObject is false.
	Input TypeRef
	// Result is the type that the method returns: the kind if the marker names no type, and
	// the list of it for the verb list.
	Result TypeRef
	// FromScale reports whether the marker is +kubebuilder:subresource:scale. A method of the user's replaces such a method.
	FromScale bool
	// Pos is the marker.
	Pos token.Position
}

// Has reports whether the method is of a verb. It takes a string for templates.
func (m *Method) Has(verb string) bool { return m.Verb == Verb(verb) }

// TakesObject reports whether the method has an Input.
func (m *Method) TakesObject() bool { return slices.Contains(inputVerbs, m.Verb) }

// MethodVerbs are the verbs that +genclient:method may name.
var MethodVerbs = []Verb{"get", "list", "create", "update", "patch", "apply"}

// inputVerbs are the MethodVerbs that send an object.
var inputVerbs = []Verb{"create", "update", "apply"}

// TypeRef names a type of a package.
type TypeRef struct {
	// Path is the import path.
	Path, Name string
}

// IsZero reports whether r names no type.
func (r TypeRef) IsZero() bool { return r == TypeRef{} }

// OpenAPIName returns the name of the type in OpenAPI documents, such as io.k8s.api.core.v1.Pod. It follows
// runtime.Scheme.ToOpenAPIDefinitionName.
func (r TypeRef) OpenAPIName() string {
	parts := strings.Split(r.Path+"."+r.Name, "/")
	host := strings.Split(parts[0], ".")
	slices.Reverse(host)
	parts[0] = strings.Join(host, ".")
	return strings.Join(parts, ".")
}

// JoinVerbs returns a list of verbs for a message.
func JoinVerbs(verbs []Verb) string {
	words := make([]string, len(verbs))
	for i, verb := range verbs {
		words[i] = string(verb)
	}
	return strings.Join(words, ", ")
}
