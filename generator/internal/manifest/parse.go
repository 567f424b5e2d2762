package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// documents parses YAML or JSON. With an error, it returns the documents before the mistake.
func (f *manifestFile) documents(content []byte) ([]*yaml.Node, *model.Error) {
	if bytes.HasPrefix(bytes.TrimLeft(content, " \t\r\n"), []byte("{")) {
		documents, offset, err := parseJSON(content)
		if err == nil || strings.HasSuffix(f.name, ".json") {
			return documents, f.syntaxError(positionAt(content, offset), err)
		}
		// YAML may begin with a brace too.
	}
	if offset := tooManyTags(content); offset >= 0 {
		return nil, f.syntaxError(positionAt(content, offset), errManyTags)
	}
	documents, err := parseYAML(bytes.NewReader(content))
	if err == nil {
		return documents, nil
	}
	search := lineSearch{content: content}
	return documents, f.syntaxError(token.Position{Line: search.badLine(err)}, err)
}

func (f *manifestFile) syntaxError(pos token.Position, err error) *model.Error {
	if err == nil {
		return nil
	}
	pos.Filename = f.name
	return model.Errorf(pos, "this file of CRDs does not parse: %s; fix it, or name other files with --crd",
		lineInError.ReplaceAllString(err.Error(), ""))
}

// positionAt returns the line and column of a byte.
func positionAt(content []byte, offset int) token.Position {
	before := content[:offset]
	return token.Position{Line: 1 + bytes.Count(before, []byte("\n")), Column: len(before) - bytes.LastIndexByte(before, '\n')}
}

// lineInError matches the beginning of an error of the YAML parser. The line is often the one before the
// mistake, or the one where a whole mapping begins.
var lineInError = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// lineOf returns the line in an error of the YAML parser, or 1.
func lineOf(err error) int {
	if match := lineInError.FindStringSubmatch(err.Error()); match != nil {
		if line, err := strconv.Atoi(match[1]); err == nil && line > 0 {
			return line
		}
	}
	return 1
}

// maxTags is how many %TAG directives a file may have. The YAML parser compares each with all others,
// and CRDs have none.
const maxTags = 100

var errManyTags = fmt.Errorf("it has more than %d %%TAG directives", maxTags)

// tooManyTags returns the offset of the first %TAG directive after maxTags of them, or -1.
func tooManyTags(content []byte) int {
	const directive = "\n%TAG"
	offset := 0
	for range maxTags + 1 {
		at := bytes.Index(content[offset:], []byte(directive))
		if at < 0 {
			return -1
		}
		offset += at + len(directive)
	}
	return offset - len("%TAG")
}

func parseYAML(content io.Reader) (documents []*yaml.Node, err error) {
	decoder := yaml.NewDecoder(content)
	for {
		var document yaml.Node
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return documents, nil
		case err != nil:
			return documents, err
		}
		if len(document.Content) > 0 {
			documents = append(documents, document.Content[0])
		}
	}
}

// parseJSON parses any number of JSON documents. The YAML parser rejects some JSON, such as \/ and
// surrogate pairs in strings. offset is the position of an error.
func parseJSON(content []byte) (documents []*yaml.Node, offset int, err error) {
	p := newJSONParser(content)
	for {
		token, node, err := p.next()
		if errors.Is(err, io.EOF) {
			return documents, 0, nil
		}
		if err == nil {
			err = p.fill(node, token, 0)
		}
		if err != nil { // the offset of a json.SyntaxError is not always the one in the file
			return documents, p.start(), err
		}
		documents = append(documents, node)
	}
}

// jsonParser parses JSON into nodes of YAML.
type jsonParser struct {
	content []byte
	decoder *json.Decoder
	lines   *token.File
	// calls counts the calls of next.
	calls int
}

func newJSONParser(content []byte) *jsonParser {
	p := &jsonParser{content: content, decoder: json.NewDecoder(bytes.NewReader(content))}
	p.lines = token.NewFileSet().AddFile("", -1, len(content))
	p.lines.SetLinesForContent(content)
	p.decoder.UseNumber()
	return p
}

