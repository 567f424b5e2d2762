package model

import (
	"go/token"
	"path"
	"regexp"
	"strings"

	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
)

// Naming makes names from the names of types.
type Naming struct {
	plural, resource namer.Namer
}

// NewNaming returns the naming rules of code-generator. exceptions are plurals
// by the name of the type, where the rules of English are not enough.
func NewNaming(exceptions map[string]string) *Naming {
	all := map[string]string{"Endpoints": "Endpoints"} // as code-generator has it
	for singular, plural := range exceptions {
		all[singular] = plural
	}
	return &Naming{
		plural:   namer.NewPublicPluralNamer(all),
		resource: namer.NewAllLowercasePluralNamer(all),
	}
}

// name fills in the names of k, all but Resource from the name of the type.
func (n *Naming) name(k *Kind, resource string) {
	t := &types.Type{Name: types.Name{Name: k.Name}}
	k.Private = namer.IL(k.Name)
	k.Param = k.Private
	if token.IsKeyword(k.Param) {
		k.Param += "Object"
	}
	k.Plural = n.plural.Name(t)
	k.PluralPrivate = namer.IL(k.Plural)
	k.File = strings.ToLower(k.Name)
	k.Resource = resource
	if resource == "" {
		k.Resource = n.resource.Name(t)
	}
}

// versionPattern is what a version is called, and a folder named after one.
var versionPattern = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// IsVersion says whether s is the name of an API version.
func IsVersion(s string) bool { return versionPattern.MatchString(s) }

// notGroups are folders above a version that do not name its group: in
// kubebuilder's layout, a project with one group has its types in api/v1.
var notGroups = map[string]bool{"api": true, "apis": true, "pkg": true, "internal": true, "types": true, ".": true, "/": true}

// groupDir returns the folder of a group. As in client-gen it is the folder of
// the API package, so that k8s.io/api/rbac/v1 becomes rbac, whatever the group
// is called on the wire. Where that folder says nothing, the first part of the
// group's name does.
func groupDir(packagePath, version, group string) string {
	parent := path.Base(packagePath)
	if parent == version {
		parent = path.Base(path.Dir(packagePath))
	}
	if notGroups[parent] || parent != strings.ToLower(parent) {
		parent = firstPart(group)
	}
	if parent == "" {
		return "core"
	}
	return parent
}

// firstPart is rbac of rbac.authorization.k8s.io.
func firstPart(group string) string {
	first, _, _ := strings.Cut(group, ".")
	return first
}

// groupGoName is Rbac of rbac.authorization.k8s.io. What a name on the wire may
// have and an identifier may not is left out: a group of some-thing.io is
// SomeThing.
func groupGoName(group string) string {
	if group == "" {
		return "Core"
	}
	var b strings.Builder
	for _, word := range strings.Split(firstPart(group), "-") {
		b.WriteString(namer.IC(word))
	}
	return b.String()
}

// summary is the first sentence of a comment, on one line.
func summary(doc string) string {
	paragraph, _, _ := strings.Cut(doc, "\n\n")
	text := strings.Join(strings.Fields(paragraph), " ")
	if end := strings.Index(text, ". "); end >= 0 {
		text = text[:end]
	}
	return strings.TrimSuffix(text, ".")
}
