package faithful

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Differences compares two answers field by field.
func Differences(want, got string) []Difference {
	if want == got {
		return nil
	}
	var differences []Difference
	compare("", parse(want), parse(got), &differences)
	return differences
}

// Difference is a field of an answer that differs.
type Difference struct {
	// Path is code, header.Name, or the JSON path of a field below body.
	Path string
	// Want is the value in the script, and Got that of the answer, or nothing.
	Want, Got string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s\n    want %s\n    got  %s", d.Path, d.Want, d.Got)
}

// parse returns an answer as a tree: its first line, its headers and its body.
func parse(answer string) map[string]any {
	tree := map[string]any{}
	head, body, _ := strings.Cut(answer, "\n\t")
	lines := strings.Split(head, "\n")
	tree["code"] = lines[0]
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		if before, ok := tree["header."+name].(string); ok {
			value = before + "\n" + value
		}
		tree["header."+name] = value
	}
	if body == "" {
		return tree
	}
	body = strings.ReplaceAll(body, "\n\t", "\n")
	var parsed any
	if err := yaml.Unmarshal([]byte(body), &parsed); err != nil {
		parsed = body
	}
	tree["body"] = parsed
	return tree
}

const nothing = "nothing"

func compare(path string, want, got any, out *[]Difference) {
	wantMap, ok1 := want.(map[string]any)
	gotMap, ok2 := got.(map[string]any)
	if ok1 && ok2 {
		keys := append(sorted(wantMap), sorted(gotMap)...)
		slices.Sort(keys)
		for _, key := range slices.Compact(keys) {
			compareFields(join(path, key), wantMap, gotMap, key, out)
		}
		return
	}
	wantList, ok1 := want.([]any)
	gotList, ok2 := got.([]any)
	if ok1 && ok2 {
		for i := range max(len(wantList), len(gotList)) {
			at := fmt.Sprintf("%s[%d]", path, i)
			switch {
			case i >= len(wantList):
				*out = append(*out, Difference{at, nothing, show(gotList[i])})
			case i >= len(gotList):
				*out = append(*out, Difference{at, show(wantList[i]), nothing})
			default:
				compare(at, wantList[i], gotList[i], out)
			}
		}
		return
	}
	if a, b := show(want), show(got); a != b {
		*out = append(*out, Difference{path, a, b})
	}
}

func compareFields(path string, want, got map[string]any, key string, out *[]Difference) {
	a, inWant := want[key]
	b, inGot := got[key]
	switch {
	case !inWant:
		*out = append(*out, Difference{path, nothing, show(b)})
	case !inGot:
		*out = append(*out, Difference{path, show(a), nothing})
	default:
		compare(path, a, b, out)
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// show prints a value in one line.
func show(value any) string {
	if text, ok := value.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	encoded, err := yaml.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if encoded, err = yaml.YAMLToJSON(encoded); err != nil {
		return fmt.Sprint(value)
	}
	return string(encoded)
}
