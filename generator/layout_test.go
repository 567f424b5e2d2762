package generator_test

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator"
)

// userModule writes a module with the requirements of testdata and the given files. It sets neither
// GOFLAGS=-mod=mod nor a module proxy.
func userModule(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	flags := ""
	if slices.Contains(strings.Fields(os.Getenv("GOFLAGS")), "-race") {
		flags = "-race" // with which make test has compiled client-go
	}
	t.Setenv("GOFLAGS", flags)
	t.Setenv("GOPROXY", "off")
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	goMod := readFile(t, filepath.Join(testdata, "go.mod"))
	goMod = strings.Replace(goMod, "module github.com/typedinformers/informer-gen/testdata", "module example.com/user", 1)
	goMod = strings.Replace(goMod, "=> ../", "=> "+strconv.Quote(root), 1)
	goMod = strings.Replace(goMod, "=> ./dependency", "=> "+strconv.Quote(filepath.Join(root, "testdata", "dependency")), 1)
	writeFile(t, filepath.Join(dir, "go.mod"), goMod)
	writeFile(t, filepath.Join(dir, "go.sum"), readFile(t, filepath.Join(testdata, "go.sum")))
	for name, content := range files {
		writeFile(t, filepath.Join(dir, name), content)
	}
}

// keptDir returns an empty folder with that name for a module that is compiled. The go command compiles the
// module again if the name differs from the last run.
func keptDir(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("../build/generator", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// hasFile reports whether a run generates a file that contains the text.
func hasFile(t *testing.T, result *generator.Result, path, content string) {
	t.Helper()
	// What comes before depends on where it is looked at from.
	made := func(change string) bool {
		return strings.HasPrefix(change, "create ") && strings.HasSuffix(change, path)
	}
	if !slices.ContainsFunc(result.Changes(), made) {
		t.Errorf("%s is not made, only:\n%s", path, strings.Join(result.Changes(), "\n"))
	}
	if text := diff(t, result); !strings.Contains(text, content) {
		t.Errorf("nothing that is made has %s", content)
	}
}

// TestDependency generates for a package of a dependency in the main module.
func TestDependency(t *testing.T) {
	dir := t.TempDir()
	userModule(t, dir, nil)
	result := generate(t, generator.Options{Dir: dir, Patterns: []string{"k8s.io/api/rbac/v1"}, OutputDir: "pkg/kube"})
	if result.Kinds != 4 {
		t.Errorf("%d kinds, want 4", result.Kinds)
	}
	hasFile(t, result, "pkg/kube/informers/externalversions/rbac/v1/clusterrole.go", `"example.com/user/pkg/kube/listers/rbac/v1"`)
}

// TestMajorVersion generates for the package in the root folder of a module. The major version of the module is not
// the version of the API, and not a part of the name of a folder.
func TestMajorVersion(t *testing.T) {
	for _, test := range []struct{ module, name, version, want string }{
		{"example.com/shop/v2", "shop", "v1", "shop/v1"},
		{"example.com/shop/v2", "shop", "v2", "shop/v2"},
		{"example.com/shop/v10", "shop", "v1beta1", "shop/v1beta1"},
		{"gopkg.in/shop.v2", "shop", "v1", "shop/v1"},
		{"example.com/shop", "shop", "v1", "shop/v1"},
		{"example.com/shop/v1", "v1", "", "shop/v1"}, // Go has no such major version
		{"example.com/shop/v1beta1", "v1beta1", "", "shop/v1beta1"},
	} {
		t.Run(test.module+" "+test.version, func(t *testing.T) {
			dir := t.TempDir()
			text := "package " + test.name + `

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +genclient
type Order struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
}
`
			if test.version != "" {
				text = strings.Replace(text, "import ", `import "k8s.io/apimachinery/pkg/runtime/schema"
import `, 1) + `
var SchemeGroupVersion = schema.GroupVersion{Group: "orders.example.com", Version: "` + test.version + `"}
`
			}
			userModule(t, dir, map[string]string{"types.go": "// +groupName=orders.example.com\n" + text})
			goMod := filepath.Join(dir, "go.mod")
			writeFile(t, goMod, strings.Replace(readFile(t, goMod), "module example.com/user", "module "+test.module, 1))
			result := generate(t, generator.Options{Dir: dir, Patterns: []string{"."}, OutputDir: "generated", DeepCopy: true, Register: true})
			hasFile(t, result, "generated/listers/"+test.want+"/order.go", "orders"+path.Base(test.want)+`.SchemeGroupVersion.WithResource("order")`)
		})
	}
}

// TestModuleRoot generates into the folder of go.mod.
func TestModuleRoot(t *testing.T) {
	dir, options := shopModule(t)
	options.OutputDir = dir
	hasFile(t, generate(t, options), orderInformer, `"example.com/mod/listers/shop/v1"`)
}

// TestWorkspace has the API in one module of a go.work and the output in another. Neither module requires
// the other.
func TestWorkspace(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GOWORK", "")
	t.Setenv("GOFLAGS", "")
	copyTree(t, filepath.Join(testdata, "apis/shop"), filepath.Join(dir, "api/shop"))
	writeFile(t, filepath.Join(dir, "api/go.mod"), "module example.com/api\n\ngo 1.25.0\n")
	writeFile(t, filepath.Join(dir, "operator/go.mod"), "module example.com/operator\n\ngo 1.25.0\n")
	writeFile(t, filepath.Join(dir, "operator/main.go"), "package main\n\nfunc main() {}\n")
	writeClientGo(t, dir)
	writeFile(t, filepath.Join(dir, "go.work"), "go 1.25.0\n\nuse (\n\t./api\n\t./client-go\n\t./operator\n)\n")
	for _, options := range []generator.Options{
		{Dir: filepath.Join(dir, "operator"), Patterns: []string{"example.com/api/..."}, OutputDir: "pkg/generated"},
		{Dir: filepath.Join(dir, "operator"), Patterns: []string{"../api/shop/v1", "../api/shop/v1beta1"}, OutputDir: "pkg/generated"},
		{Dir: filepath.Join(dir, "api"), Patterns: []string{"./..."}, OutputDir: "../operator/pkg/generated"},
		{Dir: dir, Patterns: []string{"example.com/api/shop/..."}, OutputDir: "operator/pkg/generated"},
	} {
		result := generate(t, options)
		if result.GroupVersions != 2 {
			t.Errorf("%v: %d group versions, want 2", options.Patterns, result.GroupVersions)
		}
		hasFile(t, result, "pkg/generated/"+orderInformer, `"example.com/operator/pkg/generated/listers/shop/v1"`)
		hasFile(t, result, "pkg/generated/"+orderInformer, `shopv1 "example.com/api/shop/v1"`)
	}
}

// TestVendor generates for a vendored package, once without access to the module cache.
func TestVendor(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(root, " ") {
		t.Skip("the go command does not vendor from a folder whose name has a space")
	}
	if testing.Short() {
		t.Skip("copies a vendor folder")
	}
	dir := t.TempDir()
	userModule(t, dir, map[string]string{
		"main.go":    "package main\n\nimport (\n\t_ \"example.com/dep/shop/v1\"\n\t_ \"k8s.io/api/rbac/v1\"\n)\n\nfunc main() {}\n",
		"dep/go.mod": "module example.com/dep\n\ngo 1.25.0\n\nrequire k8s.io/apimachinery v0.34.0\n",
	})
	copyTree(t, filepath.Join(testdata, "apis/shop"), filepath.Join(dir, "dep/shop"))
	run(t, dir, "go", "mod", "edit", "-require=example.com/dep@v0.0.0", "-replace=example.com/dep=./dep")
	run(t, dir, "go", "mod", "tidy")
	run(t, dir, "go", "mod", "vendor")
	if err := os.RemoveAll(filepath.Join(dir, "dep/shop")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOMODCACHE", t.TempDir())
	result := generate(t, generator.Options{Dir: dir, Patterns: []string{"example.com/dep/shop/v1", "k8s.io/api/rbac/v1"}, OutputDir: "pkg/generated"})
	if result.GroupVersions != 2 {
		t.Errorf("%d group versions, want 2", result.GroupVersions)
	}
	if text := fmt.Sprint(result.Warnings); !strings.Contains(text, "the vendor folder does not have it; run") {
		t.Errorf("the warnings are %s", text)
	}
	hasFile(t, result, "pkg/generated/"+orderInformer, `shopv1 "example.com/dep/shop/v1"`)
	hasFile(t, result, "pkg/generated/listers/rbac/v1/role.go", `"k8s.io/api/rbac/v1"`)
}

// TestKubernetes generates for real packages and vets the output. It compiles client-go, which takes a
// minute of CPU time with an empty build cache.
func TestKubernetes(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles client-go")
	}
	dir := keptDir(t, "kubernetes")
	userModule(t, dir, nil)
	options := generator.Options{
		Dir: dir, Patterns: []string{"k8s.io/api/apps/v1", "k8s.io/api/core/v1", "k8s.io/api/rbac/v1"}, OutputDir: "kube",
		ApplyConfigurationPackage: "k8s.io/client-go/applyconfigurations", PrefersProtobuf: true,
	}
	if result := write(t, options); result.GroupVersions != 3 || result.Kinds < 20 {
		t.Errorf("%d kinds in %d group versions", result.Kinds, result.GroupVersions)
	}
	run(t, dir, "go", "vet", "./...")
	if result := generate(t, options); result.Stale() {
		t.Errorf("after it was compiled the output is stale: %v", result.Changes())
	}
}

// TestOddFolders compiles the generated code for packages whose folders do not have their names, or cannot be imported
// by these names, and for an embedded struct of another package whose fields another one hides.
func TestOddFolders(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles client-go")
	}
	packaged := func(name, group, version, spec, imports string) string {
		text := plainKind(group, spec, imports+"\n\t\"k8s.io/apimachinery/pkg/runtime/schema\"")
		return strings.Replace(text, "package v1", "package "+name, 1) + fmt.Sprintf("\nvar SchemeGroupVersion = schema.GroupVersion{Group: %q, Version: %q}\n", group+".example.com", version)
	}
	dir := keptDir(t, "folders")
	userModule(t, dir, map[string]string{
		"apis/my-api/types.go":       packaged("myapi", "mine", "v1alpha1", "sharedtypes.Money", `sharedtypes "example.com/user/apis/shared-types"`),
		"apis/shared-types/money.go": "package sharedtypes\n\ntype Money struct{ Amount string `json:\"amount\"` }\n",
		"api/shopv1/types.go":        packaged("v1", "shop", "v1", "string", ""),
		"internal/v1/types.go": plainKind("hidden", "Ref", `corev1 "k8s.io/api/core/v1"`) + `
type Ref struct {
	corev1.LocalObjectReference "json:\",inline\""

	Name string "json:\"displayName\""
}
`,
	})
	write(t, generator.Options{Dir: dir, Patterns: []string{"./..."}, OutputDir: "generated", WithApplyConfig: true, DeepCopy: true, Register: true})
	run(t, dir, "go", "vet", "./...")
}

// TestViewsOnly generates for a program without kinds, with views of kinds in other packages.
func TestViewsOnly(t *testing.T) {
	dir := keptDir(t, "views")
	userModule(t, dir, map[string]string{"internal/pods/v1/types.go": `package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +informer:view=k8s.io/api/core/v1.Pod
type PodNode struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata\"`" + `

	Spec struct {
		NodeName string ` + "`json:\"nodeName\"`" + `
	} ` + "`json:\"spec\"`" + `
}

func (in *PodNode) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}
`})
	options := generator.Options{Dir: dir, Patterns: []string{"./internal/..."}, OutputDir: "internal/generated"}
	result := generate(t, options)
	if result.Kinds != 0 || result.Views != 1 || result.GroupVersions != 1 || len(result.PassedOver) > 0 {
		t.Errorf("%d kinds and %d views in %d group versions, and %v without any", result.Kinds, result.Views, result.GroupVersions, result.PassedOver)
	}
	hasFile(t, result, "generated/informers/externalversions/pods/v1/podnode.go", "PodNodes() PodNodeInformer")
	if text := diff(t, result); strings.Contains(text, "/typed/") {
		t.Errorf("there are typed clients:\n%s", text)
	}
	if testing.Short() {
		t.Skip("compiles client-go")
	}
	write(t, options)
	run(t, dir, "go", "vet", "./...")
}

// unlistedListers are listers of client-go for kinds that cannot be listed.
var unlistedListers = map[string]bool{
	"listers/imagepolicy/v1alpha1/expansion_generated.go": true,
	"listers/imagepolicy/v1alpha1/imagereview.go":         true,
	"listers/policy/v1/eviction.go":                       true,
	"listers/policy/v1beta1/eviction.go":                  true,
}

// TestKubernetesLayout generates for all of k8s.io/api and compares the folders of clients and
// informers with client-go.
func TestKubernetesLayout(t *testing.T) {
	dir := t.TempDir()
	userModule(t, dir, nil)
	clientGo := strings.TrimSpace(run(t, dir, "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/client-go"))
	result := generate(t, generator.Options{Dir: dir, Patterns: []string{"k8s.io/api/..."}, OutputDir: "kube"})

	made := map[string]bool{}
	for _, change := range result.Changes() {
		made[strings.TrimPrefix(change, "create kube/")] = true
	}
	for theirs, ours := range map[string]string{
		"kubernetes/typed": "clientset/versioned/typed",
		"informers":        "informers/externalversions",
		"listers":          "listers",
	} {
		files, err := filepath.Glob(filepath.Join(clientGo, theirs, "*/*/*.go"))
		if err != nil || len(files) < 100 {
			t.Fatalf("%d files in %s of client-go: %v", len(files), theirs, err)
		}
		for _, file := range files {
			rel, _ := filepath.Rel(filepath.Join(clientGo, theirs), file)
			want := ours + "/" + filepath.ToSlash(rel)
			base := filepath.Base(file)
			if unlistedListers[want] {
				continue
			}
			if base == "doc.go" || strings.HasSuffix(base, "_expansion.go") && base != "generated_expansion.go" || strings.HasSuffix(base, "_test.go") {
				continue
			}
			if !made[want] {
				t.Errorf("client-go has %s, but %s is not made", theirs+"/"+rel, want)
			}
		}
	}
}
