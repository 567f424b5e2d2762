package markers

import (
	"errors"
	"strconv"
	"strings"
)

// argument is one of the key=value pairs of a marker. The value is empty without a =.
type argument struct {
	key, value string
	// words are the elements of the value if it is a list: a;b or {a,b}.
	words []string
}

// arguments returns the arguments of a marker such as
//
//	+kubebuilder:resource:path=crontabs,scope=Cluster
//
// of which rest is :path, and value is crontabs,scope=Cluster. It follows controller-gen: a value in double quotes
// is a Go string, and one in backquotes has no escapes. Single quotes have no meaning. A mistake in the quotes is a
// problem of the marker. Then there are no arguments.
func (r reader) arguments() []argument {
	text := strings.TrimPrefix(r.rest, ":")
	if r.value != "" {
		text += "=" + r.value
	}
	text = strings.TrimPrefix(text, "=") // +name=value has an argument without a key
	quotes := "\"`"
	var mistake *quoteError
	if _, err := split(text, quotes, ","); errors.As(err, &mistake) && mistake.isOpen {
		quotes = `"` // a backquote that stands for itself, as in a regular expression
	}
	arguments, err := argumentsIn(text, quotes)
	if errors.As(err, &mistake) {
		r.problem("+"+r.Name+" has "+mistake.what, mistake.fix)
		return nil
	}
	return arguments
}

// text returns the value of a marker with one value, which may be in quotes. A mistake in the quotes is a problem of
// the marker.
func (r reader) text() string {
	value, err := Unquote(strings.TrimSpace(r.value))
	var mistake *quoteError
	if errors.As(err, &mistake) {
		r.problem("+"+r.Name+" has "+mistake.what, mistake.fix)
	}
	return value
}

// quoteError is a mistake in the quotes of a value.
type quoteError struct {
	what, fix string
	// isOpen reports whether the closing quote is missing.
	isOpen bool
}

func (e *quoteError) Error() string { return e.what + "; " + e.fix }

func argumentsIn(text, quotes string) (arguments []argument, err error) {
	parts, err := split(text, quotes, ",")
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		key, value, _ := strings.Cut(part, "=")
		a := argument{key: strings.TrimSpace(key), value: strings.TrimSpace(value)}
		list, isList := strings.CutPrefix(a.value, "{")
		words, err := split(strings.TrimSuffix(list, "}"), quotes, ",;")
		if err != nil {
			return nil, err
		}
		for _, word := range words {
			if word, err = unquote(strings.TrimSpace(word), quotes); err != nil {
				return nil, err
			}
			if word != "" {
				a.words = append(a.words, word)
			}
		}
		if len(words) == 1 && !isList {
			a.value = strings.Join(a.words, "")
		}
		arguments = append(arguments, a)
	}
	return arguments, nil
}

// Unquote returns the text of a value, which may have quotes.
func Unquote(value string) (string, error) { return unquote(value, "\"`") }

// unquote returns the text of a value without one of the quotes that it may begin with.
func unquote(value, quotes string) (string, error) {
	if value == "" || !strings.Contains(quotes, value[:1]) {
		return value, nil
	}
	end, err := quotedEnd(value)
	switch {
	case err != nil:
		return "", err
	case end < len(value):
		return "", &quoteError{what: "text after the quotes of " + value[:end],
			fix: "write all of the value in the quotes, or a comma after them"}
	}
	return strconv.Unquote(value)
}

// quotedEnd returns the length of the text in quotes at the beginning of a text.
func quotedEnd(text string) (int, error) {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == text[0]:
			if _, err := strconv.Unquote(text[:i+1]); err != nil {
				return 0, &quoteError{what: text[:i+1] + ", which is not a Go string", fix: `write \\ for a backslash, or use backquotes`}
			}
			return i + 1, nil
		case text[i] == '\\' && text[0] == '"':
			i++
		}
	}
	return 0, &quoteError{what: "a quote that is not closed: " + text, fix: `add the closing quote, or write \" within quotes`,
		isOpen: true}
}

// split splits a text at separators that are not in quotes, braces or brackets.
func split(text, quotes, separators string) (parts []string, err error) {
	start, depth := 0, 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case strings.IndexByte(quotes, c) >= 0:
			end, err := quotedEnd(text[i:])
			if err != nil {
				return nil, err
			}
			i += end - 1
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case depth <= 0 && strings.IndexByte(separators, c) >= 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	if start < len(text) {
		parts = append(parts, text[start:])
	}
	return parts, nil
}
