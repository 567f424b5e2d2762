package testserver_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/testserver"
)

func TestInstallCRDsUpdates(t *testing.T) {
	t.Parallel()
	server := start(t)
	crd := loadWidgetCRD(t)
	next := crd.Spec.Versions[0].DeepCopy()
	next.Name, next.Storage = "v2", false
	crd.Spec.Versions = append(crd.Spec.Versions, *next)
	for range 2 { // the second changes nothing
		if err := server.InstallCRDs(t.Context(), crd); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoDelayAfterCRD looks at the time that the API server compares with its own before the first create.
func TestNoDelayAfterCRD(t *testing.T) {
	t.Parallel()
	client, err := clientset.NewForConfig(shared.Config())
	if err != nil {
		t.Fatal(err)
	}
	crd, err := client.ApiextensionsV1().CustomResourceDefinitions().Get(t.Context(), "widgets.example.com", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, condition := range crd.Status.Conditions {
		if condition.Type == apiextensionsv1.Established && condition.LastTransitionTime.Time.Before(crd.CreationTimestamp.Time) {
			return
		}
	}
	t.Errorf("the conditions are %v, so creates sleep for 2 s", crd.Status.Conditions)
}

func TestInstallCRDsReportsNameClash(t *testing.T) {
	t.Parallel()
	crd := loadWidgetCRD(t)
	crd.Name, crd.Spec.Names.Plural = "gadgets.example.com", "gadgets" // and still of kind Widget
	err := shared.InstallCRDs(t.Context(), crd)
	if err == nil || !strings.Contains(err.Error(), "gadgets.example.com: its names are not accepted") {
		t.Errorf("a CRD with the kind of another: %v", err)
	}
}

func TestLoadCRDs(t *testing.T) {
	t.Parallel()
	crds, err := testserver.LoadCRDs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if len(crds) != 1 || crds[0].Name != "widgets.example.com" {
		t.Errorf("LoadCRDs returns %v", crds)
	}
}

// A folder of CRDs may have other files, and other documents, as the generator's --crd allows.
func TestLoadCRDsIgnoresOtherKinds(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, content := range map[string]string{
		"kustomization.yaml": "resources:\n- crd.yaml\npatches:\n- target: {kind: CustomResourceDefinition}\n",
		"chart.yaml":         "{{ template }}: b: c",
		"crd.yaml":           "apiVersion: v1\nkind: Secret\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	crds, err := testserver.LoadCRDs(folder)
	if err != nil || len(crds) != 1 || crds[0].Name != "a" {
		t.Errorf("LoadCRDs returns %v, %v", crds, err)
	}
}

func TestLoadCRDsNamesFaults(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
	for name, test := range map[string]struct{ content, want string }{
		"a list":        {head + "metadata: {name: a}\n---\napiVersion: v1\nkind: List\nitems: [{kind: CustomResourceDefinition}]\n", `document 2: apiVersion ""`},
		"other kind":    {"apiVersion: v1\nkind: Secret\n", "holds no CustomResourceDefinition"},
		"old version":   {"apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n", `v1beta1" of a CustomResourceDefinition is not`},
		"unknown field": {head + "metadata: {name: a}\nspec: {grup: b}\n", `document 1: error unmarshaling JSON: while decoding JSON: json: unknown field "grup"`},
		"no name":       {head, "it has no metadata.name"},
		"not an object": {"- CustomResourceDefinition\n", "not a Kubernetes object"},
		"bad syntax":    {"kind: CustomResourceDefinition\na: [\n", "document 1: "},
		"nothing":       {"# no document\n", "holds no CustomResourceDefinition"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "crd.yaml")
			if err := os.WriteFile(file, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := testserver.LoadCRDs(file)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), file) {
				t.Errorf("got %v, want %q and the file's name in it", err, test.want)
			}
		})
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "missing"), "missing"} {
		_, err := testserver.LoadCRDs(path)
		absolute, _ := filepath.Abs(path)
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), absolute) {
			t.Errorf("a missing path: %v", err)
		}
	}
}
