package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// manifestNode is a value in a file of manifests. The node is nil for one that is
// not there; of it everything is empty.
type manifestNode struct {
	file *manifestFile
	node *yaml.Node
}

// get returns the field of that name.
func (n manifestNode) get(name string) manifestNode {
	if node := n.resolved(); node != nil && node.Kind == yaml.MappingNode && n.file.visit(node) {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == name {
				return manifestNode{n.file, node.Content[i+1]}
			}
		}
	}
	return manifestNode{n.file, nil}
}

func (n manifestNode) elements() []manifestNode {
	var all []manifestNode
	if node := n.resolved(); node != nil && node.Kind == yaml.SequenceNode && n.file.visit(node) {
		for _, element := range node.Content {
			all = append(all, manifestNode{n.file, element})
		}
	}
	return all
}

// text is empty for what is no scalar, and for null.
func (n manifestNode) text() string {
	if node := n.resolved(); node != nil && node.Kind == yaml.ScalarNode && node.Tag != "!!null" {
		return node.Value
	}
	return ""
}

func (n manifestNode) isMapping() bool {
	node := n.resolved()
	return node != nil && node.Kind == yaml.MappingNode
}

// resolved is the node that an alias stands for. An alias never stands for another.
func (n manifestNode) resolved() *yaml.Node {
	if n.node != nil && n.node.Kind == yaml.AliasNode {
		return n.node.Alias
	}
	return n.node
}

func (n manifestNode) placed() input.Placed { return input.Placed{Value: n.text(), Pos: n.pos()} }

func (n manifestNode) pos() token.Position {
	if n.node == nil {
		return token.Position{Filename: n.file.name}
	}
	return token.Position{Filename: n.file.name, Line: n.node.Line, Column: n.node.Column}
}

// posOr is the place of the first of these that is there.
func (n manifestNode) posOr(others ...manifestNode) token.Position {
	for _, other := range others {
		if n.node != nil {
			break
		}
		n = other
	}
	return n.pos()
}

// documents parses YAML or JSON. What comes before a mistake is returned with it.
func (f *manifestFile) documents(content []byte) ([]*yaml.Node, *model.Error) {
	if bytes.HasPrefix(bytes.TrimLeft(content, " \t\r\n"), []byte("{")) {
		documents, offset, err := parseJSON(content)
		if err == nil || strings.HasSuffix(f.name, ".json") {
			return documents, f.syntaxError(placeOf(f.name, content, offset), err)
		}
		// YAML may begin with a brace too.
	}
	if offset := tooManyTags(content); offset >= 0 {
		return nil, f.syntaxError(placeOf(f.name, content, offset), errManyTags)
	}
	documents, err := parseYAML(bytes.NewReader(content))
	if err == nil {
		return documents, nil
	}
	search := lineSearch{content: content}
	return documents, f.syntaxError(token.Position{Filename: f.name, Line: search.badLine(err)}, err)
}

// aboutLine is how the parser of YAML begins its messages: with a line that often
// is the one before the mistake, or the one where a whole mapping begins.
var aboutLine = regexp.MustCompile(`^yaml: (line \d+: )?`)

func (f *manifestFile) syntaxError(pos token.Position, err error) *model.Error {
	if err == nil {
		return nil
	}
	return model.Errorf(pos, "this file of CRDs does not parse: %s; fix it, or name other files with --crd", aboutLine.ReplaceAllString(err.Error(), ""))
}

// maxTags is how many %TAG directives a file may have, which the parser of YAML
// compares with each other. CRDs have none.
const maxTags = 100

var errManyTags = fmt.Errorf("it has more than %d %%TAG directives", maxTags)

// tooManyTags returns the offset of the first %TAG directive that is too many, or -1.
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

// placeOf is the place of a byte of a file.
func placeOf(name string, content []byte, offset int) token.Position {
	before := content[:offset]
	return token.Position{
		Filename: name,
		Line:     1 + bytes.Count(before, []byte("\n")),
		Column:   len(before) - bytes.LastIndexByte(before, '\n'),
	}
}

// parseJSON parses one document of JSON after the other. The parser of YAML takes
// most of it, but not all: not \/ in strings, nor surrogate pairs.
func parseJSON(content []byte) (documents []*yaml.Node, offset int, err error) {
	p := newJSONParser(content)
	for {
		token, err := p.next()
		if errors.Is(err, io.EOF) {
			return documents, 0, nil
		}
		var document *yaml.Node
		if err == nil {
			document, err = p.value(token, 0)
		}
		if err != nil { // the offset of a json.SyntaxError is not always that in the file
			return documents, p.start(), err
		}
		documents = append(documents, document)
	}
}

// jsonParser makes of JSON the nodes that YAML would come to.
type jsonParser struct {
	content []byte
	decoder *json.Decoder
	// line is that of the byte at offset, and begins at lineStart.
	line, lineStart, offset int
	// asked counts the calls of next.
	asked int
}

func newJSONParser(content []byte) *jsonParser {
	p := &jsonParser{content: content, decoder: json.NewDecoder(bytes.NewReader(content)), line: 1}
	p.decoder.UseNumber()
	return p
}

// jsonToken is a token and where it begins.
type jsonToken struct {
	value        json.Token
	line, column int
}

// next returns the next token. It panics if it is called more often than a text of
// that length can have tokens, and once more for its end: a caller that ignored an
// error would get it forever, and would fill the memory with values.
func (p *jsonParser) next() (jsonToken, error) {
	if p.asked++; p.asked > len(p.content)+1 {
		panic("parseJSON asks for more tokens than there are bytes")
	}
	start := p.start()
	value, err := p.decoder.Token()
	if err != nil {
		return jsonToken{}, err
	}
	for ; p.offset < start; p.offset++ {
		if p.content[p.offset] == '\n' {
			p.line, p.lineStart = p.line+1, p.offset+1
		}
	}
	return jsonToken{value, p.line, start - p.lineStart + 1}, nil
}

// start is where the next token begins.
func (p *jsonParser) start() int {
	start := int(p.decoder.InputOffset())
	for start < len(p.content) && strings.IndexByte(" \t\r\n:,", p.content[start]) >= 0 {
		start++
	}
	return start
}

// errTooDeep is for what is no manifest, but an attempt at the stack.
var errTooDeep = errors.New("the values are nested too deeply")

func (p *jsonParser) value(first jsonToken, depth int) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.ScalarNode, Line: first.line, Column: first.column}
	switch value := first.value.(type) {
	case string:
		node.Tag, node.Value = "!!str", value
	case json.Number:
		node.Tag, node.Value = "!!float", value.String()
	case bool:
		node.Tag, node.Value = "!!bool", map[bool]string{true: "true", false: "false"}[value]
	case nil:
		node.Tag = "!!null"
	case json.Delim:
		node.Kind = map[json.Delim]yaml.Kind{'{': yaml.MappingNode, '[': yaml.SequenceNode}[value]
		if depth > 1000 {
			return nil, errTooDeep
		}
		for {
			token, err := p.next()
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return nil, err
			}
			if token.value == json.Delim('}') || token.value == json.Delim(']') {
				return node, nil
			}
			element, err := p.value(token, depth+1)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, element)
		}
	}
	return node, nil
}
