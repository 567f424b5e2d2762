package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator"
)

var update = flag.Bool("update", false, "rewrite the expected messages of testdata/errors")

// asTool makes the test binary run main, so that a test can run the tool with its own working directory and
// exit code.
const asTool = "INFORMER_GEN_TEST_AS_TOOL"

func TestMain(m *testing.M) {
	if os.Getenv(asTool) != "" {
		main()
		panic("main has returned")
	}
	os.Exit(m.Run())
}

// outcome is the result of a run of the tool.
type outcome struct {
	code           int
	stdout, stderr string
}

func runTool(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	// Offline, and without a go.work of the user who runs the test.
	return runToolWith(t, dir, []string{"GOPROXY=off", "GOFLAGS=", "GOWORK=off"}, args...)
}

// runToolWith runs the tool with settings of the go command.
func runToolWith(t *testing.T, dir string, settings []string, args ...string) outcome {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), executable, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), asTool+"=1", "PWD="+dir, "GORACE=atexit_sleep_ms=0"), settings...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// orderModule writes a module with one kind, and returns its folder.
func orderModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"go.mod":                           "module example.com/mod\n\ngo 1.25.0\n\nrequire k8s.io/client-go v0.0.0\n\nreplace k8s.io/client-go => ./client-go\n",
		"client-go/go.mod":                 "module k8s.io/client-go\n\ngo 1.25.0\n",
		"client-go/discovery/discovery.go": "package discovery\n", // without it each run warns
		"shop/v1/types.go": `package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var SchemeGroupVersion = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}

var AddToScheme = func(*runtime.Scheme) error { return nil }

// +genclient
type Order struct {
	metav1.TypeMeta "json:\",inline\""
	metav1.ObjectMeta "json:\"metadata,omitempty\""
}

func (in *Order) DeepCopyObject() runtime.Object { return nil }

type OrderList struct {
	metav1.TypeMeta "json:\",inline\""
	metav1.ListMeta "json:\"metadata,omitempty\""
	Items []Order "json:\"items\""
}

func (in *OrderList) DeepCopyObject() runtime.Object { return nil }
`,
		"empty/empty.go": "package empty\n",
	})
	return dir
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"--help", "--output-dir=x", "./..."}} {
		got := runTool(t, t.TempDir(), args...)
		if got.code != exitOK || got.stderr != "" {
			t.Errorf("%v: exit code %d, stderr %q", args, got.code, got.stderr)
		}
		for _, want := range []string{"Usage:", "Examples:", "--output-dir", "--verify", "--plural-exceptions"} {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%v: the text does not mention %s", args, want)
			}
		}
	}
	got := runTool(t, t.TempDir(), "--version")
	if want := "informer-gen " + version(debug.ReadBuildInfo()) + "\n"; got.code != exitOK || got.stdout != want || got.stderr != "" {
		t.Errorf("--version: exit code %d, stdout %q, stderr %q, want %q", got.code, got.stdout, got.stderr, want)
	}
}

func TestUsageErrors(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"", "--output-dir is required"},
		{"./...", "--output-dir is required"},
		{"--output-dir=out", "no package is named"},
		{"--qqqqqqqqqqqqqqqqqqqqqqqq", "unknown flag: --qqqqqqqqqqqqqqqqqqqqqqqq; correct it, or remove it"},
		{"--ouput-dir=out ./...", "unknown flag: --ouput-dir; did you mean --output-dir?"},
		{"--output-package example.com/out ./...", "unknown flag: --output-package; did you mean --output-pkg?"},
		{"-deepcopy --output-dir=out ./...", "unknown shorthand flag: 'd' in -deepcopy; did you mean --deepcopy?"},
		{"-output-dir=out ./...", "unknown shorthand flag: 'o' in -output-dir=out; did you mean --output-dir?"},
		{"--output-dir=out --verfy=true ./...", "unknown flag: --verfy; did you mean --verify?"},
		{"-verify --output-dir=out ./...", "did you mean --verify?"},
		{"--output-dir=out --from=kubebulder ./...", "--from=kubebulder is unknown; did you mean kubebuilder?"},
		{"--output-dir=out --crd= ./...", "--crd is empty"},
		{"--output-dir=out -v=much ./...", `invalid argument "much"`},
		{"--output-dir=out --plural-exceptions=Endpoints ./...", "is not of the form Type:Plural"},
		{"--output-dir=out --plural-exceptions=Sheep:she-ep ./...", "is not of the form Type:Plural"},
		{"--output-dir=out --clientset-name=my-set ./...", "is not the name of a Go package"},
		{"--output-dir=out --with-applyconfig --applyconfig-name=clientset ./...", "--applyconfig-name=clientset is the folder of other generated code"},
		{"--output-dir=out --with-applyconfig --applyconfig-name=listers ./...", "--applyconfig-name=listers is the folder of other generated code"},
		{"--output-dir=out --with-applyconfig --applyconfig-name=Informers ./...", "--applyconfig-name=Informers is the folder of other generated code"},
		{"--output-dir=out --versioned-clientset-package=./clients ./...", "is not an import path"},
		{"--alias-package=api/v1 --versioned-clientset-package=example.com/clients ./...", "--alias-package does not generate"},
	} {
		got := runTool(t, t.TempDir(), strings.Fields(test.args)...)
		if got.code != exitUsage || got.stdout != "" || !strings.Contains(got.stderr, test.want) || !strings.Contains(got.stderr, "--help") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q; want exit code %d and %q", test.args, got.code, got.stdout, got.stderr, exitUsage, test.want)
		}
	}
}

