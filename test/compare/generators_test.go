package compare_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/typedinformers/informer-gen/test/compare"
	"github.com/typedinformers/informer-gen/test/compare/project"
)

const repo = "../.."

// all is set by make test-apply.
var all = flag.Bool("all", false, "call all functions of the apply configurations of k8s.io/api too, which compiles them")

// tools are those of all tests, because to link them takes seconds.
var tools = sync.OnceValues(func() (*project.Tools, error) {
	return project.Build(context.Background(), repo, filepath.Join(repo, "build/compare/bin"))
})

// checks are what else is done with the output.
type checks struct {
	// vet compiles and vets ours.
	vet bool
	// behavior compiles the apply configurations of both sides, and calls their functions. There
	// have to be so many types at least; 0 for no such check.
	behavior int
}

// differences generates both sides, checks the types of all of ours, and compares the two.
// It returns how many packages there are to a side.
func differences(t *testing.T, name string, input project.Input, checks checks) ([]compare.Difference, int) {
	t.Helper()
	tools, err := tools()
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
	if input.Apply == "" {
		their, our := size(t, p, project.Theirs), size(t, p, project.Ours)
		if our > their*3/4 {
			t.Errorf("the apply configurations have %d bytes, and those of applyconfiguration-gen %d", our, their)
		}
	}
	if checks.vet {
		if err := p.Vet(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if checks.behavior > 0 {
		program, err := compare.BehaviorProgram(theirs, ours)
		if err != nil {
			t.Fatal(err)
		}
		output, err := p.Run(t.Context(), program)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(output), "\n")
		for _, line := range lines[:len(lines)-1] {
			t.Error(line)
		}
		var types, calls int
		if _, err := fmt.Sscanf(lines[len(lines)-1], "%d types, %d calls", &types, &calls); err != nil {
			t.Fatalf("%s: %v", lines[len(lines)-1], err)
		}
		// A type has a constructor, and With functions that are called twice in each round.
		if types < checks.behavior || calls < 10*types {
			t.Errorf("only %d types are compared, with %d calls", types, calls)
		}
	}
	return compare.API(theirs, ours), len(theirs.Packages)
}

// size returns how many bytes the apply configurations of a side have, without the package internal:
// theirs has no schemas there.
func size(t *testing.T, p *project.Project, side string) (bytes int64) {
	t.Helper()
	root := filepath.Join(p.Dir, side, project.ApplyFolder)
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && entry.Name() != "internal" {
			return err
		}
		if entry.IsDir() {
			return fs.SkipDir
		}
		info, err := entry.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	if err != nil || bytes == 0 {
		t.Fatalf("%s has %d bytes: %v", root, bytes, err)
	}
	return bytes
}

// sift fails for each difference that is not accepted by ByDesign or by more, and for each
// entry of more that accepts none. It returns the entries of ByDesign that accept none.
func sift(t *testing.T, found []compare.Difference, more ...compare.Accepted) (unused []compare.Accepted) {
	t.Helper()
	left, unused, err := compare.Sift(found, slices.Concat(compare.ByDesign, more))
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
	for _, entry := range more {
		if slices.Contains(unused, entry) {
			t.Errorf("this entry accepts nothing any more, delete it: %s", entry.Pattern)
		}
	}
	return slices.DeleteFunc(unused, func(entry compare.Accepted) bool { return slices.Contains(more, entry) })
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
	behavior := 0
	if *all {
		behavior = 900
	}
	found, packages := differences(t, "kubernetes", input.GenerateApply(), checks{behavior: behavior})
	if packages < 5*len(input.GroupVersions) {
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
	found, packages := differences(t, "samplecontroller", input.GenerateApply(), checks{vet: true, behavior: 3})
	if packages < 13 {
		t.Errorf("only %d packages are compared", packages)
	}
	sift(t, found)
}

// TestFleet holds a project against code-generator that has an index by a path into another package. Only ours has indexes.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles client-go")
	}
	input, err := project.Fleet(repo)
	if err != nil {
		t.Fatal(err)
	}
	found, packages := differences(t, "fleet", input, checks{})
	if packages < 8 {
		t.Errorf("only %d packages are compared", packages)
	}
	sift(t, found, compare.Accepted{Pattern: `listers/fleet/v1 Fleet(Namespace)?Lister\.ByNodeName: extra: .*`, Reason: "Only ours has indexes."})
}

// TestClientGo generates informers with the API of client-go for all of k8s.io/api, and for a project whose output it also compiles.
// Nothing of that API may differ.
func TestClientGo(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles client-go")
	}
	kubernetes, err := project.Kubernetes(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := project.SampleController(repo)
	if err != nil {
		t.Fatal(err)
	}
	for name, input := range map[string]project.Input{"kubernetes-clientgo": kubernetes, "samplecontroller-clientgo": sample} {
		input.Informers = "client-go"
		found, _ := differences(t, name, input, checks{vet: name != "kubernetes-clientgo"})
		left, _, err := compare.Sift(found, []compare.Accepted{{
			Pattern: `listers/(imagepolicy/v1alpha1: missing: package|policy/v1(beta1)? (New)?Eviction\w+: missing: .*)`,
			Reason:  "Nobody can list an ImageReview or an Eviction, so nothing can fill a cache for such a lister.",
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, difference := range left {
			t.Errorf("%s: %v", name, difference)
		}
	}
}

// published are projects whose authors use the generators of code-generator.
var published = []struct {
	name, module string
	under        []string
	versions     int
	// types are how many have apply configurations at least.
	types int
	// accepted are differences that only this project has.
	accepted []compare.Accepted
}{
	{
		name: "gateway-api", module: "sigs.k8s.io/gateway-api", under: []string{"apis", "apisx"}, versions: 5, types: 116,
	},
	{
		name: "cert-manager", module: "github.com/cert-manager/cert-manager", under: []string{"pkg/apis/acme", "pkg/apis/certmanager"}, versions: 2, types: 71,
	},
	{
		name: "prometheus-operator", module: "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring", under: []string{"."}, versions: 3, types: 203,
	},
}

// TestPublished holds the clients and apply configurations of published projects with custom
// resources against what their authors would generate. The types of the listers and informers are
// checked only.
func TestPublished(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles client-go")
	}
	for _, test := range published {
		t.Run(test.name, func(t *testing.T) {
			input, err := project.Published(t.Context(), repo, test.module, test.under...)
			if err != nil {
				t.Fatal(err)
			}
			if len(input.GroupVersions) != test.versions {
				t.Errorf("%s has the group versions %q with a client, not %d: is it another version?", test.module, input.GroupVersions, test.versions)
			}
			input.ClientsOnly = true
			found, packages := differences(t, test.name, input, checks{behavior: test.types})
			if packages < 3*test.versions {
				t.Errorf("only %d packages are compared", packages)
			}
			sift(t, found, test.accepted...)
		})
	}
}
