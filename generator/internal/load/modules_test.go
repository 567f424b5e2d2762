package load

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// TestModules finds the types of other modules in the folders in which the go command finds the packages.
func TestModules(t *testing.T) {
	const order = `
-- shop/types.go --
package shop

import (
	"example.com/base"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +informer:index:name=byName,path=spec.name
type Order struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec base.Spec ` + "`json:\"spec\"`" + `
}
`
	const spec = "package base\n\ntype Spec struct {\n\tName string `json:\"name\"`\n}\n"
	const noMeta = "\n-- meta/go.mod --\nmodule k8s.io/apimachinery\n-- meta/pkg/apis/meta/v1/types.go --\npackage v1\n\ntype TypeMeta struct{}\n\ntype ObjectMeta struct{}\n"
	const goMod = "-- go.mod --\nmodule example.com/mod\n\ngo 1.25.0\n\nrequire k8s.io/apimachinery v0.0.0\n\n"
	const replaced = goMod + "require example.com/base v0.0.0\n\nreplace (\n\texample.com/base => ./base\n\tk8s.io/apimachinery => ./meta\n)\n"
	for _, test := range []struct {
		name, files string
		tags        []string
	}{
		{name: "replaced", files: replaced + "-- base/go.mod --\nmodule example.com/base\n-- base/base.go --\n" + spec + noMeta},
		{name: "build tags", files: replaced + "-- base/go.mod --\nmodule example.com/base\n-- base/other.go --\npackage base\n-- base/base.go --\n" +
			"//go:build special\n\n" + spec + noMeta, tags: []string{"special"}},
		{name: "vendored", files: goMod + "require example.com/base v1.2.3\n\nreplace k8s.io/apimachinery v0.0.0 => ./meta\n-- vendor/modules.txt --\n" +
			"# example.com/base v1.2.3\n## explicit\nexample.com/base\n# k8s.io/apimachinery v0.0.0 => ./meta\n## explicit\n" +
			"k8s.io/apimachinery/pkg/apis/meta/v1\n-- vendor/k8s.io/apimachinery/pkg/apis/meta/v1/types.go --\npackage v1\n\ntype TypeMeta struct{}\n\n" +
			"type ObjectMeta struct{}\n-- vendor/example.com/base/base.go --\n" + spec},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("GOPROXY", "off")
			t.Setenv("GOFLAGS", "")
			t.Setenv("GOWORK", "off")
			dir := t.TempDir()
			for _, file := range txtar.Parse([]byte(test.files + order)).Files {
				name := filepath.Join(dir, filepath.FromSlash(file.Name))
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, file.Data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			var errs model.Errors
			result, err := Load(t.Context(), &input.Run{Dir: dir, Patterns: []string{"./shop"}, BuildTags: test.tags}, &errs)
			if err != nil || errs.Join() != nil {
				t.Fatal(err, errs.Join())
			}
			field := result.Packages[0].Types[0].Fields["spec.name"]
			if field.Problem != "" || len(field.Steps) != 2 || field.Value.Basic != "string" {
				t.Errorf("the field is %+v", field)
			}
		})
	}
}
