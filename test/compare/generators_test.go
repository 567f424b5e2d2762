package compare_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/test/compare"
	"github.com/typedinformers/informer-gen/test/compare/project"
)

const repo = "../.."

// differences generates both sides, checks the types of all of ours, compares the two
// and vets ours if vet is set. It returns how many packages there are to a side.
func differences(t *testing.T, name string, input project.Input, vet bool) ([]compare.Difference, int) {
	t.Helper()
	tools, err := project.Build(t.Context(), repo, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, err := project.Create(t.Context(), tools, filepath.Join(repo, "build/compare", name), input)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Generate(t.Context()); err != nil {
		t.Fatal(err)
	}
	theirs, ours, err := compare.LoadProject(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if vet {
		if err := p.Vet(t.Context()); err != nil {
			t.Error(err)
		}
	}
	return compare.API(theirs, ours), len(theirs.Packages)
}

// sift fails for each difference that is not meant, and returns the entries of the
// list that were of no use.
func sift(t *testing.T, found []compare.Difference) []compare.Accepted {
	t.Helper()
	left, unused, err := compare.Sift(found, compare.ByDesign)
	if err != nil {
		t.Fatal(err)
	}
	const enough = 40
	for n, difference := range left {
		if n == enough {
			t.Errorf("and %d more", len(left)-enough)
			break
		}
		t.Error(difference)
	}
	return unused
}

// TestKubernetes holds all 56 group versions of k8s.io/api against what Kubernetes
// generates of them. The types of all packages are checked, as the compiler does.
// They are not compiled and vetted, which takes minutes: package generator does so for
// three of the groups, and for the golden output, which has each form that there is.
func TestKubernetes(t *testing.T) {
	if testing.Short() {
		t.Skip("generates and compiles the clients of all of Kubernetes")
	}
	input, err := project.Kubernetes(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	if len(input.GroupVersions) != 56 {
		t.Errorf("k8s.io/api has %d group versions with a client, not 56: is it another version?", len(input.GroupVersions))
	}
	found, packages := differences(t, "kubernetes", input, false)
	if packages < 4*len(input.GroupVersions) {
		t.Errorf("only %d packages are compared", packages)
	}
	for _, entry := range sift(t, found) {
		t.Errorf("an entry of ByDesign accepts nothing any more, delete it: %s", entry.Pattern)
	}
	for _, difference := range found {
		if strings.HasPrefix(difference.Package, "clientset/") {
			t.Errorf("nothing is accepted in the clientset, not even %v", difference)
		}
	}
}

// TestSampleController holds a project with one custom resource against what its
// author would generate.
func TestSampleController(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles client-go")
	}
	input, err := project.SampleController(repo)
	if err != nil {
		t.Fatal(err)
	}
	found, packages := differences(t, "samplecontroller", input, true)
	if packages < 10 {
		t.Errorf("only %d packages are compared", packages)
	}
	sift(t, found)
}
