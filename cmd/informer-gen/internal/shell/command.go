package shell

import (
	"slices"
	"strings"
)

// Command is a simple command of a text: words up to a separator of commands.
type Command struct {
	// Start and End are offsets of the text, and Line is the line of Start, from 1.
	Start, End, Line int
	// Words are as they are written, with quotes.
	Words []string
}

// Parse returns the commands of a text. Keywords and parentheses separate commands, so those in functions and branches are found too.
func Parse(text string) []Command {
	p := parser{text: text}
	for p.next() {
	}
	p.end()
	return p.commands
}

type parser struct {
	text     string
	at       int
	commands []Command
	current  Command
	// heredocs are the delimiters of the bodies that begin in the next line.
	heredocs []string
}

// keywords begin commands, but are no commands themselves.
var keywords = []string{"if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}", "time"}

// next reads a word or a separator, and reports whether there was one.
func (p *parser) next() bool {
	if p.at >= len(p.text) {
		return false
	}
	switch c := p.text[p.at]; {
	case strings.HasPrefix(p.text[p.at:], "\\\n"):
		p.at += 2
	case c == ' ' || c == '\t' || c == '\r':
		p.at++
	case c == '#':
		p.at += lineLength(p.text[p.at:])
	case c == '\n':
		p.end()
		p.at++
		p.skipHeredocs()
	case strings.IndexByte(";&|()", c) >= 0:
		p.end()
		p.at++
	case strings.HasPrefix(p.text[p.at:], "<<") && !strings.HasPrefix(p.text[p.at:], "<<<"):
		p.at += len("<<")
		p.at += len(p.text[p.at:]) - len(strings.TrimLeft(p.text[p.at:], "- \t"))
		p.heredocs = append(p.heredocs, strings.Trim(p.word(), `'"\`))
	default:
		p.add()
	}
	return true
}

func (p *parser) add() {
	start := p.at
	word := p.word()
	if len(p.current.Words) == 0 {
		if slices.Contains(keywords, word) {
			return
		}
		p.current.Start, p.current.Line = start, 1+strings.Count(p.text[:start], "\n")
	}
	p.current.Words = append(p.current.Words, word)
	p.current.End = p.at
}

func (p *parser) end() {
	if len(p.current.Words) > 0 {
		p.commands = append(p.commands, p.current)
	}
	p.current = Command{}
}

// skipHeredocs skips the bodies of here-documents at the begin of a line.
func (p *parser) skipHeredocs() {
	for _, delimiter := range p.heredocs {
		for p.at < len(p.text) {
			line := p.text[p.at : p.at+lineLength(p.text[p.at:])]
			p.at = min(p.at+len(line)+1, len(p.text))
			if strings.TrimLeft(line, "\t") == delimiter {
				break
			}
		}
	}
	p.heredocs = nil
}

// word reads a word.
func (p *parser) word() string {
	start := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case strings.HasPrefix(p.text[p.at:], "\\\n"):
			return p.text[start:p.at]
		case c == '(' && (p.text[p.at-1] == '=' || p.text[p.at-1] == '<') && p.at > start: // an array, or the output of a process
			p.at += closing(p.text[p.at:])
		case strings.IndexByte(" \t\r\n;&|()", c) >= 0:
			if c == '&' && p.at > start && (p.text[p.at-1] == '>' || p.text[p.at-1] == '<') { // 2>&1
				p.at++
				continue
			}
			return p.text[start:p.at]
		default:
			p.at += partLength(p.text[p.at:])
		}
	}
	return p.text[start:]
}

// partLength returns the length of a quoted text, an expansion or a letter at the begin of a text.
func partLength(text string) int {
	switch {
	case text[0] == '\\':
		return min(2, len(text))
	case text[0] == '\'':
		if end := strings.IndexByte(text[1:], '\''); end >= 0 {
			return end + 2
		}
		return len(text)
	case text[0] == '`':
		if end := strings.IndexByte(text[1:], '`'); end >= 0 {
			return end + 2
		}
		return len(text)
	case text[0] == '"':
		for at := 1; at < len(text); {
			if text[at] == '"' {
				return at + 1
			}
			if text[at] == '\'' {
				at++
				continue
			}
			at += partLength(text[at:])
		}
		return len(text)
	case strings.HasPrefix(text, "$(") || strings.HasPrefix(text, "${"):
		return 1 + closing(text[1:])
	}
	return 1
}

// closing returns the length of a text in parentheses or braces, which are its first letter and a later one.
func closing(text string) int {
	closers := map[byte]byte{'(': ')', '{': '}'}
	closer := closers[text[0]]
	for at := 1; at < len(text); {
		switch text[at] {
		case closer:
			return at + 1
		case text[0]:
			at += closing(text[at:])
		default:
			at += partLength(text[at:])
		}
	}
	return len(text)
}

func lineLength(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}
