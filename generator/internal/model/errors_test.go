package model

import (
	"go/token"
	"testing"
)

func TestErrorsJoin(t *testing.T) {
	var mistakes Errors
	if mistakes.Join() != nil {
		t.Error("no mistakes are an error")
	}
	at := func(file string, line, column int) token.Position {
		return token.Position{Filename: file, Line: line, Column: column}
	}
	mistakes.Add(at("b.go", 1, 1), "sixth")
	mistakes.Add(at("a.go", 10, 1), "fifth")
	mistakes.Add(at("a.go", 9, 2), "fourth")
	mistakes.Add(at("a.go", 9, 1), "third")
	mistakes.Add(at("a.go", 9, 1), "third")
	mistakes.Add(token.Position{Filename: "a.go"}, "second")
	mistakes.Add(token.Position{}, "first")
	const want = "first\na.go: second\na.go:9:1: third\na.go:9:2: fourth\na.go:10:1: fifth\nb.go:1:1: sixth"
	if got := mistakes.Join().Error(); got != want {
		t.Errorf("the errors are\n%s\nwant\n%s", got, want)
	}
}
