package kubetest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/typedinformers/informer-gen/test/progress"
)

// replacements put the cache of the run into the text of controller-runtime's tests.
var replacements = []struct {
	old *regexp.Regexp
	new string
}{
	{regexp.MustCompile(`\bcache\.New\b`), "newCache"},
	{regexp.MustCompile(`\bmanager\.Options{`), "manager.Options{NewCache: newCache,"},
}

// suiteFile begins the tests of a package, in place of controller-runtime's file that starts
// envtest. The variables have the names that the tests use.
const suiteFile = `package %s_test

import (
	"context"
	"os"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllertest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

var newCache = map[string]cache.NewCacheFunc{
	"controller-runtime": cache.New,
	"informer-gen":       crcache.New,
	"read-your-writes": func(config *rest.Config, options cache.Options) (cache.Cache, error) {
		if options.NewInformer != nil {
			return crcache.New(config, options)
		}
		return crcache.NewFunc(crcache.WithReadYourWrites(own))(config, options)
	},
}[os.Getenv("CACHE")]

// own observes the clients that are made from cfg. Without a cache that asks it has no effect.
var own = &writes.Observer{}

var cfg = &rest.Config{
	Host:            os.Getenv("KUBE_URL"),
	BearerToken:     os.Getenv("KUBE_TOKEN"),
	TLSClientConfig: rest.TLSClientConfig{CAFile: os.Getenv("KUBE_CA")},
	QPS:             -1,
	WrapTransport:   own.Transport,
}

var (
	clientset *kubernetes.Clientset
	icache    cache.Cache
)

func TestSuite(t *testing.T) {
	log.SetLogger(zap.New(zap.WriteTo(ginkgo.GinkgoWriter)))
	metricsserver.DefaultBindAddress = "0"
	chaos := schema.GroupVersion{Group: "chaosapps.metamagical.io", Version: "v1"}
	scheme.Scheme.AddKnownTypes(chaos, &controllertest.UnconventionalListType{}, &controllertest.UnconventionalListTypeList{})
	metav1.AddToGroupVersion(scheme.Scheme, chaos)
	gomega.RegisterFailHandler(ginkgo.Fail)
	ginkgo.RunSpecs(t, "%[1]s")
}

var _ = ginkgo.BeforeSuite(func() {
	clientset = kubernetes.NewForConfigOrDie(cfg)
	var err error
	icache, err = newCache(cfg, cache.Options{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- icache.Start(ctx) }()
	ginkgo.DeferCleanup(func() {
		cancel()
		gomega.Expect(<-ended).To(gomega.Succeed())
	})
})
`

// module is where a module is.
type module struct{ Version, Dir string }

// findModule returns the module that go.mod of the module test requires, which it downloads if need be.
func findModule(t *testing.T, path string) (found module) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", path)
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if err := json.Unmarshal(output, &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// build writes a module with the tests of the suites, and returns the folder of the compiled
// tests.
func (m module) build(t *testing.T) (binaries string) {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), m.goMod(t))
	writeFile(t, filepath.Join(dir, "go.sum"), readFile(t, "../go.sum")+readFile(t, filepath.Join(m.Dir, "go.sum")))
	for _, s := range suites {
		for _, file := range s.files {
			text := readFile(t, filepath.Join(m.Dir, "pkg", s.name, file))
			for _, r := range replacements {
				text = r.old.ReplaceAllLiteralString(text, r.new)
			}
			writeFile(t, filepath.Join(dir, s.name, file), text)
		}
		writeFile(t, filepath.Join(dir, s.name, "suite_test.go"), fmt.Sprintf(suiteFile, s.name))
	}
	binaries = t.TempDir() + string(filepath.Separator)
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-mod=mod", "-o", binaries, "./...")
	build.Dir = dir
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cannot build the tests of controller-runtime: %v\n%s", err, output)
	}
	progress.Step()
	return binaries
}

// goMod returns the go.mod of the module with the tests. The versions of controller-runtime and client-go are those of the
// module test, and the others are those of controller-runtime's tests. The adapter requires older ones.
func (m module) goMod(t *testing.T) string {
	t.Helper()
	const ours = "github.com/typedinformers/informer-gen"
	text := "module suites\n\ngo 1.26.0\n\n" +
		"require sigs.k8s.io/controller-runtime " + m.Version + "\n" +
		"require k8s.io/client-go " + findModule(t, "k8s.io/client-go").Version + "\n" +
		"require " + ours + " v0.0.0\n" +
		"require " + ours + "/adapters/controllerruntime v0.0.0\n"
	for _, module := range []string{"", "/adapters/clientgo", "/adapters/controllerruntime"} {
		dir, err := filepath.Abs("../.." + module)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("replace %s => %q\n", ours+module, dir)
	}
	return text
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func writeFile(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
