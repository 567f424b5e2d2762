package write

import (
	"go/parser"
	"go/token"
	"slices"
)

// isOurs reports whether the header is one of the lines above the package clause.
func isOurs(content []byte, header string) bool {
	return slices.Contains(linesAbovePackage(content), header)
}

// linesAbovePackage returns the comments above the package clause. It returns nil if the file does
// not parse up to that clause.
func linesAbovePackage(content []byte) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "", content, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return nil
	}
	var all []string
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if comment.Pos() < file.Package {
				all = append(all, comment.Text)
			}
		}
	}
	return all
}
