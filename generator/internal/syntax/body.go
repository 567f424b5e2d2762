package syntax

import (
	"bytes"
	"go/ast"
	"slices"
)

// blankBodies overwrites the bodies of top-level functions with spaces, because parsing them takes most of
// the time. It does the same with large composite literals of variables, whose syntax tree takes a hundred
// times their size in memory. Lines and columns stay. It ignores functions whose line does not begin as
// gofmt writes it.
func blankBodies(content []byte) {
	var nest, braces int
	inFunc := false
	var word []byte // the last token that is no comment, which may be struct or interface
	for i := 0; i < len(content); {
		end := tokenEnd(content, i)
		switch c := content[i]; {
		case c == '\n':
			if nest == 0 && braces == 0 { // the end of a signature, if there was one
				rest := content[end:]
				inFunc = bytes.HasPrefix(rest, []byte("func ")) || bytes.HasPrefix(rest, []byte("func("))
			}
		case c == '(' || c == '[':
			nest++
		case c == ')' || c == ']':
			nest--
		case c == '{' && nest == 0 && braces == 0 && string(word) != "interface" && string(word) != "struct":
			if end = bodyEnd(content, i); end < 0 {
				return
			}
			if inFunc || end-i > largeLiteral {
				blank(content[i+1 : end-1])
			}
			inFunc = false
		case c == '{':
			braces++
		case c == '}':
			braces--
		}
		if content[i] > ' ' && (content[i] != '/' || end == i+1) { // no comment
			word = content[i:end]
		}
		i = end
	}
}

// largeLiteral is the size in bytes from which a literal cannot hold a group or a version.
const largeLiteral = 1 << 20

// bodyEnd returns the offset after the brace that closes the one at i, or -1.
func bodyEnd(content []byte, i int) int {
	for depth := 0; i < len(content); {
		switch content[i] {
		case '{':
			depth++
			i++
		case '}':
			i++
			if depth--; depth == 0 {
				return i
			}
		case '"', '\'', '`', '/':
			i = tokenEnd(content, i)
		default:
			i++
		}
	}
	return -1
}

func blank(body []byte) {
	for i, c := range body {
		if c != '\n' {
			body[i] = ' '
		}
	}
}

// tokenEnd returns the offset after the word, literal, comment or other byte at i.
func tokenEnd(content []byte, i int) int {
	rest := content[i:]
	through := func(delimiter string, from int) int {
		if n := bytes.Index(rest[min(from, len(rest)):], []byte(delimiter)); n >= 0 {
			return i + from + n + len(delimiter)
		}
		return len(content)
	}
	switch c := rest[0]; {
	case c == '`':
		return through("`", 1)
	case c == '"' || c == '\'':
		for n := 1; n < len(rest); n++ {
			switch rest[n] {
			case '\\':
				n++
			case c, '\n':
				return i + n + 1
			}
		}
		return len(content)
	case bytes.HasPrefix(rest, []byte("//")):
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			return i + n
		}
		return len(content)
	case bytes.HasPrefix(rest, []byte("/*")):
		return through("*/", 2)
	case isLetter(c):
		n := 1
		for n < len(rest) && isLetter(rest[n]) {
			n++
		}
		return i + n
	}
	return i + 1
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}

// dropBodies removes the bodies of functions and the comments in them, which hold most of the memory
// of a package with generated methods.
func dropBodies(file *ast.File) {
	var bodies []*ast.BlockStmt
	for _, decl := range file.Decls {
		if function, ok := decl.(*ast.FuncDecl); ok && function.Body != nil {
			bodies = append(bodies, function.Body)
			function.Body = nil
		}
	}
	file.Comments = slices.DeleteFunc(file.Comments, func(comment *ast.CommentGroup) bool {
		for len(bodies) > 0 && bodies[0].End() <= comment.Pos() {
			bodies = bodies[1:]
		}
		return len(bodies) > 0 && bodies[0].Pos() <= comment.Pos()
	})
}
