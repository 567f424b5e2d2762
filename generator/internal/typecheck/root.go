package typecheck

import (
	"go/ast"
	"go/token"

	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// copied returns the exported types that markers choose for deep copies: the types of a package with a
// marker, or types with one. It leaves out types whose deep copies a marker turns off, which may have fields
// of types that no API needs, such as clients.
func copied(src *syntax.Package) (names []string) {
	wholePackage := false
	comments := map[*ast.File]syntax.Comments{}
	for _, file := range src.Files {
		comments[file] = src.Comments(file)
		for _, group := range file.Comments {
			groups := []*ast.CommentGroup{group}
			if group.Pos() < file.Package && syntax.HasText(groups, "+kubebuilder:object:generate", "+k8s:deepcopy-gen") {
				wholePackage = true
			}
		}
	}
	for name, t := range src.Scope().Types {
		above := append(comments[t.File].Above(t), src.Freestanding(t))
		isOff := syntax.HasText(above, "+kubebuilder:object:generate=false", "+kubebuilder:object:generate:=false",
			"+k8s:deepcopy-gen=false")
		if token.IsExported(name) && !isOff && (wholePackage || syntax.HasText(above, "+kubebuilder:object:", "+k8s:deepcopy-gen")) {
			names = append(names, name)
		}
	}
	return names
}
