package shell

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Scope is what is known at a command of a script. Run changes it, so it belongs to one reader.
type Scope struct {
	// File is the script, and Repository and Module the root folders that it is in. All are absolute.
	File, Repository string
	// ModulePath is the path of the module that the script is in.
	ModulePath string
	// Dir is the working folder.
	Dir string
	// Make is set for a makefile, in which $(NAME) is a variable and $$ a dollar of the shell.
	Make bool

	variables map[string]string
}

// unknown marks both ends of the name of a part without a known value.
const unknown = "\x00"

// Unknown returns the name of the first part of a word whose value is unknown; "" if all of it is known.
func Unknown(word string) string {
	_, rest, _ := strings.Cut(word, unknown)
	name, _, _ := strings.Cut(rest, unknown)
	return name
}

// CutUnknown returns what is after a part without a known value that a word begins with. That part has the name.
func CutUnknown(word string) (name, rest string, ok bool) {
	if rest, ok = strings.CutPrefix(word, unknown); !ok {
		return "", "", false
	}
	return strings.Cut(rest, unknown)
}

// Set sets a variable to a value that is already expanded.
func (s *Scope) Set(name, value string) {
	if s.variables == nil {
		s.variables = map[string]string{}
	}
	s.variables[name] = value
}

// VariablesOf returns the variables whose value is a part without a known value, which has the name.
func (s *Scope) VariablesOf(name string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.variables)), func(n string) bool { return s.variables[n] != unknown+name+unknown })
}

var assignment = regexp.MustCompile(`^([A-Za-z_][A-Za-z_0-9]*)(\+?)=`)

// positional matches the unknown value of an argument of the script.
var positional = regexp.MustCompile("^" + unknown + "[0-9]+" + unknown + "$")

// declarations are commands whose arguments are assignments.
var declarations = []string{"export", "readonly", "local", "declare", "typeset"}

// Run does what a command does to the variables and to the working folder.
func (s *Scope) Run(command Command) {
	words := command.Words
	if slices.Contains(declarations, words[0]) {
		words = slices.DeleteFunc(slices.Clone(words[1:]), func(word string) bool { return strings.HasPrefix(word, "-") })
	} else if words[0] == "for" && len(words) > 1 || words[0] == "read" {
		for _, word := range words[1:] {
			s.Set(word, unknown+word+unknown)
		}
		return
	} else if words[0] == "cd" || words[0] == "pushd" {
		if to := s.Words(command)[1:]; len(to) == 1 {
			s.Dir = s.Path(to[0])
		}
		return
	} else if !assignment.MatchString(words[len(words)-1]) {
		return // variables before a command are only for the command
	}
	for _, word := range words {
		match := assignment.FindStringSubmatch(word)
		if match == nil {
			continue
		}
		value := s.value(strings.TrimPrefix(word, match[0]))
		if match[2] != "" {
			separator := ""
			if strings.HasPrefix(word[len(match[0]):], "(") {
				separator = " "
			}
			value = s.variables[match[1]] + separator + value
		}
		if positional.MatchString(value) {
			delete(s.variables, match[1]) // its own name tells more
			continue
		}
		s.Set(match[1], value)
	}
}

// value returns the value of an assignment. That of an array has spaces between its elements.
func (s *Scope) value(raw string) string {
	if inner, ok := strings.CutPrefix(raw, "("); ok {
		var values []string
		for _, command := range Parse(strings.TrimSuffix(inner, ")")) {
			values = append(values, s.Words(command)...)
		}
		return strings.Join(values, " ")
	}
	return strings.Join(s.expand(raw), " ")
}

// Path returns a path that is relative to the working folder, or absolute, as an absolute one. One that is not known stays.
func (s *Scope) Path(path string) string {
	switch {
	case strings.HasPrefix(path, unknown):
		return path
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	case Unknown(s.Dir) != "":
		return s.Dir + "/" + path
	}
	return filepath.Join(s.Dir, path)
}

// Clone returns a scope whose changes the first one does not see.
func (s *Scope) Clone() *Scope {
	clone := *s
	clone.variables = maps.Clone(s.variables)
	return &clone
}
