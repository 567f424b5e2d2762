package model

import (
	"go/token"
	"path"
	"strings"
	"unicode"
)

// Apply has the apply configurations of a run.
type Apply struct {
	// Dir is the folder in the output folder, such as applyconfiguration.
	Dir string
	// Packages are sorted by folder.
	Packages []*ApplyPackage
	// Schema describes the kinds.
	Schema *Schema
}

// ApplyInternalDir is the folder in Apply.Dir of the package that all apply configurations share.
const ApplyInternalDir = "internal"

// ApplyPackage has the apply configurations of the types of one API package.
type ApplyPackage struct {
	// Path is the import path of the API package.
	Path string
	// Dir is the folder in Apply.Dir, such as apps/v1.
	Dir string
	// GroupVersion is nil if the package has no kinds.
	GroupVersion *GroupVersion
	// Types are sorted by name.
	Types []*ApplyType
}

// Package returns the name of the Go package.
func (p *ApplyPackage) Package() string { return path.Base(p.Dir) }

// ApplyType is the apply configuration of a type.
type ApplyType struct {
	// Of is the type, and Name its name with an upper-case first letter.
	Of   TypeRef
	Name string
	// File is the name of the file without ".go".
	File string
	// Doc has the lines of the type's comment.
	Doc     []string
	Fields  []ApplyField
	Setters []ApplySetter
	Getters []ApplyGetter
	// Kind is nil unless the type is a kind of the run.
	Kind *Kind
	// HasTypeMeta reports whether the type embeds TypeMeta.
	HasTypeMeta bool
	// Subresources are the subresources of a kind for which there is a function Extract, sorted.
	Subresources []ApplySubresource
	// SchemaName is the name of the type in Apply.Schema. It is empty unless the type is a kind that
	// can be applied.
	SchemaName string
	// Pos is the name in the type declaration.
	Pos token.Position
}

// Config returns the name of the apply configuration.
func (t *ApplyType) Config() string { return t.Name + ApplySuffix }

// ApplySuffix ends the names of apply configurations.
const ApplySuffix = "ApplyConfiguration"

// ApplySubresource is a subresource with a function Extract.
type ApplySubresource struct {
	// Name is the name on the wire, such as status, and GoName ends the name of the function.
	Name, GoName string
}

// ApplyField is a field of an apply configuration.
type ApplyField struct {
	Doc []string
	// Name is empty for an embedded field.
	Name string
	Type GoType
	// Tag is the tag with the key json. It is empty for a field whose members JSON inlines.
	Tag string
	// Pos is the field of the type.
	Pos token.Position
}

// ApplyForm is how a method With sets a field.
type ApplyForm string

const (
	// ApplySet sets a field that has the type of the argument: an apply configuration or a map.
	ApplySet ApplyForm = "set"
	// ApplyAddress sets a pointer to the argument.
	ApplyAddress ApplyForm = "address"
	// ApplyAppend appends the arguments to a slice.
	ApplyAppend ApplyForm = "append"
	// ApplyAppendElements appends the values that the arguments point to.
	ApplyAppendElements ApplyForm = "appendElements"
	// ApplyAppendThrough appends like ApplyAppendElements. The field is a pointer to a slice.
	ApplyAppendThrough ApplyForm = "appendThrough"
	// ApplyPut sets the entries of a map.
	ApplyPut ApplyForm = "put"
)

// ApplySetter is a method With of an apply configuration.
type ApplySetter struct {
	// Field is the name of the field, and the method is With and the name.
	Field string
	Form  ApplyForm
	// Argument is the type of the argument. For the forms that append it is the type of one of them.
	Argument GoType
	// Through is the field with the apply configuration that has the method too, or nil. IsNested reports
	// whether that one calls another one in turn.
	Through  *ApplyEmbedded
	IsNested bool
	// IsMeta reports whether there is a method Get.
	IsMeta bool
}

// Is reports whether the setter has a form. It takes a string for templates.
func (s ApplySetter) Is(form string) bool { return s.Form == ApplyForm(form) }

// IsVariadic reports whether the method takes any number of arguments.
func (s ApplySetter) IsVariadic() bool {
	return s.Form == ApplyAppend || s.Form == ApplyAppendElements || s.Form == ApplyAppendThrough
}

