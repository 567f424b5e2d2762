package clientgo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/input"
)

// TestVersions compares the versions of client-go and apimachinery.
func TestVersions(t *testing.T) {
	const at33, at34 = "v0.33.2", "v0.34.1"
	release := func(version string) *packages.Module { return &packages.Module{Version: version} }
	replaced := func(path, version string) *packages.Module {
		return &packages.Module{Version: "v12.0.0+incompatible", Replace: &packages.Module{Path: path, Version: version}}
	}
	const get, lines = "run go get k8s.io/client-go@VERSION k8s.io/apimachinery@VERSION", "let the replace lines of go.mod name VERSION or newer"
	for name, test := range map[string]struct {
		client, machinery *packages.Module
		// what and fix are parts of the problem, or of the warning if only the minor versions differ. what is empty if no message is expected, and target is VERSION in fix.
		what, fix, target string
	}{
		"lowest":                {client: release("v0.34.0"), machinery: release("v0.34.0")},
		"patch versions":        {client: release("v0.34.0"), machinery: release(at34)},
		"a candidate":           {client: release("v0.34.0-rc.1"), machinery: release(at34)},
		"old":                   {release(at33), release("v0.34.0"), "needs k8s.io/client-go v0.34.0 or newer, and the module has " + at33, get, "v0.34.0"},
		"both are old":          {release(at33), release(at33), "the module has " + at33, get, "v0.34.0"},
		"old, and newer":        {release(at33), release(at34), "the module has " + at33, get, at34},
		"before v0.15":          {release("v11.0.0+incompatible"), release(at34), "the module has v11.0.0+incompatible", get, at34},
		"only client-go":        {release(at33), nil, "the module has " + at33, get, "v0.34.0"},
		"older than machinery":  {release("v0.36.3"), release("v0.37.0"), "client-go v0.36.3 and k8s.io/apimachinery v0.37.0 have different minor versions", get, "v0.37.0"},
		"newer than machinery":  {release("v0.37.0"), release("v0.36.3"), "different minor versions", get, "v0.37.0"},
		"two digits":            {release("v0.100.0"), release("v0.37.0"), "different minor versions", get, "v0.100.0"},
		"from a commit":         {client: release("v0.0.0-20250101000000-0123456789ab"), machinery: release(at34)},
		"machinery by commit":   {client: release("v0.35.0"), machinery: release("v0.36.0-alpha.0.0.20250101000000-0123456789ab")},
		"replaced by a version": {client: replaced("k8s.io/client-go", at34), machinery: release(at34)},
		"replaced by old":       {replaced("k8s.io/client-go", at33), release(at34), "the module has " + at33, lines, at34},
		"machinery replaced":    {release("v0.35.0"), replaced("k8s.io/apimachinery", at34), "different minor versions", lines, "v0.35.0"},
		"a fork":                {client: replaced("example.com/client-go", at33), machinery: release(at34)},
		"a folder":              {client: replaced("../client-go", ""), machinery: release(at34)},
		"in the workspace":      {client: release(""), machinery: release(at34)},
	} {
		t.Run(name, func(t *testing.T) {
			listed := func(importPath, modulePath string, of *packages.Module) *packages.Package {
				if of != nil {
					of.Path = modulePath
				}
				return &packages.Package{PkgPath: importPath, Module: of, GoFiles: []string{"no.go"}}
			}
			library := Read([]*packages.Package{listed(machineryPackage, "k8s.io/apimachinery", test.machinery), listed(discoveryPackage, "k8s.io/client-go", test.client)})
			got, other := library.Problem, library.Warning
			if strings.Contains(test.what, "minor") {
				got, other = other, got
			}
			if other != "" {
				t.Errorf("the library also has the message %q", other)
			}
			fix := strings.ReplaceAll(test.fix, "VERSION", test.target)
			if (got == "") != (test.what == "") || !strings.Contains(got, test.what) || !strings.Contains(got, "; "+fix) && fix != "" {
				t.Errorf("the message is %q, want %q with %q", got, test.what, fix)
			}
		})
	}
}

// TestMissing names the version to add, if the module does not have client-go yet.
func TestMissing(t *testing.T) {
	for version, want := range map[string]string{"v0.35.2": "v0.35.2", "v0.33.0": lowest, "": lowest} {
		library := Read([]*packages.Package{
			{PkgPath: discoveryPackage},
			{PkgPath: machineryPackage, Module: &packages.Module{Path: "k8s.io/apimachinery", Version: version}},
		})
		if !strings.Contains(library.Missing, "; run go get k8s.io/client-go/kubernetes@"+want+", ") || library.Problem+library.Warning != "" || library.DiscoveryType != "DiscoveryInterface" {
			t.Errorf("with apimachinery %q it is %+v, want the version %s", version, library, want)
		}
	}
}

// TestDeclarations finds the properties of a client-go by its declarations. A use of the same name declares
// nothing.
func TestDeclarations(t *testing.T) {
	const (
		names  = "type InformerName struct {\n}\n"
		typed  = "func NewTypedSharedIndexInformer[T runtime.Object](informer SharedIndexInformer) TypedSharedIndexInformer[T] {\n}\n"
		shards = "type SharedInformer interface {\n\tSetShardSelector(selector sharding.Selector) error\n}\n"
		result = "func (c *Client[T]) DeleteWithResult(ctx context.Context, name string, opts metav1.DeleteOptions) (metav1.APIResult, error) {\n}\n"
	)
	for name, test := range map[string]struct {
		cache, gentype string
		want           input.Library
	}{
		"v0.34":      {"", "", input.Library{}},
		"v0.36":      {names, "", input.Library{HasInformerNames: true}},
		"v0.37":      {names + typed, "", input.Library{HasInformerNames: true, HasTypedInformers: true}},
		"v0.38":      {names + typed + shards, result, input.Library{HasInformerNames: true, HasTypedInformers: true, HasShardSelectors: true, HasDeleteWithResult: true}},
		"only verbs": {"", result, input.Library{HasDeleteWithResult: true}},
		"only uses":  {"// SetShardSelector is not here.\nvar _ = informer.SetShardSelector(selector)\n", "var _, _ = c.DeleteWithResult(ctx, name, opts)\n", input.Library{}},
	} {
		t.Run(name, func(t *testing.T) {
			file := func(importPath, content string) *packages.Package {
				name := filepath.Join(t.TempDir(), "file.go")
				if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				return &packages.Package{PkgPath: importPath, GoFiles: []string{name}}
			}
			test.want.DiscoveryType, test.want.InlineTag = "DiscoveryInterface", ",inline" // of a discovery without declarations
			if got := Read([]*packages.Package{file(discoveryPackage, ""), file(cachePackage, test.cache), file(typedPackage, test.gentype)}); got != test.want {
				t.Errorf("client-go has %+v, want %+v", got, test.want)
			}
		})
	}
}
