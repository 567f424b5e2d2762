package migrate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// goFile is a parsed Go file.
type goFile struct {
	path, text string
	positions  *token.FileSet
	syntax     *ast.File
}

func parseGo(s source) (*goFile, error) {
	f := &goFile{path: s.path, text: s.text, positions: token.NewFileSet()}
	var err error
	f.syntax, err = parser.ParseFile(f.positions, s.path, s.text, parser.ParseComments|parser.SkipObjectResolution)
	return f, err
}

func (f *goFile) offset(at token.Pos) int { return f.positions.Position(at).Offset }

func (f *goFile) at(at token.Pos) position { return position{f.path, f.positions.Position(at).Line} }

// insert returns an edit that inserts a text.
func (f *goFile) insert(at token.Pos, text, what string) edit {
	return edit{position: f.at(at), start: f.offset(at), end: f.offset(at), text: text, what: what}
}

// importName returns the name under which the file imports a package, and whether it does.
func (f *goFile) importName(path, base string) (name string, ok bool) {
	for _, spec := range f.syntax.Imports {
		if found, err := strconv.Unquote(spec.Path.Value); err != nil || found != path {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name, true
		}
		return base, true
	}
	return "", false
}

// addImport returns the edit that imports a package, at the end of the imports. gofmt sorts it into its block.
func (f *goFile) addImport(name, path string) edit {
	line := name + " " + strconv.Quote(path)
	for n := len(f.syntax.Decls) - 1; n >= 0; n-- {
		if decl, ok := f.syntax.Decls[n].(*ast.GenDecl); ok && decl.Tok == token.IMPORT {
			if decl.Rparen.IsValid() {
				return f.insert(decl.Rparen, "\t"+line+"\n", "")
			}
			return f.insert(decl.End(), "\nimport "+line, "")
		}
	}
	return f.insert(f.syntax.Name.End(), "\n\nimport "+line, "")
}
