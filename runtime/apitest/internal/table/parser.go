package table

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// parser reads a path.
type parser struct {
	text  string
	steps path
}

// parse reads a JSONPath without the braces around it, such as .spec.replicas.
func parse(text string) (path, error) {
	p := &parser{text: text}
	for p.text != "" {
		// A path ends at a closing brace, as in the templates of kubectl.
		if p.text[0] == '}' {
			break
		}
		if err := p.next(); err != nil {
			return nil, fmt.Errorf("path %q at %q: %w", text, p.text, err)
		}
	}
	return p.steps, nil
}

func (p *parser) add(s step) { p.steps = append(p.steps, s) }

// next reads one step.
func (p *parser) next() error {
	first := rune(p.text[0])
	switch {
	case strings.HasPrefix(p.text, "[?("):
		return p.filter()
	case strings.HasPrefix(p.text, ".."):
		return p.descent()
	case first == '.':
		p.text = p.text[1:]
		p.field()
		return nil
	case first == '[':
		return p.brackets()
	case first == '"' || first == '\'':
		return p.quoted()
	case first == ' ' || first == '@' || first == '$':
		p.text = p.text[1:]
		return nil
	case first == '+' || first == '-' || unicode.IsDigit(first):
		return p.number()
	case wordStart(p.text):
		p.word()
		return nil
	}
	return fmt.Errorf("a field begins with a dot")
}

// terminators end the name of a field.
const terminators = " \t\r\n.,[]$@{}"

func wordStart(text string) bool {
	for _, char := range text {
		return char == '_' || unicode.IsLetter(char) || unicode.IsDigit(char)
	}
	return false
}

// field reads the name of a field, in which a backslash makes the next character part of it.
func (p *parser) field() {
	end := 0
	for end < len(p.text) && !strings.ContainsRune(terminators, rune(p.text[end])) {
		if p.text[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(p.text))
	name := p.text[:end]
	p.text = p.text[end:]
	if name == "*" {
		p.add(wildcard{})
		return
	}
	p.add(field(strings.ReplaceAll(name, `\`, "")))
}

func (p *parser) descent() error {
	if n := len(p.steps); n > 0 && p.steps[n-1] == (step)(descent{}) {
		return fmt.Errorf("two recursive descents in a row")
	}
	p.text = p.text[2:]
	p.add(descent{})
	if wordStart(p.text) {
		p.field()
	}
	return nil
}

func (p *parser) number() error {
	end := 1
	for end < len(p.text) && (p.text[end] == '.' || unicode.IsDigit(rune(p.text[end]))) {
		end++
	}
	n, err := number(p.text[:end])
	p.add(n)
	p.text = p.text[end:]
	return err
}

func (p *parser) word() {
	end := strings.IndexAny(p.text, terminators)
	if end < 0 {
		end = len(p.text)
	}
	switch word := p.text[:end]; word {
	case "true", "false":
		p.add(constant{word == "true"})
	default:
		p.add(unknownWord(word))
	}
	p.text = p.text[end:]
}

func (p *parser) quoted() error {
	for end := 1; end < len(p.text) && p.text[end] != '\n'; end++ {
		if p.text[end] == p.text[0] && p.text[end-1] != '\\' {
			text, err := unquote(p.text[:end+1])
			p.add(constant{text})
			p.text = p.text[end+1:]
			return err
		}
	}
	return fmt.Errorf("a quote is not closed")
}

var (
	quotedName = regexp.MustCompile(`^'([^']*)'$`)
	sliceBound = regexp.MustCompile(`^(-?\d*)(:-?\d*)?(:-?\d*)?$`)
)

// brackets reads the name of a field, an index, a slice, or several of them after commas.
func (p *parser) brackets() error {
	end := strings.IndexAny(p.text, "]\n")
	if end < 0 || p.text[end] == '\n' {
		return fmt.Errorf("a bracket is not closed")
	}
	inner := p.text[1:end]
	s, err := bracket(inner)
	if err != nil {
		return err
	}
	p.text = p.text[end+1:]
	p.steps = append(p.steps, s...)
	return nil
}

func bracket(inner string) (path, error) {
	if parts := strings.Split(inner, ","); len(parts) > 1 {
		var all union
		for _, part := range parts {
			one, err := bracket(strings.Trim(part, " "))
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
		return path{all}, nil
	}
	if inner == "*" {
		inner = ":"
	}
	if name := quotedName.FindStringSubmatch(inner); name != nil {
		return parse("." + name[1])
	}
	bounds := sliceBound.FindStringSubmatch(inner)
	if bounds == nil {
		return nil, fmt.Errorf("%q is not an index", inner)
	}
	var e elements
	for i, into := range []**int{&e.from, &e.to, &e.step} {
		digits := strings.TrimPrefix(bounds[i+1], ":")
		if digits == "" {
			continue
		}
		n, err := strconv.Atoi(digits)
		if err != nil {
			return nil, fmt.Errorf("%q is not an index", digits)
		}
		*into = &n
	}
	e.single = bounds[2] == ""
	return path{e}, nil
}

var comparison = regexp.MustCompile(`^([^!<>=]+)([!<>=]+)(.+?)$`)

// filter reads a condition such as [?(@.type=="Ready")].
func (p *parser) filter() error {
	inner, rest, err := cutFilter(p.text[len("[?("):])
	if err != nil {
		return err
	}
	parts := comparison.FindStringSubmatch(inner)
	if parts == nil {
		parts = []string{inner, inner, "", ""}
	}
	f := filter{operator: parts[2]}
	if f.left, err = parse(parts[1]); err != nil {
		return err
	}
	if f.right, err = parse(parts[3]); err != nil {
		return err
	}
	p.text = rest
	p.add(f)
	return nil
}

// cutFilter splits text after the condition that it begins with. A parenthesis in quotes does not end
// the condition.
func cutFilter(text string) (inner, rest string, err error) {
	var quote byte
	closed := false
	for i := 0; i < len(text) && text[i] != '\n'; i++ {
		switch char := text[i]; {
		case (char == '"' || char == '\'') && quote == 0:
			quote = char
		case quote != 0 && char == quote && text[i-1] != '\\':
			closed = true
		case char == ')' && (quote == 0 || closed):
			if i+1 == len(text) || text[i+1] != ']' {
				return "", "", fmt.Errorf("a condition ends with )]")
			}
			return text[:i], text[i+2:], nil
		}
	}
	return "", "", fmt.Errorf("a condition is not closed; it ends with )]")
}
