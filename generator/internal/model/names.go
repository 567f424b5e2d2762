package model

import (
	"go/build"
	"go/doc"
	"go/token"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
)

// Naming makes names from the names of types.
type Naming struct {
	plural, resource namer.Namer
	exceptions       map[string]string
	// GroupGoNames and GroupDirs are the Go names and the folders of groups, by the name
	// of the group, where the user has chosen them.
	GroupGoNames, GroupDirs map[string]string
	// Reserved are the names that must not be made.
	Reserved Reserved
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

		exceptions: all,
	}
}

// name fills in the names of k, all but Resource from the name of the type.
func (n *Naming) name(k *Kind, resource string) {
	k.Private = lowerFirst(k.Name)
	k.Param = k.Private
	if token.IsKeyword(k.Param) || slices.Contains(n.Reserved.Param, k.Param) {
		k.Param += "Object"
	}
	k.Plural = n.goPlural(k.Name)
	k.PluralPrivate = lowerFirst(k.Plural)
	if token.IsKeyword(k.PluralPrivate) || doc.IsPredeclared(k.PluralPrivate) || slices.Contains(n.Reserved.PluralPrivate, k.PluralPrivate) {
		k.PluralPrivate += "Client"
	}
	k.File = strings.ToLower(k.Name)
	k.ExpansionFile = k.File + "_expansion"
	if slices.Contains(n.Reserved.File, k.File) {
		k.File += "_kind"
	}
	k.FakeFile = "fake_" + k.File
	if chosenByName(k.FakeFile) {
		k.FakeFile += "_kind"
	}
	k.Resource = n.resourceOf(k.Name, resource)
}

// resourceOf returns the resource of a kind: the one that a marker says or, if that is empty, the
// plural of the kind's name.
func (n *Naming) resourceOf(kind, written string) string {
	if written != "" {
		return written
	}
	return n.resource.Name(&types.Type{Name: types.Name{Name: kind}})
}

// goPlural returns the plural of a type's name in Go. The namer takes the first byte for
// the first letter, so it is shown a name that begins with an ASCII letter.
func (n *Naming) goPlural(name string) string {
	if plural := n.exceptions[name]; plural != "" {
		return upperFirst(plural)
	}
	prefix := ""
	if name[0] >= utf8.RuneSelf {
		prefix = "X"
	}
	return strings.TrimPrefix(n.plural.Name(&types.Type{Name: types.Name{Name: prefix + name}}), prefix)
}

// chosenByName says whether the go command takes a file only for tests or for one
// system because of its name, as it does with fake_test.go and fake_windows.go.
func chosenByName(file string) bool {
	context := build.Default
	context.GOOS, context.GOARCH = "none", "none"
	context.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p")), nil }
	taken, err := context.MatchFile("", file+".go")
	return err != nil || !taken || strings.HasSuffix(file, "_test")
}

// InternalVersion is the version of a group's unversioned types, which no server
// speaks.
const InternalVersion = "__internal"

// notGroups are folders above a version that do not name its group: in
// kubebuilder's layout, a project with one group has its types in api/v1.
var notGroups = map[string]bool{"api": true, "apis": true, "pkg": true, "internal": true, "types": true}

// groupDir returns the folder of a group. It is the one that the user has chosen. Otherwise it is
// what client-gen makes of packages with its markers, so that import paths stay when a project
// migrates: the folder of the API package, such as apis of sigs.k8s.io/gateway-api/apis/v1.
// Otherwise that folder, if it says something, or the first part of the group's name.
func (n *Naming) groupDir(packagePath, version, group string, from From) string {
	if dir, ok := n.GroupDirs[group]; ok {
		return dir
	}
	dir := groupFolder(packagePath, version, group)
	if parent := parentFolder(packagePath, version); from == FromGenclient && notGroups[parent] {
		dir = safeDir(parent)
	}
	if slices.Contains(n.Reserved.GroupDir, dir) {
		dir += "group"
	}
	return dir
}

// groupFolder is the folder of a package, or where that says nothing the first part of the group's
// name.
func groupFolder(packagePath, version, group string) string {
	parent := parentFolder(packagePath, version)
	if parent == "." || parent == "/" || notGroups[parent] || IsVersion(parent) || parent != strings.ToLower(parent) {
		parent = firstPart(group)
	}
	return safeDir(parent)
}

// parentFolder is the folder above the version, or the package's own if that is not named after
// the version.
func parentFolder(packagePath, version string) string {
	if path.Base(packagePath) == version {
		return path.Base(path.Dir(packagePath))
	}
	return path.Base(packagePath)
}

// safeDir returns a folder whose package other packages can import.
func safeDir(dir string) string {
	switch dir {
	case "":
		return "core"
	case "init", "internal", "main", "testdata", "vendor":
		return dir + "group"
	}
	return dir
}

// versionDir returns the folder of a version, which is the name of the packages in it too.
func versionDir(version string) string {
	dir := strings.ReplaceAll(version, "-", "")
	if token.IsKeyword(dir) || safeDir(dir) != dir {
		return dir + "version"
	}
	return dir
}

// groupPackage is what the Go package in a group's folder is called.
func groupPackage(dir, goName string) string {
	name := dir
	if !token.IsIdentifier(name) { // a folder such as stable.example.com, or a keyword
		name = strings.ToLower(goName)
	}
	if token.IsKeyword(name) || safeDir(name) != name {
		name += "group"
	}
	return name
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
		b.WriteString(upperFirst(word))
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

// deprecation is the paragraph of a comment that begins with "Deprecated:", in
// lines of a readable length; nil for none. See https://go.dev/wiki/Deprecated.
func deprecation(doc string) []string {
	for _, paragraph := range strings.Split(doc, "\n\n") {
		if !strings.HasPrefix(paragraph, "Deprecated: ") {
			continue
		}
		var lines []string
		line := ""
		for _, word := range strings.Fields(paragraph) {
			if line != "" && len(line)+len(word) > 76 {
				lines, line = append(lines, line), ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		return append(lines, line)
	}
	return nil
}
