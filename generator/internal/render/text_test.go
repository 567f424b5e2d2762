package render

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/template"
	"text/template/parse"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// hostile are texts that end a literal, a comment, a line, a tag or an expression, and declare a function.
var hostile = []string{
	"x\"}}\n}\n\nfunc init() {}\n\nvar _ = \"",
	"x`\n}\n\nfunc init() {}\n\nvar _ = `",
	"x\n}\n\nfunc init() {}\n\n//",
	"x\r\nfunc init() {}\r\n//",
	"x\u2028func init() {}",
	"x */ func init() {} /*",
	"x'; func init() {}; //",
	"x struct{}; func init() {}",
	"x // ",
	"x \\",
	`x\`,
	"{{.}}",
	"",
}

// TestTemplatesPrintOnlyThroughEmit goes over all templates: each action that prints ends with emit, and no template has
// printf, print, html, js or urlquery, which would make a text look checked.
func TestTemplatesPrintOnlyThroughEmit(t *testing.T) {
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	actions := 0
	for _, tmpl := range all.Templates() {
		if tmpl.Tree == nil {
			continue
		}
		eachNode(tmpl.Root, func(node parse.Node) {
			action, ok := node.(*parse.ActionNode)
			if !ok || len(action.Pipe.Decl) > 0 {
				return
			}
			actions++
			if last := action.Pipe.Cmds[len(action.Pipe.Cmds)-1]; last.String() != "emit" {
				t.Errorf("%s: %v does not end with emit", tmpl.Name(), action)
			}
		})
		for _, node := range []string{"print ", "println ", "html ", "js ", "urlquery "} {
			if strings.Contains(tmpl.Root.String(), node) {
				t.Errorf("%s calls %s", tmpl.Name(), node)
			}
		}
	}
	if actions < 300 {
		t.Errorf("only %d actions were found", actions)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if parses := strings.Contains(string(content), "templates"+".Files"); parses != (file == "text.go") {
			t.Errorf("%s parses templates: %t; only text.go may", file, parses)
		}
	}
}

// TestTypesWithTags: the tags of a struct without a name may look like comments.
func TestTypesWithTags(t *testing.T) {
	for text, isType := range map[string]bool{
		"map[string]struct { X int `json:\"x\" doc:\"see https://x\"` }": true,
		"[]struct { X int `json:\"x/*y\"` }":                             true,
		"struct { X int \"json:\\\"x\\\" doc:\\\"a`b//\\\"\" }":          true,
		"struct { X int } // a comment":                                  false,
		"struct { X int /* a comment */ }":                               false,
		"struct { X int }; func init() {}":                               false,
	} {
		f := &file{}
		if f.typeExpression(text); (f.misnamed == "") != isType {
			t.Errorf("%s: %s", text, f.misnamed)
		}
	}
}

// eachNode calls do for each node of a template.
func eachNode(node parse.Node, do func(parse.Node)) {
	v := reflect.ValueOf(node)
	if !v.IsValid() || v.IsNil() {
		return
	}
	do(node)
	var inner []parse.Node
	switch n := node.(type) {
	case *parse.ListNode:
		inner = n.Nodes
	case *parse.IfNode:
		inner = []parse.Node{n.List, n.ElseList}
	case *parse.RangeNode:
		inner = []parse.Node{n.List, n.ElseList}
	case *parse.WithNode:
		inner = []parse.Node{n.List, n.ElseList}
	case *parse.TextNode, *parse.ActionNode, *parse.TemplateNode, *parse.CommentNode:
	default:
		panic(fmt.Sprintf("guard does not know %T", node))
	}
	for _, n := range inner {
		eachNode(n, do)
	}
}

// TestEmit prints names and code, and nothing else.
func TestEmit(t *testing.T) {
	for _, text := range []any{"Foo", "v1.Foo", "a.b.C", code("x := 1"), true, 7, model.Verb("get")} {
		if got, err := emit(text); err != nil || got != fmt.Sprint(text) {
			t.Errorf("%v: %q, %v", text, got, err)
		}
	}
	for _, text := range append(slices.Clone(hostile), "a b", "a.", "1", "a-b", "a/b", "*T") {
		if got, err := emit(text); err == nil {
			t.Errorf("%q is printed as %q", text, got)
		}
	}
	if _, err := emit([]string{"a"}); err == nil {
		t.Error("a list is printed")
	}
	_, err := template.New("").Funcs(functions).Parse("{{emit (quote .)}}")
	if err != nil {
		t.Error(err)
	}
}

// TestLiterals checks that reading quoted texts and tags returns the original text.
func TestLiterals(t *testing.T) {
	for _, text := range append(slices.Clone(hostile), "name", "a,omitempty", `"`, "`", "ä") {
		for _, literal := range []code{quote(text), tag(text)} {
			parsed, err := parser.ParseExpr(string(literal))
			if literal, ok := parsed.(*ast.BasicLit); err != nil || !ok || literal.Kind != token.STRING {
				t.Errorf("%q: %v, %v", text, parsed, err)
			}
		}
		source := "package p\n\n// " + string(comment(text)) + "\nvar X int\n"
		if parsed, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ParseComments); err != nil || len(parsed.Decls) != 1 {
			t.Errorf("%q: a comment with it does not stay one: %v", text, err)
		}
	}
}

