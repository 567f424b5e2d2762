package markers

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

var methodKeys = []string{"verb", "subresource", "input", "result"}

// method reads +genclient:method. Types of the marker's own package are not looked up.
func (r reader) method() Value {
	pairs, err := split(r.value, "\"`", ",")
	var mistake *quoteError
	if errors.As(err, &mistake) {
		r.problem("+"+r.Name+" has "+mistake.what, mistake.fix)
		return Method{Pos: r.Pos}
	}
	if len(pairs) == 0 || strings.HasSuffix(r.value, ",") {
		pairs = append(pairs, "")
	}
	name, err := Unquote(strings.TrimSpace(pairs[0]))
	method := &Method{Name: name, Pos: r.Pos}
	switch {
	case method.Name == "" || err != nil || strings.Contains(pairs[0], "="):
		r.problem("+genclient:method does not begin with the name of the method",
			"write it as in +genclient:method=GetScale,verb=get,subresource=scale")
		return *method
	case !token.IsIdentifier(method.Name) || !token.IsExported(method.Name):
		r.problem(fmt.Sprintf("method %q does not have an exported name", method.Name),
			"write letters and digits, and a capital letter first")
		return *method
	}
	seen := map[string]bool{}
	for _, pair := range pairs[1:] {
		key, quoted, hasValue := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		value, err := Unquote(strings.TrimSpace(quoted))
		switch {
		case errors.As(err, &mistake):
			r.methodProblem(method, mistake.fix, "%s has %s", key, mistake.what)
		case !slices.Contains(methodKeys, key):
			r.methodProblem(method, spelling.Suggest(key, methodKeys, ""), "unknown key %q", key)
		case !hasValue || value == "":
			r.methodProblem(method, "write "+key+"=… or remove it", "%s has no value", key)
		case seen[key]:
			r.methodProblem(method, "remove one of the two", "%s is set twice", key)
		default:
			r.setMethod(method, key, value)
		}
		seen[key] = true
	}
	if !seen["verb"] {
		r.problem("method "+method.Name+" has no verb",
			fmt.Sprintf("write +genclient:method=%s,verb=%s", method.Name, probableVerb(method.Name)))
	}
	takesObject := (*model.Method)(method).TakesObject()
	if !method.Input.IsZero() && slices.Contains(model.MethodVerbs, method.Verb) && !takesObject {
		r.methodProblem(method, "remove it", "verb %s sends no object, so input has no effect", method.Verb)
	}
	return *method
}

func (r reader) methodProblem(m *Method, fix, format string, args ...any) {
	r.problem("method "+m.Name+": "+fmt.Sprintf(format, args...), fix)
}

// setMethod sets the value of one of methodKeys.
func (r reader) setMethod(m *Method, key, value string) {
	switch key {
	case "verb":
		m.Verb = model.Verb(value)
		switch {
		case slices.Contains(model.MethodVerbs, m.Verb):
		case slices.Contains(model.Verbs, m.Verb) || slices.Contains(model.ApplyVerbs, m.Verb):
			r.methodProblem(m, "use one of the verbs "+model.JoinVerbs(model.MethodVerbs)+
				", or write the method by hand in an expansion of the client",
				"verb %s is not available for +genclient:method", m.Verb)
		default:
			r.methodProblem(m, spelling.Suggest(value, model.MethodVerbs, ""), "unknown verb %q", value)
		}
	case "subresource":
		m.Subresource = value
		if !model.IsSubresource(value) {
			r.methodProblem(m, "write one name of letters and digits, such as subresource=scale",
				"subresource %q is not a single path element", value)
		}
	case "input", "result":
		ref, ok := ParseTypeRef(value)
		if !ok {
			r.methodProblem(m, "write a type of this package, such as Scale, "+
				"or one with its import path, such as k8s.io/api/autoscaling/v1.Scale", "%s %q is not a type", key, value)
		}
		if key == "input" {
			m.Input = ref
		} else {
			m.Result = ref
		}
	}
}

// probableVerb returns the verb with which the name begins, or get.
func probableVerb(name string) model.Verb {
	for _, verb := range model.MethodVerbs {
		if strings.HasPrefix(strings.ToLower(name), string(verb)) {
			return verb
		}
	}
	return "get"
}
