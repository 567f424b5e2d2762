package manifest

import (
	"go/token"
	"iter"

	"go.yaml.in/yaml/v3"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/crdfile"
)

// definition is the kind of the documents to read.
const definition = crdfile.Kind

// manifestFile is a file and its CRDs.
type manifestFile struct {
	name string
	// named reports whether --crd names the file itself, not its folder.
	named bool
	// withSchemas reports whether to read the schemas of versions.
	withSchemas bool
	manifests   []*input.Manifest
	errs        []*model.Error
	// visits is how many more values may be read.
	visits int
}

// visitsPerByte limits how many values of a file are read. Each value is read a few times, but more often
// with aliases: 1,000 aliases of a list of 1,000 values stand for 1,000,000 values.
const visitsPerByte = 16

// visit reports whether the values of a list or a mapping may be read.
func (f *manifestFile) visit(node *yaml.Node) bool {
	f.visits -= len(node.Content)
	return f.visits >= 0
}

func (f *manifestFile) addError(pos token.Position, format string, args ...any) {
	f.errs = append(f.errs, model.Errorf(pos, format, args...))
}

// manifestNode is a value in a file of manifests. The node of a missing value is nil, and all methods
// return empty results for it.
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

// members returns the fields of a mapping with their names, in their order.
func (n manifestNode) members() iter.Seq2[manifestNode, manifestNode] {
	return func(yield func(name, value manifestNode) bool) {
		node := n.resolved()
		if node == nil || node.Kind != yaml.MappingNode || !n.file.visit(node) {
			return
		}
		for i := 0; i+1 < len(node.Content); i += 2 {
			if !yield(manifestNode{n.file, node.Content[i]}, manifestNode{n.file, node.Content[i+1]}) {
				return
			}
		}
	}
}

// text returns the text of a scalar. It is empty for null and for other values.
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

// resolved returns the node that an alias stands for, and other nodes as they are.
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

// posOr returns the position of the first of the values that is not missing.
func (n manifestNode) posOr(others ...manifestNode) token.Position {
	for _, other := range others {
		if n.node != nil {
			break
		}
		n = other
	}
	return n.pos()
}
