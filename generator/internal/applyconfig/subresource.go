package applyconfig

import (
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// subresources returns the subresources of a kind for which there is a function Extract: status, and the
// subresources that its methods request.
func subresources(k *model.Kind, structType *types.Struct) []model.ApplySubresource {
	names := map[string]bool{}
	for field := range structType.Fields() {
		if field.Name() == "Status" && k.Served.Status {
			names["status"] = true
		}
	}
	for _, m := range k.Methods {
		if m.Subresource != "" {
			names[m.Subresource] = true
		}
	}
	var all []model.ApplySubresource
	for name := range names {
		all = append(all, model.ApplySubresource{Name: name, GoName: subresourceName(name)})
	}
	slices.SortFunc(all, func(x, y model.ApplySubresource) int { return strings.Compare(x.Name, y.Name) })
	return all
}

// subresourceName returns Ephemeralcontainers for ephemeralcontainers. It drops characters that cannot be in
// the name of a function.
func subresourceName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range words {
		words[i] = upperFirst(word)
	}
	return strings.Join(words, "")
}
