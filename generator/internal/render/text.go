package render

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
	"unicode"
	"unicode/utf8"

	"github.com/typedinformers/informer-gen/templates"
)

// This file has the only ways in which a text gets into emitted code. Texts of the input are tags, comments, markers, names in
// CRDs and OpenAPI documents, and flags. None of them may end the literal, the comment or the line that it is in.

// code is Go source that this package has made of constant text, of names and of quoted text.
type code string

var functions = template.FuncMap{"emit": emit, "quote": quote, "raw": raw, "comment": comment, "tag": tag, "constraint": buildConstraint}

// parsed returns the templates. Each action that prints a value ends with emit: templates have no other way to
// print.
func parsed() (*template.Template, error) {
	all, err := template.New("").Funcs(functions).ParseFS(templates.Files, "*.go.tmpl")
	if err != nil {
		return nil, fmt.Errorf("cannot parse the templates, please report it: %w", err)
	}
	for _, t := range all.Templates() {
		if t.Tree != nil {
			guard(t.Tree, t.Root)
		}
	}
	return all, nil
}

// guard adds emit to the actions of a list of nodes.
func guard(tree *parse.Tree, list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *parse.ActionNode:
			if pipe := node.Pipe; len(pipe.Decl) == 0 {
				name := parse.NewIdentifier("emit").SetPos(pipe.Pos).SetTree(tree)
				pipe.Cmds = append(pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pipe.Pos, Args: []parse.Node{name}})
			}
		case *parse.IfNode:
			guard(tree, node.List)
			guard(tree, node.ElseList)
		case *parse.RangeNode:
			guard(tree, node.List)
			guard(tree, node.ElseList)
		case *parse.WithNode:
			guard(tree, node.List)
			guard(tree, node.ElseList)
		}
	}
}

// emit returns the text of a value: code, a name, which may be qualified, a bool or an integer.
func emit(value any) (string, error) {
	if value, ok := value.(code); ok {
		return string(value), nil
	}
	switch v := reflect.ValueOf(value); {
	case v.Kind() == reflect.String && isSelector(v.String()):
		return v.String(), nil
	case v.Kind() == reflect.Bool, v.CanInt():
		return fmt.Sprint(value), nil
	}
	return "", fmt.Errorf("%q is neither a Go name nor quoted", fmt.Sprint(value))
}

// isSelector reports whether a text is a name, or several with dots between them.
func isSelector(text string) bool {
	for part := range strings.SplitSeq(text, ".") {
		if !isName(part) {
			return false
		}
	}
	return true
}

// isName reports whether a text is a name or a keyword, because a part of a longer name may be a keyword.
func isName(text string) bool { return token.IsIdentifier(text) || token.IsKeyword(text) }

// quote returns a text as a string literal.
func quote(text string) code { return code(strconv.Quote(text)) }

// raw returns a text of several lines as a string literal.
func raw(text string) code {
	if strings.ContainsAny(text, "`\r\ufeff") || !utf8.ValidString(text) {
		return quote(text)
	}
	return code("`" + text + "`")
}

// comment returns a text for the rest of a line that begins with two slashes.
func comment(text string) code {
	return code(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' || r == '\u2028' || r == '\u2029' || r == '\ufeff' {
			return ' '
		}
		return r
	}, text))
}

// tag returns the tag of a field with the key json.
func tag(json string) code {
	text := "json:" + strconv.Quote(json)
	if strconv.CanBackquote(text) {
		return code("`" + text + "`")
	}
	return quote(text)
}

// buildConstraint returns the expression of a build constraint.
func buildConstraint(text string) (code, error) {
	parsed, err := constraint.Parse("//go:build " + text)
	if err != nil {
		return "", err
	}
	return code(parsed.String()), nil
}

// isType reports whether source is an expression that can be a type.
func isType(source string) bool {
	expression, err := parser.ParseExpr(source)
	for err == nil {
		switch e := expression.(type) {
		case *ast.StarExpr:
			expression = e.X
		case *ast.ArrayType:
			expression = e.Elt
		case *ast.MapType:
			expression = e.Value
		case *ast.IndexExpr:
			expression = e.X
		case *ast.IndexListExpr:
			expression = e.X
		case *ast.Ident, *ast.SelectorExpr, *ast.StructType, *ast.InterfaceType, *ast.FuncType, *ast.ChanType:
			return true
		default:
			return false
		}
	}
	return false
}

// hasComment reports whether source has a comment, and not only a literal that looks like one.
func hasComment(source string) bool {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, []byte(source), nil, scanner.ScanComments)
	for {
		switch _, found, _ := s.Scan(); found {
		case token.COMMENT:
			return true
		case token.EOF:
			return false
		}
	}
}
