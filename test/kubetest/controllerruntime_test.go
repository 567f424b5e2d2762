package kubetest

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/typedinformers/informer-gen/test/kubeserver"
	"github.com/typedinformers/informer-gen/test/progress"
)

// suite is a package of controller-runtime whose own tests run with each cache. Files of its
// package are left out if they test what is not exported, or need no cache.
type suite struct {
	name  string
	files []string
	// specs is how many specs each top-level container has.
	specs map[string]int
	// pending is how many of them controller-runtime has switched off.
	pending int
	// tests are the tests that are not specs.
	tests []string
	// crds are the folder of the CRDs that the specs need.
	crds string
}

var suites = []suite{
	{
		name:  "cache",
		files: []string{"cache_test.go", "informer_cache_test.go"},
		specs: map[string]int{
			"Informer Cache":                                  86,
			"Multi-Namespace Informer Cache":                  86,
			"Informer Cache without global DeepCopy":          85,
			"Informer Cache with ReaderFailOnMissingInformer": 4,
			"Cache with selectors":                            2,
			"Cache with transformers":                         6,
			"TransformStripManagedFields":                     2,
			"informerCache":                                   1,
		},
		tests: []string{"TestIndexFieldDoesNotBlock", "TestReaderWaitsForCacheSync"},
	},
	{
		name:  "client",
		files: []string{"consistency_envtest_test.go"},
		specs: map[string]int{"ConsistentClient": 13},
	},
	{
		name:    "source",
		files:   []string{"source_integration_test.go"},
		specs:   map[string]int{"Source": 5},
		pending: 1,
	},
	{
		name:  "controller",
		files: []string{"controller_integration_test.go"},
		specs: map[string]int{"controller": 2},
		crds:  "testdata/crds",
	},
}

// caches are the values of the variable CACHE of the suites. The first one is what the others are
// compared with.
var caches = []string{"controller-runtime", "informer-gen", "read-your-writes"}

// TestControllerRuntime runs controller-runtime's own tests of its cache, and of what reads
// it: the client that reads its writes, sources and controllers. It does so with its cache, with
// ours, and with ours when it reads the writes of the clients of the specs. Each run has a server of its own, because all use the same namespaces.
func TestControllerRuntime(t *testing.T) {
	upstream := findModule(t, "sigs.k8s.io/controller-runtime")
	binaries := upstream.build(t)
	for _, s := range suites {
		for _, cache := range caches {
			t.Run(s.name+"/"+cache, func(t *testing.T) {
				t.Parallel()
				binary := filepath.Join(binaries, s.name+".test")
				s.checkTests(t, binary)
				server := start(t, "--allow-privileged=true")
				for _, crd := range s.crdFiles(t, upstream) {
					newObjects(t, server).create(t, crd)
				}
				environment := append(environmentOf(server), "CACHE="+cache)
				runTests(t, binary, environment, "-test.skip=^TestSuite$")
				report := filepath.Join(t.TempDir(), "report.json")
				var flags []string
				if cache == "controller-runtime" {
					// A canceled wait may succeed with it: the specs of that are flaky.
					flags = append(flags, "-ginkgo.flake-attempts=3")
				}
				runSuite(t, binary, environment, report, flags...)
				s.check(t, readReport(t, report))
			})
		}
	}
}

func (s suite) crdFiles(t *testing.T, upstream module) []string {
	t.Helper()
	if s.crds == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(upstream.Dir, "pkg", s.name, s.crds, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no CRDs: %v", s.name, err)
	}
	return files
}

// environmentOf tells a suite where the server is.
func environmentOf(server *kubeserver.Server) []string {
	access := server.Access()
	return append(os.Environ(), "KUBE_URL="+access.URL, "KUBE_TOKEN="+access.Token, "KUBE_CA="+access.CA)
}

// checkTests compares the tests of the binary that are not specs.
func (s suite) checkTests(t *testing.T, binary string) {
	t.Helper()
	output, err := exec.CommandContext(within(t), binary, "-test.list=.").Output()
	if err != nil {
		t.Fatal(err)
	}
	tests := slices.DeleteFunc(strings.Fields(string(output)), func(name string) bool { return name == "TestSuite" })
	slices.Sort(tests)
	if !slices.Equal(tests, s.tests) {
		t.Errorf("the tests are %q, want %q", tests, s.tests)
	}
}

// runTests runs tests that have to pass.
func runTests(t *testing.T, binary string, environment []string, args ...string) {
	t.Helper()
	command := exec.CommandContext(within(t), binary, args...)
	command.Env = environment
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", args, err, output)
	}
}

// runSuite runs the specs, and writes the report. If a spec hangs, the output names it, and has
// the stacks.
func runSuite(t *testing.T, binary string, environment []string, report string, flags ...string) {
	t.Helper()
	command := exec.CommandContext(within(t), binary, append(flags, "-test.run=^TestSuite$", "-test.timeout=0", "-ginkgo.timeout=24h",
		"-ginkgo.no-color", "-ginkgo.succinct", "-ginkgo.poll-progress-after=1m", "-ginkgo.json-report="+report)...)
	command.Env = environment
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGQUIT) }
	var output steps
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		// Failures are read from the report, which the suite writes at its end.
		t.Logf("%v\n%s", err, output.text.String())
	}
}

// steps is the output of a suite, which prints a mark after each spec.
type steps struct{ text strings.Builder }

func (s *steps) Write(p []byte) (int, error) {
	progress.Step()
	return s.text.Write(p)
}

// spec is a part of ginkgo's report of a spec.
type spec struct {
	ContainerHierarchyTexts []string
	LeafNodeType            string
	LeafNodeText            string
	State                   string
	Failure                 struct {
		Message  string
		Location struct {
			FileName   string
			LineNumber int
		}
	}
}

func (s spec) name() string {
	return strings.Join(append(slices.Clone(s.ContainerHierarchyTexts), s.LeafNodeText), " ")
}

func readReport(t *testing.T, file string) (specs []spec) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var reports []struct{ SpecReports []spec }
	if err := json.Unmarshal(text, &reports); err != nil {
		t.Fatal(err)
	}
	for _, report := range reports {
		specs = append(specs, report.SpecReports...)
	}
	return specs
}

// check compares the results of all specs. None is skipped.
func (s suite) check(t *testing.T, specs []spec) {
	t.Helper()
	counts, pending := map[string]int{}, 0
	for _, spec := range specs {
		if spec.LeafNodeType == "It" {
			counts[spec.ContainerHierarchyTexts[0]]++
		}
		switch at := spec.Failure.Location; spec.State {
		case "passed":
		case "pending":
			pending++
		default:
			t.Errorf("%s %q is %s at %s:%d:\n%s", spec.LeafNodeType, spec.name(), spec.State, filepath.Base(at.FileName), at.LineNumber, spec.Failure.Message)
		}
	}
	if !maps.Equal(counts, s.specs) || pending != s.pending {
		t.Errorf("the specs are %v, %d of them pending; want %v, %d", counts, pending, s.specs, s.pending)
	}
}
