package decide

import (
	"go/token"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
)

// TestSeveralPackages decides on one group version in several packages.
func TestSeveralPackages(t *testing.T) {
	for _, test := range []struct {
		packages []*input.Package
		dirs     map[string]string
		want     string
	}{
		{[]*input.Package{packageOf("example.com/experiments/v1", "kubeflow.org", structOf("Experiment", "genclient")),
			packageOf("example.com/trials/v1", "kubeflow.org", structOf("Trial", "genclient"), structOf("AView", "informer:view=Trial"))},
			nil, "kubeflow KubeflowV1: example.com/experiments/v1.Experiment example.com/trials/v1.Trial; views example.com/trials/v1.AView"},
		{[]*input.Package{packageOf("example.com/a/trials/v1", "kubeflow.org", structOf("Zoo", "genclient")), packageOf("example.com/b/trials/v1", "kubeflow.org", structOf("Ant", "genclient"))},
			nil, "trials KubeflowV1: example.com/b/trials/v1.Ant example.com/a/trials/v1.Zoo; views"},
		{[]*input.Package{packageOf("example.com/a/v1", "internal.example.com", structOf("Zoo", "genclient")), packageOf("example.com/b/v1", "internal.example.com", structOf("Ant", "genclient"))},
			nil, "internalgroup InternalV1: example.com/b/v1.Ant example.com/a/v1.Zoo; views"},
		{[]*input.Package{packageOf("example.com/a/v1", "kubeflow.org", structOf("Zoo", "genclient")), packageOf("example.com/b/v1", "kubeflow.org", structOf("Ant", "genclient"))},
			map[string]string{"kubeflow.org": "mine"}, "mine KubeflowV1: example.com/b/v1.Ant example.com/a/v1.Zoo; views"},
	} {
		set, err := decided(t, Input{Run: &input.Run{GroupDirs: test.dirs}, Packages: test.packages})
		if err != nil || len(set.GroupVersions()) != 1 {
			t.Errorf("%s: %d group versions, %v", test.want, len(set.GroupVersions()), err)
			continue
		}
		gv := set.GroupVersions()[0]
		got := gv.Group.Dir + " " + gv.GoName() + ":"
		for _, k := range gv.Kinds {
			got += " " + k.Package.Path + "." + k.Name
		}
		got += "; views"
		for _, k := range gv.Views {
			got += " " + k.Package.Path + "." + k.Name
		}
		if got != test.want {
			t.Errorf("the group version is %s, want %s", got, test.want)
		}
	}
}

// TestPackageWithViewsOnly decides on a group version whose first package has only views, and no variable for it.
func TestPackageWithViewsOnly(t *testing.T) {
	views := packageOf("example.com/a/v1", "shop.example.com", structOf("Brief", "informer:view=example.com/b/v1.Order"))
	views.GroupVersion.Name, views.HasAddToScheme = "", false
	kinds := packageOf("example.com/b/v1", "shop.example.com", structOf("Order", "genclient"))
	set, err := assemble(t, nil, views, kinds)
	if err != nil {
		t.Fatal(err)
	}
	gv := set.GroupVersions()[0]
	if registered := gv.Registering(); gv.Main().Path != kinds.Path || len(registered) != 1 || registered[0] != gv.Main() {
		t.Errorf("%s has the variable, and %d packages are registered", gv.Main().Path, len(registered))
	}
	if len(gv.Packages) != 2 || len(gv.Packages[0].Views()) != 1 || len(gv.Packages[0].Kinds()) != 0 || gv.Views[0].View.Kind != gv.Kinds[0] {
		t.Errorf("the packages are %+v", gv.Packages)
	}
}

// TestGroupGoName checks that the Go name of a group comes from its marker or its name, and not from a
// folder.
func TestGroupGoName(t *testing.T) {
	for _, test := range []struct {
		markers string
		chosen  map[string]string
		want    string
	}{
		{"", nil, "Frrk8sV1beta1 api"},
		{"+groupName=frrk8s.metallb.io", nil, "Frrk8sV1beta1 api"},
		{"+groupName=frrk8s.metallb.io +groupGoName=routing", nil, "RoutingV1beta1 api"},
		{"+groupName=frrk8s.metallb.io +groupGoName=routing", map[string]string{"frrk8s.metallb.io": "Api"}, "ApiV1beta1 api"},
	} {
		pkg := packageOf("example.com/frr/api/v1beta1", "frrk8s.metallb.io", structOf("FRRConfiguration", "genclient"))
		for n, marker := range strings.Fields(test.markers) {
			pkg.Markers = append(pkg.Markers, markers.Parse(marker, token.Position{Filename: "groupversion_info.go", Line: n + 1}, ""))
		}
		set, err := decided(t, Input{Run: &input.Run{GroupGoNames: test.chosen}, Packages: []*input.Package{pkg}})
		if err != nil {
			t.Errorf("%s: %v", test.markers, err)
			continue
		}
		gv := set.GroupVersions()[0]
		if got := gv.GoName() + " " + gv.Group.Dir; got != test.want {
			t.Errorf("%s: %s, want %s", test.markers, got, test.want)
		}
	}
}

// TestSeveralPackagesOfDependencies refuses kinds of one group version that have the same name. The user cannot
// rename kinds of a dependency.
func TestSeveralPackagesOfDependencies(t *testing.T) {
	one := packageOf("example.com/a/v1", "shop.example.com", structOf("Order", "genclient"), structOf("Item", "genclient"))
	two := packageOf("example.com/b/v1", "shop.example.com", structOf("Order", "genclient"), structOf("Purchase", "genclient", "resourceName=orders"), structOf("Item", "informer:view=Order"))
	for _, pkg := range []*input.Package{one, two} {
		pkg.Dependency = true
		for n, described := range pkg.Types {
			described.Pos = token.Position{Filename: pkg.Path, Line: n + 1, Column: 1}
		}
	}
	_, err := assemble(t, nil, one, two)
	const twice = `, in two packages of version v1 of group "shop.example.com", which has one client; leave one out with --exclude=`
	const want = "example.com/b/v1:1:1: Order is declared here and at example.com/a/v1:1:1" + twice + "example.com/b/v1.Order\n" +
		`example.com/b/v1:2:1: kinds Purchase and Order (example.com/a/v1:1:1) have the same resource, "orders"; ` +
		"leave one out with --exclude=example.com/b/v1.Purchase\n" +
		"example.com/b/v1:3:1: Item is declared here and at example.com/a/v1:2:1" + twice + "example.com/b/v1.Item"
	if err == nil || err.Error() != want {
		t.Errorf("the errors are\n%v\nwant\n%s", err, want)
	}
}
