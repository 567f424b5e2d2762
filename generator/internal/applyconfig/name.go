package applyconfig

import (
	"go/build"
	"go/types"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/module"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// checkNames adds an error for each two types that would give one name.
func (a *assembly) checkNames() {
	names := map[*home]map[string]*model.ApplyType{}
	for _, c := range a.all {
		if names[c.home] == nil {
			names[c.home] = map[string]*model.ApplyType{}
		}
		a.checkTopLevel(names[c.home], c.out)
		a.checkMethods(c.out)
	}
}

// checkTopLevel adds an error if the package has another type that needs one of the names of t.
func (a *assembly) checkTopLevel(taken map[string]*model.ApplyType, t *model.ApplyType) {
	names, reported := topLevel(t), false
	for i, name := range names {
		other := taken[name]
		switch {
		case slices.Contains(names[:i], name):
			a.errs.Add(t.Pos, "kind %s needs the name %s twice in the package of its apply configuration, because of a subresource; "+
				"rename the subresource", t.Name, name)
		case other != nil && !reported:
			reported = true
			a.errs.Add(t.Pos, "types %s and %s (%s) both need the name %s for their apply configurations; rename one of them",
				t.Of.Name, other.Of.Name, other.Pos, name)
		default:
			taken[name] = t
		}
	}
}

// topLevel returns the names that t needs in its package, and the name of its file.
func topLevel(t *model.ApplyType) []string {
	names := []string{t.Name, t.Config(), t.File + ".go"}
	if t.SchemaName != "" {
		names = append(names, "Extract"+t.Name, "Extract"+t.Name+"From")
		for _, s := range t.Subresources {
			names = append(names, "Extract"+t.Name+s.GoName)
		}
	}
	return names
}

// checkMethods adds an error if a field has the name of a method.
func (a *assembly) checkMethods(t *model.ApplyType) {
	methods := map[string]bool{}
	for _, s := range t.Setters {
		methods["With"+s.Field] = true
	}
	for _, g := range t.Getters {
		methods["Get"+g.Field] = true
	}
	if t.Kind != nil || t.HasTypeMeta {
		methods["IsApplyConfiguration"] = true
	}
	for _, f := range t.Fields {
		if methods[f.Name] {
			a.errs.Add(f.Pos, "the apply configuration of %s needs the name %s for a method, but the type has a field of that name; "+
				"rename the field", t.Of.Name, f.Name)
		}
	}
}

// fileName returns the name of the file for a type, without ".go". The go command ignores files with some
// names, such as windows_test.go and foo_windows.go. Windows and module archives have no file aux.go.
func fileName(typeName string) string {
	name := strings.ToLower(typeName)
	if module.CheckFilePath(name+".go") != nil {
		return name + "_type"
	}
	if !strings.Contains(name, "_") {
		return name
	}
	context := build.Default
	context.GOOS, context.GOARCH = "none", "none"
	context.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p")), nil }
	if taken, err := context.MatchFile("", name+".go"); err != nil || !taken || strings.HasSuffix(name, "_test") {
		name += "_type"
	}
	return name
}

func upperFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// withoutPointers returns the type that t points to, through any number of pointers.
func withoutPointers(t types.Type) types.Type {
	for {
		pointer, ok := types.Unalias(t).(*types.Pointer)
		if !ok {
			return t
		}
		t = pointer.Elem()
	}
}
