package mutate

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// TestNames generates for groups, versions and kinds with the names of what templates declare,
// import or call a variable.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	writeModule(t, dir)
	names := []string{
		"api", "apply", "cache", "client", "clientset", "context", "discovery", "error", "externalversions", "factory", "fake", "fmt", "generic", "gentype", "group",
		"http", "informers", "internalinterfaces", "labels", "listers", "metav1", "redirect", "rest", "runtime", "schema", "scheme", "string", "testing", "time", "type", "typed",
		"types", "version", "versioned", "watch",
	}
	for _, name := range names {
		writeKinds(t, dir, "groups/"+name+"/v1", name+".example.com", "Order")
		writeKinds(t, dir, "versions/of"+name+"/"+name, "of"+name+".example.com", "Order")
	}
	kinds := []string{"Any", "C", "Client", "Clientset", "Data", "Err", "Error", "Expansion", "Fake", "Func", "GenericInformer", "Group", "Http", "Indexer", "Informer",
		"Interface", "Lister", "Name", "New", "NewForConfig", "Opts", "Option", "Range", "Res", "Result", "Scheme", "String", "Test", "Type", "Version", "Watch", "Windows"}
	writeKinds(t, dir, "kinds/shop/v1", "shop.example.com", kinds...)
	writeKinds(t, dir, "kinds/shop/items", "shop.example.com", "Shopitem") // plural and package are shopitems

	writeKinds(t, dir, "groups/a.init/v1", "init.example.com", "Order") // no name of a package
	writeKinds(t, dir, "groups/a.main/v1", "main.example.com", "Order")
	writeKinds(t, dir, "kinds/c/s", "c.example.com", "Order")

	for _, clientset := range []string{"versioned", "fake", "scheme", "typed"} {
		got := generate(t, dir, "--output-dir=out/"+clientset, "--clientset-name="+clientset, "--plural-exceptions=Res:Rest,Name:Scheme", "./groups/...", "./versions/...", "./kinds/...")
		if !got.accepted {
			t.Fatal(got.stderr)
		}
	}
	if !checkOutput(t, dir, "example.com/mod/kinds/shop/v1") {
		t.Error("the package that is generated for does not type-check")
	}
}

// writeKinds writes a package with namespaced kinds into a folder named after its version.
func writeKinds(t *testing.T, dir, folder, group string, kinds ...string) {
	t.Helper()
	version := path.Base(folder)
	var b strings.Builder
	fmt.Fprintf(&b, `package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var SchemeGroupVersion = schema.GroupVersion{Group: %q, Version: %q}

var AddToScheme = func(*runtime.Scheme) error { return nil }
`, group, version)
	for _, kind := range kinds {
		b.WriteString(strings.ReplaceAll(`
// +genclient
type KIND struct {
	metav1.TypeMeta "json:\",inline\""
	metav1.ObjectMeta "json:\"metadata,omitempty\""
}

func (in *KIND) DeepCopyObject() runtime.Object { return in }

type KINDList struct {
	metav1.TypeMeta "json:\",inline\""
	metav1.ListMeta "json:\"metadata,omitempty\""
	Items []KIND "json:\"items\""
}

func (in *KINDList) DeepCopyObject() runtime.Object { return in }
`, "KIND", kind))
	}
	if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, folder, "types.go"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
