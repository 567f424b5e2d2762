package fieldmask

import (
	"fmt"
	"strings"
)

// Path leads from an object to a field. It goes through the items of lists: spec.containers.image is the image of each
// container.
type Path []Step

// Step is a member of an object.
type Step struct {
	// Name is the JSON name of a field, or the key of a map.
	Name string
	// IsKey is set for the key of a map.
	IsKey bool
}

// Parse reads a path such as spec.containers.image or metadata.annotations[example.com/owner].
func Parse(text string) (Path, error) {
	var path Path
	for rest, isFirst := text, true; rest != ""; isFirst = false {
		if inner, is := strings.CutPrefix(rest, "["); is && !isFirst {
			key, after, closed := strings.Cut(inner, "]")
			switch {
			case key == "" || key == "*":
				return nil, fmt.Errorf("%q has brackets without a key; write %s, which goes through the items of a list", text, strings.NewReplacer("[]", "", "[*]", "").Replace(text))
			case strings.HasPrefix(key, "?"):
				return nil, fmt.Errorf("%q chooses items of a list, which no path can; leave [%s] out for all items", text, key)
			case !closed:
				return nil, fmt.Errorf("%q has a bracket that does not end; write the key of a map as metadata.labels[app]", text)
			}
			path, rest = append(path, Step{key, true}), after
			continue
		}
		if !isFirst {
			if rest[0] != '.' {
				return nil, fmt.Errorf("%q has %q after a key; write a dot before the name of a field", text, rest)
			}
			rest = rest[1:]
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			path = nil
			break
		}
		path, rest = append(path, Step{Name: rest[:end]}), rest[end:]
	}
	if path == nil {
		return nil, fmt.Errorf("%q is no path; write the names of fields in JSON with dots between them, such as spec.containers.image, and the key of a map in brackets, such as metadata.labels[app]", text)
	}
	return path, nil
}

// String returns the text that Parse reads.
func (p Path) String() string {
	var text strings.Builder
	for i, step := range p {
		switch {
		case step.IsKey:
			text.WriteString("[" + step.Name + "]")
		case i > 0:
			text.WriteString("." + step.Name)
		default:
			text.WriteString(step.Name)
		}
	}
	return text.String()
}

// covers reports whether p leads to other, or to a field around it.
func (p Path) covers(other Path) bool {
	if len(p) > len(other) {
		return false
	}
	for i := range p {
		if p[i] != other[i] {
			return false
		}
	}
	return true
}
