// Package report has the rules for where a finding is reported: not in tests, not in generated files, and not where a comment says why it
// is meant.
package report

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const directive = "//informervet:ignore"

// Ignore reports comments without a reason, which ignore nothing.
var Ignore = &analysis.Analyzer{
	Name: "ignore",
	Doc:  "report //informervet:ignore comments without a reason",
	Run: func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			for _, comment := range ignores(file) {
				if reason(comment) == "" {
					pass.Reportf(comment.Pos(), "this comment ignores nothing, because it has no reason; write %s REASON", directive)
				}
			}
		}
		return nil, nil
	},
}

// Diagnostic reports a finding. The comment that ignores it ends the line of the finding, or is the line before.
func Diagnostic(pass *analysis.Pass, finding analysis.Diagnostic) {
	if file := FileOf(pass, finding.Pos); file != nil && !ignored(pass, file, finding.Pos) {
		pass.Report(finding)
	}
}

// FileOf returns the file of a position; nil if findings in it are not reported.
func FileOf(pass *analysis.Pass, pos token.Pos) *ast.File {
	for _, file := range pass.Files {
		if file.FileStart <= pos && pos <= file.FileEnd {
			if ast.IsGenerated(file) || strings.HasSuffix(pass.Fset.File(pos).Name(), "_test.go") {
				return nil
			}
			return file
		}
	}
	return nil
}

func ignored(pass *analysis.Pass, file *ast.File, pos token.Pos) bool {
	line := pass.Fset.Position(pos).Line
	for _, comment := range ignores(file) {
		if at := pass.Fset.Position(comment.Pos()).Line; (at == line || at == line-1) && reason(comment) != "" {
			return true
		}
	}
	return false
}

func ignores(file *ast.File) (found []*ast.Comment) {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if comment.Text == directive || strings.HasPrefix(comment.Text, directive+" ") {
				found = append(found, comment)
			}
		}
	}
	return found
}

func reason(comment *ast.Comment) string {
	return strings.TrimSpace(strings.TrimPrefix(comment.Text, directive))
}
