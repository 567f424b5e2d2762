package generator_test

import (
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator"
)

// layouts are modules whose packages a pattern such as ./... tempts to mix up.
var layouts = map[string]map[string]string{
	"a new module": {
		"api/v1/types.go": plainKind("shop", "string", ""),
	},
	"packages that would share a folder": {
		"apis/shop/v1/types.go":         plainKind("shop", "common.Spec", `"example.com/user/pkg/a/common"`),
		"pkg/store/shop/v1/store.go":    "package v1\n\ntype Store struct{ N int `json:\"n\"` }\n",
		"pkg/a/common/common.go":        "package common\n\ntype Spec struct{ N int `json:\"n\"` }\n",
		"internal/pkg/a/common/none.go": "package common\n\ntype Spec struct{ N int `json:\"n\"` }\n",
	},
	"aliases of a list type that the run writes": {
		"api/v1/types.go": plainKind("shop", "string", ""),
		"api/v2/types.go": "// +groupName=shop.example.com\npackage v2\n\nimport v1 \"example.com/user/api/v1\"\n\n// +genclient\ntype Order = v1.Order\n\ntype OrderList = v1.OrderList\n",
	},
	"API packages below the output folder": {
		"generated/api/v1/types.go":       plainKind("shop", "string", ""),
		"generated/informers/v1/types.go": plainKind("farm", "string", ""),
	},
}

// plainKind returns a file with a kind of a group that has only a struct. Its spec is of the type.
func plainKind(group, spec, imports string) string {
	return `// +groupName=` + group + `.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	` + imports + `
)

// +genclient
type Order struct {
	metav1.TypeMeta   "json:\",inline\""
	metav1.ObjectMeta "json:\"metadata,omitempty\""

	Spec ` + spec + ` "json:\"spec\""
}
`
}

// project returns the API packages of a folder of testdata as files of the module of userModule.
func project(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	root := filepath.Join(testdata, folder)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "generated":
			return filepath.SkipDir
		case entry.IsDir() || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		name, err := filepath.Rel(testdata, path)
		files[filepath.ToSlash(name)] = strings.NewReplacer(
			"informer-gen/testdata/dependency", "informer-gen/testdata/dependency",
			"github.com/typedinformers/informer-gen/testdata/", "example.com/user/",
		).Replace(readFile(t, path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSecondRun runs the generator twice with a pattern that matches the generated packages too. The second run reads
// the same files as the first one, so that it changes nothing.
func TestSecondRun(t *testing.T) {
	all := generator.Options{WithApplyConfig: true, DeepCopy: true, Register: true, OutputDir: "generated"}
	clients, apply, copies, names, root, existing := all, all, all, all, all, all
	clients.WithApplyConfig, clients.DeepCopy, clients.Register = false, false, false
	apply.DeepCopy, apply.Register = false, false
	copies.WithApplyConfig = false
	names.ApplyConfigName, names.ClientsetName = "configs", "client"
	root.OutputDir = "."
	existing = clients
	existing.VersionedClientsetPackage = "k8s.io/client-go/kubernetes"
	sets := map[string]map[string]generator.Options{
		"apis":     {"clients": clients, "apply": apply},
		"applied":  {"clients": clients, "apply": apply, "all": all},
		"apply":    {"clients": clients, "apply": apply},
		"copies":   {"clients": clients, "copies": copies},
		"existing": {"existing": existing},
	}
	if testing.Short() {
		clear(sets)
	}
	modules := maps.Clone(layouts)
	for folder := range sets {
		modules[folder] = project(t, folder)
	}
	for layout := range layouts {
		sets[layout] = map[string]generator.Options{"all": all, "names": names, "root": root}
	}
	for module, files := range modules {
		for set, options := range sets[module] {
			t.Run(module+", "+set, func(t *testing.T) {
				options.Dir, options.Patterns = t.TempDir(), []string{"./..."}
				userModule(t, options.Dir, files)
				first := generate(t, options)
				if err := first.Write(t.Context()); err != nil {
					t.Fatal(err)
				}
				second := generate(t, options)
				if diff := diff(t, second); diff != "" {
					t.Fatalf("the second run changes\n%s", diff)
				}
				if !slices.Equal(second.PassedOver, first.PassedOver) {
					t.Errorf("the first run found no kind in %v, the second one in %v", first.PassedOver, second.PassedOver)
				}
			})
		}
	}
}

// TestApplyFolders checks that packages without kinds, and output of another run, do not move the apply
// configurations of kinds and of the types that these consist of.
func TestApplyFolders(t *testing.T) {
	dir := t.TempDir()
	userModule(t, dir, layouts["packages that would share a folder"])
	result := generate(t, generator.Options{Dir: dir, Patterns: []string{"./..."}, OutputDir: "generated", WithApplyConfig: true, DeepCopy: true, Register: true})
	var folders []string
	for _, change := range result.Changes() {
		if _, file, isApply := strings.Cut(change, "generated/applyconfiguration/"); isApply && strings.Contains(file, "/") && !strings.HasPrefix(file, "internal/") {
			folders = append(folders, path.Dir(file))
		}
	}
	slices.Sort(folders)
	want := []string{"a/common", "shop/v1"}
	if folders = slices.Compact(folders); !slices.Equal(folders, want) {
		t.Errorf("the folders are %v, want %v", folders, want)
	}
}

// TestBrokenOutput checks that emitted files that do not parse are replaced, and that a pattern that matches
// nothing else gets an error.
func TestBrokenOutput(t *testing.T) {
	dir := t.TempDir()
	userModule(t, dir, layouts["a new module"])
	options := generator.Options{Dir: dir, Patterns: []string{"./..."}, OutputDir: "generated", DeepCopy: true, Register: true}
	if err := generate(t, options).Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	lister := filepath.Join(dir, "generated/listers/api/v1/order.go")
	before := readFile(t, lister)
	for _, clause := range []string{"package v1\n<<<<<<< HEAD\n", "package other\n"} {
		writeFile(t, lister, strings.Replace(before, "package v1\n", clause, 1))
		if err := generate(t, options).Write(t.Context()); err != nil {
			t.Errorf("with %q: %v", clause, err)
		}
		if readFile(t, lister) != before {
			t.Errorf("with %q: the file is not replaced", clause)
		}
	}
	options.Patterns = []string{"./generated/..."}
	if _, err := generator.Generate(t.Context(), options); err == nil || !strings.Contains(err.Error(), "matches only packages that informer-gen has written") {
		t.Errorf("the error is %v", err)
	}
}