// TestFlagOfEachOption checks that each field of generator.Options that an error may name has a flag.
func TestFlagOfEachOption(t *testing.T) {
	f, err := parseFlags([]string{"--output-dir=out", "./..."})
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[generator.Options]()) {
		switch flag := strings.TrimPrefix(f.flagOf(field.Name), "--"); {
		case field.Name == "Dir" || field.Name == "Patterns": // the working directory and the arguments
		case flag == "" || f.set.Lookup(flag) == nil:
			t.Errorf("there is no flag %q for the field %s", flag, field.Name)
		}
	}
}

func TestWriteThenVerify(t *testing.T) {
	dir := orderModule(t)
	args := []string{"--output-dir=out", "./shop/..."}
	verify := append([]string{"--verify"}, args...)

	before := snapshot(t, dir)
	if got := runTool(t, dir, verify...); got.code != exitFailed || !strings.Contains(got.stdout, "+++ b/out/clientset/versioned/clientset.go") ||
		!strings.Contains(got.stderr, "the folder out has no generated files; check --output-dir") {
		t.Errorf("before the first run --verify said: %+v", got)
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("--verify has changed the disk:\n%s", after)
	}
	if got := runTool(t, dir, args...); got.code != exitOK || got.stdout != "" ||
		!strings.HasPrefix(got.stderr, "informer-gen: output package example.com/mod/out: 1 kind in 1 group version: wrote 18 files (") {
		t.Errorf("the first run said: %+v", got)
	}
	if got := runTool(t, dir, verify...); got.code != exitOK || got.stdout != "" || got.stderr != "" {
		t.Errorf("after it --verify said: %+v", got)
	}
	before = snapshot(t, dir)
	if got := runTool(t, dir, args...); got.code != exitOK || !strings.Contains(got.stderr, ": 18 files unchanged (") {
		t.Errorf("the second run said: %+v", got)
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("the second run has changed the disk:\n%s", after)
	}
}

// TestSubfolder runs the command of the module's root in another folder, as from a directive in a file there.
func TestSubfolder(t *testing.T) {
	dir := orderModule(t)
	if got := runTool(t, dir, "--output-dir=gen/out", "./..."); got.code != exitOK || strings.Contains(got.stderr, "another run") {
		t.Fatalf("the run in the root said: %+v", got)
	}
	below := filepath.Join(dir, "shop")
	for _, test := range []struct {
		output string
		want   bool
	}{
		{"gen/out", true},
		{"./gen/out", false}, // there is a tree now
		{"../gen/out", false},
		{"other", false},
		{filepath.Join(dir, "gen/out"), false},
	} {
		want := "another run of informer-gen has written " + filepath.Join(dir, "gen/out") + ", and this one writes to " +
			filepath.Join(below, "gen/out") + "; to update the first, run in the folder of that run\n"
		if got := runTool(t, below, "--output-dir="+test.output, "./..."); got.code != exitOK || strings.Contains(got.stderr, want) != test.want ||
			!strings.Contains(got.stderr, "informer-gen: output package example.com/mod/") {
			t.Errorf("the run with --output-dir=%s said: %+v", test.output, got)
		}
	}
	writeFiles(t, dir, map[string]string{"farm/go.mod": "module example.com/farm\n\ngo 1.25.0\n", "farm/crops/crop.go": "package crops\n"})
	if got := runTool(t, filepath.Join(dir, "farm/crops"), "--output-dir=gen/out", "./..."); strings.Contains(got.stderr, "another run") {
		t.Errorf("the run in another module said: %+v", got)
	}
}