// next returns the next token, and a node with its position. It panics if it is called more often than a
// text of that length can have tokens: a caller that ignores errors would get the same one forever.
func (p *jsonParser) next() (json.Token, *yaml.Node, error) {
	if p.calls++; p.calls > len(p.content)+1 {
		panic("parseJSON asks for more tokens than there are bytes")
	}
	pos := p.lines.Position(p.lines.Pos(p.start()))
	value, err := p.decoder.Token()
	return value, &yaml.Node{Kind: yaml.ScalarNode, Line: pos.Line, Column: pos.Column}, err
}

// start returns the offset of the next token.
func (p *jsonParser) start() int {
	start := int(p.decoder.InputOffset())
	for start < len(p.content) && strings.IndexByte(" \t\r\n:,", p.content[start]) >= 0 {
		start++
	}
	return start
}

// maxDepth is how deep JSON values may be nested. Deeper values could overflow the stack.
const maxDepth = 1000

// fill sets the value of a node that begins with a token.
func (p *jsonParser) fill(node *yaml.Node, token json.Token, depth int) error {
	switch value := token.(type) {
	case nil:
		node.Tag = "!!null"
		return nil
	case json.Delim:
		node.Kind = map[json.Delim]yaml.Kind{'{': yaml.MappingNode, '[': yaml.SequenceNode}[value]
	case string:
		node.Value, node.Tag = value, "!!str"
		return nil
	default:
		node.Value = fmt.Sprint(value)
		return nil
	}
	if depth > maxDepth {
		return errors.New("the values are nested too deeply")
	}
	for {
		token, element, err := p.next()
		switch {
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case token == json.Delim('}') || token == json.Delim(']'):
			return nil
		}
		if err := p.fill(element, token, depth+1); err != nil {
			return err
		}
		node.Content = append(node.Content, element)
	}
}

// lineSearch finds the line with the mistake in YAML that does not parse. It is the line after the longest
// beginning that parses.
type lineSearch struct {
	content []byte
	// ends are the offsets after the lines.
	ends []int
	// parsed counts the bytes that the search has given to the parser.
	parsed int
}

// limit is how many bytes the search parses at most. It is enough for all lines of a
// small file, and for a few of a large one.
func (s *lineSearch) limit() int { return 1<<20 + 6*len(s.content) }

// badLine returns the number of the line. If it does not find the line within the limit, it returns the
// line in err.
func (s *lineSearch) badLine(err error) int {
	for offset, c := range s.content {
		if c == '\n' || offset == len(s.content)-1 {
			s.ends = append(s.ends, offset+1)
		}
	}
	// Most mistakes are in the last lines that the parser reads.
	reader := &lineReader{search: s}
	_, _ = parseYAML(reader)
	count, found := s.lastParsing(reader.lines-1, 0, s.limit()*2/3)
	if !found {
		// Others are at a quote or a bracket that is not closed. Its line is the one in err.
		named := lineOf(err)
		if count, found = s.lastParsing(min(named+1, reader.lines-1), max(named-3, 0), s.limit()); !found {
			return min(named, len(s.ends))
		}
	}
	return min(count+1, len(s.ends))
}

// lastParsing returns the largest number of lines, from from down to to, that parse. An empty text always
// parses. found is false if no number does, or if the search would parse more bytes than limit.
func (s *lineSearch) lastParsing(from, to, limit int) (count int, found bool) {
	for count := from; count >= to; count-- {
		if count <= 0 {
			return 0, true
		}
		size := s.ends[count-1]
		if s.parsed += size; s.parsed > limit {
			s.parsed -= size
			return 0, false
		}
		if _, err := parseYAML(bytes.NewReader(s.content[:size])); err == nil {
			return count, true
		}
	}
	return 0, false
}

// lineReader returns one line in each Read.
type lineReader struct {
	search *lineSearch
	// lines is the number of lines that were read at least in part, and offset the number of bytes.
	lines, offset int
}

func (r *lineReader) Read(p []byte) (int, error) {
	if r.offset == len(r.search.content) {
		return 0, io.EOF
	}
	if r.lines == 0 || r.offset == r.search.ends[r.lines-1] {
		r.lines++
	}
	n := copy(p, r.search.content[r.offset:r.search.ends[r.lines-1]])
	r.offset += n
	r.search.parsed += n
	return n, nil
}
