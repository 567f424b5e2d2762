package markers

import "strings"

// argument is one of the key=value pairs of a marker. The value is empty without a =.
type argument struct {
	key, value string
}

// argumentsOf returns the arguments of a marker such as
//
//	+kubebuilder:resource:path=crontabs,scope=Cluster
//
// of which rest is :path, and value is crontabs,scope=Cluster. A comma in quotes, braces or
// brackets separates nothing.
func argumentsOf(rest, value string) []argument {
	text := strings.TrimPrefix(rest, ":")
	if value != "" {
		text += "=" + value
	}
	text = strings.TrimPrefix(text, "=") // +name=value has an argument without a key
	var arguments []argument
	for _, part := range splitOutside(text) {
		key, value, _ := strings.Cut(part, "=")
		arguments = append(arguments, argument{strings.TrimSpace(key), strings.Trim(strings.TrimSpace(value), "`\"")})
	}
	return arguments
}

// splitOutside splits at the commas that are not in quotes, braces or brackets.
func splitOutside(text string) []string {
	var parts []string
	start, depth, quote := 0, 0, byte(0)
	for i := range len(text) {
		c := text[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ',' && depth <= 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	if start < len(text) {
		parts = append(parts, text[start:])
	}
	return parts
}