// TestMissingClientGo generates code before the module requires client-go: the code depends on its version. A module
// of another folder may require it.
func TestMissingClientGo(t *testing.T) {
	dir := orderModule(t)
	writeFiles(t, dir, map[string]string{"go.mod": "module example.com/mod\n\ngo 1.25.0\n"})
	const missing = "generated code needs k8s.io/client-go, and go.mod has no version of it; run go get k8s.io/client-go/kubernetes@v0.34.0, and then informer-gen again\n"
	if got := runTool(t, dir, "--output-dir=out", "./shop/..."); got.code != exitFailed || got.stderr != "informer-gen: "+missing {
		t.Errorf("the run said: %+v", got)
	}
	writeFiles(t, dir, map[string]string{"operator/go.mod": "module example.com/operator\n\ngo 1.25.0\n"})
	if got := runTool(t, dir, "--output-dir=operator/out", "./shop/..."); got.code != exitOK || !strings.HasPrefix(got.stderr, missing) {
		t.Errorf("the run for another module said: %+v", got)
	}
}

// TestApplyFlagForgotten leaves out the flag of an earlier run.
func TestApplyFlagForgotten(t *testing.T) {
	dir := orderModule(t)
	writeFiles(t, dir, map[string]string{
		"out/applyconfiguration/utils.go": "// Code generated by github.com/typedinformers/informer-gen. DO NOT EDIT.\n\npackage applyconfiguration\n",
	})
	const want = "out/applyconfiguration has apply configurations of an earlier run, which this run deletes, so clients have no Apply and ApplyStatus; add --with-applyconfig to keep them\n"
	if got := runTool(t, dir, "--output-dir=out", "./shop/..."); got.code != exitOK || !strings.Contains(got.stderr, want) || !strings.Contains(got.stderr, "delete out/applyconfiguration/utils.go") {
		t.Errorf("the run without the flag said: %+v", got)
	}
}

// TestPackagesThatDifferInCase has two packages whose apply configurations would have one folder. The go command
// refuses them.
func TestPackagesThatDifferInCase(t *testing.T) {
	dir := orderModule(t)
	writeFiles(t, dir, map[string]string{"a/price/price.go": "package price\n", "A/price/price.go": "package price // of A\n"})
	if lower, err := os.ReadFile(filepath.Join(dir, "a/price/price.go")); err != nil || strings.Contains(string(lower), "of A") {
		t.Skip("this file system does not distinguish letter case")
	}
	got := runTool(t, dir, "--output-dir=out", "--with-applyconfig", "./...")
	if got.code != exitFailed || !strings.Contains(got.stderr, "case-insensitive import collision") {
		t.Errorf("the run said: %+v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the run wrote files: %v", err)
	}
}

// TestModuleOfOthersMissing names a package of a module that go.mod does not require.
func TestModuleOfOthersMissing(t *testing.T) {
	dir := orderModule(t)
	want := "informer-gen: no package matches example.net/farm/apis/... in " + dir + "; name the packages of your API types, such as ./api/v1, or, " +
		"for those of another module, run go get before informer-gen, and go mod tidy only after it: it removes modules that no code imports\n"
	if got := runTool(t, dir, "--output-dir=out", "example.net/farm/apis/..."); got.code != exitFailed || !strings.Contains(got.stderr, want) {
		t.Errorf("the run said: %+v", got)
	}
}

