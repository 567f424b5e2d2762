package decide

import (
	"go/token"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// orderManifest is a CRD that agrees with the kind Order of checkedKind. Each field
// is on a line of its own.
func orderManifest() *input.Manifest {
	line := 0
	next := func() token.Position {
		line++
		return token.Position{Filename: "crd.yaml", Line: line, Column: 1}
	}
	m := &input.Manifest{Pos: next()}
	for _, field := range []struct {
		to    *input.Placed
		value string
	}{{&m.Group, "shop"}, {&m.Plural, "orders"}, {&m.Kind, "Order"}, {&m.ListKind, "OrderList"}, {&m.Scope, "Namespaced"}} {
		*field.to = input.Placed{Value: field.value, Pos: next()}
	}
	m.Versions = []input.ManifestVersion{{Name: input.Placed{Value: "v1", Pos: next()}, Served: true, ServedPos: next(), Status: true, SubresourcesPos: next()}}
	return m
}

// checkAgainst checks the kind Order, with these markers, against CRDs.
func checkAgainst(t *testing.T, manifests []*input.Manifest, lines ...string) (*model.Set, string) {
	t.Helper()
	order := &input.Type{
		Name: "Order", Pos: token.Position{Filename: "types.go", Line: 10, Column: 6}, ListPos: token.Position{Filename: "types.go", Line: 20, Column: 6},
		IsStruct: true, HasTypeMeta: true, HasObjectMeta: true, HasDeepCopyObject: true, HasStatus: true, HasList: true, DeclaresList: true,
	}
	for n, line := range lines {
		order.Markers = append(order.Markers, markers.Parse("+"+line, token.Position{Filename: "types.go", Line: n + 1, Column: 4}, order.Name))
	}
	set, err := decided(t, Input{Run: &input.Run{}, Manifests: manifests, Packages: []*input.Package{{
		Path: "example.com/shop/v1", Types: []*input.Type{order}, HasAddToScheme: true,
		GroupVersion: input.DeclaredGroupVersion{Name: "SchemeGroupVersion", Group: "shop", GroupKnown: true},
	}}})
	if err != nil {
		return set, err.Error()
	}
	return set, ""
}

func TestManifestsAgree(t *testing.T) {
	m := orderManifest()
	other := &input.Manifest{Group: input.Placed{Value: "other"}, Plural: input.Placed{Value: "orders"}, Kind: input.Placed{Value: "Order"}}
	for _, markers := range [][]string{
		{"genclient"},
		{"genclient", "genclient:noStatus"}, // on purpose, for any CRD
		{"kubebuilder:object:root=true", "kubebuilder:subresource:status"},
	} {
		set, errs := checkAgainst(t, []*input.Manifest{other, other, m}, markers...)
		if errs != "" || len(set.Warnings) > 0 {
			t.Errorf("%v: %s %v", markers, errs, set.Warnings)
		} else if kinds := set.Kinds(); len(kinds) != 1 || kinds[0].CRD != m.Pos {
			t.Errorf("%v: the kind was not checked", markers)
		}
	}
}

// TestManifestsOfOtherGroups ignores the CRDs of other groups, but warns that nothing was checked if there are
// no others.
func TestManifestsOfOtherGroups(t *testing.T) {
	m := orderManifest()
	m.Group.Value = "other"
	set, errs := checkAgainst(t, []*input.Manifest{m}, "genclient")
	if errs != "" || set.Kinds()[0].CRD.IsValid() {
		t.Errorf("errors %q", errs)
	}
	if len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0].Error(), "no kind was checked") {
		t.Errorf("the warnings are %v", set.Warnings)
	}
}

