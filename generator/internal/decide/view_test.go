package decide

import (
	"go/token"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// structOf describes a struct with all that a view and a kind need.
func structOf(name string, lines ...string) *input.Type {
	described := &input.Type{Name: name, IsStruct: true, HasTypeMeta: true, HasObjectMeta: true, HasDeepCopyObject: true, HasList: true, DeclaresList: true}
	for n, line := range lines {
		described.Markers = append(described.Markers, markers.Parse("+"+line, token.Position{Filename: name + ".go", Line: n + 1, Column: 4}, name))
	}
	return described
}

// packageOf describes a package that declares these types.
func packageOf(path, group string, types ...*input.Type) *input.Package {
	pkg := &input.Package{Path: path, Types: types, Declared: map[string]bool{}, HasAddToScheme: true}
	pkg.GroupVersion = input.DeclaredGroupVersion{Name: "SchemeGroupVersion", Group: group, GroupKnown: true}
	for _, t := range types {
		pkg.Declared[t.Name] = true
	}
	return pkg
}

// assemble decides on packages, of which the last is read because a marker names it.
func assemble(t *testing.T, external *input.Package, packages ...*input.Package) (*model.Set, error) {
	t.Helper()
	code := externals{}
	if external != nil {
		code[external.Path] = &input.External{Package: external}
	}
	return decided(t, Input{Run: &input.Run{}, Packages: packages, Code: code})
}

// TestViews reads the markers of the kinds of views.
func TestViews(t *testing.T) {
	core := packageOf("k8s.io/api/core/v1", "",
		structOf("Pod", "genclient", "genclient:method=Odd,verb=get,result=example.com/unread.Odd"),
		structOf("Node", "genclient", "genclient:nonNamespaced"),
		structOf("Endpoints", "genclient", "resourceName=endpoints"))
	plant := packageOf("example.com/plant/v1", "plant",
		structOf("Hall", "kubebuilder:object:root=true", "kubebuilder:resource:path=halls-of-fame,scope=Cluster"),
		structOf("HallView", "informer:view=Hall", "kubebuilder:object:root=true"))
	views := &input.Package{Path: "example.com/views/v1", Declared: map[string]bool{}, Types: []*input.Type{
		structOf("PodView", "informer:view=k8s.io/api/core/v1.Pod"),
		structOf("NodeView", "informer:view=k8s.io/api/core/v1.Node"),
		structOf("EndpointsView", "informer:view=k8s.io/api/core/v1.Endpoints"),
		structOf("HallView", "informer:view=example.com/plant/v1.Hall"),
	}}
	set, err := assemble(t, core, plant, views)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range set.Informed() {
		if v := k.View; v != nil {
			scope := map[bool]string{true: "namespaced", false: "cluster"}[k.Namespaced]
			client := "no client"
			if v.Kind != nil {
				client = v.Kind.Plural
			}
			got = append(got, strings.Join([]string{k.GroupVersion.Group.GoName, k.Plural, k.Resource, v.Group + "/" + v.Version, scope, client}, " "))
		}
	}
	const want = `Plant HallViews halls-of-fame plant/v1 cluster Halls
Views EndpointsViews endpoints /v1 namespaced no client
Views HallViews halls-of-fame plant/v1 cluster Halls
Views NodeViews nodes /v1 cluster no client
Views PodViews pods /v1 namespaced no client`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("the views are\n%s\nwant\n%s", text, want)
	}
	if clients := set.Clients(); len(clients) != 1 || clients[0].Main().Path != plant.Path {
		t.Errorf("%d versions have clients", len(clients))
	}
}

// TestViewsOfSkippedPackage checks that a package for which controller-gen makes no CRD has views, but no
// kinds.
func TestViewsOfSkippedPackage(t *testing.T) {
	skipped := packageOf("example.com/skipped/v1", "plant",
		structOf("Hall", "kubebuilder:object:root=true"),
		structOf("PodView", "informer:view=k8s.io/api/core/v1.Pod", "kubebuilder:object:root=true"))
	skipped.Markers = markers.List{markers.Parse("+kubebuilder:skip", token.Position{}, "")}
	set, err := assemble(t, packageOf("k8s.io/api/core/v1", "", structOf("Pod", "genclient")), skipped)
	if err != nil || len(set.Kinds()) != 0 || len(set.Informed()) != 1 {
		t.Errorf("there are %d kinds, %d with views: %v", len(set.Kinds()), len(set.Informed()), err)
	}
}

// TestViewErrors checks the errors that no case in testdata/errors has.
func TestViewErrors(t *testing.T) {
	core := packageOf("k8s.io/api/core/v1", "", structOf("Pod", "genclient"))
	misfit := structOf("Misfit", "informer:view=Order")
	misfit.Misfits = []input.Misfit{{Pos: token.Position{Filename: "Misfit.go", Line: 9, Column: 2}, Problem: "spec is odd; fix it"}}
	for name, test := range map[string]struct {
		view     *input.Type
		external *input.Package
		want     string
	}{
		"a misfit":             {misfit, nil, "Misfit.go:9:2: view Misfit: spec is odd; fix it"},
		"a package of its own": {structOf("Long", "informer:view=example.com/shop/v1.Order"), nil, ""},
		"not read": {structOf("Lost", "informer:view=k8s.io/api/core/v1.Pod"), nil,
			"Lost.go:1:4: view Lost: package k8s.io/api/core/v1 was not read; report this as a bug of informer-gen"},
		"read": {structOf("Found", "informer:view=k8s.io/api/core/v1.Pod"), core, ""},
		"a view of a view there": {structOf("Twice", "informer:view=k8s.io/api/core/v1.PodView"),
			packageOf("k8s.io/api/core/v1", "", structOf("PodView", "informer:view=example.com/x.Pod")),
			"Twice.go:1:4: view Twice: PodView is a view itself; name its kind: +informer:view=example.com/x.Pod"},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := assemble(t, test.external, packageOf("example.com/shop/v1", "shop", structOf("Order", "genclient"), test.view))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("the errors are\n%s\nwant\n%s", got, test.want)
			}
			if views := len(set.Informed()) - len(set.Kinds()); (views == 1) != (test.want == "") {
				t.Errorf("there are %d views", views)
			}
		})
	}
}