// TestExistingClientset generates a clientset, and then uses another one. The second run deletes the first clientset.
func TestExistingClientset(t *testing.T) {
	dir := orderModule(t)
	args := []string{"--output-dir=out", "./shop/..."}
	if got := runTool(t, dir, args...); got.code != exitOK {
		t.Fatal(got.stderr)
	}
	writeFiles(t, dir, map[string]string{"clients/clients.go": `package clients

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

type Interface interface {
	Discovery() discovery.DiscoveryInterfaces
	ShopV1() ShopV1Interface
}

type ShopV1Interface interface {
	RESTClient() rest.Interface
	Orders(namespace string) OrderInterface
}
`})
	args = append(args, "--versioned-clientset-package=example.com/mod/clients")
	const deleted = "informer-gen: delete out/clientset/versioned/clientset.go, which is no longer generated\n"
	got := runTool(t, dir, args...)
	if got.code != exitOK || !strings.Contains(got.stderr, deleted) || strings.Contains(got.stderr, "because no package of this run has a kind of it") ||
		!strings.Contains(got.stderr, "deleted 10 files") {
		t.Errorf("the run with another clientset said: %+v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "out/clientset")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the first clientset is still there: %v", err)
	}
	factory, err := os.ReadFile(filepath.Join(dir, "out/informers/externalversions/factory.go"))
	if err != nil || !strings.Contains(string(factory), `"example.com/mod/clients"`) {
		t.Errorf("the factory does not import the clientset: %v\n%s", err, factory)
	}
}

// TestVerifyStale checks that the message does not mention --output-dir if only some files differ.
func TestVerifyStale(t *testing.T) {
	dir := orderModule(t)
	if got := runTool(t, dir, "--output-dir=out", "./shop/..."); got.code != exitOK {
		t.Fatal(got.stderr)
	}
	if err := os.Remove(filepath.Join(dir, "out/listers/shop/v1/order.go")); err != nil {
		t.Fatal(err)
	}
	if got := runTool(t, dir, "--verify", "--output-dir=out", "./shop/..."); got.code != exitFailed || !strings.Contains(got.stderr, "not up to date") || strings.Contains(got.stderr, "--output-dir") {
		t.Errorf("%+v", got)
	}
}

// TestNonASCIINames uses letters that are not ASCII in each name that may have them.
func TestNonASCIINames(t *testing.T) {
	dir := orderModule(t)
	const types = "shop/v1/types.go"
	content, err := os.ReadFile(filepath.Join(dir, types))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(content), "package v1", "// +groupGoName=Äpfel\npackage v1", 1)
	text = strings.Replace(text, "// +genclient\n", "// +genclient\n// +genclient:method=Öffne,verb=get,subresource=öffner\n"+
		"// +informer:index:name=ähnlich,path=spec.ähnlich\n// +kubebuilder:selectablefield:JSONPath=.spec.ähnlich\n", 1)
	text = strings.Replace(text, "metadata,omitempty\\\"\"\n}", "metadata,omitempty\\\"\"\n	Spec struct { Ä string `json:\"ähnlich\"` } `json:\"spec\"`\n}", 1)
	text += `
// Ärger is a view.
//
// +informer:view=Order
// +informer:index:name=ähnlich,path=spec.ähnlich
type Ärger struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
	Spec struct { Ä string ` + "`json:\"ähnlich\"`" + ` } ` + "`json:\"spec\"`" + `
}

func (in *Ärger) DeepCopyObject() runtime.Object { return nil }
`
	writeFiles(t, dir, map[string]string{types: text})
	if got := runTool(t, dir, "--output-dir=out", "./shop/..."); got.code != exitFailed || !strings.Contains(got.stderr, `subresource "öffner" is not a single path element`) {
		t.Errorf("%+v", got)
	}
	writeFiles(t, dir, map[string]string{types: strings.Replace(text, "öffner", "opener", 1)})
	if got := runTool(t, dir, "--output-dir=out", "./shop/..."); got.code != exitOK {
		t.Fatal(got.stderr)
	}
	for name, want := range map[string]string{
		"informers/externalversions/shop/v1/interface.go": "Ärgers() ÄrgerInformer",
		"informers/externalversions/factory.go":           "func (f *sharedInformerFactory) Äpfel()",
		"clientset/versioned/clientset.go":                "äpfelV1 *äpfelv1.ÄpfelV1Client",
		"clientset/versioned/typed/shop/v1/order.go":      "func (c *orders) Öffne(",
		"listers/shop/v1/ärger.go":                        "func (l ärgerLister) Ähnlich(value string)",
	} {
		if content, err := os.ReadFile(filepath.Join(dir, "out", name)); err != nil || !strings.Contains(string(content), want) {
			t.Errorf("%s does not contain %s; %v", name, want, err)
		}
	}
}