func TestManifestsContradict(t *testing.T) {
	const genclient, kubebuilder = "genclient", "kubebuilder:object:root=true"
	const instead, only = ", or regenerate the CRD with controller-gen", "; regenerate the CRD with controller-gen"
	for _, test := range []struct {
		name    string
		change  func(m *input.Manifest)
		markers []string
		// wants are the beginning, the position in the CRD, and the end.
		wants [3]string
	}{
		{"plural", func(m *input.Manifest) { m.Plural.Value = "purchases" }, []string{genclient},
			[3]string{"types.go:10:6: ", `plural "purchases" (crd.yaml:3:1)`, "; set // +resourceName=purchases above type Order" + instead}},
		{"plural by marker", func(m *input.Manifest) { m.Plural.Value = "purchases" }, []string{genclient, "resourceName=ordersx"},
			[3]string{"types.go:2:4: ", `uses the resource "ordersx"`, ", or add // +kubebuilder:resource:path=ordersx and regenerate the CRD with controller-gen"}},
		{"plural by two markers", func(m *input.Manifest) { m.Plural.Value = "purchases" }, []string{genclient, "resourceName=ordersx", "kubebuilder:resource:path=ordersx"},
			[3]string{"types.go:2:4: ", `uses the resource "ordersx"`, "; set // +resourceName=purchases above type Order" + instead}},
		{"plural of kubebuilder", func(m *input.Manifest) { m.Plural.Value = "purchases" }, []string{kubebuilder, "kubebuilder:subresource:status", "kubebuilder:resource:shortName=o,path=ordersx"},
			[3]string{"types.go:3:4: ", `uses the resource "ordersx"`, only}},
		{"kind", func(m *input.Manifest) { m.Kind.Value, m.Scope.Value = "Purchase", "Cluster" }, []string{genclient},
			[3]string{"types.go:10:6: ", `Purchase in its CRD (crd.yaml:4:1)`, "; rename the types to Purchase and PurchaseList, with // +resourceName=orders" + instead}},
		{"scope", func(m *input.Manifest) { m.Scope.Value = "Cluster" }, []string{genclient},
			[3]string{"types.go:10:6: ", "scope Cluster (crd.yaml:6:1)", "; add // +genclient:nonNamespaced" + instead}},
		{"scope by marker", func(m *input.Manifest) {}, []string{genclient, "genclient:nonNamespaced"},
			[3]string{"types.go:2:4: ", "scope Namespaced (crd.yaml:6:1)", "; remove +genclient:nonNamespaced, or add // +kubebuilder:resource:scope=Cluster " +
				"and regenerate the CRD with controller-gen"}},
		{"scope by two markers", func(m *input.Manifest) {}, []string{genclient, "genclient:nonNamespaced", "kubebuilder:resource:scope=Cluster"},
			[3]string{"types.go:2:4: ", "scope Namespaced (crd.yaml:6:1)", "; remove +genclient:nonNamespaced" + instead}},
		{"scope of kubebuilder", func(m *input.Manifest) {}, []string{kubebuilder, "kubebuilder:subresource:status", "kubebuilder:resource:scope=Cluster"},
			[3]string{"types.go:3:4: ", "is cluster-scoped", only}},
		{"listKind", func(m *input.Manifest) { m.ListKind.Value = "Orders" }, []string{genclient},
			[3]string{"types.go:20:6: ", "listKind Orders (crd.yaml:5:1)", "; set listKind to OrderList in the CRD" + instead}},
		{"version", func(m *input.Manifest) { m.Versions[0].Name.Value = "v2" }, []string{genclient},
			[3]string{"types.go:10:6: ", "its CRD (crd.yaml:7:1) has only v2", instead}},
		{"served", func(m *input.Manifest) { m.Versions[0].Served = false }, []string{genclient},
			[3]string{"types.go:10:6: ", "does not serve that version (crd.yaml:8:1)", instead}},
		{"status", func(m *input.Manifest) { m.Versions[0].Status = false }, []string{genclient},
			[3]string{"types.go:10:6: ", "no status subresource (crd.yaml:9:1)", "; add // +genclient:noStatus, or // +kubebuilder:subresource:status and regenerate the CRD with controller-gen"}},
		{"status of kubebuilder", func(m *input.Manifest) { m.Versions[0].Status = false }, []string{kubebuilder, "kubebuilder:subresource:status"},
			[3]string{"types.go:2:4: ", "no status subresource (crd.yaml:9:1)", only}},
		{"scale", func(m *input.Manifest) {}, []string{genclient, "genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale"},
			[3]string{"types.go:2:4: ", "version v1 of its CRD does not have it (crd.yaml:9:1)",
				"; remove the method, or add // +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas and regenerate the CRD " +
					"with controller-gen"}},
		{"status by method", func(m *input.Manifest) { m.Versions[0].Status = false }, []string{genclient, "genclient:noStatus", "genclient:method=SetStatus,verb=update,subresource=status"},
			[3]string{"types.go:3:4: ", "needs the subresource status", "+kubebuilder:subresource:status and regenerate the CRD with controller-gen"}},
		{"unheard-of subresource", func(m *input.Manifest) {}, []string{genclient, "genclient:method=Approve,verb=update,subresource=approval"},
			[3]string{"types.go:2:4: ", "a CRD (crd.yaml:1:1) can only have status and scale", "; remove the method"}},
	} {
		m := orderManifest()
		test.change(m)
		_, errs := checkAgainst(t, []*input.Manifest{m}, test.markers...)
		if strings.Contains(errs, "\n") || !strings.HasPrefix(errs, test.wants[0]) || !strings.Contains(errs, test.wants[1]) || !strings.HasSuffix(errs, test.wants[2]) {
			t.Errorf("%s:\n%s\nwant %s…%s…%s", test.name, errs, test.wants[0], test.wants[1], test.wants[2])
		}
	}
}

// TestManifestWithoutClient checks that a CRD may lack subresources that the client does not need.
func TestManifestWithoutClient(t *testing.T) {
	m := orderManifest()
	m.ListKind.Value, m.Versions[0].Status = "Orders", false
	if _, errs := checkAgainst(t, []*input.Manifest{m}, "genclient", "genclient:onlyVerbs=get,update"); errs != "" {
		t.Error(errs)
	}
}

// TestDuplicateManifests checks that both positions are reported, whether two CRDs share the kind or the plural.
func TestDuplicateManifests(t *testing.T) {
	for _, change := range []func(m *input.Manifest){
		func(m *input.Manifest) {},
		func(m *input.Manifest) { m.Plural.Value = "purchases" },
		func(m *input.Manifest) { m.Kind.Value = "Purchase" },
	} {
		first, second := orderManifest(), orderManifest()
		second.Pos.Filename, second.Kind.Pos.Filename = "other.yaml", "other.yaml"
		change(second)
		_, errs := checkAgainst(t, []*input.Manifest{first, second}, "genclient")
		if strings.Contains(errs, "\n") || !strings.HasPrefix(errs, "other.yaml:") || !strings.Contains(errs, "at crd.yaml:1:1; remove one of the two") {
			t.Errorf("the errors are %s", errs)
		}
	}
}
