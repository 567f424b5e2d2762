package describe

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

func TestSchemeBuilder(t *testing.T) {
	const imports = "package v1\n\nimport (\n\t\"k8s.io/apimachinery/pkg/runtime\"\n\t\"sigs.k8s.io/controller-runtime/pkg/scheme\"\n" +
		"\tbuilders \"sigs.k8s.io/controller-runtime/pkg/scheme\"\n\tother \"example.com/scheme\"\n)\n\n"
	for text, want := range map[string]input.SchemeBuilder{
		"": input.NoBuilder,
		"var SchemeBuilder runtime.SchemeBuilder":                input.FuncBuilder,
		"var SchemeBuilder = runtime.SchemeBuilder{}":            input.FuncBuilder,
		"var SchemeBuilder = &runtime.SchemeBuilder{}":           input.FuncBuilder,
		"var SchemeBuilder = runtime.NewSchemeBuilder(addTypes)": input.FuncBuilder,
		"var (\n\tx, SchemeBuilder = 1, &scheme.Builder{}\n)":    input.ObjectBuilder,
		"var SchemeBuilder *builders.Builder = newBuilder()":     input.ObjectBuilder,
		"var SchemeBuilder = &other.Builder{}":                   input.OtherBuilder,
		"var SchemeBuilder = newBuilder()":                       input.OtherBuilder,
		"const SchemeBuilder = 1":                                input.OtherBuilder,
		"type SchemeBuilder struct{}":                            input.OtherBuilder,
		"func SchemeBuilder() {}":                                input.OtherBuilder,
		"func (Order) SchemeBuilder() {}":                        input.NoBuilder,
	} {
		if got := describe(t, imports+text+"\n").SchemeBuilder; got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}

func TestMentions(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":             "package v1\n\n// OrderList is missing.\nvar x = \"OrderList\"\n",
		"b.go":             "package v1\n\nfunc f() { use(&ShelfList{}) }\n",
		model.DeepCopyFile: "package v1\n\nvar _ OrderList\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	src := &syntax.Package{Names: []string{filepath.Join(dir, "a.go"), filepath.Join(dir, "b.go"), filepath.Join(dir, model.DeepCopyFile), filepath.Join(dir, model.RegisterFile)}}
	for name, want := range map[string]bool{"OrderList": false, "ShelfList": true, "List": false} {
		if mentions(src, name) != want {
			t.Errorf("the package mentions %s: %t", name, !want)
		}
	}
}