// TestTwoRunsIntoOneFolder checks that the second run says why it deletes the files of the first one.
func TestTwoRunsIntoOneFolder(t *testing.T) {
	dir := orderModule(t)
	types, err := os.ReadFile(filepath.Join(dir, "shop/v1/types.go"))
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, map[string]string{"farm/v1/types.go": strings.ReplaceAll(string(types), "shop.example.com", "farm.example.com")})
	const want = "informer-gen: delete the generated code of farm/v1, because no package of this run has a kind of it"
	for _, test := range []struct {
		pattern string
		says    bool
	}{{"./farm/...", false}, {"./...", false}, {"./shop/...", true}, {"./shop/...", false}} {
		got := runTool(t, dir, "--output-dir=out", test.pattern)
		if got.code != exitOK || strings.Contains(got.stderr, want) != test.says {
			t.Errorf("%s: exit code %d, stderr\n%s", test.pattern, got.code, got.stderr)
		}
	}
}

func TestVerbose(t *testing.T) {
	got := runTool(t, orderModule(t), "-v", "--output-dir=out", "./...")
	if got.code != exitOK {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	for _, want := range []string{
		"example.com/mod/empty has no kind and is ignored\n",
		"output package example.com/mod/out\n",
		`example.com/mod/shop/v1.Order: resource orders of group "shop.example.com", version v1, namespaced, verbs create,`,
		"create out/clientset/versioned/clientset.go\n",
		"load ",
	} {
		if !strings.Contains(got.stderr, "informer-gen: "+want) {
			t.Errorf("-v does not say %q:\n%s", want, got.stderr)
		}
	}
}

// TestVerboseWithCRDs checks that -v prints for each kind the CRD that it agrees with, or that it has no
// CRD.
func TestVerboseWithCRDs(t *testing.T) {
	dir := orderModule(t)
	const crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: shop.example.com\n" +
		"  names: {kind: Order, plural: orders}\n  scope: Namespaced\n  versions: [{name: v1, served: true}]\n"
	writeFiles(t, dir, map[string]string{
		"crd/orders.yaml": "# Orders\n---\n" + crd,
		"other/crd.yaml":  strings.ReplaceAll(crd, "shop.example.com", "other.example.com"),
	})
	got := runTool(t, dir, "-v", "--output-dir=out", "--crd=crd", "--crd=other/crd.yaml", "./shop/...")
	if want := filepath.Join("crd", "orders.yaml:3:1\n"); got.code != exitOK || !strings.Contains(got.stderr, "shop/v1.Order: agrees with its CRD at ") || !strings.Contains(got.stderr, want) {
		t.Errorf("%+v", got)
	}
	got = runTool(t, dir, "-v", "--output-dir=out", "--crd=other/crd.yaml", "./shop/...")
	for _, want := range []string{"other/crd.yaml:1:1: no kind was checked", "shop/v1.Order: not checked, because --crd names no CRD of it\n"} {
		if got.code != exitOK || !strings.Contains(got.stderr, want) {
			t.Errorf("exit code %d, and there is no %q in %s", got.code, want, got.stderr)
		}
	}
}

// TestModuleNotInWorkspace runs in, above and next to a module that go.work does not name.
func TestModuleNotInWorkspace(t *testing.T) {
	dir := orderModule(t)
	writeFiles(t, dir, map[string]string{
		"go.work":      "go 1.25.0\n\nuse ./other\n",
		"other/go.mod": "module example.com/other\n\ngo 1.25.0\n",
		"other/o.go":   "package other\n",
	})
	for _, test := range []struct{ in, pattern, module string }{
		{".", "./shop/v1", "."},
		{".", "./shop/...", "."},
		{".", "./...", "."},
		{".", "example.com/mod/shop/v1", "."},
		{"shop", "./v1", ".."},
		{"other", "../shop/v1", ".."},
	} {
		want := "informer-gen: the module in " + test.module + " is not in go.work; run go work use " + test.module + "\n"
		got := runToolWith(t, filepath.Join(dir, test.in), []string{"GOPROXY=off", "GOFLAGS=", "GOWORK="}, "--output-dir=out", test.pattern)
		if got.code != exitFailed || got.stderr != want {
			t.Errorf("in %s for %s: %+v, want %q", test.in, test.pattern, got, want)
		}
	}
}

func TestPluralExceptions(t *testing.T) {
	dir := orderModule(t)
	got := runTool(t, dir, "-v", "--output-dir=out", "--plural-exceptions=Order:Orderses,Endpoints:Endpoints", "./shop/v1")
	if got.code != exitOK || !strings.Contains(got.stderr, "resource orderses of group") {
		t.Errorf("%+v", got)
	}
}
