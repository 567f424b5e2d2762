package load

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

const clientsetModule = `
-- go.mod --
module example.com/mod

go 1.25.0
-- clients/clients.go --
package clientset

import "example.com/mod/others"

type Interface = others.Set
-- others/others.go --
package others

import (
	"example.com/mod/typed"
	missing "example.com/mod/missing"
	"k8s.io/client-go/discovery"
)

type Set interface {
	Discovery() discovery.DiscoveryInterface
	ShopV1() typed.Shop
	LostV1() missing.Lost
	ByName(name string) typed.Shop
	Parts
}

type Parts interface {
	PaintV1() typed.Paint
	Close() error
}
-- typed/typed.go --
package typed

import "k8s.io/client-go/rest"

type Shop interface {
	RESTClient() rest.Interface
	OrdersGetter
	Shop
}

type OrdersGetter interface {
	Orders(namespace string) OrderInterface
}

type Paint struct{}
`

// TestClientset reads an Interface that is an alias of another package's, and clients with methods of their own,
// of embedded interfaces, and of interfaces that embed each other.
func TestClientset(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	files, err := txtar.FS(txtar.Parse([]byte(clientsetModule)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	result := &Loaded{run: &input.Run{Dir: dir}}
	got, err := result.Clientset(t.Context(), "example.com/mod/clients")
	if err != nil || got.Problem != "" {
		t.Fatal(err, got.Problem)
	}
	if got.Name != "clientset" || got.Path != "example.com/mod/clients" {
		t.Errorf("it is package %s in %s", got.Name, got.Path)
	}
	if names, want := slices.Sorted(maps.Keys(got.Clients)), []string{"Close", input.DiscoveryMethod, "LostV1", "PaintV1", "ShopV1"}; !slices.Equal(names, want) {
		t.Errorf("it has the clients %v, want %v", names, want)
	}
	if shop := got.Clients["ShopV1"]; shop == nil || shop.Problem != "" || !maps.Equal(shop.Params, map[string]int{"RESTClient": 0, "Orders": 1}) {
		t.Errorf("the client of the shop is %+v", shop)
	}
	for name, want := range map[string]string{"LostV1": "does not find package example.com/mod/missing", "PaintV1": "type Paint of package example.com/mod/typed is not an interface"} {
		if client := got.Clients[name]; client == nil || !strings.Contains(client.Problem, want) {
			t.Errorf("%s is %+v, want the problem %q", name, client, want)
		}
	}
	for _, note := range result.Notes {
		if !strings.HasPrefix(note, "loaded the syntax of 1 packages") && !strings.HasPrefix(note, "loaded the syntax of 0 packages") {
			t.Errorf("more packages were read than are named: %s", note)
		}
	}
}

// TestDiscoveryType finds the type that a clientset returns, and the tag of inlined fields, in the client-go that a module has.
func TestDiscoveryType(t *testing.T) {
	const api = "-- api/types.go --\npackage v1\n\ntype Order struct{}\n"
	const old = "package discovery\n\ntype DiscoveryInterface interface{}\n"
	const requirement = "module example.com/mod\n\ngo 1.25.0\n\nrequire k8s.io/client-go v0.0.0\n\nreplace k8s.io/client-go => ./client-go\n"
	for name, test := range map[string]struct{ goMod, discovery, want, inlineTag string }{
		"before v0.37":  {requirement, old, "DiscoveryInterface", ",inline"},
		"since v0.37":   {requirement, old + "\n// DiscoveryInterfaces has both.\ntype DiscoveryInterfaces interface{ DiscoveryInterface }\n", "DiscoveryInterfaces", ""},
		"no client-go":  {"module example.com/mod\n\ngo 1.25.0\n", old, "DiscoveryInterface", ",inline"},
		"a broken file": {requirement, old + "func {", "DiscoveryInterface", ",inline"},
		"no discovery":  {requirement, "", "DiscoveryInterface", ",inline"},
	} {
		t.Run(name, func(t *testing.T) {
			content := "-- go.mod --\n" + test.goMod + api + "-- client-go/go.mod --\nmodule k8s.io/client-go\n\ngo 1.25.0\n"
			if test.discovery != "" {
				content += "-- client-go/discovery/discovery.go --\n" + test.discovery
			}
			dir := t.TempDir()
			for _, file := range txtar.Parse([]byte(content)).Files {
				name := filepath.Join(dir, file.Name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, file.Data, 0o666)); err != nil {
					t.Fatal(err)
				}
			}
			var errs model.Errors
			result, err := Load(t.Context(), &input.Run{Dir: dir, Patterns: []string{"./api"}}, &errs)
			if err := errors.Join(err, errs.Join()); err != nil {
				t.Fatal(err)
			}
			if hasClient := name != "no client-go" && name != "no discovery"; hasClient != (result.Library.Missing == "") {
				t.Errorf("the message about the missing client-go is %q", result.Library.Missing)
			}
			if result.Library.DiscoveryType != test.want || len(result.Packages) != 1 {
				t.Errorf("%s with %d packages, want %s with 1", result.Library.DiscoveryType, len(result.Packages), test.want)
			}
			if result.Library.InlineTag != test.inlineTag {
				t.Errorf("the tag of inlined fields is %q, want %q", result.Library.InlineTag, test.inlineTag)
			}
		})
	}
}
