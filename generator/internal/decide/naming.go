package decide

import (
	"cmp"
	"go/build"
	"go/doc"
	"go/token"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/module"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// naming derives names from the names of types.
type naming struct {
	plural, resource namer.Namer
	// exceptions has all irregular plurals, by the name of the type.
	exceptions map[string]string
	// groupDirs are the folders that the user has chosen for groups.
	groupDirs map[string]string
	// reserved are the names that must not be made.
	reserved model.Reserved
}

// newNaming returns the naming rules of code-generator.
func newNaming(run *input.Run) *naming {
	all := map[string]string{"Endpoints": "Endpoints"} // as code-generator has it
	maps.Copy(all, run.Plurals)
	return &naming{
		plural:   namer.NewPublicPluralNamer(all),
		resource: namer.NewAllLowercasePluralNamer(all),

		exceptions: all,
		groupDirs:  run.GroupDirs,
		reserved:   model.ReservedNames(),
	}
}

// name sets the names of k, which are derived from the name of the type. resource, if it is not empty, is its Resource.
func (n *naming) name(k *model.Kind, resource string) {
	k.Private = lowerFirst(k.Name)
	k.Param = k.Private
	if token.IsKeyword(k.Param) || slices.Contains(n.reserved.Param, k.Param) {
		k.Param += "Object"
	}
	k.Plural = n.goPlural(k.Name)
	k.PluralPrivate = lowerFirst(k.Plural)
	isReserved := slices.Contains(n.reserved.PluralPrivate, k.PluralPrivate)
	if isReserved || token.IsKeyword(k.PluralPrivate) || doc.IsPredeclared(k.PluralPrivate) {
		k.PluralPrivate += "Client"
	}
	k.File = strings.ToLower(k.Name)
	if k.ExpansionFile = k.File + "_expansion"; slices.Contains(n.reserved.File, k.ExpansionFile) {
		k.ExpansionFile = k.File + "_kind_expansion"
	}
	isPortable := module.CheckFilePath(k.File+".go") == nil // Windows has no file aux.go
	if slices.Contains(n.reserved.File, k.File) || chosenByName(k.File) || !isPortable {
		k.File += "_kind"
	}
	k.FakeFile = "fake_" + k.File
	if chosenByName(k.FakeFile) {
		k.FakeFile += "_kind"
	}
	k.Resource = n.resourceOf(k.Name, resource)
}

// resourceOf returns the resource of a kind: the one from a marker or, if that is empty, the
// plural of the kind's name.
func (n *naming) resourceOf(kind, written string) string {
	if written != "" {
		return written
	}
	return n.resource.Name(&types.Type{Name: types.Name{Name: kind}})
}

// goPlural returns the plural of a type's name in Go. The namer takes the first byte for the
// first letter, so a name that begins with another letter gets an ASCII prefix.
func (n *naming) goPlural(name string) string {
	if plural := n.exceptions[name]; plural != "" {
		return upperFirst(plural)
	}
	prefix := ""
	if name[0] >= utf8.RuneSelf {
		prefix = "X"
	}
	return strings.TrimPrefix(n.plural.Name(&types.Type{Name: types.Name{Name: prefix + name}}), prefix)
}

// chosenByName reports whether the go command compiles a file only in tests or for one
// system because of its name, such as fake_test.go and fake_windows.go.
func chosenByName(file string) bool {
	context := build.Default
	context.GOOS, context.GOARCH = "none", "none"
	context.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p")), nil }
	taken, err := context.MatchFile("", file+".go")
	return err != nil || !taken || strings.HasSuffix(file, "_test")
}

// notGroups are folders above a version that do not name its group. In the layout of
// kubebuilder, a project with one group has its types in api/v1.
var notGroups = map[string]bool{"api": true, "apis": true, "pkg": true, "internal": true, "types": true}

// groupDir returns the folder of a group. The user may choose it. For packages with the markers
// of client-gen it is the folder that client-gen uses, so that import paths stay when a project
// migrates: the folder of the API package, such as apis of sigs.k8s.io/gateway-api/apis/v1. For
// others it is the groupFolder.
func (n *naming) groupDir(packagePath, version, group string, from input.From) string {
	if dir, ok := n.groupDirs[group]; ok {
		return dir
	}
	dir := groupFolder(packagePath, version, group)
	if parent := parentFolder(packagePath, version); from == input.FromGenclient && notGroups[parent] {
		dir = safeDir(parent)
	}
	return n.unreserved(dir)
}

// unreserved returns dir, or another name if a group cannot have that folder.
func (n *naming) unreserved(dir string) string {
	if slices.Contains(n.reserved.GroupDir, dir) {
		dir += "group"
	}
	return dir
}

// groupFolder returns the folder of a package, or the first part of the group's name if that
// folder does not name a group.
func groupFolder(packagePath, version, group string) string {
	parent := parentFolder(packagePath, version)
	if parent == "." || parent == "/" || notGroups[parent] || model.IsVersion(parent) || parent != strings.ToLower(parent) {
		parent = firstPart(group)
	}
	return safeDir(parent)
}

// parentFolder returns the folder above the version, or the package's own folder if that is not
// named after the version.
func parentFolder(packagePath, version string) string {
	if path.Base(packagePath) == version {
		return path.Base(path.Dir(packagePath))
	}
	return path.Base(packagePath)
}

// safeDir returns the folder of a group, which is not empty.
func safeDir(dir string) string { return model.SafeDir(cmp.Or(dir, "core"), "group") }

// groupPackage returns the name of the Go package in a group's folder.
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

// firstPart returns rbac for rbac.authorization.k8s.io.
func firstPart(group string) string {
	first, _, _ := strings.Cut(group, ".")
	return first
}

// groupGoName returns Rbac for rbac.authorization.k8s.io. It drops hyphens: some-thing.io is
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

// summary returns the first sentence of a comment, on one line and without the full stop.
func summary(doc string) string {
	paragraph, _, _ := strings.Cut(doc, "\n\n")
	text := strings.Join(strings.Fields(paragraph), " ")
	if end := strings.Index(text, ". "); end >= 0 {
		text = text[:end]
	}
	return strings.TrimSuffix(text, ".")
}

// deprecation returns the lines of the paragraph of a comment that begins with "Deprecated:",
// or nil. See https://go.dev/wiki/Deprecated.
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

func lowerFirst(s string) string { return mapFirst(s, unicode.ToLower) }

func upperFirst(s string) string { return mapFirst(s, unicode.ToUpper) }

// mapFirst changes the first letter of s, if s has one.
func mapFirst(s string, change func(rune) rune) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(change(first)) + s[size:]
}
