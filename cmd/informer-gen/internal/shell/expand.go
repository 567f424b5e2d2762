package shell

import (
	"path/filepath"
	"regexp"
	"strings"
)

// Words returns the words of a command after all expansions.
func (s *Scope) Words(command Command) []string {
	var words []string
	for _, raw := range command.Words {
		words = append(words, s.expand(raw)...)
	}
	return words
}

// expand returns the words that a raw word gives. It is one word, unless a variable outside of quotes has spaces.
func (s *Scope) expand(raw string) []string {
	e := expansion{scope: s}
	e.text(raw, false)
	if e.isWord {
		e.words = append(e.words, e.word.String())
	}
	return e.words
}

type expansion struct {
	scope *Scope
	words []string
	word  strings.Builder
	// isWord is set if the word exists, although it may be empty.
	isWord bool
}

func (e *expansion) write(text string) {
	e.word.WriteString(text)
	e.isWord = true
}

// split writes the value of an expansion outside of quotes.
func (e *expansion) split(value string) {
	for n, field := range strings.Fields(value) {
		if n > 0 || strings.HasPrefix(value, " ") {
			e.end()
		}
		e.write(field)
	}
	if strings.HasSuffix(value, " ") {
		e.end()
	}
}

func (e *expansion) end() {
	if e.isWord {
		e.words = append(e.words, e.word.String())
	}
	e.word.Reset()
	e.isWord = false
}

func (e *expansion) text(raw string, quoted bool) {
	if quoted {
		e.isWord = true
	}
	for len(raw) > 0 {
		part := raw[:partLength(raw)]
		if strings.HasPrefix(raw, "$") && len(part) == 1 {
			part = raw[:variableLength(raw, e.scope.Make)]
		}
		if quoted && part[0] == '\'' {
			part = "'"
		}
		raw = raw[len(part):]
		switch {
		case part == "$" && !quoted && strings.HasPrefix(raw, "'"): // $',' is ','
		case len(part) > 1 && part[0] == '\\':
			if quoted && !strings.ContainsAny(part[1:], "$`\"\\\n") {
				e.write("\\")
			}
			e.write(part[1:])
		case len(part) > 1 && part[0] == '\'':
			e.write(strings.TrimSuffix(part[1:], "'"))
		case len(part) > 1 && part[0] == '"':
			e.text(strings.TrimSuffix(part[1:], `"`), true)
		case len(part) > 1 && (part[0] == '$' || part[0] == '`'):
			if value := e.scope.dollar(part); quoted && !elements.MatchString(part) {
				e.write(value)
			} else {
				e.split(value)
			}
		default:
			e.write(part)
		}
	}
}

var shellName = regexp.MustCompile(`^\$([A-Za-z_][A-Za-z_0-9]*|[0-9@*#?!-])`)

// variableLength returns the length of a variable without braces at the begin of a text.
func variableLength(text string, inMake bool) int {
	if inMake {
		if rest, ok := strings.CutPrefix(text, "$$"); ok {
			if rest == "" {
				return len(text)
			}
			return 1 + max(partLength("$"+rest), variableLength("$"+rest, false))
		}
		return min(2, len(text))
	}
	return max(1, len(shellName.FindString(text)))
}

// dollar returns the value of a part that begins with a dollar or is in backticks.
func (s *Scope) dollar(part string) string {
	if s.Make {
		if rest, ok := strings.CutPrefix(part, "$$"); ok {
			inShell := *s
			inShell.Make = false
			return inShell.dollar("$" + rest)
		}
		name := strings.Trim(part[1:], "(){}")
		if script, ok := strings.CutPrefix(name, "shell "); ok {
			return s.output(script)
		}
		return s.variable(name)
	}
	switch {
	case part[0] == '`':
		return s.output(strings.Trim(part, "`"))
	case strings.HasPrefix(part, "$("):
		return s.output(strings.TrimSuffix(part[2:], ")"))
	case strings.HasPrefix(part, "${"):
		return s.parameter(strings.TrimSuffix(part[2:], "}"))
	}
	return s.variable(part[1:])
}

// parameter matches the inside of ${}: a name, an index, a prefix of all elements, a default.
var parameter = regexp.MustCompile(`^([A-Za-z_][A-Za-z_0-9]*|[0-9@*])(\[[0@*]\])?(?:/#/([^/*?].*))?(:?[-=](.*))?$`)

// elements matches the expansion of an array to a word for each element.
var elements = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z_0-9]*\[@\]`)

var leadingName = regexp.MustCompile(`^[A-Za-z_0-9]*`)

// parameter returns the value of what is in ${}.
func (s *Scope) parameter(text string) string {
	match := parameter.FindStringSubmatch(text)
	if match == nil { // another expansion, such as ${NAME%/}
		return unknown + leadingName.FindString(text) + unknown
	}
	value := s.variable(match[1])
	if match[4] != "" && (value == "" || Unknown(value) != "") {
		return strings.Join(s.expand(match[5]), " ")
	}
	if match[2] == "" {
		return value
	}
	values, prefix := strings.Fields(value), strings.Join(s.expand(match[3]), " ")
	for n := range values {
		values[n] = prefix + values[n]
	}
	separator := " "
	if fields := s.variables["IFS"]; fields != "" && match[2] == "[*]" {
		separator = fields[:1]
	}
	return strings.Join(values, separator)
}

func (s *Scope) variable(name string) string {
	switch name {
	case "0", "BASH_SOURCE":
		return s.File
	case "PWD", "CURDIR":
		return s.Dir
	}
	if value, ok := s.variables[name]; ok {
		return value
	}
	return unknown + name + unknown
}

// output returns what a script prints, if it is one of the idioms that find the folder of the script, the repository or the module.
func (s *Scope) output(script string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(script), " ")
	printed, inner := unknown+"$("+name+"…)"+unknown, s.Clone()
	for _, command := range Parse(script) {
		var words []string
		for _, word := range inner.Words(command) {
			if !strings.ContainsAny(word, "<>") && word != "--" {
				words = append(words, word)
			}
		}
		switch text := strings.Join(words, " "); {
		case len(words) == 0 || words[0] == "unset":
		case len(words) == 1 && assignment.MatchString(command.Words[0]):
			inner.Run(command)
		case words[0] == "cd":
			inner.Run(Command{Words: words})
		case text == "pwd" || text == "pwd -P" || text == "pwd -L":
			printed = inner.Dir
		case text == "git rev-parse --show-toplevel":
			printed = s.Repository
		case text == "go list -m":
			printed = s.ModulePath
		case len(words) == 2 && words[0] == "dirname":
			printed = filepath.Dir(inner.Path(words[1]))
		case words[0] == "realpath" || words[0] == "readlink":
			printed = filepath.Clean(inner.Path(words[len(words)-1]))
		case words[0] == "echo":
			printed = strings.Join(words[1:], " ")
		default:
			return unknown + "$(" + words[0] + "…)" + unknown
		}
	}
	return printed
}
