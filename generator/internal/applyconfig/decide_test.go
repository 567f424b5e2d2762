package applyconfig_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/applyconfig"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

const (
	shop = "example.com/shop/v1"
	// root is the package of the apply configurations.
	root = "example.com/out/applyconfiguration"
)

// imported are the packages that the package of the kind may import.
var imported = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1": `package v1

type TypeMeta struct {
	Kind       string ` + "`json:\"kind\"`" + `
	APIVersion string ` + "`json:\"apiVersion\"`" + `
}

type ObjectMeta struct {
	Name          string ` + "`json:\"name\"`" + `
	Namespace     string ` + "`json:\"namespace\"`" + `
	SelfLink      string ` + "`json:\"selfLink\"`" + `
	ManagedFields []ManagedFieldsEntry ` + "`json:\"managedFields\"`" + `
}

type ManagedFieldsEntry struct {
	Manager string ` + "`json:\"manager\"`" + `
}

type LabelSelector struct {
	MatchLabels map[string]string ` + "`json:\"matchLabels\"`" + `
}
`,
	"example.com/other": `package other

type (
	Part           struct { Size int ` + "`json:\"size\"`" + ` }
	Mapped         struct { Weight int ` + "`json:\"weight\"`" + ` }
	Box[T any]     struct { Value T ` + "`json:\"value\"`" + ` }
	Pair[A, B any] struct { A A ` + "`json:\"a\"`" + `; B B ` + "`json:\"b\"`" + ` }
)
`,
	"example.com/shared": `package shared

type Shared struct { Size int ` + "`json:\"size\"`" + ` }
`,
}

// packages checks the source of packages, and is the importer of each of them.
type packages struct {
	types   *input.Types
	sources map[string]string
	test    *testing.T
}

func (p packages) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return importer.Default().Import(path)
	}
	if pkg := p.types.Packages[path]; pkg != nil {
		return pkg, nil
	}
	file, err := parser.ParseFile(p.types.FileSet, path+"/types.go", p.sources[path], parser.SkipObjectResolution)
	if err != nil {
		p.test.Fatal(err)
	}
	config := types.Config{Importer: p, IgnoreFuncBodies: true, Error: func(err error) {
		if !strings.Contains(err.Error(), "imported and not used") {
			p.test.Error(err)
		}
	}}
	pkg, _ := config.Check(path, p.types.FileSet, []*ast.File{file}, nil)
	p.types.Packages[path] = pkg
	return pkg, nil
}

// decide returns the apply configurations for the kind Order, with the other declarations of its package. It
// fails the test if there are errors.
func decide(t *testing.T, declarations string) *model.Apply {
	t.Helper()
	apply, errs, _ := decideWith(t, declarations)
	if errs.Len() > 0 {
		t.Fatal(errs.Join())
	}
	return apply
}

// decideWith returns the errors and the set too. dependencies are packages outside the main module.
func decideWith(t *testing.T, declarations string, dependencies ...string) (*model.Apply, *model.Errors, *model.Set) {
	t.Helper()
	const order = "type Order struct {\nmetav1.TypeMeta `json:\",inline\"`\nmetav1.ObjectMeta `json:\"metadata\"`\nSpec OrderSpec `json:\"spec\"`\n}\n"
	p := newPackages(t, order+declarations)
	for _, path := range dependencies {
		p.types.Dependencies[path] = true
	}
	return p.decide()
}

// decideKind is decide for the fields of Order before its spec, and its methods.
func decideKind(t *testing.T, fields, declarations string, methods ...*model.Method) (*model.Apply, *model.Errors, *model.Set) {
	t.Helper()
	return newPackages(t, "type Order struct {\nSpec OrderSpec `json:\"spec\"`\n"+fields+"\n}\n"+declarations).decide(methods...)
}

func newPackages(t *testing.T, declarations string) packages {
	const imports = `package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"example.com/other"
	"example.com/shared"
)

`
	p := packages{&input.Types{Packages: map[string]*types.Package{}, FileSet: token.NewFileSet(), Dependencies: map[string]bool{}}, map[string]string{shop: imports + declarations}, t}
	for path, source := range imported {
		p.sources[path] = source
	}
	return p
}

func (p packages) decide(methods ...*model.Method) (*model.Apply, *model.Errors, *model.Set) {
	p.test.Helper()
	if _, err := p.Import(shop); err != nil {
		p.test.Fatal(err)
	}
	order := &model.Kind{Name: "Order", Namespaced: true, Verbs: []model.Verb{"get", "apply"}, Methods: methods}
	gv := &model.GroupVersion{Version: "v1", Kinds: []*model.Kind{order}}
	gv.Packages = []*model.Package{{GroupVersion: gv, Path: shop}}
	gv.Group = &model.Group{Name: "shop.example.com", Versions: []*model.GroupVersion{gv}}
	order.GroupVersion, order.Package = gv, gv.Packages[0]
	set := &model.Set{Groups: []*model.Group{gv.Group}, ApplyPackage: root, ApplyDirs: model.ApplyDirs([]string{shop}, nil)}
	errs := &model.Errors{}
	apply := applyconfig.Decide(applyconfig.Input{
		Run: &input.Run{
			ApplyDir:       "applyconfiguration",
			ApplyExternals: map[model.TypeRef]string{{Path: "example.com/other", Name: "Mapped"}: "example.com/mapped"},
		},
		Types: p.types, Set: set,
		Packages: []*input.Package{{Path: shop}, {Path: "example.com/shared"}},
	}, errs)
	return apply, errs, set
}

// typeOf returns the apply configuration of a type of the package of the kind.
func typeOf(t *testing.T, apply *model.Apply, name string) *model.ApplyType {
	t.Helper()
	for _, pkg := range apply.Packages {
		for _, found := range pkg.Types {
			if pkg.Path == shop && found.Name == name {
				return found
			}
		}
	}
	t.Fatalf("there is no apply configuration of %s", name)
	return nil
}