// ApplyEmbedded is a field with an apply configuration whose methods the outer one has too.
type ApplyEmbedded struct {
	// Name is the name of the field.
	Name      string
	IsPointer bool
}

// ApplyGetter is a method that returns a field of type string.
type ApplyGetter struct {
	Field    string
	Through  *ApplyEmbedded
	IsNested bool
}

// GoType is a type as Go code writes it, in parts.
type GoType []GoTypePart

// Prefixed returns t after a text such as "*". It changes t.
func (t GoType) Prefixed(text string) GoType {
	if len(t) > 0 {
		t[0].Text = text + t[0].Text
	}
	return t
}

// GoTypePart is a text such as "map[string]", and the name of a type after it, or zero. The path of a
// predeclared type is empty.
type GoTypePart struct {
	Text string
	Ref  TypeRef
}

// ApplyDir returns the folder in Apply.Dir for the types of a package: the last two elements of the path
// of the package, where applyconfiguration-gen writes them.
func ApplyDir(packagePath string) string { return lastElements(packagePath, 2) }

// ApplyDirs returns the folder in Apply.Dir for the types of each package, by import path. It is the same as
// ApplyDir returns, unless Go cannot import a package from there. The folders of packages that would share one
// have more elements of their paths. taken are the folders of other packages, which stay as they are.
func ApplyDirs(packagePaths []string, taken map[string]string) map[string]string {
	dirs := map[string]string{}
	for _, p := range packagePaths {
		dirs[p] = importable(ApplyDir(p))
	}
	for isDone := false; !isDone; {
		isDone = true
		users := map[string]int{}
		for _, dir := range taken {
			users[dir]++
		}
		for _, dir := range dirs {
			users[dir]++
		}
		for p, dir := range dirs {
			if longer := importable(lastElements(p, strings.Count(dir, "/")+2)); users[dir] > 1 && longer != dir {
				dirs[p], isDone = longer, false
			}
		}
	}
	return dirs
}

// lastElements returns the last n elements of an import path, in lower case.
func lastElements(packagePath string, n int) string {
	elements := strings.Split(packagePath, "/")
	return strings.ToLower(path.Join(elements[max(len(elements)-n, 0):]...))
}

// importable returns a folder, or another name for it if a package in it cannot be imported, or have the name of the folder.
func importable(dir string) string {
	parent, name := path.Split(dir)
	elements := strings.Split(strings.TrimSuffix(parent, "/"), "/")
	for i, element := range elements {
		elements[i] = SafeDir(element, "group")
	}
	name = VersionDir(name)
	if !token.IsIdentifier(name) {
		name = "v" + name
	}
	return path.Join(path.Join(elements...), name)
}

// VersionDir returns the folder of a version, which is also the name of the packages in it: without the characters that no name has.
func VersionDir(version string) string {
	dir := strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, version)
	if token.IsKeyword(dir) {
		return dir + "version"
	}
	return SafeDir(dir, "version")
}

// SafeDir returns dir, or a longer name if other packages cannot import a package in dir.
func SafeDir(dir, suffix string) string {
	switch dir {
	case "init", "internal", "main", "testdata", "vendor":
		return dir + suffix
	}
	return dir
}

// MetaApplyPackage has the apply configurations of meta/v1.
const MetaApplyPackage = "k8s.io/client-go/applyconfigurations/meta/v1"

var metaApplied = map[string]bool{
	"Condition": true, "DeleteOptions": true, "LabelSelector": true, "LabelSelectorRequirement": true,
	"ManagedFieldsEntry": true, "ObjectMeta": true, "OwnerReference": true, "TypeMeta": true,
}

// ExternalApply returns the name of the apply configuration of a type that other code declares, or zero.
// externals are the packages with apply configurations that the user names, by type.
func ExternalApply(of TypeRef, externals map[TypeRef]string) TypeRef {
	if in := externals[of]; in != "" {
		return TypeRef{Path: in, Name: of.Name + ApplySuffix}
	}
	if of.Path == "k8s.io/apimachinery/pkg/apis/meta/v1" && metaApplied[of.Name] {
		return TypeRef{Path: MetaApplyPackage, Name: of.Name + ApplySuffix}
	}
	return TypeRef{}
}
