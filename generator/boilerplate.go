package generator

import (
	"bytes"
	"go/build/constraint"
	"go/scanner"
	"go/token"
	"regexp"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// boilerplateYear matches the placeholder for the year in the header files of Kubernetes. It is
// removed, so that generated files do not change every year.
var boilerplateYear = regexp.MustCompile(`\bYEAR\b ?`)

// readBoilerplate returns the comments that begin each generated file.
func readBoilerplate(file string) ([]byte, error) {
	text, err := regular.ReadFile(file)
	if err != nil {
		return nil, optionError("HeaderFile", "cannot read the header file: %w; check {HeaderFile}", err)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // a byte order mark, which gofmt removes
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = boilerplateYear.ReplaceAll(text, nil)
	// Check the text that is written: without YEAR, a comment may end earlier.
	if mistake := checkBoilerplate(file, text); mistake != nil {
		return nil, mistake
	}
	return text, nil
}

// checkBoilerplate returns an error for the first text that is not a comment, or that has a meaning for the go
// command or for a generator.
func checkBoilerplate(name string, text []byte) (mistake *model.Error) {
	file := token.NewFileSet().AddFile(name, -1, len(text))
	add := func(offset int, message string) {
		if mistake == nil {
			mistake = model.Errorf(file.PositionFor(file.Pos(offset), false), "%s", message) // line directives do not count
		}
	}
	if at := bytes.IndexByte(text, '\r'); at >= 0 {
		add(at, "a header file may have no carriage return within a line; use line feeds")
	}
	var s scanner.Scanner
	s.Init(file, text, func(pos token.Position, message string) {
		add(pos.Offset, message+"; a header file may hold only comments")
	}, scanner.ScanComments)
	for mistake == nil {
		pos, tok, literal := s.Scan()
		offset := file.Offset(pos)
		switch tok {
		case token.EOF:
			return mistake
		case token.COMMENT:
			checkComment(literal, func(at int, message string) { add(offset+at, message) })
		case token.PACKAGE:
			add(offset, "a header file may hold only comments, not a package clause; remove the clause")
		default:
			add(offset, "a header file may hold only comments; begin its lines with //, or put /* and */ around them")
		}
	}
	return mistake
}

var (
	generatedMark = regexp.MustCompile(`^// Code generated .* DO NOT EDIT\.$`) // see https://go.dev/s/generatedcode
	markerLine    = regexp.MustCompile(`^(//|/\*+|\*)?\s*\+[a-zA-Z]`)
)

// checkComment calls add for a comment that is more than text. Comments such as //nolint are fine.
func checkComment(comment string, add func(at int, message string)) {
	const every = "because each generated file would have it; remove the line"
	switch {
	case constraint.IsGoBuild(comment), constraint.IsPlusBuild(comment):
		add(0, "a header file may have no build constraint, because it would exclude generated files; remove the line")
	case strings.HasPrefix(comment, "//go:"):
		add(0, "a header file may have no directive, "+every)
	case strings.HasPrefix(comment, "//line "), strings.HasPrefix(comment, "/*line "):
		add(0, "a header file may have no line directive, "+every)
	}
	at := 0
	for line := range strings.Lines(comment) {
		text := strings.TrimSpace(line)
		switch indent := strings.Index(line, text); {
		case generatedMark.MatchString(text):
			add(at+indent, "a header file may not have the line that marks generated code, "+
				"because the tools of that line would own each generated file; remove the line")
		case markerLine.MatchString(text):
			add(at+indent, "a header file may have no marker, "+every)
		}
		at += len(line)
	}
}
