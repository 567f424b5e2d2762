package render

import (
	"fmt"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// ValueType returns the type of a parameter for a value: the named type, or the predeclared one.
func (f *file) ValueType(v model.ValueType) string {
	if v.Named.Name == "" {
		return v.Basic
	}
	return f.Type(v.Named)
}

// IndexArgument is like indexValue for a parameter of type ValueType.
func (f *file) IndexArgument(v model.ValueType, expr string) code {
	v.Defined = v.Named.Name != ""
	return code(f.indexValue(v, expr))
}

// indexValue returns an expression that converts a value to the key of an index.
func (f *file) indexValue(v model.ValueType, expr string) string {
	convert := func(to string) string {
		if v.Basic == to && !v.Defined {
			return expr
		}
		return to + "(" + expr + ")"
	}
	switch {
	case v.Basic == "string":
		return convert("string")
	case v.Basic == "bool":
		return "strconv.FormatBool(" + convert("bool") + ")"
	case strings.HasPrefix(v.Basic, "uint"):
		return "strconv.FormatUint(" + convert("uint64") + ", 10)"
	}
	return "strconv.FormatInt(" + convert("int64") + ", 10)"
}

// IndexBody returns the statements that return the keys of obj. A nil pointer or a missing map key on
// the path to a value leaves the value out.
func (f *file) IndexBody(index *model.Index) code {
	var body []string
	single := index.Field.Single()
	if !single {
		body = append(body, "var values []string")
	}
	expr, leave, depth, variables := "obj", "return nil", 0, 0
	atPointer := false // expr is a pointer, which a selector dereferences
	for _, step := range index.Field.Steps {
		if atPointer && step.Op != model.StepField {
			expr = "(*" + expr + ")"
		}
		atPointer = false
		switch step.Op {
		case model.StepField:
			expr += "." + f.name(step.Name)
		case model.StepPointer:
			body = append(body, "if "+expr+" == nil {", leave, "}")
			atPointer = true
		case model.StepEach:
			depth++
			i := string(rune('h' + depth))
			body = append(body, fmt.Sprintf("for %s := range %s {", i, expr))
			expr, leave = expr+"["+i+"]", "continue"
		case model.StepKey:
			variables++
			v := fmt.Sprintf("v%d", variables)
			body = append(body, fmt.Sprintf("%s, ok := %s[%q]", v, expr, step.Name), "if !ok {", leave, "}")
			expr = v
		}
	}
	if atPointer {
		expr = "*" + expr
	}
	key := f.indexValue(index.Field.Value, expr)
	if single {
		return statements(append(body, "return []string{"+key+"}"))
	}
	body = append(body, "values = append(values, "+key+")")
	for range depth {
		body = append(body, "}")
	}
	return statements(append(body, "return values"))
}

func statements(lines []string) code { return code(strings.Join(lines, "\n")) }
