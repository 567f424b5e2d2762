package apply

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/apiextensions"
	"github.com/typedinformers/informer-gen/apitest"
	v1 "github.com/typedinformers/informer-gen/test/apply/api/v1"
	apiv1 "github.com/typedinformers/informer-gen/test/apply/generated/applyconfiguration/api/v1"
	"github.com/typedinformers/informer-gen/test/apply/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/test/apply/generated/clientset/versioned/fake"
	typed "github.com/typedinformers/informer-gen/test/apply/generated/clientset/versioned/typed/api/v1"
	"github.com/typedinformers/informer-gen/test/progress"
	"github.com/typedinformers/informer-gen/testserver"
)

// manifests are the CRDs of the kinds.
const manifests = "config/crd"

// shared is the real API server of all tests.
var shared *testserver.Server

func TestMain(m *testing.M) {
	code := testserver.Run(m, &shared, testserver.WithCRDs(manifests))
	// A timer of the API server ends after 3 s, and nothing can stop it.
	err := goleak.Find(goleak.IgnoreTopFunction("k8s.io/apiserver/pkg/storage/cacher.(*watchCache).waitUntilFreshLocked.func2"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// servers returns a clientset of each server.
var servers = []struct {
	name      string
	clientset func(t *testing.T) versioned.Interface
}{
	{"API server", func(t *testing.T) versioned.Interface {
		config := shared.Config()
		config.QPS = -1
		client, err := versioned.NewForConfig(config)
		if err != nil {
			t.Fatal(err)
		}
		return client
	}},
	{withoutCRDs, func(*testing.T) versioned.Interface { return fake.NewClientset() }},
	{"fake with CRDs", func(t *testing.T) versioned.Interface {
		return fake.NewClientsetFor(apitest.Start(t, apiextensions.WithCRDs(manifests)))
	}},
}

// withoutCRDs is the server that knows only what is generated.
const withoutCRDs = "fake"

// isUndefaulted reports whether the server sets no defaults.
func (w *world) isUndefaulted() bool { return strings.HasSuffix(w.Name(), "/"+withoutCRDs) }

// world is where a scenario plays: a server, and a namespace of the scenario.
type world struct {
	*testing.T
	client    versioned.Interface
	namespace string
	proxies   typed.ProxyInterface
}

var namespaces atomic.Int64

// onEachServer runs a scenario once on each server.
func onEachServer(t *testing.T, scenario func(w *world)) {
	for _, server := range servers {
		t.Run(server.name, func(t *testing.T) { scenario(newWorld(t, server.clientset(t))) })
	}
}

func newWorld(t *testing.T, client versioned.Interface) *world {
	namespace := fmt.Sprintf("apply-%d", namespaces.Add(1))
	return &world{T: t, client: client, namespace: namespace, proxies: client.EdgeV1().Proxies(namespace)}
}

// proxy returns the configuration of the proxy edge with a spec.
func (w *world) proxy(spec *apiv1.ProxySpecApplyConfiguration) *apiv1.ProxyApplyConfiguration {
	return apiv1.Proxy("edge", w.namespace).WithSpec(spec)
}

// apply applies config, and fails the test if the server refuses it.
func (w *world) apply(manager string, config *apiv1.ProxyApplyConfiguration) *v1.Proxy {
	w.Helper()
	applied, err := w.proxies.Apply(w.Context(), config, metav1.ApplyOptions{FieldManager: manager})
	if err != nil {
		w.Fatalf("%s cannot apply %s: %v", manager, text(w, config), err)
	}
	progress.Step()
	return applied
}

// get returns the proxy edge.
func (w *world) get() *v1.Proxy {
	w.Helper()
	proxy, err := w.proxies.Get(w.Context(), "edge", metav1.GetOptions{})
	if err != nil {
		w.Fatal(err)
	}
	return proxy
}

// extract returns what manager has applied to the proxy edge.
func (w *world) extract(manager string) *apiv1.ProxyApplyConfiguration {
	w.Helper()
	config, err := apiv1.ExtractProxy(w.get(), manager)
	if err != nil {
		w.Fatalf("cannot extract what %s has applied: %v", manager, err)
	}
	return config
}

// wants compares got with want, which both become JSON.
func (w *world) wants(what string, got, want any) {
	w.Helper()
	if got, want := text(w, got), text(w, want); got != want {
		w.Errorf("%s is\n%s\nwant\n%s", what, got, want)
	}
}

// text returns value as JSON, with members in the order of their names. JSON that is given as a
// string may be spread over lines.
func text(t testing.TB, value any) string {
	t.Helper()
	encoded, isText := []byte(nil), false
	if given, ok := value.(string); ok {
		encoded, isText = []byte(given), true
	}
	if !isText {
		var err error
		if encoded, err = json.Marshal(value); err != nil {
			t.Fatal(err)
		}
	}
	var decoded any
	if err := json.Unmarshal(encoded, &decoded); err != nil {
		t.Fatalf("%v: %s", err, encoded)
	}
	indented, err := json.MarshalIndent(decoded, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(indented))
}