// TestHostileTexts replaces each text of the model in turn. Either it is an error, or the output has exactly the declarations
// that it has without the text.
func TestHostileTexts(t *testing.T) {
	want, err := declarationsOf(sample())
	if err != nil {
		t.Fatal(err)
	}
	names := leavesOf(sample())
	if len(names) < 200 {
		t.Fatalf("the model has only %d texts", len(names))
	}
	accepted, refused := 0, 0
	for n, name := range names {
		for at, text := range hostile {
			if text == "" || at != n%len(hostile) || testing.Short() && n%3 > 0 { // FuzzTexts has all combinations
				continue
			}
			if playText(t, n, text, name, want) {
				accepted++
			} else {
				refused++
			}
		}
	}
	if accepted == 0 || refused == 0 {
		t.Errorf("%d texts were accepted, %d refused", accepted, refused)
	}
}

// FuzzTexts is TestHostileTexts for any text.
func FuzzTexts(f *testing.F) {
	want, err := declarationsOf(sample())
	if err != nil {
		f.Fatal(err)
	}
	names := leavesOf(sample())
	for n := range 30 {
		f.Add(n*len(names)/30, hostile[n%len(hostile)])
	}
	f.Fuzz(func(t *testing.T, n int, text string) {
		if n < 0 || n >= len(names) || isName(text) || text == "" || strings.HasPrefix(text, "_") {
			return
		}
		playText(t, n, text, names[n], want)
	})
}

// playText replaces the text at an index. It reports whether the output was accepted.
func playText(t *testing.T, n int, text, name string, want []string) bool {
	t.Helper()
	set := sample()
	at := 0
	eachLeaf(reflect.ValueOf(set), "", map[uintptr]bool{}, func(_ string, leaf reflect.Value) {
		if at == n {
			leaf.SetString(text)
		}
		at++
	})
	got, err := declarationsOf(set)
	if err != nil {
		if errors.Is(err, errParse) {
			t.Errorf("%s = %q: %v", name, text, err)
		}
		return false
	}
	if !slices.Equal(got, want) {
		added := slices.DeleteFunc(slices.Clone(got), func(d string) bool { return slices.Contains(want, d) })
		lost := slices.DeleteFunc(slices.Clone(want), func(d string) bool { return slices.Contains(got, d) })
		t.Errorf("%s = %q: the output has %q more, and %q less", name, text, added, lost)
	}
	return true
}

var parsedOnce = sync.OnceValues(parsed)

var errParse = errors.New("the output does not parse")

// declarationsOf renders a model, and returns the declarations of all files: each with its kind and its names.
func declarationsOf(set *model.Set) (all []string, err error) {
	templates, err := parsedOnce()
	if err != nil {
		return nil, err
	}
	for _, f := range sourcesOf(set) {
		content, err := f.render(templates.Lookup(f.template), nil)
		if err != nil {
			if strings.Contains(err.Error(), "does not parse") {
				return nil, fmt.Errorf("%w: %w", errParse, err)
			}
			return nil, err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), "", content, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errParse, err)
		}
		for _, d := range parsed.Decls {
			all = append(all, f.template+": "+declaration(d))
		}
	}
	slices.Sort(all)
	return all, nil
}

func declaration(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		of := ""
		if d.Recv != nil {
			of = "method "
		}
		return of + d.Name.Name
	case *ast.GenDecl:
		text := d.Tok.String()
		if d.Tok == token.IMPORT {
			return text
		}
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				text += " " + spec.Name.Name
				if s, ok := spec.Type.(*ast.StructType); ok {
					text += fmt.Sprintf(" of %d fields", len(s.Fields.List))
				}
			case *ast.ValueSpec:
				text += fmt.Sprint(" ", spec.Names)
			}
		}
		return text
	}
	return "?"
}

// leavesOf returns the paths of all texts of a model.
func leavesOf(set *model.Set) (names []string) {
	eachLeaf(reflect.ValueOf(set), "", map[uintptr]bool{}, func(name string, _ reflect.Value) { names = append(names, name) })
	return names
}

// eachLeaf calls do for each text that is not empty, once.
func eachLeaf(v reflect.Value, name string, seen map[uintptr]bool, do func(string, reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !seen[v.Pointer()] {
			seen[v.Pointer()] = true
			eachLeaf(v.Elem(), name, seen, do)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[token.Position]() {
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				eachLeaf(v.Field(i), name+"."+f.Name, seen, do)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachLeaf(v.Index(i), fmt.Sprintf("%s[%d]", name, i), seen, do)
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() && v.CanSet() && v.String() != "" { // other types are closed sets
			do(name, v)
		}
	}
}
