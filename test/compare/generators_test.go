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

// kubernetes is set by make test-matrix.
var kubernetes = flag.String("kubernetes", "", "compare with this version of Kubernetes instead of that of go.mod, and compile only the generators")

// build is where the tests work.
func build() string { return filepath.Join(repo, "build/compare", *kubernetes) }

// tools are those of all tests, because to link them takes seconds.
var tools = sync.OnceValues(func() (*project.Tools, error) {
	if *kubernetes != "" {
		return project.BuildVersion(context.Background(), repo, filepath.Join(build(), "bin"), *kubernetes)
	}
	return project.Build(context.Background(), repo, filepath.Join(build(), "bin"))
})

// checks are what else is done with the output.
type checks struct {
	// vet compiles and vets ours.
	vet bool
	// behavior compiles the apply configurations of both sides, and calls their functions. There
	// have to be so many types at least; 0 for no such check.
	behavior int
}

// result is how ours differs from theirs, by default and with --informers=client-go.
type result struct {
	typed, clientGo []compare.Difference
	// version is that of Kubernetes.
	version string
	// packages is how many there are to a side.
	packages int
}

// differences generates both sides, checks the types of all of ours, and compares the two.
func differences(t *testing.T, name string, input project.Input, checks checks) result {
	t.Helper()
	tools, err := tools()
	if err != nil {
		t.Fatal(err)
	}
	p, err := project.Create(t.Context(), tools, filepath.Join(build(), name), input)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Generate(t.Context()); err != nil {
		t.Fatal(err)
	}
	trees, err := compare.LoadProject(t.Context(), p, *kubernetes != "")
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := trees[0], trees[1]
	found := result{typed: compare.API(theirs, ours), version: tools.Version, packages: len(theirs.Packages)}
	if len(trees) > 2 {
		found.clientGo = compare.API(theirs, trees[2])
	}
	if *kubernetes != "" {
		return found
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
	return found
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

// sift fails for each difference that is not accepted by ByDesign, by ClientGo or by more, and for each
// entry of more that accepts none. It returns the entries of ByDesign and ClientGo that accept none.
func sift(t *testing.T, found result, more ...compare.Accepted) (unused []compare.Accepted) {
	t.Helper()
	left, unused, err := compare.Sift(found.typed, slices.Concat(compare.For(found.version, compare.ByDesign), more))
	if err != nil {
		t.Fatal(err)
	}
	leftClientGo, unusedClientGo, err := compare.Sift(found.clientGo, slices.Concat(compare.For(found.version, compare.ClientGo), more))
	if err != nil {
		t.Fatal(err)
	}
	left = append(left, leftClientGo...)
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
	return slices.DeleteFunc(append(unused, unusedClientGo...), func(entry compare.Accepted) bool { return slices.Contains(more, entry) })
}

// TestKubernetes holds all group versions of k8s.io/api against what Kubernetes
// generates of them. The types of all packages are checked, as the compiler does.
// They are not compiled and vetted, which takes minutes: package generator does so for
// three of the groups, and for the golden output, which has each form that there is.
func TestKubernetes(t *testing.T) {
	if testing.Short() {
		t.Skip("generates and compiles the clients of all of Kubernetes")
	}
	tools, err := tools()
	if err != nil {
		t.Fatal(err)
	}
	input, err := project.Kubernetes(t.Context(), tools.Module)
	if err != nil {
		t.Fatal(err)
	}
	if len(input.GroupVersions) < 50 {
		t.Errorf("k8s.io/api has only %d group versions with a client", len(input.GroupVersions))
	}
	behavior := 0
	if *all {
		behavior = 900
	}
	found := differences(t, "kubernetes", input.GenerateApply(), checks{behavior: behavior})
	if found.packages < 5*len(input.GroupVersions) {
		t.Errorf("only %d packages are compared", found.packages)
	}
	for _, entry := range sift(t, found) {
		t.Errorf("this entry accepts nothing in %s, delete it or change its versions: %s", found.version, entry.Pattern)
	}
	for _, difference := range slices.Concat(found.typed, found.clientGo) {
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
	found := differences(t, "samplecontroller", input.GenerateApply(), checks{vet: true, behavior: 3})
	if found.packages < 13 {
		t.Errorf("only %d packages are compared", found.packages)
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
	found := differences(t, "fleet", input, checks{})
	if found.packages < 8 {
		t.Errorf("only %d packages are compared", found.packages)
	}
	sift(t, found, compare.Accepted{Pattern: `listers/fleet/v1 Fleet(Namespace)?Lister\.ByNodeName: extra: .*`, Reason: "Only ours has indexes."})
}

// TestShop holds a project with the markers of code-generator against what its author would generate.
func TestShop(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles client-go")
	}
	input, err := project.Shop(repo)
	if err != nil {
		t.Fatal(err)
	}
	found := differences(t, "shop", input.GenerateApply(), checks{})
	if found.packages < 18 {
		t.Errorf("only %d packages are compared", found.packages)
	}
	sift(t, found,
		compare.Accepted{Pattern: `listers/shop/v1 (New)?Session\w+: missing: .*`, Reason: "Its client has no methods, so nothing can fill a cache for such a lister."},
		compare.Accepted{Pattern: `applyconfiguration/shop/v1 (Extract)?(Session|Basket)\w*: missing: .*`, Reason: "Their clients have no method that takes the apply configuration."})
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
	if *kubernetes != "" {
		t.Skip("the projects need the version that go.mod has")
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
			found := differences(t, test.name, input, checks{behavior: test.types})
			if found.packages < 3*test.versions {
				t.Errorf("only %d packages are compared", found.packages)
			}
			sift(t, found, test.accepted...)
		})
	}
}
