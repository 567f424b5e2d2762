package model

import (
	"go/token"
	"testing"
)

func TestErrorsJoin(t *testing.T) {
	var errs Errors
	if errs.Join() != nil {
		t.Error("no errors are an error")
	}
	at := func(file string, line, column int) token.Position {
		return token.Position{Filename: file, Line: line, Column: column}
	}
	errs.Add(at("b.go", 1, 1), "sixth")
	errs.Add(at("a.go", 10, 1), "fifth")
	errs.Add(at("a.go", 9, 2), "fourth")
	errs.Add(at("a.go", 9, 1), "third")
	errs.Add(at("a.go", 9, 1), "third")
	errs.Add(token.Position{Filename: "a.go"}, "second")
	errs.Add(token.Position{}, "first")
	const want = "first\na.go: second\na.go:9:1: third\na.go:9:2: fourth\na.go:10:1: fifth\nb.go:1:1: sixth"
	if got := errs.Join().Error(); got != want {
		t.Errorf("the errors are\n%s\nwant\n%s", got, want)
	}
}
