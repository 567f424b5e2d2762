package table

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// path is a JSONPath of a column, in the dialect of kubectl, without range and end.
type path []step

// step turns the values that the steps before it have found into those that it finds in them.
type step interface {
	walk(values []any) ([]any, error)
}

// find returns the values at the path in an object. A field that is missing is no error.
func (p path) find(object any) ([]any, error) {
	return p.walk([]any{object})
}

func (p path) walk(values []any) ([]any, error) {
	for _, s := range p {
		var err error
		if values, err = s.walk(values); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// field selects a field of each object.
type field string

func (f field) walk(values []any) ([]any, error) {
	var found []any
	for _, value := range values {
		if object, ok := value.(map[string]any); ok {
			if v, ok := object[string(f)]; ok {
				found = append(found, v)
			}
		}
	}
	return found, nil
}

// constant is a number, a boolean or a quoted string.
type constant struct{ value any }

func (c constant) walk(values []any) ([]any, error) {
	if _, text := c.value.(string); text {
		return []any{c.value}, nil
	}
	return slices.Repeat([]any{c.value}, len(values)), nil
}

// unknownWord is a word that is neither true nor false.
type unknownWord string

func (w unknownWord) walk([]any) ([]any, error) {
	return nil, fmt.Errorf("unrecognized identifier %q", string(w))
}

// wildcard selects the values in each object, list and string.
type wildcard struct{}

func (wildcard) walk(values []any) ([]any, error) {
	var found []any
	for _, value := range values {
		found = append(found, contents(value)...)
	}
	return found, nil
}

// contents are the values in a value: those of an object by the names of their fields, and the bytes of a
// string.
func contents(value any) []any {
	switch value := value.(type) {
	case map[string]any:
		var found []any
		for _, name := range slices.Sorted(maps.Keys(value)) {
			found = append(found, value[name])
		}
		return found
	case []any:
		return value
	case string:
		found := make([]any, len(value))
		for i := range len(value) {
			found[i] = value[i]
		}
		return found
	}
	return nil
}

// descent selects each value that has others in it, at any depth.
type descent struct{}

func (d descent) walk(values []any) ([]any, error) {
	var found []any
	for _, value := range values {
		inner := contents(value)
		if len(inner) == 0 {
			continue
		}
		deeper, _ := d.walk(inner)
		found = append(append(found, value), deeper...)
	}
	return found, nil
}

// elements selects elements of each list, as [from:to:step] says. A missing bound is nil.
type elements struct {
	from, to, step *int
	single         bool // [from]
}

func (e elements) walk(values []any) ([]any, error) {
	var found []any
	for _, value := range values {
		if value == nil {
			continue
		}
		list, ok := value.([]any)
		if !ok {
			return nil, fmt.Errorf("%T is not a list", value)
		}
		part, err := e.slice(list)
		if err != nil {
			return nil, err
		}
		if part == nil {
			return found, nil // an empty range ends the search
		}
		found = append(found, part...)
	}
	return found, nil
}

// slice returns the elements of one list, or nil if the range is empty.
func (e elements) slice(list []any) ([]any, error) {
	from, to := 0, len(list)
	if e.from != nil {
		from = *e.from
	}
	if e.to != nil {
		to = *e.to
	}
	if e.single {
		to = from + 1
	}
	if to < 0 || to == 0 && e.single {
		to += len(list)
	}
	if from < 0 {
		from += len(list)
	}
	switch {
	case from == to:
		return nil, nil
	case from < 0 || from >= len(list) || to < 0 || to > len(list) || from > to:
		return nil, fmt.Errorf("index [%d:%d] out of bounds: the list has %d elements", from, to, len(list))
	}
	step := 1
	if e.step != nil {
		step = *e.step
	}
	if step <= 0 {
		return nil, fmt.Errorf("step %d is not positive", step)
	}
	var found []any
	for i := from; i < to; i += step {
		found = append(found, list[i])
	}
	return found, nil
}

// union selects what each of its paths selects.
type union []path

func (u union) walk(values []any) ([]any, error) {
	var found []any
	for _, p := range u {
		part, err := p.walk(values)
		if err != nil {
			return nil, err
		}
		found = append(found, part...)
	}
	return found, nil
}

// filter selects the elements of each list for which a comparison holds. Without an operator, it
// selects those that have the left path.
type filter struct {
	left, right path
	operator    string
}

func (f filter) walk(values []any) ([]any, error) {
	var found []any
	for _, value := range values {
		list, ok := value.([]any)
		if !ok {
			return nil, fmt.Errorf("%T is not a list and cannot be filtered", value)
		}
		for _, element := range list {
			ok, err := f.holds(element)
			if err != nil {
				return nil, err
			}
			if ok {
				found = append(found, element)
			}
		}
	}
	return found, nil
}

func (f filter) holds(element any) (bool, error) {
	lefts, err := f.left.find(element)
	if f.operator == "" {
		return len(lefts) > 0, nil
	}
	if err != nil || len(lefts) == 0 {
		return false, err
	}
	rights, err := f.right.find(element)
	if err != nil || len(rights) == 0 {
		return false, err
	}
	if len(lefts) > 1 || len(rights) > 1 {
		return false, fmt.Errorf("a comparison needs one element on each side")
	}
	return compare(lefts[0], f.operator, rights[0])
}

// compare reports whether a comparison of two values of the same type holds.
func compare(a any, operator string, b any) (bool, error) {
	order := 0
	a, b = integer(a), integer(b)
	switch a := a.(type) {
	case bool:
		other, ok := b.(bool)
		switch {
		case ok && operator == "==":
			return a == other, nil
		case ok && operator == "!=":
			return a != other, nil
		}
		return false, fmt.Errorf("a boolean cannot be compared by %q with %T", operator, b)
	case string:
		other, ok := b.(string)
		if !ok {
			return false, fmt.Errorf("a string cannot be compared with %T", b)
		}
		order = cmp.Compare(a, other)
	case int64:
		other, ok := b.(int64)
		if !ok {
			return false, fmt.Errorf("an integer cannot be compared with %T", b)
		}
		order = cmp.Compare(a, other)
	case float64:
		other, ok := b.(float64)
		if !ok {
			return false, fmt.Errorf("a number cannot be compared with %T", b)
		}
		order = cmp.Compare(a, other)
	default:
		return false, fmt.Errorf("%T cannot be compared", a)
	}
	switch operator {
	case "==":
		return order == 0, nil
	case "!=":
		return order != 0, nil
	case "<":
		return order < 0, nil
	case "<=":
		return order <= 0, nil
	case ">":
		return order > 0, nil
	case ">=":
		return order >= 0, nil
	}
	return false, fmt.Errorf("unrecognized operator %q", operator)
}

// integer makes an int64 of an int, which only a constant has.
func integer(value any) any {
	if i, ok := value.(int); ok {
		return int64(i)
	}
	return value
}

// number reads a number, as an integer if it is one. An int is no value of an object, so that a column
// does not show a constant as an integer, as it does not in an API server.
func number(text string) (constant, error) {
	if i, err := strconv.Atoi(text); err == nil {
		return constant{i}, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return constant{}, fmt.Errorf("%q is not a number", text)
	}
	return constant{f}, nil
}

// unquote removes the quotes around a string and resolves what is escaped in it.
func unquote(text string) (string, error) {
	inner, quote := text[1:len(text)-1], text[0]
	if !strings.Contains(inner, `\`) {
		return inner, nil
	}
	var plain strings.Builder
	for inner != "" {
		char, _, rest, err := strconv.UnquoteChar(inner, quote)
		if err != nil {
			return "", fmt.Errorf("%s: %w", text, err)
		}
		plain.WriteRune(char)
		inner = rest
	}
	return plain.String(), nil
}
