package markers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

// always returns a function that reads a marker without a value. client-gen ignores a value of its markers.
func always(v Value) func(reader) Value {
	return func(r reader) Value {
		if value := strings.TrimSpace(r.value); value == "false" {
			r.Problems = append(r.Problems, Problem{What: "+" + r.Text[1:] + " means the same as +" + r.Name,
				Fix: "remove the marker, or its value", Done: "the value is ignored"})
		}
		return v
	}
}

// oneOf reports a value that is not among those that an argument may have. It reports whether the value is known.
func (r reader) oneOf(argument, value string, known ...string) bool {
	if slices.Contains(known, value) {
		return true
	}
	r.Problems = append(r.Problems, Problem{
		What: fmt.Sprintf("+%s: unknown %s %q", r.Name, argument, value),
		Fix:  spelling.Suggest(value, known, ""), Done: "the " + argument + " is ignored",
	})
	return false
}

func readGenclient(r reader) Value {
	v := Genclient{Off: r.value == "false"}
	option := strings.TrimSpace(r.value)
	switch {
	case r.value == "":
		return v
	case r.value != option && slices.Contains(r.options, option):
		r.problem("+genclient "+option+" is not a marker", "did you mean +genclient:"+option+"?")
	default:
		r.problem("+genclient="+r.value+" is not a marker", "write +genclient, or remove the marker to generate nothing for "+r.on)
	}
	if !v.Off {
		r.Problems[len(r.Problems)-1].Done = "it is read as +genclient"
	}
	return v
}

func readResourceName(r reader) Value {
	if r.value == "" {
		r.problem("+resourceName has no value", "write the name of the resource, such as +resourceName="+strings.ToLower(r.on)+
			"s, or remove the marker")
	}
	return ResourceName(r.text())
}

// verbs reads the value of onlyVerbs and skipVerbs.
func (r reader) verbs() []model.Verb {
	var verbs []model.Verb
	known := slices.Concat(model.Verbs, model.ApplyVerbs)
	text := r.text()
	if len(r.Problems) > 0 {
		return nil
	}
	for _, word := range strings.Split(text, ",") {
		verb := model.Verb(strings.TrimSpace(word))
		if slices.Contains(known, verb) {
			verbs = append(verbs, verb)
			continue
		}
		r.Problems = append(r.Problems, Problem{
			What: fmt.Sprintf("+%s: unknown verb %q", r.Name, verb),
			Fix:  spelling.Suggest(string(verb), known, ""), Done: "the verb is ignored",
		})
	}
	return verbs
}

func readRoot(r reader) Value {
	value := strings.TrimSpace(r.value)
	if value == "false" {
		return Other{}
	}
	if value != "" {
		r.oneOf("value", value, "true", "false")
	}
	return Root{}
}

func readResource(r reader) Value {
	var v Resource
	for _, argument := range r.arguments() {
		switch argument.key {
		case "path":
			v.Path = argument.value
		case "scope":
			if r.oneOf("scope", argument.value, "Namespaced", "Cluster") {
				v.Scope = argument.value
			}
		case "singular":
			v.Singular = argument.value
		case "shortName":
			v.ShortNames = argument.words
		case "categories":
			v.Categories = argument.words
		default:
			r.oneOf("argument", argument.key, "path", "scope", "singular", "shortName", "categories")
		}
	}
	return v
}

func readScale(r reader) Value {
	var v Scale
	for _, argument := range r.arguments() {
		switch argument.key {
		case "specpath":
			v.Spec = fieldPath(argument.value)
		case "statuspath":
			v.Status = fieldPath(argument.value)
		case "selectorpath":
			v.Selector = fieldPath(argument.value)
		default:
			r.oneOf("argument", argument.key, "specpath", "statuspath", "selectorpath")
		}
	}
	lacking := ""
	switch {
	case len(r.Problems) > 0:
	case v.Spec.Text == "":
		lacking = "specpath"
	case v.Status.Text == "":
		lacking = "statuspath"
	}
	if lacking != "" {
		r.problem("+"+r.Name+" has no "+lacking, "write +"+r.Name+":specpath=.spec.replicas,statuspath=.status.replicas")
	}
	return v
}

func readIndex(r reader) Value {
	const form = "write +" + IndexName + ":name=byNodeName,path=spec.nodeName"
	var v Index
	for _, argument := range r.arguments() {
		switch argument.key {
		case "name":
			v.Name = argument.value
		case "path":
			v.Path = fieldPath(argument.value)
		default:
			r.problem(fmt.Sprintf("+%s has no argument %q", IndexName, argument.key), form)
			return v
		}
	}
	switch {
	case len(r.Problems) > 0:
	case v.Name == "":
		r.problem("+"+IndexName+" has no name", form)
	case strings.TrimPrefix(v.Path.Text, ".") == "":
		r.problem("+"+IndexName+" has no path", form)
	}
	return v
}

func readSelectableField(r reader) Value {
	for _, argument := range r.arguments() {
		if argument.key == "JSONPath" && argument.value != "" {
			return SelectableField{fieldPath(argument.value)}
		}
	}
	if len(r.Problems) == 0 {
		r.problem("+"+SelectableFieldName+" has no path", "write +"+SelectableFieldName+":JSONPath=.spec.color")
	}
	return SelectableField{}
}

func fieldPath(text string) FieldPath {
	path, err := ParsePath(text)
	if err != nil {
		return FieldPath{Text: text, Problem: err.Error()}
	}
	return FieldPath{Text: text, Path: path}
}

func readView(r reader) Value {
	var v View
	if r.rest == "" {
		v.Of, _ = ParseTypeRef(r.value)
	}
	if !v.Of.IsZero() {
		return v
	}
	form := "+" + ViewName + "=Foo for a kind of this package, or +" + ViewName + "=k8s.io/api/core/v1.Pod"
	if unquoted := strings.Trim(r.value, "`\"'"); unquoted != r.value && unquoted != "" {
		form = "it without quotes: +" + ViewName + "=" + unquoted
	}
	r.problem(r.Text+" does not name a kind", "write "+form)
	return v
}
