package faithful

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Script is a file of cases.
type Script struct {
	// Path is where the file is.
	Path string
	// Name is the name of the file without its extension.
	Name string
	// preamble is the comment before the first case.
	preamble []string
	Cases    []*Case
}

// Case is a sequence of requests in a namespace of its own.
type Case struct {
	Title string
	Line  int
	// comment has the lines after the title.
	comment []string
	Steps   []*Step
}

// Step is a request, and what the real server answers.
type Step struct {
	Line int
	// Given requests have to succeed and have no answer.
	Given bool
	// Method and Path are a request, or EVENTS or COMPACT with its arguments.
	Method, Path string
	// Header has the lines of the header.
	Header []string
	// Body has no indentation. Nil is no body.
	Body *string
	// Encode, if not nil, encodes the body before it is sent. Scripts do not have it.
	Encode func(body string) (string, error)
	// Answer is empty if none has been recorded.
	Answer string
}

var (
	requestLine = regexp.MustCompile(`^(given )?(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE|EVENTS|COMPACT)(?: (.*))?$`)
	answerLine  = regexp.MustCompile(`^([0-9]{3}|events|end of events|done)$`)
	headerLine  = regexp.MustCompile(`^[A-Z][A-Za-z0-9-]*:`)
)

// ReadScripts reads the scripts of a directory, in the order of their names.
func ReadScripts(dir string) ([]*Script, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has no scripts", dir)
	}
	slices.Sort(paths)
	var scripts []*Script
	for _, path := range paths {
		script, err := ReadScript(path)
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, script)
	}
	return scripts, nil
}

// ReadScript reads one file.
func ReadScript(path string) (*Script, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	script := &Script{Path: path, Name: strings.TrimSuffix(filepath.Base(path), ".txt")}
	titles := map[string]bool{}
	var (
		current *Case
		step    *Step
		answer  bool // lines belong to the answer of step
	)
	fail := func(line int, format string, args ...any) (*Script, error) {
		return nil, fmt.Errorf("%s:%d: %s", path, line, fmt.Sprintf(format, args...))
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if title, ok := strings.CutPrefix(line, "=== "); ok {
			if titles[title] {
				return fail(number, "a second case with the title %q; give each its own", title)
			}
			titles[title] = true
			current, step, answer = &Case{Title: title, Line: number}, nil, false
			script.Cases = append(script.Cases, current)
			continue
		}
		if current == nil {
			script.preamble = append(script.preamble, line)
			continue
		}
		if match := requestLine.FindStringSubmatch(line); match != nil {
			step, answer = &Step{Line: number, Given: match[1] != "", Method: match[2], Path: match[3]}, false
			current.Steps = append(current.Steps, step)
			continue
		}
		switch {
		case step == nil && (line == "" || strings.HasPrefix(line, "#")):
			current.comment = append(current.comment, line)
		case line == "":
			// Cases are separated by an empty line, and answers may have one.
			if answer {
				step.Answer += "\n"
			}
		case step == nil:
			return fail(number, "want a request, found %q", line)
		case answerLine.MatchString(line) && !answer:
			answer = true
			step.Answer += line + "\n"
		case answer:
			step.Answer += line + "\n"
		case headerLine.MatchString(line):
			step.Header = append(step.Header, line)
		case strings.HasPrefix(line, "\t"):
			if step.Body == nil {
				step.Body = new(string)
			} else {
				*step.Body += "\n"
			}
			*step.Body += line[1:]
		default:
			return fail(number, "want a request, a header, or a body that is indented by a tab, found %q", line)
		}
	}
	for _, c := range script.Cases {
		if len(c.Steps) == 0 {
			return fail(c.Line, "case %q has no request", c.Title)
		}
		for _, step := range c.Steps {
			step.Answer = strings.TrimRight(step.Answer, "\n")
		}
	}
	return script, lines.Err()
}

// NeedsSchema reports whether the cases are about the schema of a CustomResourceDefinition.
func (s *Script) NeedsSchema() bool { return s.Name == "schema" }

// Format returns the script as the content of a file.
func (s *Script) Format() []byte {
	var out bytes.Buffer
	write := func(lines ...string) {
		for _, line := range lines {
			out.WriteString(line + "\n")
		}
	}
	write(s.preamble...)
	for i, c := range s.Cases {
		if i > 0 {
			write("")
		}
		write("=== " + c.Title)
		write(c.comment...)
		for _, step := range c.Steps {
			line := step.Method
			if step.Path != "" {
				line += " " + step.Path
			}
			if step.Given {
				line = "given " + line
			}
			write(line)
			write(step.Header...)
			if step.Body != nil {
				for line := range strings.SplitSeq(*step.Body, "\n") {
					write("\t" + line)
				}
			}
			if step.Answer != "" {
				write(step.Answer)
			}
		}
	}
	return out.Bytes()
}
