package markers

import (
	"go/token"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// ParseTypeRef reads Scale or k8s.io/api/autoscaling/v1.Scale. The path of the former is
// empty: the type is in the package of the marker.
func ParseTypeRef(s string) (model.TypeRef, bool) {
	dot := strings.LastIndexByte(s, '.')
	ref := model.TypeRef{Path: s[:max(dot, 0)], Name: s[dot+1:]}
	if !token.IsIdentifier(ref.Name) || dot >= 0 && !IsImportPath(ref.Path) {
		return model.TypeRef{}, false
	}
	return ref, true
}

// IsImportPath reports whether s may be an import path that is not relative.
func IsImportPath(s string) bool {
	for _, element := range strings.Split(s, "/") {
		if element == "" || element[0] == '.' || element[0] == '-' || strings.Contains(element, "...") {
			return false
		}
		for _, r := range element {
			if !strings.ContainsRune("-._~+", r) && (r >= 0x80 || !token.IsIdentifier("_"+string(r))) {
				return false
			}
		}
	}
	return true
}
