package decide

import (
	"path"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

func TestKindNames(t *testing.T) {
	for _, test := range []struct {
		kind, plural, pluralPrivate, resource, param, file, fake string
	}{
		{"Order", "Orders", "orders", "orders", "order", "order", "fake_order"},
		{"NetworkPolicy", "NetworkPolicies", "networkPolicies", "networkpolicies", "networkPolicy", "networkpolicy", "fake_networkpolicy"},
		{"Gateway", "Gateways", "gateways", "gateways", "gateway", "gateway", "fake_gateway"},
		{"Ingress", "Ingresses", "ingresses", "ingresses", "ingress", "ingress", "fake_ingress"},
		{"Proxy", "Proxies", "proxies", "proxies", "proxy", "proxy", "fake_proxy"},
		{"Box", "Boxes", "boxes", "boxes", "box", "box", "fake_box"},
		{"Batch", "Batches", "batches", "batches", "batch", "batch", "fake_batch"},
		{"Shelf", "Shelves", "shelves", "shelves", "shelf", "shelf", "fake_shelf"},
		{"Endpoints", "Endpoints", "endpoints", "endpoints", "endpoints", "endpoints", "fake_endpoints"},
		{"Sheep", "Sheep", "sheep", "sheep", "sheep", "sheep", "fake_sheep"},
		{"CSIDriver", "CSIDrivers", "cSIDrivers", "csidrivers", "cSIDriver", "csidriver", "fake_csidriver"},
		// Names that mean something to Go.
		{"Type", "Types", "typesClient", "types", "typeObject", "type", "fake_type"},
		{"Opts", "Optses", "optses", "optses", "optsObject", "opts", "fake_opts"},
		{"Ctx", "Ctxes", "ctxes", "ctxes", "ctxObject", "ctx", "fake_ctx"},
		{"Watch", "Watches", "watches", "watches", "watch", "watch", "fake_watch"},
		{"Context", "Contexts", "contexts", "contexts", "context", "context", "fake_context"},
		{"String", "String", "stringClient", "string", "string", "string", "fake_string"},
		{"Go", "Go", "goClient", "go", "goObject", "go", "fake_go"},
		// Names that mean something as the names of files.
		{"Interface", "Interfaces", "interfaces", "interfaces", "interfaceObject", "interface_kind", "fake_interface_kind"},
		{"Test", "Tests", "tests", "tests", "test", "test", "fake_test_kind"},
		{"Aux", "Auxes", "auxes", "auxes", "aux", "aux_kind", "fake_aux_kind"},
		{"Windows", "Windowses", "windowses", "windowses", "windows", "windows", "fake_windows_kind"},
		{"ARM64", "ARM64s", "aRM64s", "arm64s", "aRM64", "arm64", "fake_arm64_kind"},
	} {
		naming := newNaming(&input.Run{Plurals: map[string]string{"Sheep": "Sheep", "String": "String", "Go": "Go"}})
		naming.reserved = model.Reserved{PluralPrivate: []string{"types"}, Param: []string{"ctx", "opts"}, File: []string{"interface"}}
		k := &model.Kind{Name: test.kind}
		naming.name(k, "")
		got := test
		got.plural, got.pluralPrivate, got.resource, got.param, got.file, got.fake = k.Plural, k.PluralPrivate, k.Resource, k.Param, k.File, k.FakeFile
		if got != test {
			t.Errorf("the names are %+v,\nwant %+v", got, test)
		}
		if !model.IsLabel(k.Resource) {
			t.Errorf("%s: no server takes the resource %q", test.kind, k.Resource)
		}
	}
}

// TestFiles has a name whose file Go compiles only in tests, and one whose file the generator writes for itself.
func TestFiles(t *testing.T) {
	for name, want := range map[string]string{
		"Order":      "order order_expansion",
		"Order_Test": "order_test_kind order_test_expansion", // a view
		"Generated":  "generated generated_kind_expansion",
	} {
		naming := newNaming(&input.Run{})
		naming.reserved.File = []string{"generated_expansion"}
		k := &model.Kind{Name: name}
		naming.name(k, "")
		if got := k.File + " " + k.ExpansionFile; got != want {
			t.Errorf("%s: the files are %s, want %s", name, got, want)
		}
	}
}

// TestKubernetesGroups compares the folders and Go names of groups with client-go, for all groups of
// k8s.io/api that client-go has clients for.
func TestKubernetesGroups(t *testing.T) {
	for _, test := range []struct{ pkg, group, dir, goName string }{
		{"admissionregistration/v1", "admissionregistration.k8s.io", "admissionregistration", "Admissionregistration"},
		{"apiserverinternal/v1alpha1", "internal.apiserver.k8s.io", "apiserverinternal", "Internal"},
		{"apps/v1beta2", "apps", "apps", "Apps"},
		{"authentication/v1", "authentication.k8s.io", "authentication", "Authentication"},
		{"authorization/v1", "authorization.k8s.io", "authorization", "Authorization"},
		{"autoscaling/v2", "autoscaling", "autoscaling", "Autoscaling"},
		{"batch/v1", "batch", "batch", "Batch"},
		{"certificates/v1", "certificates.k8s.io", "certificates", "Certificates"},
		{"coordination/v1alpha2", "coordination.k8s.io", "coordination", "Coordination"},
		{"core/v1", "", "core", "Core"},
		{"discovery/v1", "discovery.k8s.io", "discovery", "Discovery"},
		{"events/v1", "events.k8s.io", "events", "Events"},
		{"extensions/v1beta1", "extensions", "extensions", "Extensions"},
		{"flowcontrol/v1beta3", "flowcontrol.apiserver.k8s.io", "flowcontrol", "Flowcontrol"},
		{"lifecycle/v1alpha1", "lifecycle.k8s.io", "lifecycle", "Lifecycle"},
		{"networking/v1", "networking.k8s.io", "networking", "Networking"},
		{"node/v1", "node.k8s.io", "node", "Node"},
		{"policy/v1", "policy", "policy", "Policy"},
		{"rbac/v1", "rbac.authorization.k8s.io", "rbac", "Rbac"},
		{"resource/v1", "resource.k8s.io", "resource", "Resource"},
		{"scheduling/v1", "scheduling.k8s.io", "scheduling", "Scheduling"},
		{"storage/v1", "storage.k8s.io", "storage", "Storage"},
		{"storagemigration/v1", "storagemigration.k8s.io", "storagemigration", "Storagemigration"},
	} {
		checkGroup(t, "k8s.io/api/"+test.pkg, test.group, test.dir, test.dir, test.goName)
	}
}

func TestOtherGroups(t *testing.T) {
	for _, test := range []struct{ pkg, group, dir, pkgName, goName string }{
		// kubebuilder, with one group and with several
		{"example.com/op/api/v1", "batch.tutorial.example.com", "batch", "batch", "Batch"},
		{"example.com/op/api/crew/v1", "crew.example.com", "crew", "crew", "Crew"},
		{"example.com/op/pkg/apis/some-thing/v1", "some-thing.example.com", "some-thing", "something", "SomeThing"},
		{"example.com/op/pkg/apis/stable.example.com/v1", "stable.example.com", "stable.example.com", "stable", "Stable"},
		{"example.com/op/types/v1", "shop", "shop", "shop", "Shop"},
		{"example.com/op/apis/Shop/v1", "shop.example.com", "shop", "shop", "Shop"},
		{"v1", "", "core", "core", "Core"},
		// files that the go command hides
		{"example.com/op/apis/internal/v1", "internal.example.com", "internalgroup", "internalgroup", "Internal"},
		{"example.com/op/vendor/v1", "vendor.example.com", "vendorgroup", "vendorgroup", "Vendor"},
		// no names of packages
		{"example.com/op/apis/type/v1", "type.example.com", "type", "typegroup", "Type"},
		{"example.com/op/apis/go.example.com/v1", "go.example.com", "go.example.com", "gogroup", "Go"},
		// a module path with a major version
		{"example.com/op/v2/v1", "shop.example.com", "shop", "shop", "Shop"},
		// a package that is not in a folder of its version
		{"example.com/op/apis/shop", "shop.example.com", "shop", "shop", "Shop"},
	} {
		checkGroup(t, test.pkg, test.group, test.dir, test.pkgName, test.goName)
	}
}

func checkGroup(t *testing.T, pkg, group, dir, pkgName, goName string) {
	t.Helper()
	version := "v1"
	if base := path.Base(pkg); model.IsVersion(base) {
		version = base
	}
	gotName := groupGoName(group)
	gotDir := groupFolder(pkg, version, group)
	if gotPackage := groupPackage(gotDir, gotName); gotDir != dir || gotName != goName || gotPackage != pkgName {
		t.Errorf("group %q of %s has folder %s, package %s and name %s; want %s, %s and %s", group, pkg, gotDir, gotPackage, gotName, dir, pkgName, goName)
	}
}

func TestSummary(t *testing.T) {
	for doc, want := range map[string]string{
		"":                             "",
		"Order is an order.":           "Order is an order",
		"Order is\nan order. It has…":  "Order is an order",
		"Order\n\nThe rest is longer.": "Order",
		"Order is v1.Order":            "Order is v1.Order",
	} {
		if got := summary(doc); got != want {
			t.Errorf("summary(%q) = %q, want %q", doc, got, want)
		}
	}
}

// TestNonASCIINames derives names that do not begin with an ASCII letter. Views may have such names.
func TestNonASCIINames(t *testing.T) {
	for name, want := range map[string]model.Kind{
		"Ärger":    {Private: "ärger", Plural: "Ärgers", PluralPrivate: "ärgers", File: "ärger"},
		"Élan":     {Private: "élan", Plural: "Élans", PluralPrivate: "élans", File: "élan"},
		"Öffnung":  {Private: "öffnung", Plural: "Öffnungen", PluralPrivate: "öffnungen", File: "öffnung"},
		"Я":        {Private: "я", Plural: "Яs", PluralPrivate: "яs", File: "я"},
		"Tür":      {Private: "tür", Plural: "Türen", PluralPrivate: "türen", File: "tür"},
		"Ostsee":   {Private: "ostsee", Plural: "Östliche", PluralPrivate: "östliche", File: "ostsee"},
		"Ökostrom": {Private: "ökostrom", Plural: "Ökostroms", PluralPrivate: "ökostroms", File: "ökostrom"},
	} {
		naming := newNaming(&input.Run{Plurals: map[string]string{"Öffnung": "Öffnungen", "Tür": "türen", "Ostsee": "östliche"}})
		k := &model.Kind{Name: name}
		naming.name(k, "orders")
		if got := (model.Kind{Private: k.Private, Plural: k.Plural, PluralPrivate: k.PluralPrivate, File: k.File}); got.Private != want.Private ||
			got.Plural != want.Plural || got.PluralPrivate != want.PluralPrivate || got.File != want.File {
			t.Errorf("%s: the names are %+v, want %+v", name, got, want)
		}
	}
	for name, want := range map[string]string{"": "", "a": "A", "ä": "Ä", "\xff": "\ufffd"} {
		if got := upperFirst(name); got != want {
			t.Errorf("upperFirst(%q) = %q", name, got)
		}
	}
}
